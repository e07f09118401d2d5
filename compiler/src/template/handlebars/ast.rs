//! The tree of a Handlebars template. It is built only when nothing in the template is refused, so what the types
//! allow is all that a later stage has to handle: names are resolved to scopes, helpers exist and have as many
//! parameters as they take, standalone lines and `~` have already been trimmed.

use std::ops::Range;

use super::helpers::Helper;

pub type Span = Range<usize>;

/// A whole template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub body: Vec<Node>,
    /// How many scopes it has, the root included: every [`ScopeId`] is smaller.
    pub scopes: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Never empty.
    Text(String),
    /// `{{value}}`, `{{{value}}}`, `{{&value}}`: all the same, as nothing is escaped.
    Emit(Emit),
    /// `if`, `unless` and the comparison helpers as blocks, with every `else if`.
    If(Branches),
    Each(Each),
    With(With),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Emit {
    pub value: Expr,
    /// From `{{` to `}}`.
    pub span: Span,
}

/// The first arm whose condition holds is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Branches {
    /// At least one.
    pub arms: Vec<Arm>,
    pub otherwise: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    pub condition: Expr,
    /// `unless`: run if the condition is false.
    pub negate: bool,
    /// `includeZero=true`: the number zero counts as true.
    pub include_zero: bool,
    pub body: Vec<Node>,
    /// The tag that holds the condition.
    pub span: Span,
}

/// A loop over the elements of an array or the values of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Each {
    pub over: Expr,
    /// The element, within `body`.
    pub scope: ScopeId,
    pub body: Vec<Node>,
    /// Run when there is no element, or nothing to loop over.
    pub otherwise: Vec<Node>,
    /// The opening tag.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct With {
    pub value: Expr,
    /// The value, within `body`.
    pub scope: ScopeId,
    pub body: Vec<Node>,
    /// Run when the value is false.
    pub otherwise: Vec<Node>,
    /// The opening tag.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Literal(Literal),
    Path(Path),
    Loop(LoopValue),
    Call(HelperCall),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// Also what a loop variable is outside every loop.
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Str(String),
}

/// A scope's value and the keys taken from it, one from the other. A key that is a number is also an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub scope: ScopeId,
    pub keys: Vec<String>,
    /// The path as written; the whole tag if it is not found there.
    pub span: Span,
    /// The last key, or the same as `span` if it cannot be told apart.
    pub key_span: Span,
}

/// `@index`, `@key`, `@first`, `@last` and the second block parameter of `each`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopValue {
    /// The scope of the [`Each`] that it belongs to.
    pub scope: ScopeId,
    pub item: LoopItem,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopItem {
    Index,
    /// Absent in a loop over an array.
    Key,
    First,
    Last,
    /// The key in a loop over an object, the index in one over an array.
    KeyOrIndex,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HelperCall {
    pub helper: Helper,
    pub arguments: Vec<Expr>,
}

/// A value that names are looked up in: the data, the element of one `each`, the value of one `with`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// `@root`, the data that the template is rendered with.
    pub const ROOT: Self = Self(0);
}

impl Template {
    /// Whether any part of the data can reach the output or a decision.
    pub fn reads_data(&self) -> bool {
        body_reads(&self.body)
    }
}

fn body_reads(body: &[Node]) -> bool {
    body.iter().any(|node| match node {
        Node::Text(_) => false,
        Node::Emit(emit) => reads(&emit.value),
        Node::If(branches) => {
            branches.arms.iter().any(|arm| reads(&arm.condition) || body_reads(&arm.body))
                || body_reads(&branches.otherwise)
        }
        Node::Each(each) => reads(&each.over) || body_reads(&each.body) || body_reads(&each.otherwise),
        Node::With(with) => reads(&with.value) || body_reads(&with.body) || body_reads(&with.otherwise),
    })
}

fn reads(value: &Expr) -> bool {
    match value {
        Expr::Path(_) => true,
        Expr::Call(call) => call.arguments.iter().any(reads),
        Expr::Literal(_) | Expr::Loop(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::template::handlebars::parse;

    #[test]
    fn a_path_anywhere_reads_data() {
        for source in [
            "{{a}}",
            "{{this}}",
            "{{#if a}}x{{/if}}",
            "{{#if true}}{{else}}{{a}}{{/if}}",
            "{{#each l}}x{{/each}}",
            "{{#with a}}x{{/with}}",
            "{{#if (eq 1 (len a))}}x{{/if}}",
            "{{@root.a}}",
        ] {
            assert!(parse(source).unwrap().reads_data(), "{source}");
        }
        for source in ["", "x", "{{! a }}", "{{eq 1 2}}", "{{#if true}}x{{/if}}", "{{@index}}", "\\{{a}}"] {
            assert!(!parse(source).unwrap().reads_data(), "{source}");
        }
    }
}
