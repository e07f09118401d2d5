//! The request body: JSON, a form, parts, or one parameter as a whole.

use super::request::{Request, Site, is_parameter};
use super::scan::{Class, name};
use super::shared::{Checked, ensure, quote};
use super::text::{is_json_member, is_query_name};
use crate::plan::{BodyOp, MULTIPART_TYPE, Part, Placed};
use crate::template::Destination;
use crate::wire_enums::{BodyKind, BodyOpKind, PartKind, Position};

pub(super) fn body(request: &mut Request<'_, '_>) -> Checked {
    let body = &request.http.body;
    request.scanner.optional_text(body.content_type, Class::HeaderLiteral, "content type")?;
    let takes_ops =
        matches!(body.kind, BodyKind::Json | BodyKind::Form | BodyKind::Template | BodyKind::Multipart);
    ensure(takes_ops || body.ops.is_empty(), || format!("fields in a body of kind `{}`", body.kind))?;
    let is_whole = matches!(body.kind, BodyKind::Whole | BodyKind::Bytes);
    ensure(is_whole == body.whole.is_some(), || match is_whole {
        true => "no parameter is the whole body".to_owned(),
        false => format!("a parameter is the whole body, but its kind is `{}`", body.kind),
    })?;
    match (body.kind, body.whole) {
        (BodyKind::Whole | BodyKind::Bytes, Some(parameter)) => {
            request.place(parameter, Position::Body).map_err(|problem| format!("body: {problem}"))
        }
        (BodyKind::Json, _) => json(request),
        (BodyKind::Form, _) => form(request),
        (BodyKind::Template, _) => template(request),
        (BodyKind::Multipart, _) => multipart(request),
        (BodyKind::None | BodyKind::Whole | BodyKind::Bytes, _) => Ok(()),
    }
}

fn template(request: &Request<'_, '_>) -> Checked {
    match request.http.body.ops.as_slice() {
        [BodyOp { kind: BodyOpKind::Field, name, value }]
            if request.contents.strings.get(*name).is_empty() =>
        {
            match value.as_slice() {
                [part @ Part { kind: PartKind::Template, .. }] => {
                    request.template(part, &[Destination::Json, Destination::Form])
                }
                _ => Err("the body is not one template".to_owned()),
            }
        }
        _ => Err("the body of a template is not one field without a name".to_owned()),
    }
}

fn json(request: &mut Request<'_, '_>) -> Checked {
    let mut depth = 0usize;
    for op in &request.http.body.ops {
        let name = name(&request.contents.strings, op.name, "body field")?;
        match op.kind {
            BodyOpKind::Open => depth += 1,
            BodyOpKind::Close => {
                depth = depth.checked_sub(1).ok_or("the body closes an object that is not open")?;
            }
            BodyOpKind::Field => {}
            BodyOpKind::File => return Err("a part of a multipart body in JSON".to_owned()),
        }
        if op.kind == BodyOpKind::Close {
            ensure(name.is_empty(), || format!("the body closes an object with the name {}", quote(name)))?;
        } else {
            ensure(is_json_member(name), || {
                format!("body field {} is not of the form `\"name\":`", quote(name))
            })?;
        }
        if op.kind == BodyOpKind::Field {
            json_field(request, op).map_err(|problem| format!("body field {}: {problem}", quote(name)))?;
        } else {
            ensure(op.value.is_empty(), || "the body opens or closes an object with a value".to_owned())?;
        }
    }
    ensure(depth == 0, || format!("the body leaves {depth} objects open"))
}

fn json_field(request: &mut Request<'_, '_>, op: &BodyOp) -> Checked {
    // The literals are judged together: alone, each may be half of a string.
    request.value(&op.value, Site { position: Position::Body, literals: None })?;
    if is_parameter(&op.value) { Ok(()) } else { request.scanner.json(&op.value) }
}

fn form(request: &mut Request<'_, '_>) -> Checked {
    for op in &request.http.body.ops {
        ensure(op.kind == BodyOpKind::Field, || "a form cannot nest".to_owned())?;
        let name = name(&request.contents.strings, op.name, "form field")?;
        ensure(is_query_name(name), || format!("{} cannot name a form field", quote(name)))?;
        let site = Site { position: Position::Body, literals: Some(Class::QueryLiteral) };
        request.value(&op.value, site).map_err(|problem| format!("form field {}: {problem}", quote(name)))?;
    }
    Ok(())
}

fn multipart(request: &mut Request<'_, '_>) -> Checked {
    let content_type = request.http.body.content_type.map(|id| request.contents.strings.get(id));
    ensure(content_type == Some(MULTIPART_TYPE), || {
        format!("the content type of a multipart body is not `{MULTIPART_TYPE}`")
    })?;
    let is_set = |pair: &Placed| request.contents.strings.get(pair.name) == "content-type";
    ensure(!request.http.headers.iter().any(is_set), || {
        "header `content-type` hides the boundary of a multipart body".to_owned()
    })?;
    for op in &request.http.body.ops {
        let head = request.scanner.text(op.name, Class::PartHead, "part")?;
        let of_argument = is_parameter(&op.value);
        match op.kind {
            BodyOpKind::Field => {}
            BodyOpKind::File => ensure(of_argument, || "a file that is no argument".to_owned())?,
            BodyOpKind::Open | BodyOpKind::Close => return Err("a multipart body cannot nest".to_owned()),
        }
        // The boundary is chosen so that it occurs nowhere: a part may hold anything.
        request
            .value(&op.value, Site { position: Position::Body, literals: None })
            .map_err(|problem| format!("part {}: {problem}", quote(head)))?;
    }
    Ok(())
}
