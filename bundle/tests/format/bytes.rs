//! Bodies with bytes in them: what a plan of one may hold, and that a reader without them refuses the bundle.
#![cfg(test)]

use crate::container::error_of;
use crate::encoder::{assemble, features, sections};
use crate::rules::{JSON, WHOLE, accepted, tool_refused};
use crate::support::{Draft, http, sample};
use mcp_bundle::format::{Features, ReadError, Trust, read, write};
use mcp_bundle::plan::{BodyPlan, MULTIPART_TYPE, Part, ToolPlan};
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind};

pub fn has_byte_body(tool: &ToolPlan) -> bool {
    let kind = match &tool.backend {
        mcp_bundle::plan::Backend::Http(http) => http.body.kind,
        _ => BodyKind::None,
    };
    kind == BodyKind::Multipart || kind == BodyKind::Bytes
}

const HEAD: &str =
    "Content-Disposition: form-data; name=\"data\"; filename=\"a b.png\"\r\nContent-Type: image/png";

fn multipart(d: &mut Draft, tool: &mut ToolPlan) {
    let fixed = vec![d.literal("\r\n--x"), Part::variable(0)];
    let ops = vec![
        d.op(BodyOpKind::File, HEAD, vec![Part::parameter(0)]),
        d.op(BodyOpKind::Field, "Content-Disposition: form-data; name=\"\"", fixed),
    ];
    let content_type = Some(d.s(MULTIPART_TYPE));
    http(tool).body = BodyPlan { kind: BodyKind::Multipart, content_type, ops, whole: None };
}

fn edited(edit: impl FnOnce(&mut Draft, &mut ToolPlan)) -> impl FnOnce(&mut Draft) {
    |d| {
        let mut tool = d.contents.tools[WHOLE].clone();
        edit(d, &mut tool);
        d.contents.tools[WHOLE] = tool;
    }
}

#[test]
fn parts_and_bytes_are_written_and_read() {
    accepted(edited(multipart));
    accepted(edited(|_, tool| http(tool).body.kind = BodyKind::Bytes));
}

#[test]
fn they_stand_behind_their_feature() {
    let mut draft = sample();
    edited(multipart)(&mut draft);
    let contents = draft.finish();
    let bundle = read(&write(&contents).unwrap(), &Trust::Any).unwrap();
    assert!(bundle.features.contains(Features::BYTE_BODIES));
    // Announced or not, the names of the features agree with it: only the tools show what they need.
    let (plain, without) = (sample().finish(), features(&contents) - Features::BYTE_BODIES.0);
    let mut rows = sections(&contents);
    let names = rows[7].clone();
    rows[7] = sections(&plain)[7].clone();
    let error = error_of(&assemble(without, &rows));
    assert_eq!(error, ReadError::MissingFeature { name: "byte-bodies" });
    let mut rows = sections(&plain);
    rows[7] = names;
    let error = error_of(&assemble(features(&contents), &rows));
    assert_eq!(error, ReadError::NeedlessFeature { name: "byte-bodies" });
}

#[test]
fn parts_have_heads_that_end_nothing() {
    for head in [
        "",
        "x",
        "Content-Disposition: form-data",
        "Content-Disposition: form-data; name=\"a\"b\"",
        "Content-Disposition: form-data; name=\"a\r\nb\"",
        "Content-Disposition: form-data; name=\"a\"; filename=\"b\"c\"",
        "Content-Disposition: form-data; name=\"a\"\r\n",
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: ",
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: a\r\n\r\nb",
        "Content-Disposition: form-data; name=\"a\"\r\nX-Other: a",
    ] {
        let expected = format!("part `{}` is not the head of a part", head.escape_debug());
        tool_refused(WHOLE, &expected, |d, tool| {
            multipart(d, tool);
            http(tool).body.ops[0].name = d.s(head);
        });
    }
}

#[test]
fn multipart_bodies() {
    let part = |d: &mut Draft, tool: &mut ToolPlan, kind| {
        multipart(d, tool);
        http(tool).body.ops[1].kind = kind;
    };
    tool_refused(WHOLE, "a file that is no argument", |d, t| part(d, t, BodyOpKind::File));
    tool_refused(WHOLE, "a multipart body cannot nest", |d, t| part(d, t, BodyOpKind::Open));
    let expected = format!("the content type of a multipart body is not `{MULTIPART_TYPE}`");
    tool_refused(WHOLE, &expected, |d, t| {
        multipart(d, t);
        http(t).body.content_type = Some(d.s("multipart/form-data"));
    });
    tool_refused(WHOLE, "header `content-type` hides the boundary of a multipart body", |d, t| {
        multipart(d, t);
        let value = vec![d.literal("multipart/form-data")];
        http(t).headers.push(d.placed("content-type", value));
    });
    tool_refused(WHOLE, "a parameter is the whole body, but its kind is `multipart`", |d, t| {
        multipart(d, t);
        http(t).body.whole = Some(0);
    });
    tool_refused(WHOLE, "no parameter is the whole body", |_, t| {
        http(t).body.kind = BodyKind::Bytes;
        http(t).body.whole = None;
    });
    tool_refused(JSON, "a part of a multipart body in JSON", |_, t| {
        http(t).body.ops[0].kind = BodyOpKind::File;
    });
}
