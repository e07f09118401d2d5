//! Answers whose status is not 2xx.

use super::body;
use super::charset;
use super::content::Content;
use super::media::MediaType;
use super::{Answer, Scratch, ShapeContext, ShapeFailure, Shaped};
use crate::json::{ScanError, ScanErrorKind};
use crate::template::{Ambient, Fault, RenderError, Trace};

/// Bytes of such a body that a result shows. The reason is at the start; the rest may be a whole web page.
const MAX_SHOWN: usize = 8 << 10;

pub(super) fn write(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    ambient: &Ambient,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Shaped {
    let mut content = Content::new(out);
    let mut failure = ShapeFailure::Status(answer.status);
    let mut words = call.words(&failure);
    let Scratch { template, decoded, .. } = scratch;
    let body = charset::read(answer.body, &MediaType::of(answer.content_type), decoded);
    if let (Some(index), Some(text)) = (call.tool.response.error_template, body) {
        let mut rendered = false;
        let data = text.strip_prefix('\u{feff}').unwrap_or(text);
        let result = content.text_with(|out| {
            let before = out.len();
            call.render(index, data, ambient, template, trace, out)?;
            rendered = out.len() > before;
            Ok(())
        });
        match result {
            Ok(()) if rendered => {
                content.end_error();
                return Shaped::failed(failure);
            }
            // A template that has nothing to say leaves it to the status, and so does one that is not meant for the
            // body: web pages come from whatever is in front of an API.
            Ok(()) => content.clear(),
            Err(error) if is_not_json(&error) => {}
            Err(error) => {
                failure = ShapeFailure::Template { key: "error_template", error };
                words.push('\n');
                words.push_str(&call.words(&failure));
                content.text(&words);
                content.cut_text(text, call.text_limit().min(MAX_SHOWN));
                content.end_error();
                return Shaped::failed(failure);
            }
        }
    }
    describe(call, answer, body, &mut words);
    content.text(&words);
    content.end_error();
    Shaped::failed(failure)
}

/// Appends the body, or what it is if it cannot be read.
fn describe(call: &ShapeContext<'_>, answer: &Answer<'_>, body: Option<&str>, words: &mut String) {
    match body {
        Some("") => {}
        Some(text) if body::is_readable(answer.content_type, text) => {
            let limit = call.text_limit().min(MAX_SHOWN);
            let shown = text.get(..text.floor_char_boundary(limit)).unwrap_or_default();
            words.push('\n');
            words.push_str(shown);
            if shown.len() < text.len() {
                words.push_str(&format!("… ({} more bytes)", text.len() - shown.len()));
            }
        }
        _ => {
            let what = body::describe(answer.content_type, answer.body.len());
            words.push_str(&format!("\nIts body is not text ({what})."));
        }
    }
}

/// Deep nesting is still JSON, and worth a word.
fn is_not_json(error: &RenderError) -> bool {
    match error.fault {
        Fault::Data(ScanError { kind, .. }) => kind != ScanErrorKind::TooDeep,
        _ => false,
    }
}
