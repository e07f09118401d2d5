//! Tests of the rule `invalid-schema`, with and without the validator.

use super::*;
use crate::lint::testing::{found, parameter_with, tool_with, underlined};

fn input_schema_with(members: &str) -> String {
    tool_with(&format!("input_schema = {{ type = \"object\", {members} }}"))
}

#[test]
fn the_part_that_is_wrong_is_underlined() {
    for (members, part) in [
        ("properties = { a = { type = \"int\" } }", "\"int\""),
        ("properties = { a = { type = [\"string\", \"nul\"] } }", "\"nul\""),
        ("properties = { a = { required = true } }", "true"),
        ("required = [\"a\", \"a\"]", "[\"a\", \"a\"]"),
        ("properties = { a = 3 }", "3"),
        ("properties = { a = { minLength = -1 } }", "-1"),
        ("anyOf = []", "[]"),
        ("\"$defs\" = { a = { \"$ref\" = \"#/$defs/b\" } }", "\"#/$defs/b\""),
        ("properties = { a = { \"$ref\" = \"file:///etc/passwd\" } }", "\"file:///etc/passwd\""),
        // Only the validator finds these two.
        ("patternProperties = { x = { type = \"int\" } }", "\"int\""),
        ("\"$schema\" = \"http://json-schema.org/draft-07/schema#\", minProperties = -1", "-1"),
    ] {
        assert_eq!(underlined(&INVALID_SCHEMA, &input_schema_with(members)), [part], "{members}");
    }
}

#[test]
fn sound_schemas_pass_with_and_without_the_validator() {
    for members in [
        "properties = { type = { type = \"string\" }, enum = true }, additionalProperties = false",
        "\"$defs\" = { a = {} }, properties = { a = { \"$ref\" = \"#/$defs/a\" } }",
        "patternProperties = { \"^x-\" = { type = [\"string\", \"null\"] } }",
        "\"$schema\" = \"http://json-schema.org/draft-07/schema#\", properties = { a = { items = [true] } }",
        "\"$defs\" = { a = { \"$anchor\" = \"x\" } }, properties = { a = { \"$ref\" = \"#x\" } }",
    ] {
        assert_eq!(found(&INVALID_SCHEMA, &input_schema_with(members)), [], "{members}");
    }
}

#[test]
fn parameters_refer_into_the_generated_schema() {
    let spec =
        |target: &str| parameter_with(&format!("type = \"array\"\nitems = {{ \"$ref\" = \"{target}\" }}"));
    assert_eq!(found(&INVALID_SCHEMA, &spec("#/properties/p")), []);
    assert_eq!(underlined(&INVALID_SCHEMA, &spec("#/$defs/p")), ["\"#/$defs/p\""]);
}

#[test]
fn a_bad_pattern_is_another_rule() {
    let members = "patternProperties = { \"^x\" = { pattern = \"(?=a)\" } }";
    assert_eq!(found(&INVALID_SCHEMA, &input_schema_with(members)), []);
}

#[test]
fn only_the_word_object_is_the_type_of_arguments() {
    let spec = tool_with("input_schema = { type = [\"object\"] }");
    assert_eq!(underlined(&INVALID_SCHEMA, &spec), ["[\"object\"]"]);
    let spec = tool_with("[tool.input_schema]\ndescription = \"x\"");
    assert_eq!(underlined(&INVALID_SCHEMA, &spec), ["[tool.input_schema]"]);
}

#[test]
fn what_is_required_must_be_declared_unless_the_schema_is_open() {
    let refused = |rest: &str| {
        let spec = tool_with(&format!("input_schema = {{ type = \"object\", required = [\"a\"], {rest} }}"));
        underlined(&INVALID_SCHEMA, &spec)
    };
    assert_eq!(refused("properties = { b = true }"), ["\"a\""]);
    assert_eq!(refused("additionalProperties = false"), ["\"a\""]);
    for open in [
        "additionalProperties = true",
        "additionalProperties = { type = \"string\" }",
        "patternProperties = { \"^a\" = true }",
        "anyOf = [{ properties = { a = true } }]",
    ] {
        assert_eq!(refused(open), [""; 0], "{open}");
    }
}
