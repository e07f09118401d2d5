//! What a plan may send: the rules of `verify` for path, query, headers, cookies and body.
#![cfg(test)]

use crate::rules::{FORM, JSON, NO_STRING, ORDER, WHOLE, accepted, tool_refused};
use crate::support::{Draft, http};
use mcp_bundle::plan::Part;
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind, PartKind, Position};

#[test]
fn paths() {
    tool_refused(ORDER, "the path does not begin with `/`", |_, t| http(t).path.clear());
    tool_refused(ORDER, "the path does not begin with `/`", |_, t| http(t).path.rotate_left(1));
    tool_refused(ORDER, "the path does not begin with `/`", |d, t| http(t).path[0] = d.literal("users/"));
    tool_refused(ORDER, "path is string 100000, which does not exist", |_, t| {
        http(t).path[0] = Part::literal(NO_STRING);
    });
    for literal in
        ["/a?b", "/a#b", "/a b", "/é", "/a\r\nb", "/%", "/%4", "/%4g", "/\"", "/<", "/\\", "/[", "/\u{7f}"]
    {
        let expected = format!("path: literal `{}` does not belong here", literal.escape_debug());
        tool_refused(ORDER, &expected, |d, t| http(t).path[0] = d.literal(literal));
    }
    tool_refused(ORDER, "path: variable 2 does not exist, there are 2", |_, t| {
        http(t).path.push(Part::variable(2));
    });
    tool_refused(ORDER, "path: `tenant.id` has the id 1, not 0", |_, t| {
        http(t).path.push(Part { kind: PartKind::TenantId, id: 1 });
    });
    accepted(|d| http(&mut d.contents.tools[ORDER]).path[0] = d.literal("/a-b_c.d~e%2F:@!$&'()*+,;=/"));
}

#[test]
fn queries() {
    for name in ["", "a b", "a=b", "a&b", "a;b", "a#b", "é", "%zz", "filter[x]", "a\nb"] {
        let expected = format!("`{}` cannot name a query parameter", name.escape_debug());
        tool_refused(ORDER, &expected, |d, t| http(t).query[1].name = d.s(name));
    }
    for value in ["a&b", "a b", "a#b", "é", "%", "a\nb"] {
        let expected = format!(
            "query parameter `api%2Dversion`: literal `{}` does not belong here",
            value.escape_debug()
        );
        tool_refused(ORDER, &expected, |d, t| http(t).query[0].value = vec![d.literal(value)]);
    }
    accepted(|d| http(&mut d.contents.tools[ORDER]).query[0].value.clear());
}

#[test]
fn headers() {
    for name in ["", "Accept", "a b", "a:b", "é", "a\r\nb", ":path"] {
        let expected = format!("`{}` cannot name a header", name.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).headers[0].name = d.s(name));
    }
    let forbidden = [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "mcp-session-id",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    for name in forbidden {
        tool_refused(JSON, &format!("a tool may not set header `{name}`"), |d, t| {
            http(t).headers[0].name = d.s(name);
        });
    }
    for value in ["a\r\nb: c", "a\0", "\u{7f}", "\u{85}"] {
        let expected = format!("header `accept`: literal `{}` has control characters", value.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).headers[0].value = vec![d.literal(value)]);
    }
    tool_refused(JSON, "fixed header `authorization` comes after those of parameters", |_, t| {
        http(t).headers.swap(1, 2);
    });
    tool_refused(JSON, "header `authorization`: variable 2 does not exist, there are 2", |_, t| {
        http(t).headers[1].value[1] = Part::variable(2);
    });
}

#[test]
fn cookies() {
    for name in ["", "a b", "a=b", "a;b", "a,b", "é"] {
        let expected = format!("`{}` cannot name a cookie", name.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).cookies[0].name = d.s(name));
    }
    for value in ["a;b", "a b", "é", "a\nb"] {
        let expected = format!("cookie `sub`: literal `{}` does not belong here", value.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).cookies[1].value = vec![d.literal(value)]);
    }
}

#[test]
fn bodies() {
    tool_refused(JSON, "content type `a\\r\\nb` has control characters", |d, t| {
        http(t).body.content_type = Some(d.s("a\r\nb"));
    });
    tool_refused(JSON, "fields in a body of kind `none`", |_, t| {
        http(t).body.kind = BodyKind::None;
        t.additional = None;
    });
    tool_refused(WHOLE, "no parameter is the whole body", |_, t| http(t).body.whole = None);
    tool_refused(FORM, "a parameter is the whole body, but its kind is `form`", |_, t| {
        http(t).body.whole = Some(0);
    });
    tool_refused(WHOLE, "body: parameter 1 does not exist, there are 1", |_, t| http(t).body.whole = Some(1));
    tool_refused(WHOLE, "body: parameter `data` belongs in the query, not in the body", |_, t| {
        t.parameters[0].position = Position::Query;
    });
    tool_refused(FORM, "a form cannot nest", |_, t| http(t).body.ops[0].kind = BodyOpKind::Open);
    tool_refused(FORM, "`a=b` cannot name a form field", |d, t| http(t).body.ops[0].name = d.s("a=b"));
    tool_refused(FORM, "form field `key`: literal `a&b` does not belong here", |d, t| {
        http(t).body.ops[1].value = vec![d.literal("a&b")];
    });
}

#[test]
fn json_bodies() {
    tool_refused(JSON, "the body leaves 1 objects open", |_, t| http(t).body.ops.truncate(4));
    tool_refused(JSON, "the body closes an object that is not open", |_, t| http(t).body.ops.rotate_right(1));
    tool_refused(JSON, "the body closes an object with the name `x`", |d, t| {
        http(t).body.ops[4].name = d.s("x");
    });
    tool_refused(JSON, "the body opens or closes an object with a value", |d, t| {
        http(t).body.ops[2].value.push(d.literal("1"));
    });
    for name in [
        "",
        "age",
        "\"age\"",
        "\":",
        "\"a\\\":",
        "\"a\"b\":",
        "\"a\" :",
        "\"a\n\":",
        "\"a\":1,\"b\":",
        "\"\\x\":",
    ] {
        let expected = format!("body field `{}` is not of the form `\"name\":`", name.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).body.ops[0].name = d.s(name));
    }
    for literal in ["", "1,2", "\"a", "1}"] {
        let expected = format!("body field `\\\"age\\\":`: value `{}` is not JSON", literal.escape_debug());
        tool_refused(JSON, &expected, |d, t| http(t).body.ops[0].value = parts(d, &[literal]));
    }
    let broken: [&[&str]; 5] = [&[], &["1", "$"], &["$"], &["{\"a\":", "$", "}"], &["\"\\", "$", "\""]];
    for pieces in broken {
        let expected = "body field `\\\"age\\\":`: its parts do not form one JSON value with variables only inside strings";
        tool_refused(JSON, expected, |d, t| http(t).body.ops[0].value = parts(d, pieces));
    }
    accepted(|d| {
        http(&mut d.contents.tools[JSON]).body.ops[1].value =
            parts(d, &["{\"a\":[\"", "$", "-", "$", "\",1]}"]);
    });
}

/// Parts are joined to look at them: a few bytes of plan must not make gigabytes.
#[test]
fn composed_json_has_a_limit() {
    let expected = "body field `\\\"age\\\":`: a value of 3000003 bytes in parts, the most is 1048576";
    tool_refused(JSON, expected, |d, t| {
        let long = "x".repeat(1_000_000);
        http(t).body.ops[0].value = parts(d, &["\"", &long, &long, &long, "$", "\""]);
    });
}

/// Literals, with `$` for a variable.
fn parts(d: &mut Draft, pieces: &[&str]) -> Vec<Part> {
    pieces.iter().map(|piece| if *piece == "$" { Part::variable(0) } else { d.literal(piece) }).collect()
}
