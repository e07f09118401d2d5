//! Where a program writes to, and how values are encoded there.

use super::error::Fault;
use crate::json;
use crate::plan::Part;
use crate::plan::program::Encoding;

/// The place that a program writes.
pub(crate) trait Output {
    /// How many bytes the place holds.
    fn len(&self) -> usize;

    /// Writes text of the template, which is encoded already.
    fn literal(&mut self, text: &[u8]) -> Result<(), Box<Fault>>;

    /// Writes the characters of a value.
    fn text(&mut self, encoding: Encoding, text: &str) -> Result<(), Box<Fault>>;

    /// Writes the characters of a JSON string, given as they are between its quotes: a part of a
    /// text, as bytes, which are cheaper to cut out.
    fn string(
        &mut self,
        encoding: Encoding,
        raw: &[u8],
        escaped: bool,
        buffer: &mut String,
    ) -> Result<(), Box<Fault>> {
        self.text(encoding, unescaped(raw, escaped, buffer))
    }

    /// Writes the digits of a number, or `true` or `false`.
    fn plain(&mut self, encoding: Encoding, text: &[u8]) -> Result<(), Box<Fault>> {
        self.text(encoding, std::str::from_utf8(text).unwrap_or_default())
    }

    /// Writes a value as JSON, given as its text.
    fn json(&mut self, text: &str) -> Result<(), Box<Fault>> {
        self.text(Encoding::Json, text)
    }

    /// Writes a variable of the place that the program runs in.
    fn variable(&mut self, part: Part, encoding: Encoding) -> Result<(), Box<Fault>> {
        let _ = (part, encoding);
        Err(Box::new(Fault::Refused("variables have no value here".to_owned())))
    }
}

/// The characters of a JSON string, given as they are between its quotes.
pub(crate) fn unescaped<'t>(raw: &'t [u8], escaped: bool, buffer: &'t mut String) -> &'t str {
    let raw = std::str::from_utf8(raw).unwrap_or_default();
    if !escaped {
        return raw;
    }
    buffer.clear();
    json::unescape(raw, buffer);
    buffer
}

/// The inside of a JSON string: the text of a result.
#[derive(Debug)]
pub(crate) struct TextOutput<'o>(pub &'o mut Vec<u8>);

impl Output for TextOutput<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn literal(&mut self, text: &[u8]) -> Result<(), Box<Fault>> {
        self.0.extend_from_slice(text);
        Ok(())
    }

    fn text(&mut self, _: Encoding, text: &str) -> Result<(), Box<Fault>> {
        json::write_escaped(text, self.0);
        Ok(())
    }

    /// The text is validated JSON already, so that it goes over as it is.
    #[inline]
    fn string(
        &mut self,
        _: Encoding,
        raw: &[u8],
        escaped: bool,
        buffer: &mut String,
    ) -> Result<(), Box<Fault>> {
        if escaped && has_surrogates(raw) {
            json::write_escaped(unescaped(raw, escaped, buffer), self.0);
        } else {
            self.0.extend_from_slice(raw);
        }
        Ok(())
    }

    #[inline]
    fn plain(&mut self, _: Encoding, text: &[u8]) -> Result<(), Box<Fault>> {
        self.0.extend_from_slice(text);
        Ok(())
    }
}

/// Whether a text may have escapes of surrogates, of which lone ones must not go on.
fn has_surrogates(raw: &[u8]) -> bool {
    // Most have none of these escapes. Looking at all pairs takes fewer steps than a search does to begin.
    let pairs = raw.iter().zip(raw.iter().skip(1));
    if !pairs.fold(false, |any, (&first, &second)| any | (first == b'\\' && second == b'u')) {
        return false;
    }
    let mut rest = raw;
    while let Some(at) = memchr::memmem::find(rest, b"\\u") {
        rest = rest.get(at + 2..).unwrap_or_default();
        if let Some(b'd' | b'D') = rest.first() {
            return true;
        }
    }
    false
}
