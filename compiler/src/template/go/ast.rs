//! The tree of a Go template. The parser builds one only when it found no error, so what the types allow is all
//! that a later stage has to handle: variables are resolved, functions exist and have as many arguments as they
//! take, and only functions have arguments.
//!
//! Spans are byte ranges of the source, on everything that a later message could point at.

use std::collections::BTreeMap;
use std::ops::Range;

use super::functions::Function;
use super::literal::Number;

pub type Span = Range<usize>;

/// A whole template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub body: Vec<Node>,
    /// What `define` and `block` have given names. They use each other only in one direction.
    pub definitions: BTreeMap<String, Vec<Node>>,
    /// How many variables it declares, `$` included: every [`VariableId`] is smaller.
    pub variables: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Text as it is printed; trim markers have been applied. Never empty.
    Text(Text),
    /// `{{ pipe }}`: prints the value, unless the pipe binds a variable.
    Action(Action),
    If(Branches),
    /// Like `if`, with `.` set to the condition's value within an arm's body, but not in the final `else`.
    With(Branches),
    Range(RangeLoop),
    /// `{{ break }}`, always inside a [`RangeLoop`]'s body.
    Break(Span),
    /// `{{ continue }}`, always inside a [`RangeLoop`]'s body.
    Continue(Span),
    /// `{{ template "name" pipe }}`, or a `block`, which is where it is defined, too.
    Inclusion(Inclusion),
}

/// A place where a definition is put, which exists.
#[derive(Debug, Clone, PartialEq)]
pub struct Inclusion {
    pub name: String,
    /// What `.` and `$` are in it; without it, nothing.
    pub data: Option<Pipe>,
    /// The action.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub text: String,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub pipe: Pipe,
    /// From `{{` to `}}`.
    pub span: Span,
}

/// An `if` or `with` with all its `else if` or `else with`: the first arm whose condition is true is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Branches {
    /// At least one.
    pub arms: Vec<Arm>,
    pub otherwise: Vec<Node>,
    /// From the opening `{{` to the `}}` of its `end`.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// A variable bound here lives on in the later arms and in the final `else`.
    pub condition: Pipe,
    pub body: Vec<Node>,
    /// The action that holds the condition.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RangeLoop {
    /// In `otherwise`, the bound variables hold the value of `over` itself, as in Go.
    pub bind: Option<RangeBinding>,
    /// What is looped over. Its own `bind` is always `None`.
    pub over: Pipe,
    /// Run for each element, with `.` set to it.
    pub body: Vec<Node>,
    /// Run when there is no element; `.` is unchanged. `break` and `continue` in it belong to an outer loop.
    pub otherwise: Vec<Node>,
    /// From the opening `{{` to the `}}` of its `end`.
    pub span: Span,
}

/// The variables of `range $index, $element := …`.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeBinding {
    pub mode: BindMode,
    /// The index or key, if two variables are given.
    pub index: Option<Variable>,
    pub element: Variable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindMode {
    /// `:=`, a new variable.
    Declare,
    /// `=`, an existing one.
    Assign,
}

/// `bind head | stage | …`: each stage gets the value so far as its last argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipe {
    pub bind: Option<Binding>,
    pub head: Expr,
    /// The arguments here are those written; the piped one comes on top.
    pub stages: Vec<CallExpr>,
    pub span: Span,
}

/// `$x := …` or `$x = …`. A variable declared in parentheses lives until the end of the block, like any other.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    pub mode: BindMode,
    pub variable: Variable,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// Never [`Literal::Nil`] as a command of its own, only as an argument.
    Literal(Literal),
    Path(Path),
    Call(CallExpr),
    /// A pipe in parentheses.
    Pipe(Box<Pipe>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    Nil,
    Bool(bool),
    /// Runes are integers.
    Number(Number),
    Str(String),
}

/// A value and the fields taken from it, one from the other: `.a.b`, `$x.a`, `(index .l 0).name`.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub base: Base,
    /// Never empty for [`Base::Value`].
    pub fields: Vec<Name>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Base {
    /// `.`.
    Dot,
    /// `$` is [`VariableId::ROOT`].
    Variable(Variable),
    /// The result of a call or a pipe in parentheses.
    Value(Box<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CallExpr {
    pub function: Function,
    pub arguments: Vec<Expr>,
    /// The function's name.
    pub name_span: Span,
    /// The name and its arguments.
    pub span: Span,
}

/// A use or a declaration of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub id: VariableId,
    /// As written, with its `$`.
    pub name: String,
    pub span: Span,
}

/// Which declaration a variable belongs to: each `:=` makes a new one, also where it shadows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

impl VariableId {
    /// `$`, the data that the template is rendered with.
    pub const ROOT: Self = Self(0);
}

/// A field's name, without its dot.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    pub text: String,
    /// With its dot.
    pub span: Span,
}
