use super::super::ast::{Expr, LoopItem, Path, ScopeId};
use super::super::helpers::Helper;
use super::super::parse;
use super::*;
use crate::template::ErrorKind;

fn body(source: &str) -> Vec<Node> {
    parse(source).unwrap_or_else(|errors| panic!("`{source}` is refused: {errors:?}")).body
}

fn single(source: &str) -> Node {
    let mut body = body(source);
    assert_eq!(body.len(), 1, "{source}: {body:?}");
    body.remove(0)
}

/// The errors as `(kind, text of the span, message)`.
fn errors(source: &str) -> Vec<(ErrorKind, &str, String)> {
    let errors = parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"));
    errors.into_iter().map(|error| (error.kind, &source[error.span], error.message)).collect()
}

fn key(name: &str, at: usize) -> Expr {
    let span = at..at + name.len();
    Expr::Path(Path { scope: ScopeId::ROOT, keys: vec![name.to_owned()], span: span.clone(), key_span: span })
}

#[test]
fn the_three_ways_to_print_are_one() {
    for source in ["{{a}}", "{{{a}}}", "{{&a}}", "{{~a~}}"] {
        let expected = Node::Emit(Emit { value: key("a", source.find('a').unwrap()), span: 0..source.len() });
        assert_eq!(single(source), expected);
    }
}

#[test]
fn text_is_trimmed_as_the_crate_trims_it() {
    let source = "a\n{{#if x}}\nb\n{{/if}}\nc {{~! note }}\\{{d}}";
    let source = source.replace("{{~!", "{{!");
    let body = body(&source);
    assert_eq!(body[0], Node::Text("a\n".to_owned()));
    assert_eq!(body[2], Node::Text("c {{d}}".to_owned()));
}

#[test]
fn a_chain_of_conditions_is_one_list_of_arms() {
    let source =
        "{{#if a}}A{{else if b includeZero=true}}B{{else unless c}}C{{else eq d 1}}D{{else}}E{{/if}}";
    let Node::If(branches) = single(source) else { panic!() };
    let arms: Vec<_> =
        branches.arms.iter().map(|arm| (&source[arm.span.clone()], arm.negate, arm.include_zero)).collect();
    assert_eq!(
        arms,
        [
            ("{{#if a}}", false, false),
            ("{{else if b includeZero=true}}", false, true),
            ("{{else unless c}}", true, false),
            ("{{else eq d 1}}", false, false),
        ]
    );
    assert!(matches!(&branches.arms[3].condition, Expr::Call(call) if call.helper == Helper::Eq));
    assert_eq!(branches.otherwise, [Node::Text("E".to_owned())]);
}

#[test]
fn an_else_may_hold_another_kind_of_block() {
    let Node::If(branches) = single("{{#if a}}A{{else each l}}{{this}}{{else}}E{{/if}}") else { panic!() };
    let [Node::Each(each)] = branches.otherwise.as_slice() else { panic!("{branches:?}") };
    assert_eq!(each.otherwise, [Node::Text("E".to_owned())]);
}

#[test]
fn loops_and_with_open_scopes() {
    let source = "{{#each l as |v k|}}{{#with v.x}}{{y}}{{k}}{{@index}}{{../z}}{{@root.t}}{{/with}}{{/each}}";
    let Node::Each(each) = single(source) else { panic!() };
    let [Node::With(with)] = each.body.as_slice() else { panic!() };
    assert_eq!((each.scope, with.scope), (ScopeId(1), ScopeId(2)));
    let printed: Vec<_> = with
        .body
        .iter()
        .map(|node| match node {
            Node::Emit(Emit { value: Expr::Path(path), .. }) => {
                format!("{}:{}", path.scope.0, path.keys.join("."))
            }
            Node::Emit(Emit { value: Expr::Loop(value), .. }) => {
                format!("{}@{:?}", value.scope.0, value.item)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(printed, ["2:y", "1@KeyOrIndex", &format!("1@{:?}", LoopItem::Index), "1:z", "0:t"]);
}

#[test]
fn raw_blocks_are_text() {
    assert_eq!(body("a{{{{raw}}}}{{x}}{{{{/raw}}}}b"), [Node::Text("a{{x}}b".to_owned())]);
}

#[test]
fn everything_refused_is_reported_at_once_in_its_place() {
    let source = "{{> p}}{{#*inline \"q\"}}x{{/inline}}{{* deco}}{{#> r}}y{{/r}}{{foo x}}\n{{#bar}}{{baz 1}}{{/bar}}{{log a}}";
    let found = errors(source);
    assert_eq!(
        found.iter().map(|(kind, text, _)| (*kind, *text)).collect::<Vec<_>>(),
        [
            (ErrorKind::Unsupported, "{{> p}}"),
            (ErrorKind::Unsupported, "{{#*inline \"q\"}}"),
            (ErrorKind::Unsupported, "{{* deco}}"),
            (ErrorKind::Unsupported, "{{#> r}}"),
            (ErrorKind::UnknownFunction, "foo"),
            (ErrorKind::UnknownFunction, "bar"),
            (ErrorKind::UnknownFunction, "baz"),
            (ErrorKind::Unsupported, "log"),
        ]
    );
}

#[test]
fn an_unknown_helper_in_an_else_is_found_there() {
    assert_eq!(errors("{{#if a}}{{else iff b}}{{/if}}")[0].1, "iff");
    assert_eq!(errors("{{#if a}}{{else if (nope b)}}{{/if}}")[0].1, "nope");
}

#[test]
fn nesting_is_checked_where_the_scan_was_unsure() {
    let depth = MAX_BLOCK_DEPTH + 1;
    let source = format!("{{{{[it's]}}}}{}{}", "{{#if a}}".repeat(depth), "{{/if}}".repeat(depth));
    assert_eq!(errors(&source)[0].0, ErrorKind::TooComplex);
}

#[test]
fn else_chains_of_loops_nest() {
    let chain = |count: usize| format!("{{{{#each a}}}}{}{{{{/each}}}}", "{{else each b}}".repeat(count));
    assert!(parse(&chain(MAX_BLOCK_DEPTH - 1)).is_ok());
    assert_eq!(errors(&chain(MAX_BLOCK_DEPTH))[0].0, ErrorKind::TooComplex);
}
