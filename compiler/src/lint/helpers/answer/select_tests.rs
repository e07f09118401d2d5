//! Paths of `select` that no response has.

use super::*;
use crate::check::{MemoryFiles, check_files};
use crate::lint::testing::underlined;

const BODY: &str =
    r#"{"id":1,"total":3,"items":[{"name":"pen","price":3}],"a.b":{"c":1},"none":null,"empty":[]}"#;

fn tool(rest: &str, body: &str) -> String {
    format!(
        "[[tool]]\nname = \"get_order\"\ndescription = \"Gets an order of the shop.\"\nmethod = \"GET\"\n\
         endpoint = \"https://api.example.com/order\"\n{rest}\n\
         [[tool.examples]]\narguments = {{}}\nresponse = {{ body = '{body}' }}\n"
    )
}

fn places(rest: &str) -> Vec<String> {
    underlined(&UNKNOWN_RESPONSE_FIELD, &tool(rest, BODY))
}

fn finding_of(rest: &str) -> (String, Option<String>) {
    let report = check_files(&MemoryFiles::one("spec.toml", &tool(rest, BODY)));
    let finding = report.diagnostics.into_iter().find(|d| d.is(&UNKNOWN_RESPONSE_FIELD)).unwrap();
    (finding.message, finding.help)
}

#[test]
fn paths_are_compared_with_the_examples() {
    let sound = r"select = ['id', 'items[].price', 'a\.b.c', 'none.x', 'empty[].x', 'items']";
    assert_eq!(places(sound), [""; 0]);
    assert_eq!(places("select = ['items[].prize', 'totl']"), ["prize", "totl"]);
    assert_eq!(places("select = [\"\\u0074otl\", 'itms[].name']"), ["\\u0074otl", "itms"]);
    assert_eq!(places(r"select = ['a\.b.d']"), [r"a\.b.d"]);
    let (message, help) = finding_of("select = ['items[].prize']");
    assert_eq!(message, "the response has no field `items[].prize`");
    assert_eq!(help.as_deref(), Some("did you mean `price`?"));
    let (message, help) = finding_of("select = ['items.name']");
    assert_eq!(message, "the response has no field `items.name`: `items` is a list");
    assert_eq!(help.as_deref(), Some("write `items[].name` to read it from every element"));
}

#[test]
fn a_faulty_selection_says_nothing_about_templates() {
    let template = "response_template = '{{ .total }}{{ range .items }}{{ .price }}{{ end }}'";
    assert_eq!(places(&format!("{template}\nselect = ['items[].prize', 'totl']")), ["prize", "totl"]);
    assert_eq!(places(&format!("{template}\nselect = ['items[].name', 'total']")), ["price"]);
}

#[test]
fn other_answers_and_schemas() {
    // An error is not selected from.
    let failed = tool("select = ['totl']", BODY).replace("{ body", "{ status = 404, body");
    assert_eq!(underlined(&UNKNOWN_RESPONSE_FIELD, &failed), [""; 0]);
    // A schema can name what no example has, but an open schema names nothing.
    let schema = |rest| format!("select = ['id', 'note']\noutput_schema = {{ type = 'object'{rest} }}");
    assert_eq!(places(&schema(", properties = { id = {}, note = {} }")), [""; 0]);
    assert_eq!(places(&schema("")), ["note"]);
}

#[test]
fn what_a_schema_requires_is_kept() {
    let with = |required: &str| {
        format!(
            "select = ['id', 'items[].name']\noutput_schema = {{ type = 'object', required = {required} }}"
        )
    };
    assert_eq!(places(&with("['id', 'items']")), [""; 0]);
    assert_eq!(places(&with("['id', 'total']")), ["'id', 'items[].name'"]);
    let (message, help) = finding_of(&with("['id', 'total', 'none']"));
    assert_eq!(message, "`output_schema` requires `total` and `none`, which `select` leaves out");
    assert_eq!(help.as_deref(), Some("add them to `select`, or remove them from `required`"));
}
