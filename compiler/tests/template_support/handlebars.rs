//! Handlebars templates that both engines accept.

use mcp_generators::choices::Choices;
use mcp_generators::data::KEYS;

/// Names that a block may give, most of which are also names in the data.
const PARAMS: &[&str] = &["a", "p", "q", "b"];
const TEXTS: &[&str] =
    &["x", " ", "\n", "  \n", "\n  ", "y z", "\n\n", "é", "\t", "\"", "<&>", " \n x", "[", "}", "$", "\\ "];
const LITERALS: &[&str] = &[
    "1", "\"a\"", "0", "true", "false", "null", "-1", "2.5", "\"\"", "\"x y\"", "'b'", "2", "\"0\"",
    "\"2.5\"",
];
const HELPERS: &[&str] = &["eq", "ne", "gt", "gte", "lt", "lte", "and", "or"];

/// A template.
pub fn template(choices: &mut Choices<'_>) -> String {
    let mut writer = Writer { choices, out: String::new(), levels: 0, params: Vec::new() };
    for _ in 0..=writer.choices.below(8) {
        writer.node(4);
    }
    writer.out
}

struct Writer<'c, 'b> {
    choices: &'c mut Choices<'b>,
    out: String,
    /// How many `each` and `with` are open: so many `../` there may be.
    levels: usize,
    params: Vec<&'static str>,
}

impl Writer<'_, '_> {
    fn body(&mut self, depth: usize) {
        for _ in 0..=self.choices.below(3) {
            self.node(depth);
        }
    }

    fn node(&mut self, depth: usize) {
        let blocks = if depth == 0 { 0 } else { 10 };
        match self.choices.below(9 + blocks) {
            0..=2 => self.out.push_str(self.choices.one(TEXTS)),
            3..=6 => {
                let path = self.path();
                self.emit(&path);
            }
            7 => {
                let call = self.call(2);
                self.emit(&call);
            }
            8 => self.odd(),
            9 | 10 => {
                let value = self.value(2);
                let zero = if self.choices.rarely(4) { " includeZero=true" } else { "" };
                let word = self.pick_word();
                self.conditional(word, &format!("{value}{zero}"), depth);
            }
            11 => {
                let (name, arguments) = self.comparison(2);
                self.conditional(name, &arguments, depth);
            }
            12..=16 => self.scoped("each", depth),
            _ => self.scoped("with", depth),
        }
    }

    fn pick_word(&mut self) -> &'static str {
        self.choices.one(&["if", "if", "unless"])
    }

    /// What has no value: comments, raw blocks, escaped tags.
    fn odd(&mut self) {
        match self.choices.below(5) {
            0 | 1 => self.out.push_str("{{! note}}"),
            2 => self.out.push_str("{{!-- {{a}} --}}"),
            3 => self.out.push_str("{{{{raw}}}} {{a}} {{{{/raw}}}}"),
            _ => self.out.push_str("\\{{a}}"),
        }
    }

    /// `{{…}}`, maybe with `~`.
    fn tag(&mut self, inside: &str) {
        let before = if self.choices.rarely(6) { "~" } else { "" };
        let after = if self.choices.rarely(6) { "~" } else { "" };
        self.out.push_str(&format!("{{{{{before}{inside}{after}}}}}"));
    }

    fn emit(&mut self, value: &str) {
        match self.choices.below(8) {
            6 => self.out.push_str(&format!("{{{{{{{value}}}}}}}")),
            // That one takes no parameters.
            7 if !value.contains(' ') => self.tag(&format!("&{value}")),
            _ => self.tag(value),
        }
    }

    fn conditional(&mut self, name: &'static str, condition: &str, depth: usize) {
        self.tag(&format!("#{name} {condition}"));
        self.body(depth - 1);
        while self.choices.rarely(4) {
            let value = self.value(1);
            let word = self.pick_word();
            self.tag(&format!("else {word} {value}"));
            self.body(depth - 1);
        }
        self.otherwise(depth);
        self.close(name);
    }

    fn otherwise(&mut self, depth: usize) {
        match self.choices.below(4) {
            2 => self.tag("else"),
            3 => self.tag("^"),
            _ => return,
        }
        self.body(depth - 1);
    }

    fn close(&mut self, name: &str) {
        self.tag(&format!("/{name}"));
    }

    fn scoped(&mut self, name: &'static str, depth: usize) {
        let value = self.value(1);
        let most = if name == "each" { 2 } else { 1 };
        let params: Vec<&str> = (0..self.choices.below(most + 1)).map(|_| self.choices.one(PARAMS)).collect();
        let list = if params.is_empty() { String::new() } else { format!(" as |{}|", params.join(" ")) };
        self.tag(&format!("#{name} {value}{list}"));
        let outside = self.params.len();
        self.params.extend(params);
        self.levels += 1;
        self.body(depth - 1);
        self.levels -= 1;
        self.params.truncate(outside);
        self.otherwise(depth);
        self.close(name);
    }

    /// A parameter of a helper.
    fn value(&mut self, depth: usize) -> String {
        let calls = if depth == 0 { 0 } else { 2 };
        match self.choices.below(8 + calls) {
            0..=6 => self.path(),
            7 => self.choices.one(LITERALS).to_owned(),
            _ => format!("({})", self.call(depth - 1)),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        match self.choices.below(8) {
            0 | 1 => format!("len {}", self.value(depth)),
            2 | 3 => format!("lookup {} {}", self.value(depth), self.value(depth)),
            4 => format!("not {}", self.value(depth)),
            _ => {
                let (name, arguments) = self.comparison(depth);
                format!("{name} {arguments}")
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> (&'static str, String) {
        let name = self.choices.one(HELPERS);
        (name, format!("{} {}", self.value(depth), self.value(depth)))
    }

    fn path(&mut self) -> String {
        match self.choices.below(12) {
            0..=3 => self.keys(),
            4 => "this".to_owned(),
            5 => format!("{}{}", self.choices.one(&["./", "this.", "this/"]), self.keys()),
            6 => {
                let up = self.choices.below(self.levels + 1);
                format!("{}{}", "../".repeat(up), self.keys())
            }
            // `@root` alone is nothing to the crate.
            7 => self.choices.one(&["@root.a", "@root/b", "@root.c.a", "@root.a.0"]).to_owned(),
            8 | 9 => {
                let up = self.choices.below(self.levels + 1);
                let name = self.choices.one(&["index", "key", "first", "last"]);
                format!("@{}{name}", "../".repeat(if self.choices.rarely(2) { up } else { 0 }))
            }
            _ => match self.params.len() {
                0 => self.keys(),
                count => {
                    let param = self.params[self.choices.below(count)];
                    if self.choices.rarely(2) { format!("{param}.{}", self.keys()) } else { param.to_owned() }
                }
            },
        }
    }

    fn keys(&mut self) -> String {
        // A path that begins with a number would be that number, and with one in brackets an array.
        let mut path = match self.key() {
            key if key.contains(['0', '1']) => format!("this.{key}"),
            key => key,
        };
        while self.choices.rarely(4) {
            path.push_str(self.choices.one(&[".", "/"]));
            path.push_str(&self.key());
        }
        path
    }

    fn key(&mut self) -> String {
        match self.choices.one(KEYS) {
            key @ "x y" => format!("[{key}]"),
            key if self.choices.rarely(8) => format!("[{key}]"),
            key => key.to_owned(),
        }
    }
}
