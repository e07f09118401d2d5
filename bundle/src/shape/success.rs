//! Answers with a status of 200 to 299.

use super::charset;
use super::content::Content;
use super::failure::bounded;
use super::item;
use super::media::{Kind, MediaType};
use super::results;
use super::status::Status;
use super::{Answer, Scratch, ShapeContext, ShapeFailure, Shaped, Structured};
use crate::bind::schema;
use crate::bind::{schema_problem, shorten};
use crate::json;
use crate::template::{Ambient, Trace};

/// Ways in which an answer fails its schema that a result lists.
const MAX_REPORTED: usize = 5;

/// The text of a result, and the JSON behind it.
struct Parts<'a> {
    /// The answer as it came.
    raw: &'a str,
    /// What `select` kept of it, or the same.
    text: &'a str,
    /// What templates and the schema see.
    data: &'a str,
    /// What the result says of the elements that `max_results` left out.
    note: Option<String>,
}

pub(super) fn write(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    ambient: &Ambient,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Shaped {
    let Scratch { template, projector, selection, decoded } = scratch;
    let response = &call.tool.response;
    let media = MediaType::of(answer.content_type);
    // Templates, `select` and schemas read text, whatever the answer is called.
    let needs_text =
        response.template.is_some() || !response.select.is_empty() || response.output_schema.is_some();
    let kind = if needs_text || answer.body.is_empty() { Kind::Text } else { media.kind() };
    match kind {
        Kind::Text => {}
        Kind::Mixed => {
            return item::mixed(call, answer, &media, decoded, out).unwrap_or_else(|reason| {
                let raw = charset::read(answer.body, &media, decoded).unwrap_or_default();
                fail(call, ShapeFailure::Multipart(reason), raw, out)
            });
        }
        kind => return item::whole(call, answer, &media, kind, out),
    }
    let raw = match charset::read(answer.body, &media, decoded) {
        Some(raw) => raw,
        None if needs_text => {
            let content_type = answer.content_type.map(shorten);
            return fail(call, ShapeFailure::NotText { content_type, bytes: answer.body.len() }, "", out);
        }
        None => return item::whole(call, answer, &media, Kind::Opaque, out),
    };
    let most = call.max_results();
    let cut = most.and_then(|most| results::cut(json_of(raw), most, call.limits.depth));
    let mut parts = Parts { raw, text: raw, data: json_of(raw), note: None };
    if let (Some(cut), Some(most)) = (&cut, most) {
        parts = Parts { raw, text: &cut.text, data: &cut.text, note: Some(results::note(cut.missing, most)) };
    }
    if !response.select.is_empty() {
        let paths = response.select.iter().map(|path| call.contents.strings.get(*path));
        selection.clear();
        if let Err(error) = projector.project(paths, parts.data, call.limits.depth, selection) {
            return fail(call, ShapeFailure::Select(error.to_string()), raw, out);
        }
        parts.text = selection;
        parts.data = parts.text;
    }
    finish(call, &parts, out, |content| match response.template {
        Some(index) => content
            .text_with(|out| call.render(index, parts.data, ambient, template, trace, out))
            .map_err(|error| ShapeFailure::Template { key: "response_template", error }),
        None if raw.is_empty() => {
            content.text(&format!("The call succeeded ({}, without content).", Status(answer.status)));
            Ok(())
        }
        None => {
            content.cut_text(parts.text, call.text_limit());
            Ok(())
        }
    })
}

/// The answer of a tool without an upstream, which has neither `select` nor templates.
pub(super) fn fixed(call: &ShapeContext<'_>, text: &str, out: &mut Vec<u8>) -> Shaped {
    finish(call, &Parts { raw: text, text, data: json_of(text), note: None }, out, |content| {
        content.cut_text(text, call.text_limit());
        Ok(())
    })
}

/// Writes the text and, if there is a schema that the data match, the data.
fn finish(
    call: &ShapeContext<'_>,
    parts: &Parts<'_>,
    out: &mut Vec<u8>,
    write_text: impl FnOnce(&mut Content<'_>) -> Result<(), ShapeFailure>,
) -> Shaped {
    let start = out.len();
    let checked =
        call.tool.response.output_schema.map(|index| check(call, index, parts.data, parts.raw)).transpose();
    let mut content = Content::new(out);
    let is_object = match checked.and_then(|checked| write_text(&mut content).map(|()| checked)) {
        Ok(is_object) => is_object,
        Err(failure) => {
            out.truncate(start);
            return fail(call, failure, parts.raw, out);
        }
    };
    if let Some(note) = &parts.note {
        content.text(note);
    }
    let out = content.end();
    let start = out.len();
    if is_object.is_some() {
        out.extend_from_slice(b",\"structuredContent\":");
        write_json(parts.data, out);
    }
    Shaped::good(is_object.map(|is_object| Structured { start, is_object }))
}

/// Whether the data are an object, if they are what the schema promises.
pub(super) fn check(
    call: &ShapeContext<'_>,
    index: u32,
    data: &str,
    raw: &str,
) -> Result<bool, ShapeFailure> {
    let value = json::parse_strict(data.as_bytes(), call.limits.depth).map_err(|error| {
        let reason = bounded(&error);
        ShapeFailure::OutputSchema(match error {
            json::StrictError::NotJson(_) => format!("not valid JSON: {reason}"),
            _ => reason,
        })
    })?;
    let Some(validator) = call.matchers.schema(call.contents, index) else {
        return Err(ShapeFailure::OutputSchema("the schema is invalid".to_owned()));
    };
    let problems = schema::validate(validator, &value);
    if problems.is_empty() {
        return Ok(value.is_object());
    }
    if raw.is_empty() {
        return Err(ShapeFailure::OutputSchema("it is empty".to_owned()));
    }
    let reported =
        problems.iter().take(MAX_REPORTED).map(|problem| schema_problem(&problem.path, &problem.message));
    let mut reported = reported.collect::<Vec<_>>().join("; ");
    if problems.len() > MAX_REPORTED {
        reported.push_str("; and more");
    }
    Err(ShapeFailure::OutputSchema(reported))
}

/// A result that says what went wrong, and then the raw answer.
fn fail(call: &ShapeContext<'_>, failure: ShapeFailure, raw: &str, out: &mut Vec<u8>) -> Shaped {
    let mut content = Content::new(out);
    content.text(&call.words(&failure));
    if !raw.is_empty() {
        content.cut_text(raw, call.text_limit());
    }
    content.end_error();
    Shaped::failed(failure)
}

/// The JSON text of an answer. No content means `null`, so that a template can say what an empty answer means;
/// a byte order mark is not part of the JSON.
fn json_of(raw: &str) -> &str {
    match raw.strip_prefix('\u{feff}').unwrap_or(raw) {
        "" => "null",
        text => text,
    }
}

/// Appends a valid JSON text. An event stream cannot hold line breaks, which are only between tokens.
pub(super) fn write_json(text: &str, out: &mut Vec<u8>) {
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for tokens in json::tokens(text) {
        out.extend_from_slice(tokens.as_bytes());
    }
}
