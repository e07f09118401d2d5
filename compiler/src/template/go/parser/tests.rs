use super::*;
use crate::template::ErrorKind;
use crate::template::go::ast::{Base, ExprKind};

fn tree(source: &str) -> Template {
    parse(source).unwrap_or_else(|errors| panic!("`{source}` is refused: {errors:?}"))
}

fn single(source: &str) -> Node {
    tree(source).body.remove(0)
}

/// The errors as `(kind, text of the span, message)`.
fn errors(source: &str) -> Vec<(ErrorKind, &str, String)> {
    let errors = parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"));
    errors.into_iter().map(|error| (error.kind, &source[error.span], error.message)).collect()
}

fn messages(source: &str) -> Vec<String> {
    errors(source).into_iter().map(|(.., message)| message).collect()
}

#[test]
fn text_and_actions_keep_their_places() {
    let source = "a \n{{- .x.y -}} \nb";
    let body = tree(source).body;
    let [Node::Text(before), Node::Action(action), Node::Text(after)] = body.as_slice() else {
        panic!("{body:?}")
    };
    assert_eq!((before.text.as_str(), before.span.clone()), ("a", 0..1));
    assert_eq!((after.text.as_str(), &source[after.span.clone()]), ("b", "b"));
    assert_eq!(&source[action.span.clone()], "{{- .x.y -}}");
    let ExprKind::Path(path) = &action.pipe.head.kind else { panic!("{action:?}") };
    assert_eq!(path.base, Base::Dot);
    let fields: Vec<_> =
        path.fields.iter().map(|field| (field.text.as_str(), &source[field.span.clone()])).collect();
    assert_eq!(fields, [("x", ".x"), ("y", ".y")]);
}

#[test]
fn else_if_adds_an_arm_and_does_not_nest() {
    let source = "{{ if .a }}A{{ else if .b }}B{{ else }}C{{ end }}";
    let Node::If(branches) = single(source) else { panic!() };
    let arms: Vec<_> = branches.arms.iter().map(|arm| &source[arm.span.clone()]).collect();
    assert_eq!(arms, ["{{ if .a }}", "{{ else if .b }}"]);
    assert_eq!(branches.otherwise.len(), 1);
    assert_eq!(branches.span, 0..source.len());
    let long = format!("{{{{ if .a }}}}{}{{{{ end }}}}", "{{ else if .b }}x".repeat(500));
    assert!(parse(&long).is_ok());
}

#[test]
fn lexical_syntax_and_name_errors_are_reported_together_in_source_order() {
    let source = "{{ $nope }}{{ if .a ? }}{{ 3x }}{{ end }}{{ else }}{{ break }}{{ len }}";
    assert_eq!(
        messages(source),
        [
            "undefined variable `$nope`",
            "unexpected `?` in operand",
            "malformed number `3x`",
            "unexpected `{{else}}`",
            "`{{break}}` outside `{{range}}`",
            "`len` takes 1 argument, not 0",
        ]
    );
}

#[test]
fn each_unclosed_block_is_reported_where_it_opens() {
    let source = "{{ if .a }}{{ range .l }}x";
    let starts: Vec<_> = parse(source).unwrap_err().iter().map(|error| error.span.start).collect();
    assert_eq!(starts, [0, 11]);
    assert_eq!(messages("{{ if .a }}x{{ .b"), ["unclosed action"]);
    assert_eq!(messages("{{ .x }"), ["an action ends with `}}`, not with `}`"]);
    assert_eq!(messages("{{ if .a } x {{ .b }}{{ end }}"), ["an action ends with `}}`, not with `}`"]);
    assert_eq!(messages("{{ if .a }}{{ 3x }}").len(), 2);
}

#[test]
fn blocks_nest_up_to_the_limit() {
    let nested = |depth: usize| format!("{}x{}", "{{ if .a }}".repeat(depth), "{{ end }}".repeat(depth));
    assert!(parse(&nested(MAX_BLOCK_DEPTH)).is_ok());
    for depth in [MAX_BLOCK_DEPTH + 1, 3000] {
        let found = parse(&nested(depth)).unwrap_err();
        assert_eq!(found.len(), 1, "{depth}");
        assert_eq!(found[0].kind, ErrorKind::TooComplex);
        assert_eq!(found[0].span.start, MAX_BLOCK_DEPTH * 11);
    }
}
