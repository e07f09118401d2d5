//! Body: a JSON object, a form, or one argument as a whole.
//!
//! Into JSON, values go as the text they came in, which the scanner has validated: digits, escapes and
//! order stay as they are. Variables go in as escaped text.

use super::query::Pairs;
use super::{Content, Sink, Source, template};
use crate::bind::{ProblemKind, shorten};
use crate::json::{self, Kind, Value};
use crate::plan::BodyOp;
use crate::wire_enums::{BodyKind, BodyOpKind};

pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>) {
    let body = &source.http.body;
    sink.request.has_body = match body.kind {
        BodyKind::None => false,
        BodyKind::Json => write_json(source, sink),
        BodyKind::Form => write_form(source, sink),
        BodyKind::Whole => write_whole(source, sink),
        BodyKind::Template => template::body(source, sink),
    };
    if !sink.request.has_body {
        return;
    }
    // Text from the arguments is copied as it is, so before this it grows no further than they do.
    let limit = source.limits.body;
    if sink.request.body.len() > limit {
        sink.problems.push(ProblemKind::TooLarge, || {
            (
                String::new(),
                format!("the arguments make a body longer than the {limit} bytes that are allowed"),
            )
        });
    }
    // The plan may have one that this call leaves out.
    let own = sink.request.has_header("content-type");
    if let Some(content_type) = body.content_type.filter(|_| !own) {
        let value = source.string(content_type).as_bytes();
        let _: Result<(), ()> = sink.request.header("content-type", |out| {
            out.extend_from_slice(value);
            Ok(true)
        });
    }
}

fn write_json(source: &Source<'_>, sink: &mut Sink<'_>) -> bool {
    let Sink { request, problems, marks, text, .. } = sink;
    let out = &mut request.body;
    marks.clear();
    out.push(b'{');
    for op in &source.http.body.ops {
        let before = out.len();
        match op.kind {
            BodyOpKind::Open => {
                marks.push(before);
                begin_member(source.string(op.name), out);
                out.push(b'{');
            }
            BodyOpKind::Close => match marks.pop() {
                // Nothing was written since it was opened.
                Some(mark) if out.last() == Some(&b'{') => out.truncate(mark),
                _ => out.push(b'}'),
            },
            BodyOpKind::Field => {
                match source.content(&op.value) {
                    Content::Argument(None) => {}
                    Content::Argument(Some(argument)) => {
                        begin_member(source.string(op.name), out);
                        out.extend_from_slice(argument.value.text.as_bytes());
                    }
                    Content::Fixed(parts) => {
                        begin_member(source.string(op.name), out);
                        source.write_fixed(parts, problems, out, |text, out| {
                            json::write_escaped(text, out);
                            Ok(())
                        });
                    }
                };
            }
        }
    }
    for extra in source.extras {
        let (key, value) = (extra.key.of(source.arguments), extra.value.of(source.arguments));
        if is_declared(source, key, text) {
            problems.push(ProblemKind::UnknownArgument, || {
                let name = shorten(key.unescaped(&mut String::new()));
                let message = format!("`{name}` is not an argument: the tool sets that member itself");
                (name, message)
            });
        }
        begin_member(key.text, out);
        out.push(b':');
        out.extend_from_slice(value.text.as_bytes());
    }
    out.push(b'}');
    true
}

/// Whether the plan itself writes a member of that name at the top of the body. A second one could
/// override it upstream, and many an upstream does not tell `A` from `a`.
fn is_declared(source: &Source<'_>, key: Value<'_>, text: &mut String) -> bool {
    text.clear();
    json::unescape(key.raw(), text);
    let length = text.len();
    let mut depth = 0_usize;
    for BodyOp { kind, name, .. } in &source.http.body.ops {
        if *kind == BodyOpKind::Close {
            depth = depth.saturating_sub(1);
            continue;
        }
        if depth == 0 {
            text.truncate(length);
            json::unescape(Value::of_valid(source.string(*name).trim_end_matches(':')).raw(), text);
            if text.split_at_checked(length).is_some_and(|(key, name)| folded(key).eq(folded(name))) {
                return true;
            }
        }
        depth += usize::from(*kind == BodyOpKind::Open);
    }
    false
}

/// Characters without their case. By way of upper case, because `ſ` is an `S` there but no `s`.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Writes `"name":`, after a comma unless it is an object's first. No member ends with `{`.
fn begin_member(name: &str, out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.extend_from_slice(name.as_bytes());
}

fn write_form(source: &Source<'_>, sink: &mut Sink<'_>) -> bool {
    let mut pairs = Pairs {
        out: &mut sink.request.body,
        start: 0,
        first: None,
        limit: source.limits.body,
        text: sink.text,
        name: sink.bytes,
    };
    for op in source.http.body.ops.iter().filter(|op| op.kind == BodyOpKind::Field) {
        pairs.write(source, op.name, &op.value, sink.problems);
    }
    true
}

fn write_whole(source: &Source<'_>, sink: &mut Sink<'_>) -> bool {
    let Some(argument) = source.http.body.whole.and_then(|index| source.argument(index)) else {
        return false;
    };
    let text = match argument.value.kind {
        Kind::String => argument.value.unescaped(sink.text),
        _ => argument.value.text,
    };
    sink.request.body.extend_from_slice(text.as_bytes());
    true
}
