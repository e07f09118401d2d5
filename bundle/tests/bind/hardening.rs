//! Calls that are made to do harm: what a review found, and what holds since.

use crate::built::Built;
use crate::support::tool;
use mcp_bundle::bind::ProblemKind::*;
use mcp_bundle::bind::Request;
use serde_json::{Value, json};
use std::time::Instant;

fn query(style: &str) -> Built {
    tool("GET", "/q").with("query", "f", json!({"style": style})).build()
}

fn form(style: &str) -> Built {
    tool("POST", "/").body("form").with("body", "f", json!({"style": style})).build()
}

fn path(endpoint: &str) -> Built {
    let mut tool = tool("GET", endpoint);
    for name in ["h", "k", "x"].into_iter().filter(|name| endpoint.contains(&format!("{{{name}}}"))) {
        tool = tool.with("path", name, json!({"style": "comma"}));
    }
    tool.build()
}

/// A tool whose body takes anything, below `x` and beside it.
fn open(check: Value) -> Built {
    tool("POST", "/").body("json").with("body", "x", check).additional(json!({})).build()
}

/// The memory that a refused call leaves behind, in target and body.
#[track_caller]
fn left_behind(tool: &Built, arguments: &str) -> usize {
    let mut request = Request::new();
    let error = tool.bind(arguments.as_bytes(), &mut request).unwrap_err();
    let kinds: Vec<_> = error.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, [TooLarge], "{error}");
    request.target.capacity() + request.body().unwrap_or_default().len()
}

#[test]
fn names_are_not_repeated_without_end() {
    let ones = |count| vec!["1"; count].join(",");
    let long_name = format!(r#"{{"f":{{"{}":[{}]}}}}"#, "é".repeat(15_000), ones(20_000));
    let many_leaves = format!(r#"{{"f":{{"{}":[{}]}}}}"#, "k".repeat(10_000), ones(20_000));
    let nested = format!(
        r#"{{"f":{}[{}]{}}}"#,
        format!(r#"{{"{}":"#, "k".repeat(400)).repeat(50),
        ones(20_000),
        "}".repeat(50)
    );
    for arguments in [&long_name, &many_leaves, &nested] {
        assert!(left_behind(&query("deep"), arguments) < 1 << 20);
        assert!(left_behind(&form("deep"), arguments) < 4 << 20);
    }
    let mut repeated = tool("GET", "/q")
        .with("query", "f", json!({"style": "repeat", "wire": "w".repeat(5_000)}))
        .with("query", "g", json!({"style": "repeat", "wire": "w".repeat(5_000)}))
        .build();
    let both = format!(r#"{{"f":[{0}],"g":[{0}]}}"#, ones(20_000));
    assert!(left_behind(&repeated, &both) < 1 << 20);
    repeated.limits.target = 5_010;
    assert_eq!(repeated.target(r#"{"f":[123456]}"#).len(), 5_010);
    assert_eq!(
        repeated.problem(r#"{"f":[1234567]}"#),
        (TooLarge, "the arguments make a URL longer than the 5010 bytes that are allowed".to_owned())
    );
}

#[test]
fn every_other_place_grows_with_its_value_only() {
    let text = "\\u0001é \"".replace('"', "\\\"").repeat(20_000);
    for position in ["path", "header", "cookie"] {
        for style in ["comma", "json", "space"] {
            let endpoint = if position == "path" { "/{x}" } else { "/" };
            let tool = tool("GET", endpoint)
                .with("header", "x-other", json!({}))
                .with(position, "x", json!({"style": style}))
                .build();
            let arguments = format!(r#"{{"x":["{text}",1,{{"{text}":2}}]}}"#);
            let mut request = Request::new();
            assert!(tool.bind(arguments.as_bytes(), &mut request).is_err());
            assert!(request.target.capacity() <= arguments.len() * 6, "{position} {style}");
        }
    }
}

#[test]
fn deep_names_cannot_be_forged() {
    let message =
        "`f` is sent with the names of its members in brackets: none may be empty or contain `[` or `]`";
    for object in [
        r#"{"owner][0":"evil"}"#,
        r#"{"a":[{"b]":1}]}"#,
        r#"{"[":1}"#,
        r#"{"":1}"#,
        r#"{"a\u005db":1}"#,
        r#"{"]":1,"[":2,"":{"]":3}}"#,
    ] {
        for tool in [query("deep"), form("deep")] {
            let arguments = format!(r#"{{"f":{object}}}"#);
            assert_eq!(tool.problem(&arguments), (InvalidMemberName, message.to_owned()), "{object}");
        }
    }
    assert_eq!(query("deep").target(r#"{"f":{"a b":"[x]"}}"#), "/q?f%5Ba%20b%5D=%5Bx%5D");
    query("json").ok(r#"{"f":{"":1,"]":2}}"#);
}

#[test]
fn dot_segments_are_found_after_further_parsing() {
    let plain = path("/a/{x}/b");
    for value in [
        "..?x",
        "..%3fx",
        "..%253Fx",
        "..#x",
        "..%23",
        ".. ",
        " ..",
        " . ",
        "%20..",
        ".. ;x",
        ".;?",
        "a/..?b",
        "a\\\\.. /b",
        "x%2f.. ",
    ] {
        assert_eq!(plain.kind(&format!(r#"{{"x":"{value}"}}"#)), InvalidPathParameter, "{value}");
    }
    for value in ["a?..", "..a?x", "... ", "a b", "v1.0#2", ". ."] {
        plain.ok(&format!(r#"{{"x":"{value}"}}"#));
    }
}

#[test]
fn harmless_values_beside_an_encoded_literal_are_looked_at() {
    let beside = path("/x/%25{h}%25{k}/y");
    assert_eq!(beside.kind(r#"{"h":"2e","k":"2e"}"#), InvalidPathParameter);
    assert_eq!(beside.target(r#"{"h":"41","k":"42"}"#), "/x/%2541%2542/y");
    assert_eq!(path("/x/%25{h}/y").kind(r#"{"h":"2e"}"#), InvalidPathParameter);
    assert_eq!(path("/x/{h}%2f../y").kind(r#"{"h":"a"}"#), InvalidPathParameter);
    assert_eq!(path("/%25/{h}/%25").target(r#"{"h":"2e"}"#), "/%25/2e/%25");
}

#[test]
fn a_dot_of_the_endpoint_needs_a_look_at_values_without_one() {
    for (endpoint, value) in [
        ("/a/.{x}", " "),
        ("/a/.{x}", ";b"),
        ("/a/.{x}", "/b"),
        ("/a/{x}.", "b/"),
        ("/a/{x}.", "b\\\\"),
        ("/a/{h}.{x}", "b/"),
        ("/a/.{h}{x}", " "),
    ] {
        let mut arguments = format!(r#"{{"x":"{value}"}}"#);
        if endpoint.contains("{h}") {
            arguments = format!(r#"{{"h":"{value}","x":" "}}"#);
        }
        let kind = path(endpoint).problem(&arguments).0;
        assert_eq!(kind, InvalidPathParameter, "{endpoint} {value}");
    }
    assert_eq!(path("/a/{x}/b.json").target(r#"{"x":"c d/;"}"#), "/a/c%20d%2F%3B/b.json");
    assert_eq!(path("/a/{x}.json").target(r#"{"x":"c d"}"#), "/a/c%20d.json");
}

#[test]
fn path_lists_need_elements_that_say_something() {
    let list = path("/a/{x}/b");
    for value in [
        r#"["",""]"#,
        r#"[""]"#,
        r#"["",null,""]"#,
        r#"["..",""]"#,
        r#"["a","."]"#,
        r#"["a",".. "]"#,
        r#"["a","%2e%2e"]"#,
        r#"{"..":1}"#,
        r#"{"":""}"#,
    ] {
        assert_eq!(list.kind(&format!(r#"{{"x":{value}}}"#)), InvalidPathParameter, "{value}");
        assert_eq!(path("/a/v{x}").kind(&format!(r#"{{"x":{value}}}"#)), InvalidPathParameter, "{value}");
    }
    assert_eq!(list.target(r#"{"x":["","a","1.5"]}"#), "/a/,a,1.5/b");
    assert_eq!(list.target(r#"{"x":"a,.."}"#), "/a/a%2C../b");
}

#[test]
fn the_body_keeps_its_content_type_when_the_header_is_left_out() {
    let tool = tool("POST", "/")
        .body("json")
        .with("header", "content-type", json!({"type": ["string", "null"]}))
        .build();
    for (arguments, expected) in [
        ("{}", "application/json"),
        (r#"{"content-type":null}"#, "application/json"),
        (r#"{"content-type":"application/cbor"}"#, "application/cbor"),
    ] {
        let headers = tool.ok(arguments).headers;
        assert_eq!(headers, [("content-type".to_owned(), expected.to_owned())], "{arguments}");
    }
}

#[test]
fn extra_arguments_cannot_override_a_member_in_another_case() {
    let tool = tool("POST", "/")
        .body("json")
        .fixed("body", "isTask", "no")
        .fixed("body", "owner.id", "${tenant.id}")
        .additional(json!({}))
        .build();
    for name in ["istask", "ISTASK", "IsTa\\u0053k", "i\u{17f}Tas\u{212a}", "OWNER", "isTask"] {
        let error = tool.error(&format!(r#"{{"{name}":1}}"#));
        assert_eq!(error.problems.len(), 1, "{error}");
        assert_eq!(error.problems[0].kind, UnknownArgument, "{name}");
    }
    assert_eq!(
        tool.json_body(r#"{"id":1,"isTasks":2,"isTas":3}"#),
        r#"{"isTask":"no","owner":{"id":"acme"},"id":1,"isTasks":2,"isTas":3}"#
    );
}

#[test]
fn no_object_holds_a_name_twice() {
    let checked = json!({"properties": {"k": {}, "l": {"type": "array"}}, "additionalProperties": {}});
    for tool in [open(json!({})), open(checked), open(json!({"properties": {"k": {}}}))] {
        for (arguments, path) in [
            (r#"{"x":{"a":1,"a":2}}"#, "x.a"),
            (r#"{"x":{"a":1,"b":2,"\u0061":2}}"#, "x.a"),
            (r#"{"x":{"\u0061":1,"b":2,"a":2}}"#, "x.a"),
            (r#"{"x":{"k":{"z":[0,{"a":1,"a":2}]}}}"#, "x.k.z[1].a"),
            (r#"{"x":{"l":[[],[{"a":{},"a":[]}]]}}"#, "x.l[1][0].a"),
            (r#"{"x":[{"a":1},{"a":1,"b":{"a":1},"a":1}]}"#, "x[1].a"),
            (r#"{"y":{"a":1,"a":2}}"#, "y.a"),
            (r#"{"y":1,"z":{"q":1},"y":3}"#, "y"),
        ] {
            assert_eq!(
                tool.problem(arguments),
                (DuplicateArgument, format!("`{path}` is given twice")),
                "{arguments}"
            );
        }
        tool.ok(r#"{"x":{"a":1,"A":2,"k":{"a":{"a":[{"a":1},{"a":2}]}}},"y":{"a":1,"b":{"a":1}},"a":1}"#);
    }
    let twice = r#"{"f":{"a":1,"a":2}}"#;
    for style in ["deep", "json", "comma"] {
        assert_eq!(query(style).kind(twice), DuplicateArgument);
    }
    let hidden = open(json!({"sensitive": true}));
    assert_eq!(
        hidden.problem(r#"{"x":{"hunter2":1,"hunter2":2}}"#),
        (DuplicateArgument, "`x` has a member that is given twice".to_owned())
    );
}

#[test]
fn names_are_compared_in_little_time() {
    let tool = open(json!({}));
    let time = |count: usize| {
        let names = |name: &dyn Fn(usize) -> String| -> String {
            let members: Vec<String> = (0..count).map(|at| format!(r#""{}":1"#, name(at))).collect();
            format!(r#"{{"x":{{{}}}}}"#, members.join(","))
        };
        let start = Instant::now();
        tool.ok(&names(&|at| format!("name{at}")));
        tool.ok(&names(&|at| format!("\\u006eame{at}")));
        assert_eq!(tool.kind(&names(&|at| format!("name{}", at % (count - 1)))), DuplicateArgument);
        let others = names(&|at| format!("\\n{at}"));
        let long = format!(r#"{{"x":{{"\n{}":1,{}}}}}"#, "a".repeat(4 * count), &others[6..]);
        tool.ok(&long[..long.len() - 2]);
        start.elapsed()
    };
    // Ten times as many names take about ten times as long, not a hundred times; the machine may be busy now and then.
    let is_linear = |_| time(50_000) < time(5_000) * 40;
    assert!((0..3).any(is_linear));
}

#[test]
fn a_required_argument_is_asked_for_in_spite_of_its_default() {
    let tool = tool("GET", "/{p}")
        .with("path", "p", json!({"default": "d"}))
        .with("query", "q", json!({"type": "string", "required": true, "default": "d"}))
        .build();
    assert_eq!(tool.problem("{}"), (Missing, "`q` is required (string)".to_owned()));
    assert_eq!(tool.target(r#"{"q":"x"}"#), "/d?q=x");
}

#[test]
fn long_names_are_reported_in_short() {
    let long = "k".repeat(100_000);
    let fixed = tool("POST", "/").body("json").fixed("body", &long, "1").additional(json!({})).build();
    let closed = open(json!({"properties": {"a": {}}, "additionalProperties": false}));
    let typed = open(json!({"additionalProperties": {"additionalProperties": {"type": "string"}}}));
    let schema = |schema: Value| {
        tool("POST", "/")
            .body("json")
            .with("body", "x", json!({}))
            .additional(json!({}))
            .schema(schema)
            .build()
    };
    let inner = json!({"properties": {"k": {}}, "additionalProperties": false});
    let nested = schema(json!({"properties": {"x": {"additionalProperties": inner}}}));
    let names =
        schema(json!({"additionalProperties": {"type": "string"}, "propertyNames": {"maxLength": 5}}));
    let chain = format!(
        r#"{{"x":{}{{"{long}":1,"{long}":1}}{}}}"#,
        format!(r#"{{"{long}":"#).repeat(9),
        "}".repeat(9)
    );
    for (tool, arguments) in [
        (&fixed, format!(r#"{{"{long}":1}}"#)),
        (&closed, format!(r#"{{"x":{{"{long}":1}}}}"#)),
        (&closed, format!(r#"{{"{long}":1,"{long}":1}}"#)),
        (&typed, format!(r#"{{"x":{{"{long}":{{"{long}":1}}}}}}"#)),
        (&nested, format!(r#"{{"x":{{"{long}":{{"{long}":1}}}}}}"#)),
        (&names, format!(r#"{{"{long}":1}}"#)),
        (&typed, chain.clone()),
        (&nested, chain),
    ] {
        let error = tool.error(&arguments);
        for problem in &error.problems {
            assert!(problem.argument.chars().count() <= 201, "{}", problem.argument.len());
            assert!(problem.message.chars().count() <= 700, "{}", problem.message.len());
        }
    }
    let text = &nested.error(r#"{"x":{"a":{"b":1}}}"#).problems[0];
    assert_eq!((text.argument.as_str(), text.message.as_str()), ("x.a.b", "`x.a.b` is not allowed"));
}

#[test]
fn schemas_are_checked_in_bounded_time() {
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let node = |next: &str| json!({"type": ["array", "integer"], "items": {"anyOf": [reference(next), reference(next)]}});
    let simple = json!({"properties": {"x": reference("n")}, "$defs": {"n": node("n")}});
    let mutual = json!({"properties": {"x": reference("n")}, "$defs": {"n": {"oneOf": [reference("m"), reference("k")]}, "m": node("n"), "k": node("n")}});
    for (schema, nested) in [(simple, true), (mutual, false)] {
        let tool = tool("POST", "/").body("json").with("body", "x", json!({})).schema(schema).build();
        let nest = |levels: usize, inner: &str| {
            format!(r#"{{"x":{}{inner}{}}}"#, "[".repeat(levels), "]".repeat(levels))
        };
        let wide = format!("{}\"s\"", "1,\"s\",".repeat(1_000));
        for levels in 1..63 {
            if nested {
                tool.ok(&nest(levels, "1"));
            }
            for inner in ["\"s\"", &wide] {
                // If each level doubled the work, this would never end.
                let error = tool.error(&nest(levels, inner));
                assert!(error.problems.iter().all(|problem| problem.kind == Schema), "{error}");
            }
        }
    }
}
