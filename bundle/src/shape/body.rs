//! Bodies in words.

use super::media::{Kind, MediaType};
use crate::bind::shorten;

/// Whether a body that happens to be text is meant to be read.
pub(super) fn is_readable(content_type: Option<&str>, text: &str) -> bool {
    let is_text = matches!(MediaType::of(content_type).kind(), Kind::Text | Kind::Mixed);
    is_text && memchr::memchr(0, text.as_bytes()).is_none()
}

/// `content type image/png, 12 bytes`. The header comes from outside, so it is cut and kept on its line.
pub(super) fn describe(content_type: Option<&str>, bytes: usize) -> String {
    match content_type {
        Some(name) => format!("content type {}, {bytes} bytes", shorten(name)),
        None => format!("no content type, {bytes} bytes"),
    }
}
