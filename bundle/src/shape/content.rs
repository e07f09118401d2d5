//! Writes the members of a result. Whatever is written through it is valid JSON.

use crate::json::write_escaped;

/// The `content` list while items are added to it.
#[derive(Debug)]
pub(super) struct Content<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

const OPEN: &[u8] = b"\"content\":[";

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
        self.open();
        match write(self.out) {
            Ok(()) => self.close(),
            Err(error) => {
                self.out.truncate(before);
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) {
        self.open();
        write_escaped(text, self.out);
        self.close();
    }

    /// A text item of at most `limit` bytes, and a last line that says so if there are more.
    pub(super) fn cut_text(&mut self, text: &str, limit: usize) {
        // Most answers are JSON, whose quotes all need an escape.
        self.out.reserve(text.len().min(limit) + text.len().min(limit) / 4 + 64);
        self.open();
        match text.get(..text.floor_char_boundary(limit)) {
            Some(shown) if shown.len() < text.len() => {
                write_escaped(shown, self.out);
                let total = text.len();
                let note = format!("\n… (cut: the answer has {total} bytes, at most {limit} are shown)");
                write_escaped(&note, self.out);
            }
            _ => write_escaped(text, self.out),
        }
        self.close();
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

    fn open(&mut self) {
        if self.out.len() > self.start + OPEN.len() {
            self.out.push(b',');
        }
        self.out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
    }

    fn close(&mut self) {
        self.out.extend_from_slice(b"\"}");
    }
}
