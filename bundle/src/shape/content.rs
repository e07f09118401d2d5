//! Writes the members of a result. Whatever is written through it is valid JSON.

use super::media::MediaType;
use super::uri::Uri;
use crate::json::write_escaped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The `content` list while items are added to it.
#[derive(Debug)]
pub(super) struct Content<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

const OPEN: &[u8] = b"\"content\":[";
const TEXT: &str = r#"{"type":"text","text":""#;
const IMAGE: &str = r#"{"type":"image","data":""#;
const AUDIO: &str = r#"{"type":"audio","data":""#;
const RESOURCE: &str = r#"{"type":"resource","resource":{"uri":""#;

impl<'o> Content<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Content<'o> {
        let start = out.len();
        out.extend_from_slice(OPEN);
        Content { out, start }
    }

    /// Forgets the items written so far.
    pub(super) fn clear(&mut self) {
        self.out.truncate(self.start + OPEN.len());
    }

    /// A text item that someone else writes, as the inside of a JSON string; an error forgets it.
    pub(super) fn text_with<E>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.out.len();
        self.open(TEXT);
        match write(self.out) {
            Ok(()) => self.close("\"}"),
            Err(error) => {
                self.out.truncate(before);
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) {
        self.open(TEXT);
        write_escaped(text, self.out);
        self.close("\"}");
    }

    /// A text item of at most `limit` bytes, and a last line that says so if there are more.
    pub(super) fn cut_text(&mut self, text: &str, limit: usize) {
        self.open(TEXT);
        self.write_cut(text, limit);
        self.close("\"}");
    }

    pub(super) fn image(&mut self, media: &MediaType<'_>, bytes: &[u8]) {
        self.media(IMAGE, media, bytes);
    }

    pub(super) fn audio(&mut self, media: &MediaType<'_>, bytes: &[u8]) {
        self.media(AUDIO, media, bytes);
    }

    /// A resource with text, cut like [`Content::cut_text`].
    pub(super) fn text_resource(&mut self, uri: &Uri<'_>, media: &MediaType<'_>, text: &str, limit: usize) {
        self.open_resource(uri, media, r#"","text":""#);
        self.write_cut(text, limit);
        self.close("\"}}");
    }

    /// A resource with bytes.
    pub(super) fn blob(&mut self, uri: &Uri<'_>, media: &MediaType<'_>, bytes: &[u8]) {
        self.open_resource(uri, media, r#"","blob":""#);
        self.write_base64(bytes);
        self.close("\"}}");
    }

    /// A resource with bytes that are in base64 already.
    pub(super) fn encoded_blob(&mut self, uri: &Uri<'_>, media: &MediaType<'_>, base64: &str) {
        self.open_resource(uri, media, r#"","blob":""#);
        write_escaped(base64, self.out);
        self.close("\"}}");
    }

    /// An item that someone else writes.
    pub(super) fn item(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.open("");
        write(self.out);
    }

    /// Ends the list.
    pub(super) fn end(self) -> &'o mut Vec<u8> {
        self.out.push(b']');
        self.out
    }

    /// Ends the list of a failure.
    pub(super) fn end_error(self) {
        self.end().extend_from_slice(b",\"isError\":true");
    }

    fn media(&mut self, opening: &str, media: &MediaType<'_>, bytes: &[u8]) {
        self.open(opening);
        self.write_base64(bytes);
        self.out.extend_from_slice(br#"","mimeType":""#);
        media.write_essence(self.out);
        self.close("\"}");
    }

    fn open_resource(&mut self, uri: &Uri<'_>, media: &MediaType<'_>, member: &str) {
        self.open(RESOURCE);
        uri.write(self.out);
        self.out.extend_from_slice(br#"","mimeType":""#);
        media.write_essence(self.out);
        self.out.extend_from_slice(member.as_bytes());
    }

    fn write_cut(&mut self, text: &str, limit: usize) {
        match text.get(..text.floor_char_boundary(limit)) {
            Some(shown) if shown.len() < text.len() => {
                write_escaped(shown, self.out);
                let total = text.len();
                let note = format!("\n… (cut: the response has {total} bytes, at most {limit} are shown)");
                write_escaped(&note, self.out);
            }
            _ => write_escaped(text, self.out),
        }
    }

    /// Straight into the output: an image may have megabytes.
    fn write_base64(&mut self, bytes: &[u8]) {
        let start = self.out.len();
        let length = base64::encoded_len(bytes.len(), true).unwrap_or_default();
        self.out.reserve(length + 128);
        self.out.resize(start + length, 0);
        let room = self.out.get_mut(start..).unwrap_or_default();
        let written = STANDARD.encode_slice(bytes, room).unwrap_or_default();
        self.out.truncate(start + written);
    }

    fn open(&mut self, opening: &str) {
        if self.out.len() > self.start + OPEN.len() {
            self.out.push(b',');
        }
        self.out.extend_from_slice(opening.as_bytes());
    }

    fn close(&mut self, closing: &str) {
        self.out.extend_from_slice(closing.as_bytes());
    }
}
