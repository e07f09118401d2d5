//! What an answer's body is.

use super::Answer;
use crate::bind::shorten;

/// A body as a result can hold it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'a> {
    Text(&'a str),
    /// Neither UTF-8 text nor anything else that is known.
    Unknown,
}

/// The one place that decides what a body is. A kind that results can hold in another form than text (an image, audio,
/// text in another charset) is told here, by the content type, and gets a variant of its own.
pub(super) fn read<'a>(answer: &Answer<'a>) -> Body<'a> {
    match std::str::from_utf8(answer.body) {
        Ok(text) => Body::Text(text),
        Err(_) => Body::Unknown,
    }
}

/// Whether a body that happens to be UTF-8 is meant to be read.
pub(super) fn is_readable(content_type: Option<&str>, text: &str) -> bool {
    let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let family = essence.split('/').next().unwrap_or_default();
    let is = |name: &&str| essence.eq_ignore_ascii_case(name);
    let binary = ["image", "audio", "video", "font"].iter().any(|name| family.eq_ignore_ascii_case(name))
        && !is(&"image/svg+xml");
    let packed = ["application/octet-stream", "application/zip", "application/gzip", "application/pdf"];
    !binary && !packed.iter().any(is) && memchr::memchr(0, text.as_bytes()).is_none()
}

/// `content type image/png, 12 bytes`. The header comes from outside, so it is cut and kept on its line.
pub(super) fn describe(content_type: Option<&str>, bytes: usize) -> String {
    match content_type {
        Some(name) => format!("content type {}, {bytes} bytes", shorten(name)),
        None => format!("no content type, {bytes} bytes"),
    }
}
