//! What a good call becomes, position by position.

use crate::support::tool;
use mcp_bundle::bind::{Arguments, Binder, ProblemKind, Request, Scratch, Values};
use serde_json::json;

#[test]
fn the_documented_example_is_bound() {
    let tool = tool("GET", "/v1/users/{userId}/orders/{orderId}")
        .with("path", "userId", json!({"type": "string", "required": true}))
        .with("path", "orderId", json!({"type": "string", "required": true}))
        .with("query", "includeDetails", json!({"type": "boolean", "default": false}))
        .fixed("header", "accept", "application/json")
        .fixed("header", "authorization", "Bearer ${SHOP_TOKEN}")
        .build();
    let bound = tool.ok(r#"{"userId": "u 1", "orderId": "42"}"#);
    assert_eq!(bound.url, "https://api.example.com/v1/users/u%201/orders/42?includeDetails=false");
    let headers = [("accept", "application/json"), ("authorization", "Bearer s3cret")];
    assert_eq!(bound.headers, headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(bound.body, None);
}

#[test]
fn path_values_of_every_type_and_style_are_encoded() {
    let path = |check| tool("GET", "/a/{x}/b").with("path", "x", check).build();
    let any = path(json!({}));
    for (value, target) in [
        (r#""a/b c%2F?#é\u0041""#, "/a/a%2Fb%20c%252F%3F%23%C3%A9A/b"),
        ("12345678901234567890", "/a/12345678901234567890/b"),
        ("-1.50e+2", "/a/-1.50e%2B2/b"),
        ("true", "/a/true/b"),
        (r#"["a,b", 2]"#, "/a/a%2Cb,2/b"),
        ("\"...\"", "/a/.../b"),
    ] {
        assert_eq!(any.target(&format!(r#"{{"x":{value}}}"#)), target);
    }
    let arguments = r#"{"x":["a", 1, "b|"]}"#;
    assert_eq!(path(json!({"style": "comma"})).target(arguments), "/a/a,1,b%7C/b");
    assert_eq!(path(json!({"style": "space"})).target(arguments), "/a/a%201%20b%7C/b");
    assert_eq!(path(json!({"style": "pipe"})).target(arguments), "/a/a%7C1%7Cb%7C/b");
    assert_eq!(path(json!({"style": "json"})).target(arguments), "/a/%5B%22a%22%2C1%2C%22b%7C%22%5D/b");
    assert_eq!(path(json!({"style": "comma"})).target(r#"{"x":{"R":1,"G":2}}"#), "/a/R,1,G,2/b");
}

#[test]
fn path_values_share_a_segment_with_literals() {
    let tool = tool("GET", "/files/{name}.{ext}:download")
        .with("path", "name", json!({"type": "string"}))
        .with("path", "ext", json!({"type": "string", "default": "txt"}))
        .build();
    assert_eq!(tool.target(r#"{"name":"a.b"}"#), "/files/a.b.txt:download");
}

#[test]
fn query_values_of_every_style_are_encoded() {
    let query = |style: &str| tool("GET", "/q").with("query", "a", json!({"style": style})).build();
    let array = r#"{"a": ["x&y=z", 1.0, true, null, {"k": [1, 2]}]}"#;
    assert_eq!(query("repeat").target(array), "/q?a=x%26y%3Dz&a=1.0&a=true&a=%7B%22k%22%3A%5B1%2C2%5D%7D");
    assert_eq!(query("comma").target(array), "/q?a=x%26y%3Dz,1.0,true,%7B%22k%22%3A%5B1%2C2%5D%7D");
    assert_eq!(query("space").target(r#"{"a":[1,2]}"#), "/q?a=1%202");
    assert_eq!(query("pipe").target(r#"{"a":[1,2]}"#), "/q?a=1%7C2");
    assert_eq!(query("json").target(r#"{"a": [1, "x y"]}"#), "/q?a=%5B1%2C%22x%20y%22%5D");
    assert_eq!(query("deep").target(r#"{"a":[1,[2]]}"#), "/q?a%5B0%5D=1&a%5B1%5D%5B0%5D=2");
    let object = r#"{"a": {"b c": "d&", "e": {"f": [1, {"g": 2}]}, "n": null, "h": []}}"#;
    assert_eq!(
        query("deep").target(object),
        "/q?a%5Bb%20c%5D=d%26&a%5Be%5D%5Bf%5D%5B0%5D=1&a%5Be%5D%5Bf%5D%5B1%5D%5Bg%5D=2"
    );
    assert_eq!(query("comma").target(r#"{"a": {"x": 1, "y": "2"}}"#), "/q?a=x,1,y,2");
    assert_eq!(query("repeat").target(r#"{"a": {"x": 1}}"#), "/q?a=%7B%22x%22%3A1%7D");
    for style in ["repeat", "comma", "space", "pipe", "deep"] {
        for nothing in [r#"{"a":[]}"#, r#"{"a":null}"#, r#"{"a":[null]}"#, "{}"] {
            assert_eq!(query(style).target(nothing), "/q", "{style} {nothing}");
        }
        assert_eq!(query(style).target(r#"{"a":""}"#), "/q?a=", "{style}");
        assert_eq!(query(style).target(r#"{"a":"b c"}"#), "/q?a=b%20c", "{style}");
    }
    for style in ["comma", "space", "pipe", "deep"] {
        assert_eq!(query(style).target(r#"{"a":{}}"#), "/q", "{style}");
    }
}

#[test]
fn the_query_follows_the_plan_and_not_the_call() {
    let tool = tool("GET", "/q")
        .fixed("query", "v", "2${A}")
        .with("query", "a", json!({}))
        .with("query", "b", json!({"default": [1, 2], "style": "comma"}))
        .with("query", "c", json!({"wire": "c%5B%5D"}))
        .build();
    assert_eq!(tool.target(r#"{"c":1,"a":"\u003d"}"#), "/q?v=2s3cret&a=%3D&b=1,2&c%5B%5D=1");
    assert_eq!(tool.target(r#"{"b":"x"}"#), "/q?v=2s3cret&b=x");
}

#[test]
fn headers_hold_plain_text() {
    let header = |check| tool("GET", "/").with("header", "x-a", check).build();
    let any = header(json!({}));
    assert_eq!(any.header(r#"{"x-a":"a b\tc!"}"#).unwrap(), "a b\tc!");
    assert_eq!(any.header(r#"{"x-a":12345678901234567890}"#).unwrap(), "12345678901234567890");
    assert_eq!(any.header(r#"{"x-a":[1,"b"]}"#).unwrap(), "1,b");
    assert_eq!(any.header(r#"{"x-a":""}"#).unwrap(), "");
    assert_eq!(any.header(r#"{"x-a":null}"#), None);
    assert_eq!(any.header(r#"{"x-a":[]}"#), None);
    assert_eq!(any.header("{}"), None);
    assert_eq!(header(json!({"style": "space"})).header(r#"{"x-a":[1,2]}"#).unwrap(), "1 2");
    assert_eq!(header(json!({"style": "pipe"})).header(r#"{"x-a":[1,2]}"#).unwrap(), "1|2");
    assert_eq!(header(json!({"style": "json"})).header(r#"{"x-a":[1, "é"]}"#).unwrap(), r#"[1,"\u00e9"]"#);
}

#[test]
fn cookies_share_one_header() {
    let tool = tool("GET", "/")
        .fixed("cookie", "app", "web")
        .with("cookie", "session", json!({}))
        .with("cookie", "ids", json!({"style": "comma"}))
        .build();
    let cookie = |arguments| tool.header(arguments).unwrap();
    assert_eq!(
        cookie(r#"{"session":"a; b=c\r\n,é","ids":[1,2]}"#),
        "app=web; ids=1%2C2; session=a%3B%20b%3Dc%0D%0A%2C%C3%A9"
    );
    assert_eq!(cookie("{}"), "app=web");
    assert_eq!(tool.ok("{}").headers.len(), 1);
}

#[test]
fn a_json_body_keeps_the_original_text() {
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "n", json!({"type": "integer"}))
        .with("body", "s", json!({}))
        .with("body", "z", json!({"type": ["object", "null"]}))
        .build();
    let body = tool.json_body(r#" { "z" : {"b" : 1, "a":[ ]} , "n":12345678901234567890, "s":"\u00e9\n" } "#);
    assert_eq!(body, r#"{"n":12345678901234567890,"s":"\u00e9\n","z":{"b" : 1, "a":[ ]}}"#);
    assert_eq!(tool.json_body(r#"{"z":null,"n":1.0}"#), r#"{"n":1.0,"z":null}"#);
    let empty = tool.ok("{}");
    assert_eq!(empty.body.as_deref(), Some("{}"));
    assert_eq!(empty.headers, [("content-type".to_owned(), "application/json".to_owned())]);
}

#[test]
fn dotted_wire_names_nest_and_empty_objects_are_taken_back() {
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "a", json!({"wire": "x.y.a"}))
        .with("body", "b", json!({"wire": "p.b"}))
        .with("body", "c", json!({}))
        .build();
    assert_eq!(tool.json_body(r#"{"a":1,"c":2}"#), r#"{"x":{"y":{"a":1}},"c":2}"#);
    assert_eq!(tool.json_body(r#"{"b":{},"c":2}"#), r#"{"p":{"b":{}},"c":2}"#);
    assert_eq!(tool.json_body("{}"), "{}");
    assert_eq!(tool.json_body(r#"{"b":"{"}"#), r#"{"p":{"b":"{"}}"#);
}

#[test]
fn fixed_members_and_variables_are_escaped() {
    let mut tool = tool("POST", "/t/${tenant.id}/x${A}")
        .body("json")
        .fixed("body", "who.sub", "<${principal.sub}>")
        .fixed("query", "t", "${tenant.id}")
        .fixed("cookie", "k", "${A}")
        .build();
    tool.variables = vec!["a b\"/".into(), "c;d".into()];
    tool.tenant_id = Some("ac/me & sons");
    tool.principal_sub = Some("a\"b\\\n");
    let bound = tool.ok("{}");
    assert_eq!(
        bound.url,
        "https://api.example.com/t/ac%2Fme%20%26%20sons/xa%20b%22%2F?t=ac%2Fme%20%26%20sons"
    );
    assert_eq!(bound.body.unwrap(), r#"{"who":{"sub":"<a\"b\\\n>"}}"#);
    assert_eq!(bound.headers[0], ("cookie".to_owned(), "k=c%3Bd".to_owned()));
}

#[test]
fn additional_arguments_follow_the_declared_ones() {
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "b", json!({}))
        .additional(json!({"type": ["integer", "null"]}))
        .build();
    assert_eq!(tool.json_body(r#"{"z\u0061" : 1,"b":{},"a":null}"#), r#"{"b":{},"z\u0061":1,"a":null}"#);
    assert_eq!(tool.json_body(r#"{"q":2}"#), r#"{"q":2}"#);
}

#[test]
fn a_form_is_encoded_like_a_query() {
    let tool = tool("POST", "/")
        .body("form")
        .fixed("body", "grant", "x")
        .with("body", "a", json!({}))
        .with("body", "b", json!({"style": "deep"}))
        .build();
    let bound = tool.ok(r#"{"a":["x y","&="],"b":{"c":1}}"#);
    assert_eq!(bound.body.unwrap(), "grant=x&a=x%20y&a=%26%3D&b%5Bc%5D=1");
    assert_eq!(bound.headers[0].1, "application/x-www-form-urlencoded");
    assert_eq!(bound.url, "https://api.example.com/");
}

#[test]
fn one_argument_is_the_whole_body() {
    let tool = tool("POST", "/").body("doc").with("body", "doc", json!({})).build();
    assert_eq!(tool.ok(r#"{"doc":"line\n\"two\""}"#).body.unwrap(), "line\n\"two\"");
    assert_eq!(tool.ok(r#"{"doc":{"a": 1}}"#).body.unwrap(), r#"{"a": 1}"#);
    let absent = tool.ok("{}");
    assert_eq!((absent.body, absent.headers.len()), (None, 0));
}

#[test]
fn a_content_type_of_its_own_wins() {
    let tool = tool("POST", "/")
        .body("json")
        .fixed("header", "content-type", "application/merge-patch+json")
        .build();
    let headers = tool.ok("{}").headers;
    assert_eq!(headers, [("content-type".to_owned(), "application/merge-patch+json".to_owned())]);
}

#[test]
fn checks_pass_what_they_allow() {
    let tool = tool("POST", "/")
        .body("json")
        .with("body", "e", json!({"enum": ["a\"b", 1, true, null]}))
        .with("body", "n", json!({"type": "number", "minimum": 1, "exclusiveMaximum": 10}))
        .with("body", "s", json!({"type": "string", "minLength": 7, "maxLength": 7, "pattern": "^[é-ü]", "format": "email"}))
        .with("body", "o", json!({"properties": {"k": {"type": "string"}}, "required": ["k"], "additionalProperties": {"type": "integer"}, "minProperties": 2, "maxProperties": 2}))
        .with("body", "l", json!({"items": {"enum": ["x"]}, "minItems": 1, "maxItems": 2}))
        .build();
    for arguments in [
        r#"{"e":"a\u0022b"}"#,
        r#"{"e":1.0}"#,
        r#"{"e":null}"#,
        r#"{"n":1}"#,
        r#"{"s":"\u00e9@x.org"}"#,
        r#"{"n":9.99999999999999999999999}"#,
        r#"{"o":{"\u006b":"v","x":1e0}}"#,
        r#"{"l":["x","\u0078"]}"#,
        r#"{"\u006e":5}"#,
    ] {
        assert!(tool.json_body(arguments).len() > 2, "{arguments}");
    }
}

#[test]
fn two_hundred_parameters_are_found() {
    let names: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
    let mut plan = tool("GET", "/").with("query", "q", json!({}));
    for name in &names {
        plan = plan.with("query", name, json!({"type": "integer"}));
    }
    let built = plan.build();
    let arguments: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
    let target = built.target(&format!("{{{}}}", arguments.join(",")));
    assert_eq!(target.matches('&').count(), 199);
}

#[test]
fn headers_that_are_ready_never_show_their_secrets() {
    let mut tool = tool("GET", "/").fixed("header", "authorization", "Bearer ${SHOP_TOKEN}").build();
    let prepared = tool.prepared();
    assert!(prepared.find("get_orde").is_none() && prepared.find("").is_none());
    let shown = format!("{prepared:?} {:?}", prepared.find("get_order").unwrap());
    let as_numbers = format!("{:?}", "s3cret".as_bytes());
    assert!(!shown.contains("s3cret") && !shown.contains(as_numbers.trim_matches(['[', ']'])), "{shown}");
    // A value that cannot be sent is reported with each call, as without prepared headers.
    tool.variables = vec!["a\nb".into()];
    assert_eq!(tool.kind("{}"), ProblemKind::InvalidHeaderValue);
}

#[test]
fn buffers_are_used_again() {
    let tool = tool("POST", "/{p}")
        .body("json")
        .with("path", "p", json!({}))
        .with("header", "h", json!({}))
        .with("body", "b", json!({}))
        .build();
    let (prepared, mut scratch, mut request) = (tool.prepared(), Scratch::default(), Request::new());
    let mut call = |arguments: &str| {
        let (contents, matchers, limits) = (&tool.contents, &tool.matchers, &tool.limits);
        let mut binder = Binder { contents, matchers, limits, scratch: &mut scratch };
        let ready = prepared.find("get_order").unwrap();
        binder.bind(ready, &Arguments::of_text(arguments), &Values::default(), &mut request).map(|()| {
            (
                request.target.clone(),
                request.head().to_vec(),
                request.body().map(<[u8]>::to_vec),
                request.target.as_ptr(),
            )
        })
    };
    let long = call(r#"{"p":"a long path value \n","h":"x","b":[1,2,3]}"#);
    assert!(long.is_err(), "a line break in the path");
    let first = call(r#"{"p":"first","h":"x","b":[1,2,3]}"#).unwrap();
    call(r#"{"p":1,"b":2}"#).unwrap();
    let again = call(r#"{"p":"first","h":"x","b":[1,2,3]}"#).unwrap();
    assert_eq!(first, again, "the same request in the same memory");
}
