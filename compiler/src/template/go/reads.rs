//! Whether a template can read its data at all.

use super::ast::{Base, Branches, CallExpr, Expr, ExprKind, Node, Path, Pipe, Template, VariableId};
use super::functions::Function;

impl Template {
    /// Whether any part of the data can reach the output or a decision. Exact but for the values of variables,
    /// which count where they are bound, for `$` in a definition, and for code that never runs.
    pub fn reads_data(&self) -> bool {
        // What a definition is given counts where it is given.
        body(&self.body, true) || self.definitions.values().any(|definition| body(definition, false))
    }
}

/// `dot` says whether `.` is data here; within `with "x"` it is not.
fn body(nodes: &[Node], dot: bool) -> bool {
    nodes.iter().any(|node| match node {
        Node::Text(_) | Node::Break(_) | Node::Continue(_) => false,
        Node::Action(action) => pipe(&action.pipe, dot),
        Node::If(branches) => arms(branches, dot, dot),
        // If the condition read data, that alone would settle it; so `.` is none in the body.
        Node::With(branches) => arms(branches, dot, false),
        Node::Range(range) => {
            pipe(&range.over, dot) || body(&range.body, false) || body(&range.otherwise, dot)
        }
        Node::Inclusion(inclusion) => inclusion.data.as_ref().is_some_and(|data| pipe(data, dot)),
    })
}

fn arms(branches: &Branches, dot: bool, inner: bool) -> bool {
    branches.arms.iter().any(|arm| pipe(&arm.condition, dot) || body(&arm.body, inner))
        || body(&branches.otherwise, dot)
}

fn pipe(pipe: &Pipe, dot: bool) -> bool {
    expr(&pipe.head, dot) || pipe.stages.iter().any(|stage| call(stage, dot))
}

fn expr(value: &Expr, dot: bool) -> bool {
    match &value.kind {
        ExprKind::Literal(_) => false,
        ExprKind::Path(Path { base: Base::Dot, .. }) => dot,
        ExprKind::Path(Path { base: Base::Variable(variable), .. }) => variable.id == VariableId::ROOT,
        ExprKind::Path(Path { base: Base::Value(base), .. }) => expr(base, dot),
        ExprKind::Call(inner) => call(inner, dot),
        ExprKind::Pipe(inner) => pipe(inner, dot),
    }
}

fn call(call: &CallExpr, dot: bool) -> bool {
    call.function == Function::Gjson || call.arguments.iter().any(|argument| expr(argument, dot))
}

#[cfg(test)]
mod tests {
    use crate::template::go::parse;

    fn reads(source: &str) -> bool {
        parse(source).unwrap_or_else(|errors| panic!("{source}: {errors:?}")).reads_data()
    }

    #[test]
    fn data_is_read_by_dot_field_root_and_gjson() {
        for source in [
            "{{ . }}",
            "{{ .a }}",
            "{{ $ }}",
            "{{ $.a }}",
            "{{ gjson \"a\" }}",
            "{{ if .a }}x{{ end }}",
            "{{ if true }}{{ else if .a }}{{ end }}",
            "{{ range .l }}x{{ end }}",
            "{{ range 3 }}{{ $.a }}{{ end }}",
            "{{ range 3 }}{{ else }}{{ . }}{{ end }}",
            "{{ with 1 }}{{ else }}{{ . }}{{ end }}",
            "{{ $x := .a }}",
            "{{ len (print .a) }}",
            "{{ 1 | print . }}",
            "{{ (index . 0).b }}",
            "{{ template \"a\" .x }}{{ define \"a\" }}{{ . }}{{ end }}",
            "{{ template \"a\" }}{{ define \"a\" }}{{ gjson \"a\" }}{{ end }}",
        ] {
            assert!(reads(source), "{source}");
        }
    }

    #[test]
    fn literals_clock_and_constant_loops_read_nothing() {
        for source in [
            "",
            "text",
            "{{ 3 }}",
            "{{ uuidv4 }}{{ now }}",
            "{{ $x := 1 }}{{ $x }}",
            "{{ range 3 }}{{ . }}{{ end }}",
            "{{ range $i := 3 }}{{ $i }}{{ end }}",
            "{{ with \"x\" }}{{ . }}{{ end }}",
            "{{/* .a */}}",
            "{{ template \"a\" 1 }}{{ define \"a\" }}{{ .x }}{{ end }}",
        ] {
            assert!(!reads(source), "{source}");
        }
    }
}
