use super::super::ast::{Emit, Node};
use super::super::parse;
use super::*;

fn body(source: &str) -> Vec<Node> {
    parse(source).unwrap_or_else(|errors| panic!("`{source}` is refused: {errors:?}")).body
}

fn single(source: &str) -> Node {
    body(source).remove(0)
}

/// The errors as `(kind, text of the span, message)`.
fn errors(source: &str) -> Vec<(ErrorKind, &str, String)> {
    let errors = parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"));
    errors.into_iter().map(|error| (error.kind, &source[error.span], error.message)).collect()
}

#[test]
fn a_helper_needs_exactly_its_parameters() {
    for (source, message) in [
        ("{{#if}}x{{/if}}", "`if` takes 1 parameter, not 0"),
        ("{{#each}}x{{/each}}", "`each` takes 1 parameter, not 0"),
        ("{{#with a b}}x{{/with}}", "`with` takes 1 parameter, not 2"),
        ("{{eq a}}", "`eq` takes 2 parameters, not 1"),
        ("{{and a b c}}", "`and` takes 2 parameters, not 3"),
        ("{{#not}}x{{/not}}", "`not` takes 1 parameter, not 0"),
        ("{{#if (len)}}x{{/if}}", "`len` takes 1 parameter, not 0"),
        ("{{{{raw x}}}}{{{{/raw}}}}", "`raw` takes no parameters, not 1"),
        ("{{len a b=1}}", "`len` takes no `b=`"),
        ("{{#each l x=1}}{{/each}}", "`each` takes no `x=`"),
        ("{{#if a as |b|}}{{/if}}", "`if` gives no block parameter `b`"),
        ("{{#with a as |b c|}}{{/with}}", "`with` gives no block parameter `c`"),
    ] {
        assert_eq!(errors(source)[0].2, message, "{source}");
    }
}

#[test]
fn a_bare_helper_name_is_not_a_field() {
    for (source, message) in [
        ("{{len}}", "`len` is a helper and takes 1 parameter"),
        ("{{if}}", "`if` is a block helper"),
        ("{{log}}", "`log` is not supported"),
        ("{{if a}}", "`if` is a block helper"),
        ("{{#len l}}{{/len}}", "`len` is not a block helper"),
    ] {
        assert_eq!(errors(source)[0].2, message, "{source}");
    }
    assert_eq!(body("{{this.len}}{{./if}}{{l.len}}").len(), 3);
}

#[test]
fn helps_name_what_was_meant() {
    let help = |source: &str| parse(source).unwrap_err().remove(0).help.unwrap_or_default();
    assert_eq!(help("{{#unles a}}{{/unles}}"), "did you mean `unless`?");
    assert_eq!(help("{{#items}}{{/items}}"), "write `{{#if items}}`, `{{#each items}}` or `{{#with items}}`");
    assert_eq!(help("{{#each l}}{{@indx}}{{/each}}"), "did you mean `@index`?");
    assert_eq!(help("{{len}}"), "for the field of that name write `{{this.len}}`");
}

#[test]
fn paths_above_the_root_are_refused() {
    assert_eq!(errors("{{../a}}")[0].1, "../a");
    assert_eq!(errors("{{#each l}}{{#if a}}{{../../a}}{{/if}}{{/each}}")[0].1, "../../a");
    assert!(parse("{{#each l}}{{#if a}}{{../a}}{{/if}}{{/each}}").is_ok());
}

#[test]
fn array_and_object_literals_are_refused() {
    assert_eq!(errors("{{#each [1,2]}}{{/each}}")[0].0, ErrorKind::Unsupported);
    assert_eq!(errors("{{lookup {\"a\":1} \"a\"}}")[0].0, ErrorKind::Unsupported);
}

#[test]
fn literals_are_typed() {
    let Node::Emit(Emit { value: Expr::Call(call), .. }) = single("{{lookup m 'it\"s'}}") else { panic!() };
    assert_eq!(call.arguments[1], Expr::Literal(Literal::Str("it\"s".to_owned())));
    let Node::Emit(Emit { value: Expr::Call(call), .. }) = single("{{eq null true}}") else { panic!() };
    assert_eq!(call.arguments, [Expr::Literal(Literal::Null), Expr::Literal(Literal::Bool(true))]);
}
