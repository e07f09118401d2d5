//! Bodies that become other items than text.

use super::charset;
use super::content::Content;
use super::media::{Kind, MediaType};
use super::multipart::{self, Part};
use super::uri::{self, Uri};
use super::{Answer, ShapeContext, Shaped};
use crate::bind::shorten;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// Mail programs differ in what they do at the end.
const DECODER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A part is text unless it says otherwise.
const PART_TYPE: &str = "text/plain";

/// One item of a whole body that is not text.
pub(super) fn whole(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    media: &MediaType<'_>,
    kind: Kind,
    out: &mut Vec<u8>,
) -> Shaped {
    let mut content = Content::new(out);
    let uri = Uri { tool: call.name(), location: uri::location(answer.content_location), part: None };
    bytes(call, &mut content, &uri, media, kind, answer.body);
    content.end();
    Shaped::good(None)
}

/// One item for each part of a multipart message. The error says why it cannot be read, and nothing is written.
pub(super) fn mixed(
    call: &ShapeContext<'_>,
    answer: &Answer<'_>,
    media: &MediaType<'_>,
    decoded: &mut String,
    out: &mut Vec<u8>,
) -> Result<Shaped, String> {
    let parts = multipart::parts(answer.body, media.boundary()).map_err(|error| error.to_string())?;
    let start = out.len();
    let mut content = Content::new(out);
    let mut room = call.text_limit();
    for (part, number) in parts.iter().zip(1..) {
        if let Err(reason) = item(call, &mut content, part, number, &mut room, decoded) {
            out.truncate(start);
            return Err(format!("part {number} {reason}"));
        }
    }
    content.end();
    Ok(Shaped::good(None))
}

fn item(
    call: &ShapeContext<'_>,
    content: &mut Content<'_>,
    part: &Part<'_>,
    number: usize,
    room: &mut usize,
    decoded: &mut String,
) -> Result<(), String> {
    let media = MediaType::of(Some(part.content_type.unwrap_or(PART_TYPE)));
    if media.is_family("multipart") {
        return Err("is a multipart message itself".to_owned());
    }
    let body = body_of(part)?;
    let uri = Uri { tool: call.name(), location: uri::location(part.location), part: Some(number) };
    let kind = media.kind();
    let text = if kind == Kind::Text { charset::read(&body, &media, decoded) } else { None };
    match (text, uri.location) {
        (Some(text), None) => content.cut_text(text, *room),
        (Some(text), Some(_)) => content.text_resource(&uri, &media, text, *room),
        (None, None) => bytes(call, content, &uri, &media, kind, &body),
        (None, Some(_)) => content.blob(&uri, &media, &body),
    }
    *room = room.saturating_sub(text.map_or(0, str::len));
    Ok(())
}

fn bytes(
    call: &ShapeContext<'_>,
    content: &mut Content<'_>,
    uri: &Uri<'_>,
    media: &MediaType<'_>,
    kind: Kind,
    bytes: &[u8],
) {
    match kind {
        Kind::Image => content.image(media, bytes),
        Kind::Audio if call.limits.audio => content.audio(media, bytes),
        _ => content.blob(uri, media, bytes),
    }
}

/// The body of a part without its transfer encoding.
fn body_of<'a>(part: &Part<'a>) -> Result<Cow<'a, [u8]>, String> {
    let encoding = part.transfer_encoding.unwrap_or("binary");
    let is = |name: &str| encoding.eq_ignore_ascii_case(name);
    if is("base64") {
        let code: Vec<u8> = part.body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return DECODER.decode(code).map(Cow::Owned).map_err(|_| "is not base64".to_owned());
    }
    if ["7bit", "8bit", "binary"].into_iter().any(is) {
        return Ok(Cow::Borrowed(part.body));
    }
    Err(format!("has an unknown transfer encoding: {}", shorten(encoding)))
}
