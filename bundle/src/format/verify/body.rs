//! The request body: JSON, a form, or one parameter as a whole.

use super::request::{Request, Site, is_parameter};
use super::scan::{Class, name};
use super::shared::{Checked, ensure, quote};
use super::text::{is_json_member, is_query_name};
use crate::plan::{BodyOp, Part};
use crate::template::Destination;
use crate::wire_enums::{BodyKind, BodyOpKind, PartKind, Position};

pub(super) fn body(request: &mut Request<'_, '_>) -> Checked {
    let body = &request.http.body;
    request.scanner.optional_text(body.content_type, Class::HeaderLiteral, "content type")?;
    let takes_ops = matches!(body.kind, BodyKind::Json | BodyKind::Form | BodyKind::Template);
    ensure(takes_ops || body.ops.is_empty(), || format!("fields in a body of kind `{}`", body.kind))?;
    let is_whole = body.kind == BodyKind::Whole;
    ensure(is_whole == body.whole.is_some(), || match is_whole {
        true => "no parameter is the whole body".to_owned(),
        false => format!("a parameter is the whole body, but its kind is `{}`", body.kind),
    })?;
    match (body.kind, body.whole) {
        (BodyKind::Whole, Some(parameter)) => {
            request.place(parameter, Position::Body).map_err(|problem| format!("body: {problem}"))
        }
        (BodyKind::Json, _) => json(request),
        (BodyKind::Form, _) => form(request),
        (BodyKind::Template, _) => template(request),
        (BodyKind::None | BodyKind::Whole, _) => Ok(()),
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
