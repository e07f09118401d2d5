use super::*;
use crate::lint::testing::{tool_with, underlined};

fn conflicts(parameters: &[&str]) -> Vec<String> {
    let parameters: String = parameters
        .iter()
        .enumerate()
        .map(|(i, keys)| format!("[[tool.parameters]]\nname = \"p{i}\"\n{keys}\n"))
        .collect();
    underlined(&WIRE_NAME_CONFLICT, &tool_with(&parameters))
}

#[test]
fn header_names_ignore_case() {
    let header = |name: &str| format!("position = \"header\"\nwire_name = \"{name}\"");
    assert_eq!(conflicts(&[&header("X-A"), &header("x-a")]), ["\"x-a\""]);
    let query = |name: &str| format!("position = \"query\"\nwire_name = \"{name}\"");
    assert_eq!(conflicts(&[&query("A"), &query("a"), &header("a")]), [""; 0]);
}

#[test]
fn nesting_conflicts_whatever_the_order_and_the_depth() {
    assert_eq!(conflicts(&["wire_name = \"a.b.c\"", "wire_name = \"a\""]), ["\"a.b.c\""]);
    assert_eq!(conflicts(&["wire_name = \"a.b\"", "wire_name = \"a.bc\"", "wire_name = \"ab\""]), [""; 0]);
    assert_eq!(conflicts(&["wire_name = \"a..b\"", "wire_name = \".a\""]), ["\"a..b\"", "\".a\""]);
}

#[test]
fn a_property_that_no_parameter_places_has_its_name_too() {
    let spec = tool_with(
        "input_schema = { type = \"object\", properties = { a = {}, p = {} } }\n\
         [[tool.parameters]]\nname = \"p\"\nwire_name = \"a.b\"",
    );
    assert_eq!(underlined(&WIRE_NAME_CONFLICT, &spec), ["\"a.b\""]);
}

const QUERY: &str = "position = \"query\"";

/// The texts underlined in a tool whose endpoint has this query.
fn beside(query: &str, parameters: &str) -> Vec<String> {
    let spec = tool_with(parameters).replace("/notes\"", &format!("/notes?{query}\""));
    underlined(&WIRE_NAME_CONFLICT, &spec)
}

#[test]
fn names_that_the_endpoint_fixes_are_taken_however_they_are_encoded() {
    let parameter =
        |wire: &str, rest: &str| format!("[[tool.parameters]]\nname = \"p\"\nwire_name = \"{wire}\"\n{rest}");
    for (query, wire) in
        [("role=user", "role"), ("x&%72ole", "role"), ("a+b=1", "a b"), ("a+b=1", "a+b"), ("a%2Bb=1", "a+b")]
    {
        let written = format!("\"{wire}\"");
        assert_eq!(beside(query, &parameter(wire, QUERY)), [written.as_str()], "{query}");
        assert_eq!(beside(query, &parameter(wire, "position = \"query\"\nvalue = \"1\"")), [written]);
        assert_eq!(beside(query, &parameter(wire, "position = \"cookie\"")), [""; 0]);
    }
    assert_eq!(beside("role=user", &parameter("Role", QUERY)), [""; 0]);
    assert_eq!(beside("x=role", &parameter("role", QUERY)), [""; 0]);
}

#[test]
fn a_deep_parameter_owns_all_names_below_its_own() {
    let deep = "type = \"object\"\nposition = \"query\"\nwire_name = \"f\"";
    let query = |wire: &str| format!("position = \"query\"\nwire_name = \"{wire}\"");
    for (wire, conflict) in
        [("f[a]", true), ("f[", true), ("f]", false), ("fB[a]", false), ("g[f]", false), ("F[a]", false)]
    {
        let expected: Vec<String> = conflict.then(|| format!("\"{wire}\"")).into_iter().collect();
        assert_eq!(conflicts(&[deep, &query(wire)]), expected, "{wire}");
        assert_eq!(conflicts(&[&query(wire), deep]), expected, "{wire}");
        assert_eq!(conflicts(&[deep, &format!("{}\nvalue = \"1\"", query(wire))]), expected, "{wire}");
        assert_eq!(conflicts(&[&deep.replace("\"query\"", "\"header\""), &query(wire)]), [""; 0]);
    }
    // Other deep names between the two do not hide them.
    let between = |wire: &str| deep.replace("\"f\"", &format!("\"{wire}\""));
    assert_eq!(conflicts(&[deep, &between("fB"), &query("f[x]")]), ["\"f[x]\""]);
    assert_eq!(conflicts(&[deep, &between("f[x]"), &query("f[x][y]")]), ["\"f[x]\"", "\"f[x][y]\""]);
}

#[test]
fn what_is_not_written_deep_owns_its_name_alone() {
    let below = "position = \"query\"\nwire_name = \"p0[a]\"";
    for keys in [
        "type = \"object\"\nposition = \"query\"\nstyle = \"json\"",
        "type = \"object\"\nposition = \"query\"\nvalue = { b = 1 }",
        "type = \"array\"\nitems = {}\nposition = \"query\"",
        QUERY,
    ] {
        assert_eq!(conflicts(&[keys, below]), [""; 0], "{keys}");
    }
    assert_eq!(conflicts(&["type = \"object\"", below]), [""; 0], "one is in the body");
    let form = tool_with(
        "body = \"form\"\n[[tool.parameters]]\nname = \"a\"\ntype = \"object\"\n\
         [[tool.parameters]]\nname = \"a[b]\"",
    );
    assert_eq!(underlined(&WIRE_NAME_CONFLICT, &form), ["\"a[b]\""]);
}

#[test]
fn a_fixed_name_may_not_lie_below_a_deep_parameter() {
    let filter = "[[tool.parameters]]\nname = \"filter\"\ntype = \"object\"\nposition = \"query\"";
    assert_eq!(beside("filter%5Bowner%5D=me", filter), ["\"filter\""]);
    assert_eq!(beside("filters%5Bowner%5D=me", filter), [""; 0]);
}

#[test]
fn the_schema_says_what_is_deep() {
    let with = |kind: &str, keys: &str| {
        underlined(
            &WIRE_NAME_CONFLICT,
            &tool_with(&format!(
                "input_schema = {{ type = \"object\", properties = {{ f = {{ type = {kind} }}, g = {{}} }} }}\n\
                 [[tool.parameters]]\nname = \"f\"\nposition = \"query\"\n{keys}\n\
                 [[tool.parameters]]\nname = \"g\"\nposition = \"query\"\nwire_name = \"f[g]\""
            )),
        )
    };
    assert_eq!(with("\"object\"", ""), ["\"f[g]\""]);
    assert_eq!(with("[\"object\", \"null\"]", ""), ["\"f[g]\""]);
    assert_eq!(with("\"object\"", "style = \"json\""), [""; 0]);
    assert_eq!(with("\"string\"", ""), [""; 0]);
}

#[test]
fn unplaced_properties_are_fields_of_a_form() {
    let with = |properties: &str, keys: &str| {
        underlined(
            &WIRE_NAME_CONFLICT,
            &tool_with(&format!(
                "body = \"form\"\ninput_schema = {{ type = \"object\", properties = {{ {properties} }} }}\n\
                 [[tool.parameters]]\nname = \"p\"\nvalue = \"x\"\n{keys}"
            )),
        )
    };
    let object = "a = { type = \"object\" }";
    assert_eq!(with("a = {}", "wire_name = \"a\""), ["\"a\""]);
    assert_eq!(with("a = {}", "wire_name = \"a.b\""), [""; 0], "a form does not nest");
    assert_eq!(with("a = {}", "wire_name = \"a[b]\""), [""; 0]);
    assert_eq!(with(object, "wire_name = \"a[b]\""), ["\"a[b]\""]);
    assert_eq!(with(object, "wire_name = \"a\"\nposition = \"query\""), [""; 0]);
    assert_eq!(with(&format!("{object}, \"a[b]\" = {{}}"), "").len(), 1);
    assert_eq!(with("\"\" = {}", "").len(), 1);
}

#[test]
fn endless_names_are_refused_in_linear_time() {
    let wire = |pieces: usize| format!("wire_name = \"{}\"", vec!["a"; pieces].join("."));
    assert_eq!(conflicts(&[&wire(MAX_PIECES)]), [""; 0]);
    assert_eq!(conflicts(&[&wire(MAX_PIECES + 1)]).len(), 1);
    assert_eq!(conflicts(&[&wire(200_000)]).len(), 1);
}
