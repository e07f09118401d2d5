//! The same for all combinations of keys, positions and names.

use super::{BODIES, POSITIONS, no_gaps, notes, parameter, schema, tool};

#[test]
fn constants_of_every_kind_in_every_place() {
    let values = [
        ("string", "\"x\""),
        ("string", "\"\""),
        ("string", "\"${A}\""),
        ("string", "\"a ${A}b${tenant.id}/?#&=;,|\""),
        ("string", "\"é ü 😀\""),
        ("string", "\"a$${b}\""),
        ("string", "\"a\\nb\\u0000\""),
        ("integer", "-3"),
        ("number", "1e300"),
        ("number", "-0.0"),
        ("number", "inf"),
        ("boolean", "true"),
        ("array", "[]"),
        ("array", "[\"a b\", \"${A}\", 1, true]"),
        ("array", "[\"a,b|c;d\", [\"${A}\"], { b = \"${B}\" }]"),
        ("array", "[\"é\", \"\\\\ \\\"\"]"),
        ("object", "{}"),
        ("object", "{ a = 1, b = [\"x;y\"] }"),
        ("object", "{ \"é \\\"\" = { c = \"${A}\" } }"),
    ];
    let styles = ["", "repeat", "comma", "space", "pipe", "deep", "json"];
    let mut specs = Vec::new();
    for (position, body) in POSITIONS.into_iter().flat_map(|position| BODIES.map(|body| (position, body))) {
        for ((kind, value), style) in values.into_iter().flat_map(|value| styles.map(|style| (value, style)))
        {
            for typed in [format!("type = \"{kind}\"\n"), String::new()] {
                let style = if style.is_empty() { String::new() } else { format!("style = \"{style}\"\n") };
                let keys = format!("name = \"p\"\nposition = \"{position}\"\n{typed}{style}value = {value}");
                let endpoint = if position == "path" { "/notes/{p}" } else { "/notes" };
                let spec = tool(
                    &format!("https://api.example.com{endpoint}"),
                    &format!("{body}{}", parameter(&keys)),
                );
                specs.push((format!("{body}{keys}"), spec));
            }
        }
    }
    assert!(no_gaps(specs) > 500);
}

#[test]
fn names_of_every_kind_in_every_place() {
    let names = [
        "é",
        "a b",
        "a.b",
        "a[b]",
        "a;b",
        "a&b=c",
        "\\\"",
        "\\\\",
        "\\n",
        "\\u0000",
        "😀",
        "%41",
        "+",
        "__proto__",
        " ",
        "a/b",
        "-",
        ".",
    ];
    let mut specs = Vec::new();
    for (position, body) in POSITIONS.into_iter().flat_map(|position| BODIES.map(|body| (position, body))) {
        for (name, kind) in
            names.into_iter().flat_map(|name| ["string", "array", "object"].map(|kind| (name, kind)))
        {
            let is_path = position == "path";
            let endpoint =
                if is_path { "https://api.example.com/notes/{p}" } else { "https://api.example.com/notes" };
            let required = if is_path { "required = true\nstyle = \"json\"\n" } else { "" };
            let name_key = if is_path {
                format!("name = \"p\"\nwire_name = \"{name}\"")
            } else {
                format!("name = \"{name}\"")
            };
            for value in ["", "value = \"x\""] {
                let keys =
                    format!("{name_key}\nposition = \"{position}\"\ntype = \"{kind}\"\n{required}{value}");
                specs.push((format!("{body}{keys}"), tool(endpoint, &format!("{body}{}", parameter(&keys)))));
            }
            let property = schema(&format!("properties = {{ \"{name}\" = {{ type = \"{kind}\" }} }}"));
            specs.push((
                format!("{body}{property}"),
                tool("https://api.example.com/notes", &format!("{body}{property}")),
            ));
        }
    }
    assert!(no_gaps(specs) > 1000);
}

#[test]
fn headers_cookies_hosts_and_the_rest() {
    let hidden_last = format!(
        "{}{}",
        parameter("name = \"x-a\"\nposition = \"header\""),
        parameter("name = \"x-b\"\nposition = \"header\"\nvalue = \"1\"")
    );
    let cookies = format!(
        "{}{}",
        parameter("name = \"a\"\nposition = \"cookie\""),
        parameter("name = \"b\"\nposition = \"cookie\"\nvalue = \"x;y ${A}\"")
    );
    let mut specs = vec![
        ("a fixed header after a given one", notes(&hidden_last)),
        ("cookies", notes(&cookies)),
        ("cookies beside a header", notes(&format!("headers = {{ cookie = \"a=1\" }}\n{cookies}"))),
        ("expect", notes("headers = { expect = \"100-continue\" }")),
        ("odd header values", notes("headers = { a = \"\", b = \"\\t\", c = \"é\", d = \"${A}${B}\" }")),
        ("a whole text", notes(&format!("body = \"whole:p\"\n{}", parameter("name = \"p\"")))),
        (
            "a whole object",
            notes(&format!("body = \"whole:p\"\n{}", parameter("name = \"p\"\ntype = \"object\""))),
        ),
        ("a whole property", notes(&format!("body = \"whole:p\"\n{}", schema("properties = { p = {} }")))),
        (
            "a whole constant",
            notes(&format!("body = \"whole:p\"\n{}", parameter("name = \"p\"\nvalue = \"x\""))),
        ),
        ("an empty form", notes("body = \"form\"")),
        ("an empty JSON body", notes("body = \"json\"")),
        ("a schema that is not of an object", notes("input_schema = {}")),
        ("a closed schema", notes(&schema("additionalProperties = false"))),
        ("an undeclared requirement", notes(&schema("required = [\"p\"]"))),
        ("a dialect", notes(&schema("\"$schema\" = \"http://json-schema.org/draft-07/schema#\""))),
        ("a schema of itself", notes(&schema("properties = { a = { \"$ref\" = \"#\" } }"))),
        ("an unusable scope", notes("scopes = [\"\", \"a b\", \"é\", \"\\\"\"]")),
        ("repeated scopes", notes("scopes = [\"a\", \"a\"]")),
        (
            "big numbers",
            notes(&parameter("name = \"p\"\ntype = \"number\"\nminimum = -1e308\nmaximum = 1e308")),
        ),
        (
            "numbers that are none",
            notes(&parameter("name = \"p\"\ntype = \"number\"\nminimum = nan\nmaximum = inf")),
        ),
        ("an odd enumeration", notes(&parameter("name = \"p\"\nenum = [\"\", \"é\\u0000\", \"]\"]"))),
        (
            "an enumeration of arrays",
            notes(&parameter("name = \"p\"\ntype = \"array\"\nitems = {}\nenum = [[1], []]")),
        ),
        (
            "a default of a schema",
            tool(
                "https://api.example.com/{p}",
                &format!(
                    "{}{}",
                    schema("properties = { p = { default = \"x\" } }"),
                    parameter("name = \"p\"\nposition = \"path\"")
                ),
            ),
        ),
        (
            "a default in a branch",
            tool(
                "https://api.example.com/{p}",
                &format!(
                    "{}{}",
                    schema("anyOf = [{ properties = { p = { default = \"x\" } } }]"),
                    parameter("name = \"p\"\nposition = \"path\"")
                ),
            ),
        ),
        (
            "required in a branch",
            tool(
                "https://api.example.com/{p}",
                &format!(
                    "{}{}",
                    schema("allOf = [{ properties = { p = {} }, required = [\"p\"] }]"),
                    parameter("name = \"p\"\nposition = \"path\"")
                ),
            ),
        ),
        (
            "a path that begins with a value",
            tool(
                "https://api.example.com{p}",
                &parameter("name = \"p\"\nposition = \"path\"\nrequired = true"),
            ),
        ),
        (
            "two values beside each other",
            tool(
                "https://api.example.com/{p}{q}",
                &format!(
                    "{}{}",
                    parameter("name = \"p\"\nposition = \"path\"\nrequired = true"),
                    parameter("name = \"q\"\nposition = \"path\"\nvalue = \"x\"")
                ),
            ),
        ),
        (
            "a response with a line end",
            "[[tool]]\nname = \"odd\"\ndescription = \"a\\r\\nb\\u2028c\"\nrespond = \"x\\n\"\n".to_owned(),
        ),
    ];
    for host in [
        "[::1]",
        "[2001:DB8::1]:8443",
        "[::ffff:1.2.3.4]",
        "API.Example.COM",
        "a_b.example:80",
        "a.example.",
        "1.2.3.4:443",
        "[::1]:443",
        "a..b",
        "-",
        "a:",
        "[::1%25eth0]",
        "xn--bcher-kva.example",
        "a.example:00443",
    ] {
        specs.push((host, tool(&format!("https://{host}/notes"), "")));
        let upstream = format!("[upstream.u]\nurl = \"https://{host}/v1/\"\n");
        specs.push((host, format!("{upstream}{}", tool("/notes", "upstream = \"u\""))));
    }
    for base in [
        "https://a.example",
        "https://a.example/",
        "https://a.example//",
        "https://a.example/v1;x",
        "https://a.example/%20/",
    ] {
        for endpoint in ["/", "/a", "//a", "/a//", "/;a", "/a?", "/?b"] {
            specs.push((
                base,
                format!("[upstream.u]\nurl = \"{base}\"\n{}", tool(endpoint, "upstream = \"u\"")),
            ));
        }
    }
    assert!(no_gaps(specs.into_iter().map(|(label, spec)| (label.to_owned(), spec))) > 50);
}

#[test]
fn two_parameters_of_any_kind_never_override_each_other() {
    let names = ["a", "a[b]", "A", "a.b", "a[", "a%5Bb%5D"];
    let kinds = [
        "type = \"string\"",
        "type = \"object\"",
        "type = \"object\"\nstyle = \"json\"",
        "type = \"array\"\nstyle = \"repeat\"",
    ];
    let mut specs = Vec::new();
    for (body, position) in
        [("", "query"), ("body = \"form\"\n", "body"), ("", "header"), ("", "cookie"), ("", "body")]
    {
        for (first, kind) in names.into_iter().flat_map(|name| kinds.map(|kind| (name, kind))) {
            for (second, value) in
                names.into_iter().flat_map(|name| ["", "value = \"x\""].map(|value| (name, value)))
            {
                let rest = format!(
                    "{body}{}{}",
                    parameter(&format!(
                        "name = \"p\"\nwire_name = \"{first}\"\nposition = \"{position}\"\n{kind}"
                    )),
                    parameter(&format!(
                        "name = \"q\"\nwire_name = \"{second}\"\nposition = \"{position}\"\n{value}"
                    ))
                );
                specs.push((rest.clone(), notes(&rest)));
            }
        }
    }
    assert!(no_gaps(specs) > 500);
}

#[test]
fn a_schema_makes_nothing_overridable() {
    let properties = [
        "{}",
        "{ type = \"object\" }",
        "{ type = [\"object\", \"null\"] }",
        "{ type = [\"null\", \"object\", \"string\"] }",
        "{ type = [\"string\", \"object\"] }",
        "{ type = \"array\" }",
        "{ \"$ref\" = \"#/$defs/d\" }",
        "{ enum = [{ b = 1 }] }",
        "{ properties = { b = {} } }",
    ];
    let styles = ["", "style = \"deep\"", "style = \"json\"", "style = \"repeat\""];
    let fixed = ["a", "a[b]", "c"];
    let mut specs = Vec::new();
    for (property, wire) in properties.into_iter().flat_map(|property| fixed.map(|wire| (property, wire))) {
        for (outer, position) in [("query", "query"), ("body", "body"), ("query", "body")] {
            let members =
                format!("properties = {{ a = {property} }}, \"$defs\" = {{ d = {{ type = \"object\" }} }}");
            let head = format!("body = \"form\"\n{}", schema(&members));
            let constant = parameter(&format!(
                "name = \"q\"\nwire_name = \"{wire}\"\nposition = \"{position}\"\nvalue = \"x\""
            ));
            for style in styles {
                let given = parameter(&format!("name = \"a\"\nposition = \"{outer}\"\n{style}"));
                let rest = format!("{head}{given}{constant}");
                specs.push((rest.clone(), notes(&rest)));
            }
            let rest = format!("{head}{constant}");
            specs.push((rest.clone(), notes(&rest)));
        }
    }
    assert!(no_gaps(specs) > 100);
}
