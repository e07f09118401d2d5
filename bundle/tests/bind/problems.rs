//! What is refused, and in which words.

use crate::built::Built;
use crate::support::tool;
use mcp_bundle::bind::ProblemKind::{self, *};
use serde_json::{Value, json};

/// A tool with one body parameter `x`.
fn body(check: Value) -> Built {
    tool("POST", "/").body("json").with("body", "x", check).build()
}

#[track_caller]
fn assert_problem(tool: &Built, arguments: &str, kind: ProblemKind, message: &str) {
    assert_eq!(tool.problem(arguments), (kind, message.to_owned()));
}

#[test]
fn all_problems_are_reported_at_once() {
    let tool = tool("GET", "/users/{userId}")
        .with("path", "userId", json!({"type": "string", "required": true}))
        .with("query", "page", json!({"type": "integer"}))
        .with("header", "x-trace", json!({"type": "string"}))
        .build();
    assert_eq!(
        tool.error(r#"{"page":"two","x-trace":"a\nb","pgae":1}"#).to_string(),
        "4 problems with the arguments of `get_order`:\n\
         - `page` must be an integer, not the string \"two\"\n\
         - `pgae` is not an argument: did you mean `page`?\n\
         - `userId` is required (string)\n\
         - `x-trace` is sent as a header and must consist of visible ASCII characters, spaces and tabs: \
         no line breaks, no control characters, no other scripts"
    );
}

#[test]
fn unreadable_arguments_are_told_apart() {
    let tool = body(json!({}));
    assert_problem(
        &tool,
        "{\"x\":1",
        NotJson,
        "the arguments are not valid JSON: the text ends in the middle of a value at byte 6",
    );
    assert_eq!(tool.kind(r#"{"x":1}x"#), NotJson);
    assert_eq!(tool.kind(r#"{"x":"\ud800"}"#), NotJson);
    assert_eq!(tool.kind(""), NotJson);
    assert!(tool.bind(b"{\"x\":\"\xff\"}", &mut Default::default()).is_err());
    assert_problem(&tool, "[1]", NotAnObject, "the arguments must be a JSON object, not an array");
    assert_problem(&tool, "\"pass\"", NotAnObject, "the arguments must be a JSON object, not a string");
    let deep = |levels| format!("{{\"x\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    tool.ok(&deep(63));
    assert_problem(&tool, &deep(64), TooDeep, "the arguments are nested more than 64 levels deep");
    let many: Vec<String> = (0..257).map(|number| format!("\"a{number}\":1")).collect();
    let error = tool.error(&format!("{{{}}}", many.join(",")));
    assert_eq!((error.problems.len(), error.omitted), (20, 237));
    let open = tool_with_additional();
    assert_eq!(open.kind(&format!("{{{}}}", many.join(","))), TooManyArguments);
}

fn tool_with_additional() -> Built {
    tool("POST", "/")
        .body("json")
        .fixed("body", "tenant", "${tenant.id}")
        .with("body", "userId", json!({"wire": "user.id"}))
        .additional(json!({}))
        .build()
}

#[test]
fn unknown_and_repeated_arguments_are_refused() {
    let closed =
        tool("GET", "/").with("query", "userId", json!({})).with("query", "limit", json!({})).build();
    assert_problem(
        &closed,
        r#"{"user_id":1}"#,
        UnknownArgument,
        "`user_id` is not an argument: did you mean `userId`?",
    );
    assert_problem(
        &closed,
        r#"{"colour":1}"#,
        UnknownArgument,
        "`colour` is not an argument: it takes `limit`, `userId`",
    );
    let none = tool("GET", "/").build();
    assert_problem(&none, r#"{"a":1}"#, UnknownArgument, "`a` is not an argument: the tool takes none");
    assert_problem(&closed, r#"{"limit":1,"lim\u0069t":2}"#, DuplicateArgument, "`limit` is given twice");
    let open = tool_with_additional();
    assert_problem(&open, r#"{"a b":1,"a\u0020b":2}"#, DuplicateArgument, "`a b` is given twice");
    let message = "`tenant` is not an argument: the tool sets that member itself";
    assert_problem(&open, r#"{"tenant":"other"}"#, UnknownArgument, message);
    assert_problem(&open, r#"{"t\u0065nant":"other"}"#, UnknownArgument, message);
    assert_eq!(open.kind(r#"{"user":{}}"#), UnknownArgument);
    open.ok(r#"{"id":1}"#);
}

#[test]
fn missing_arguments_say_what_is_wanted() {
    let tool = tool("GET", "/{p}")
        .with("path", "p", json!({"type": "integer"}))
        .with("query", "q", json!({"required": true, "enum": ["a", "b"]}))
        .build();
    assert_problem(&tool, r#"{"q":"a"}"#, MissingPathParameter, "`p` is required (integer)");
    assert_problem(&tool, r#"{"p":1}"#, Missing, "`q` is required (one of \"a\", \"b\")");
}

#[test]
fn path_parameters_that_lead_elsewhere_are_invalid() {
    let plain = tool("GET", "/a/{x}/b").with("path", "x", json!({})).build();
    for (value, reason) in [
        (r#""""#, "must not be empty"),
        ("null", "must not be empty"),
        ("[]", "must not be empty"),
        (r#"".""#, "`.` or `..`"),
        (r#""..""#, "`.` or `..`"),
        (r#""../../etc/passwd""#, "`.` or `..`"),
        (r#""\u002e\u002e""#, "`.` or `..`"),
        (r#""%2e%2e""#, "`.` or `..`"),
        (r#""x%252f..""#, "`.` or `..`"),
        (r#""..;a""#, "`.` or `..`"),
        (r#"["x/..", 1, "/.."]"#, "`.` or `..`"),
        (r#""a\u0000""#, "control characters"),
        (r#""a\r\n""#, "control characters"),
        (r#""\u0085""#, "control characters"),
    ] {
        let (kind, message) = plain.problem(&format!(r#"{{"x":{value}}}"#));
        assert_eq!(kind, InvalidPathParameter, "{value}");
        assert!(
            message.starts_with("`x` is part of the path") && message.contains(reason),
            "{value}: {message}"
        );
    }
    plain.ok(&format!(r#"{{"x":"{}"}}"#, "a".repeat(2048)));
    assert_problem(
        &plain,
        &format!(r#"{{"x":"{}"}}"#, "a".repeat(2049)),
        InvalidPathParameter,
        "`x` is part of the path and has 2049 bytes, at most 2048 are allowed",
    );
}

#[test]
fn path_parameters_cannot_conspire_with_their_neighbours() {
    let beside = tool("GET", "/.{x}/b").with("path", "x", json!({})).build();
    for value in ["/a", ";a", "%2fa", "\\\\"] {
        assert_eq!(beside.kind(&format!(r#"{{"x":"{value}"}}"#)), InvalidPathParameter, "{value}");
    }
    beside.ok(r#"{"x":"well-known"}"#);
    let two = tool("GET", "/{x}{y}").with("path", "x", json!({})).with("path", "y", json!({})).build();
    assert_eq!(two.kind(r#"{"x":"a/","y":".."}"#), InvalidPathParameter);
    assert_eq!(two.kind(r#"{"x":"a%2","y":"f.."}"#), InvalidPathParameter);
    assert_eq!(two.kind(r#"{"x":".","y":"."}"#), InvalidPathParameter);
    assert_eq!(two.target(r#"{"x":"a.","y":".b"}"#), "/a..b");
}

#[test]
fn header_values_that_http_cannot_hold_are_invalid() {
    let tool = tool("GET", "/").with("header", "x-a", json!({})).build();
    for value in [r#""a\r\nb: c""#, r#""\u0000""#, r#""é""#, r#"["a,b"]"#, r#"["a","b\n"]"#] {
        assert_eq!(tool.kind(&format!(r#"{{"x-a":{value}}}"#)), InvalidHeaderValue, "{value}");
    }
    tool.ok(&format!(r#"{{"x-a":"{}"}}"#, "a".repeat(8192)));
    assert_eq!(tool.kind(&format!(r#"{{"x-a":"{}"}}"#, "a".repeat(8193))), InvalidHeaderValue);
}

#[test]
fn type_errors_name_the_type_that_came() {
    assert_problem(
        &body(json!({"type": "integer"})),
        r#"{"x":1.5}"#,
        WrongType,
        "`x` must be an integer, not the number 1.5",
    );
    assert_problem(
        &body(json!({"type": "string"})),
        r#"{"x":12}"#,
        WrongType,
        "`x` must be a string, not the number 12",
    );
    assert_problem(
        &body(json!({"type": "boolean"})),
        r#"{"x":"true"}"#,
        WrongType,
        "`x` must be a boolean, not the string \"true\"",
    );
    assert_problem(
        &body(json!({"type": ["array", "null"]})),
        r#"{"x":{}}"#,
        WrongType,
        "`x` must be an array or null, not an object",
    );
    assert_problem(
        &body(json!({"type": "string"})),
        r#"{"x":null}"#,
        WrongType,
        "`x` must be a string, not null: leave it out instead",
    );
    assert_problem(
        &body(json!({"type": "string", "required": true})),
        r#"{"x":null}"#,
        WrongType,
        "`x` must be a string, not null",
    );
    let long = format!(r#"{{"x":"{}"}}"#, "ab".repeat(500));
    assert_problem(
        &body(json!({"type": "number"})),
        &long,
        WrongType,
        &format!("`x` must be a number, not the string \"{}…\"", "ab".repeat(30)),
    );
}

#[test]
fn bounds_are_exact() {
    let tool = body(json!({"type": "number", "minimum": 1, "maximum": 9007199254740993_u64}));
    assert_problem(
        &tool,
        r#"{"x":0.999999999999999999999}"#,
        OutOfRange,
        "`x` must be at least 1, not 0.999999999999999999999",
    );
    assert_problem(
        &tool,
        r#"{"x":9007199254740994}"#,
        OutOfRange,
        "`x` must be at most 9007199254740993, not 9007199254740994",
    );
    assert_eq!(tool.kind(r#"{"x":1e999999999999}"#), OutOfRange);
    let open = body(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}));
    assert_problem(&open, r#"{"x":0.0}"#, OutOfRange, "`x` must be greater than 0, not 0.0");
    assert_problem(&open, r#"{"x":10e-1}"#, OutOfRange, "`x` must be less than 1, not 10e-1");
}

#[test]
fn enumerations_list_what_is_allowed() {
    let tool = body(json!({"enum": ["open", "paid", 3]}));
    assert_problem(
        &tool,
        r#"{"x":"closed"}"#,
        NotInEnum,
        "`x` must be one of \"open\", \"paid\", 3, not \"closed\"",
    );
    assert_eq!(tool.kind(r#"{"x":"3"}"#), NotInEnum);
    assert_eq!(tool.kind(r#"{"x":["open"]}"#), NotInEnum);
    let many: Vec<u32> = (0..50).collect();
    assert!(body(json!({"enum": many})).problem(r#"{"x":99}"#).1.contains("10, 11 and 38 more, not 99"));
}

#[test]
fn strings_are_checked_by_their_characters() {
    let tool = body(json!({"minLength": 2, "maxLength": 3}));
    tool.ok(r#"{"x":"\u00e9é😀"}"#);
    assert_problem(&tool, r#"{"x":"\u00e9"}"#, Length, "`x` must have at least 2 characters, not 1");
    assert_problem(&tool, r#"{"x":"abcd"}"#, Length, "`x` must have at most 3 characters, not 4");
    assert_problem(
        &body(json!({"pattern": "^\\d+$"})),
        r#"{"x":"a1"}"#,
        Pattern,
        "`x` must match the pattern `^\\d+$`, not \"a1\"",
    );
    assert_problem(
        &body(json!({"format": "date"})),
        r#"{"x":"2023-02-29"}"#,
        Format,
        "`x` must be in the format `date`, such as \"2024-02-29\", not the string \"2023-02-29\"",
    );
    assert_eq!(body(json!({"pattern": "("})).kind(r#"{"x":"a"}"#), Pattern, "nothing passes unchecked");
}

#[test]
fn nested_problems_say_where() {
    let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["name"], "additionalProperties": false});
    let tool = body(
        json!({"type": "object", "properties": {"items": {"items": item, "maxItems": 2}}, "minProperties": 1, "maxProperties": 1}),
    );
    let error = tool.error(r#"{"x":{"items":[{"name":"a"},{"size":"1","nmae":2},{"name":3,"name":"b"}]}}"#);
    let told: Vec<_> =
        error.problems.iter().map(|problem| (problem.kind, problem.argument.as_str())).collect();
    assert_eq!(
        told,
        [
            (WrongType, "x.items[1].size"),
            (UnknownArgument, "x.items[1].nmae"),
            (Missing, "x.items[1].name"),
            (WrongType, "x.items[2].name"),
            (DuplicateArgument, "x.items[2].name"),
            (Length, "x.items"),
        ]
    );
    assert!(error.to_string().contains("`x.items[1].nmae` is not known: did you mean `name`?"), "{error}");
    assert_problem(&tool, r#"{"x":{}}"#, Length, "`x` must have at least 1 member, not 0");
    assert_eq!(tool.kind(r#"{"x":{"a":1,"b":2}}"#), Length);
}

#[test]
fn sensitive_values_are_never_reported() {
    let check = json!({"type": "object", "sensitive": true, "additionalProperties": {"type": "integer", "enum": [1], "pattern": "x"}, "properties": {"k": {"type": "string", "pattern": "x", "format": "uuid", "maxLength": 1}, "n": {"maximum": 1}}, "required": ["n"]});
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "x", check)
        .schema(json!({"properties": {"x": {"maxProperties": 0, "propertyNames": {"maxLength": 2}}}}))
        .build();
    for arguments in [
        r#"{"x":{"k":"hunter2","n":7777,"hunter2":"hunter2"}}"#,
        r#"{"x":"hunter2"}"#,
        r#"{"x":{"n":1,"hunter2":7777}}"#,
    ] {
        let text = format!("{:?}", tool.error(arguments));
        assert!(!text.contains("hunter2") && !text.contains("7777"), "{text}");
    }
}

#[test]
fn full_schemas_add_their_problems() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"multipleOf": 5}}, "not": {"required": ["z"]}, "dependentRequired": {"x": ["y"]}});
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "x", json!({"type": "integer"}))
        .additional(json!({}))
        .schema(schema)
        .build();
    assert_eq!(tool.json_body(r#"{"x":1,"y":10}"#), r#"{"x":1,"y":10}"#);
    assert_problem(&tool, r#"{"y":3}"#, Schema, "`y`: the value is not a multiple of 5");
    assert_problem(&tool, r#"{"x":1}"#, Schema, "`y` is required");
    assert_eq!(tool.error(r#"{"x":"1","y":3}"#).problems.len(), 2, "the type of `x` is told once");
    assert_eq!(tool.kind(r#"{"q":{"a":1,"a":2}}"#), DuplicateArgument);
    assert_eq!(tool.kind(r#"{"q":1e999}"#), OutOfRange);
    let invalid = self::tool("GET", "/").schema(json!({"type": "nope"})).build();
    assert_eq!(invalid.kind("{}"), Schema, "nothing passes unchecked");
}

#[test]
fn variables_without_a_value_are_named() {
    let mut tool = tool("GET", "/${tenant.id}")
        .fixed("header", "x-sub", "${principal.sub}")
        .fixed("query", "v", "${KEY}")
        .build();
    tool.ok("{}");
    tool.tenant_id = None;
    tool.principal_sub = None;
    tool.variables.clear();
    let error = tool.error("{}");
    let told: Vec<_> =
        error.problems.iter().map(|problem| (problem.kind, problem.argument.as_str())).collect();
    assert_eq!(
        told,
        [
            (UnresolvedVariable, "${tenant.id}"),
            (UnresolvedVariable, "${KEY}"),
            (UnresolvedVariable, "${principal.sub}")
        ]
    );
}

#[test]
fn variables_cannot_inject_either_and_are_never_reported() {
    let mut tool = tool("GET", "/a/${P}").fixed("header", "x-key", "Bearer ${KEY}").build();
    tool.variables = vec!["../hunter2".into(), "hunter2\r\nx: y".into()];
    let error = tool.error("{}");
    let told: Vec<_> =
        error.problems.iter().map(|problem| (problem.kind, problem.argument.as_str())).collect();
    assert_eq!(told, [(InvalidPathParameter, "${P}"), (InvalidHeaderValue, "${KEY}")]);
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[test]
fn requests_that_grow_too_large_are_refused() {
    let mut json = body(json!({}));
    json.limits.body = 10;
    json.ok(r#"{"x":1234}"#);
    assert_problem(
        &json,
        r#"{"x":12345}"#,
        TooLarge,
        "the arguments make a body longer than the 10 bytes that are allowed",
    );
    let mut query = tool("GET", "/").with("query", "q", json!({})).with("cookie", "c", json!({})).build();
    query.limits.target = 10;
    query.limits.header_value = 10;
    assert_eq!(query.kind(r#"{"q":"1234567"}"#), TooLarge);
    assert_eq!(query.kind(r#"{"c":"123456789"}"#), TooLarge);
}
