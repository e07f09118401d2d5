//! Go templates as trees: a part of the language that is enough for scopes, loops and variables to go wrong.

use mcp_generators::choices::Choices;

#[derive(Debug, Clone)]
pub enum Node {
    Text(Text),
    Emit(Expr),
    /// `$x := …` or `$x = …`.
    Set(Bind, Expr),
    If(Vec<Arm>, Vec<Node>),
    With(Vec<Arm>, Vec<Node>),
    Range(Range),
    Break,
    Continue,
}

/// Text between two tags.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: &'static str,
    /// The tag before it ends with `-}}`.
    pub trim_start: bool,
    /// The tag after it begins with `{{-`.
    pub trim_end: bool,
}

#[derive(Debug, Clone)]
pub struct Arm {
    pub bind: Option<Bind>,
    pub condition: Expr,
    pub body: Vec<Node>,
}

#[derive(Debug, Clone)]
pub struct Range {
    /// The element's name, or the key's and the element's.
    pub names: Vec<&'static str>,
    pub assign: bool,
    pub over: Expr,
    pub body: Vec<Node>,
    pub otherwise: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
pub struct Bind {
    pub name: &'static str,
    /// An existing variable is set.
    pub assign: bool,
}

#[derive(Debug, Clone)]
pub enum Expr {
    /// `.a.b`
    Dot(Vec<&'static str>),
    /// `$.a.b`, `$x.a.b`
    Variable(&'static str, Vec<&'static str>),
    /// `(…).a.b`
    Of(Box<Expr>, Vec<&'static str>),
    Int(i64),
    Str(&'static str),
    Bool(bool),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
}

const NAMES: &[&str] = &["x", "y", "z"];
const TEXTS: &[&str] = &["t", " ", "\n", " u ", "\n  v\n", "{ ", "\"\\", "é "];

/// A template. It begins and ends with a tag, so that each text has two neighbours.
pub fn template(choices: &mut Choices<'_>) -> Vec<Node> {
    let mut maker = Maker { choices, scope: Vec::new(), loops: 0 };
    let mut nodes = vec![Node::Emit(Expr::Str("<"))];
    for _ in 0..=maker.choices.below(3) {
        nodes.extend(maker.body(4));
        nodes.push(Node::Emit(Expr::Str("|")));
    }
    nodes.push(Node::Emit(Expr::Str(">")));
    nodes
}

struct Maker<'c, 'b> {
    choices: &'c mut Choices<'b>,
    scope: Vec<&'static str>,
    loops: usize,
}

impl Maker<'_, '_> {
    /// What is declared in it goes out of scope at its end.
    fn body(&mut self, depth: usize) -> Vec<Node> {
        let outside = self.scope.len();
        let mut nodes: Vec<Node> = Vec::new();
        for _ in 0..=self.choices.below(4) {
            let node = self.node(depth);
            // Two texts would be one.
            if !matches!((nodes.last(), &node), (Some(Node::Text(_)), Node::Text(_))) {
                nodes.push(node);
            }
        }
        self.scope.truncate(outside);
        nodes
    }

    fn node(&mut self, depth: usize) -> Node {
        let blocks = if depth == 0 { 0 } else { 8 };
        match self.choices.below(10 + blocks) {
            0 | 1 => Node::Text(Text {
                text: self.choices.one(TEXTS),
                trim_start: self.choices.rarely(4),
                trim_end: self.choices.rarely(4),
            }),
            2..=6 => Node::Emit(self.expr(2)),
            7 | 8 => {
                let value = self.expr(2);
                let bind = self.bind();
                Node::Set(bind, value)
            }
            9 if self.loops == 0 || !self.choices.rarely(2) => Node::Emit(self.expr(0)),
            9 => self.choices.one(&[&Node::Break, &Node::Continue]).clone(),
            10..=12 => {
                let (arms, otherwise) = self.arms(depth);
                Node::If(arms, otherwise)
            }
            13 | 14 => {
                let (arms, otherwise) = self.arms(depth);
                Node::With(arms, otherwise)
            }
            _ => self.range(depth),
        }
    }

    fn arms(&mut self, depth: usize) -> (Vec<Arm>, Vec<Node>) {
        // What the conditions declare is seen up to the end.
        let outside = self.scope.len();
        let mut arms = Vec::new();
        loop {
            let condition = self.expr(2);
            let bind = if self.choices.rarely(3) { Some(self.bind()) } else { None };
            arms.push(Arm { bind, condition, body: self.body(depth - 1) });
            if !self.choices.rarely(4) {
                break;
            }
        }
        let otherwise = self.otherwise(depth);
        self.scope.truncate(outside);
        (arms, otherwise)
    }

    fn otherwise(&mut self, depth: usize) -> Vec<Node> {
        if self.choices.rarely(3) { self.body(depth - 1) } else { Vec::new() }
    }

    fn range(&mut self, depth: usize) -> Node {
        let outside = self.scope.len();
        let over = self.expr(1);
        let count = self.choices.below(3);
        let assign = count > 0 && self.scope.len() > 1 && self.choices.rarely(3);
        let mut names: Vec<&'static str> = Vec::new();
        for _ in 0..count {
            let name = if assign { self.known() } else { self.choices.one(NAMES) };
            names.push(name);
        }
        if !assign {
            self.scope.extend(&names);
        }
        self.loops += 1;
        let body = self.body(depth - 1);
        self.loops -= 1;
        let otherwise = self.otherwise(depth);
        self.scope.truncate(outside);
        Node::Range(Range { names, assign, over, body, otherwise })
    }

    fn known(&mut self) -> &'static str {
        let at = self.choices.below(self.scope.len());
        self.scope[at]
    }

    fn bind(&mut self) -> Bind {
        if !self.scope.is_empty() && self.choices.rarely(2) {
            return Bind { name: self.known(), assign: true };
        }
        let name = self.choices.one(NAMES);
        self.scope.push(name);
        Bind { name, assign: false }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        let deep = if depth == 0 { 0 } else { 4 };
        match self.choices.below(10 + deep) {
            0..=3 => Expr::Dot(self.fields()),
            4 | 5 => Expr::Variable("", self.fields()),
            6..=8 if self.scope.is_empty() => Expr::Dot(self.fields()),
            6..=8 => {
                let name = self.known();
                Expr::Variable(name, self.fields())
            }
            9 => match self.choices.below(4) {
                0 => Expr::Int(self.choices.one(&[0, 1, 2, 3, -1])),
                1 => Expr::Bool(self.choices.rarely(2)),
                _ => Expr::Str(self.choices.one(&["s", "", "a\"b", "\\"])),
            },
            10 => Expr::And(self.exprs(depth)),
            11 => Expr::Or(self.exprs(depth)),
            12 => Expr::Not(Box::new(self.expr(depth - 1))),
            _ => {
                let value = Box::new(self.expr(depth - 1));
                Expr::Of(value, vec![self.choices.one(&["a", "b"])])
            }
        }
    }

    fn exprs(&mut self, depth: usize) -> Vec<Expr> {
        (0..=self.choices.below(3)).map(|_| self.expr(depth - 1)).collect()
    }

    fn fields(&mut self) -> Vec<&'static str> {
        let count = self.choices.one(&[1, 0, 1, 1, 2, 3]);
        (0..count).map(|_| self.choices.one(&["a", "b", "a", "b", "c"])).collect()
    }
}
