use super::*;
use crate::template::go::ast::Node;
use crate::template::go::parse;

fn action(source: &str) -> Pipe {
    let mut body = parse(source).unwrap_or_else(|errors| panic!("`{source}` is refused: {errors:?}")).body;
    match body.remove(0) {
        Node::Action(action) => action.pipe,
        other => panic!("{other:?}"),
    }
}

fn head(source: &str) -> ExprKind {
    action(source).head.kind
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
fn a_pipe_is_a_head_and_calls_that_take_its_value() {
    let source = "{{ .s | printf \"%s-%s\" \"a\" | len }}";
    let pipe = action(source);
    let calls: Vec<_> = pipe.stages.iter().map(|call| (call.function, &source[call.span.clone()])).collect();
    assert_eq!(calls, [(Function::Printf, "printf \"%s-%s\" \"a\""), (Function::Len, "len")]);
}

#[test]
fn a_field_of_a_call_has_the_call_as_its_base() {
    let ExprKind::Path(path) = head("{{ (index .l 0).k }}") else { panic!() };
    assert_eq!(path.fields[0].text, "k");
    let Base::Value(value) = path.base else { panic!() };
    let ExprKind::Pipe(pipe) = value.kind else { panic!() };
    let ExprKind::Call(call) = pipe.head.kind else { panic!() };
    assert_eq!((call.function, call.arguments.len()), (Function::Index, 2));
}

#[test]
fn a_function_name_as_an_argument_is_a_call() {
    let ExprKind::Call(call) = head("{{ len uuidv4 }}") else { panic!() };
    assert!(matches!(&call.arguments[0].kind, ExprKind::Call(inner) if inner.function == Function::Uuidv4));
}

#[test]
fn nil_is_an_argument() {
    let ExprKind::Call(call) = head("{{ eq .a nil }}") else { panic!() };
    assert_eq!(call.arguments[1].kind, ExprKind::Literal(Literal::Nil));
}

#[test]
fn every_unknown_function_is_reported_at_once() {
    let source = "{{ foo .a | bar }}{{ and (baz 1) (tojson .b) }}{{ this.name }}";
    let found = errors(source);
    let names: Vec<_> = found.iter().map(|(_, text, _)| *text).collect();
    assert_eq!(names, ["foo", "bar", "baz", "tojson", "this"]);
    assert!(found.iter().all(|(kind, ..)| *kind == ErrorKind::UnknownFunction));
    let helps: Vec<_> = parse(source).unwrap_err().into_iter().map(|error| error.help).collect();
    assert!(helps[0].as_deref().unwrap().ends_with("lists the functions"), "{helps:?}");
    assert_eq!(helps[3].as_deref(), Some("did you mean `toJson`?"));
    assert_eq!(helps[4].as_deref(), Some("the current value is written `.`"));
}

#[test]
fn arity_counts_the_piped_value() {
    assert!(parse("{{ .a | len }}").is_ok());
    assert_eq!(messages("{{ .a | len .b }}"), ["`len` takes 1 argument, not 2"]);
    assert_eq!(messages("{{ eq .a }}"), ["`eq` takes at least 2 arguments, not 1"]);
    assert_eq!(messages("{{ now 1 }}"), ["`now` takes no arguments, not 1"]);
}

#[test]
fn arguments_go_to_functions_only() {
    let unsupported = |source| errors(source)[0].0 == ErrorKind::Unsupported;
    assert!(unsupported("{{ .a .b }}"));
    assert!(unsupported("{{ .a | .b }}"));
    assert!(unsupported("{{ $.a 1 }}"));
    assert_eq!(messages("{{ 1 2 }}"), ["`1` is not a function and takes no arguments"]);
    assert_eq!(messages("{{ .a | 1 }}"), ["`1` is not a function and takes no arguments"]);
    assert_eq!(messages("{{ (.a) 1 }}"), ["`(.a)` is not a function and takes no arguments"]);
    assert_eq!(messages("{{ nil }}"), ["`nil` is not a command"]);
}

#[test]
fn gjson_takes_a_literal_path_of_the_supported_kind() {
    assert!(parse("{{ gjson \"items.#.name\" }}{{ gjson `a\\.b` | len }}").is_ok());
    for source in ["{{ gjson .p }}", "{{ .p | gjson }}", "{{ gjson \"a.*\" }}", "{{ gjson \"a|@this\" }}"] {
        assert_eq!(errors(source)[0].0, ErrorKind::Unsupported, "{source}");
    }
}
