//! Skipping a whole array or object.

use super::Scanner;
use crate::json::special::plain_end;
use crate::json::tape::Record;
use crate::json::{Kind, ScanError, Span, Tape, Value};

impl<'a> Scanner<'a> {
    /// Takes the object that [`Scanner::peek`] saw, like [`Scanner::value`], and records what is where in it.
    #[inline(never)]
    pub(crate) fn object_with_tape(&mut self, tape: &mut Tape<'a>) -> Result<Value<'a>, ScanError> {
        let start = self.at;
        let depth = self.max_depth.saturating_sub(self.depth);
        let mut record = tape.record();
        self.recorded_container(Kind::Object, &mut record)?;
        let count = if self.text.len() > Span::MAX_TEXT { usize::MAX } else { record.count };
        tape.end(self.text, count, depth);
        Ok(Value { kind: Kind::Object, text: self.since(start), escaped: false })
    }

    /// Takes the value that [`Scanner::peek`] saw, and records what is where in it if it is an array or object.
    #[inline(never)]
    pub(in crate::json) fn recorded(
        &mut self,
        kind: Kind,
        record: &mut impl Record,
    ) -> Result<Value<'a>, ScanError> {
        if !matches!(kind, Kind::Array | Kind::Object) {
            return self.take(kind);
        }
        let start = self.at;
        self.recorded_container(kind, record)?;
        Ok(Value { kind, text: self.since(start), escaped: false })
    }

    /// Skips a whole array or object.
    #[inline(never)]
    pub(super) fn container(&mut self, kind: Kind) -> Result<(), ScanError> {
        self.recorded_container(kind, &mut ())
    }

    #[inline(always)]
    fn recorded_container(&mut self, kind: Kind, record: &mut impl Record) -> Result<(), ScanError> {
        let before = self.at;
        if self.skip_container(kind, record).is_some() {
            return Ok(());
        }
        // It goes wrong somewhere. Slower, but it finds where and how.
        self.at = before;
        self.explain_container(kind)
    }

    /// Skips a whole array or object, or gives `None` if anything is wrong with it.
    ///
    /// Of a large answer, most is skipped, so this is the hottest loop of all: the place is a local variable, and the
    /// open containers are bits, so there is no recursion.
    #[inline(always)]
    fn skip_container(&mut self, kind: Kind, record: &mut impl Record) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut around = Around {
            objects: 0,
            count: 0,
            most: self.max_depth.checked_sub(self.depth).filter(|most| *most > 0)?,
        };
        let mut in_object = kind == Kind::Object;
        let mut at = self.at + 1;
        let mut byte = next_token(bytes, &mut at)?;
        if byte == closing(in_object) {
            self.at = at + 1;
            self.fresh = false;
            return Some(());
        }
        loop {
            // A member or an element begins.
            if in_object {
                if byte != b'"' {
                    return None;
                }
                at = self.skip_recorded_string(bytes, at, record)?;
                byte = match bytes.get(at..at.wrapping_add(2)) {
                    Some(&[b':', byte]) if byte > b' ' => {
                        at += 1;
                        byte
                    }
                    _ => value_of_member(bytes, &mut at)?,
                };
            }
            match byte {
                b'"' => at = self.skip_recorded_string(bytes, at, record)?,
                b'{' | b'[' => {
                    around.enter(in_object)?;
                    in_object = byte == b'{';
                    record.open(at, if in_object { Kind::Object } else { Kind::Array });
                    at += 1;
                    byte = next_token(bytes, &mut at)?;
                    if byte != closing(in_object) {
                        continue;
                    }
                }
                b'0'..=b'9' | b'-' => {
                    let end = self.number_end(bytes, at)?;
                    record.value(at, end, Kind::Number, false);
                    at = end;
                }
                _ => {
                    let (word, kind): (&[u8], Kind) = match byte {
                        b't' => (b"true", Kind::Boolean),
                        b'f' => (b"false", Kind::Boolean),
                        b'n' => (b"null", Kind::Null),
                        _ => return None,
                    };
                    bytes.get(at..)?.strip_prefix(word)?;
                    record.value(at, at + word.len(), kind, false);
                    at += word.len();
                }
            }
            // It has ended, and maybe what it is in.
            loop {
                if let Some(&[b',', next]) = bytes.get(at..at.wrapping_add(2))
                    && next > b' '
                {
                    at += 1;
                    byte = next;
                    break;
                }
                byte = next_token(bytes, &mut at)?;
                at += 1;
                if byte == b',' {
                    byte = next_token(bytes, &mut at)?;
                    break;
                }
                if byte != closing(in_object) {
                    return None;
                }
                let Some(is_object) = around.leave() else {
                    self.at = at;
                    self.fresh = false;
                    return Some(());
                };
                record.close(at);
                in_object = is_object;
            }
        }
    }

    /// Where the string ends whose first quote is at `at`.
    #[inline(always)]
    fn skip_recorded_string(&mut self, bytes: &[u8], at: usize, record: &mut impl Record) -> Option<usize> {
        let end = plain_end(bytes, at + 1);
        if bytes.get(end) == Some(&b'"') {
            record.value(at, end + 1, Kind::String, false);
            return Some(end + 1);
        }
        self.at = end;
        let end = self.skip_escaped_string(at).ok()?.end;
        record.value(at, end, Kind::String, true);
        Some(end)
    }

    /// Where the number ends that begins at `at`. Most are a few digits.
    #[inline(always)]
    fn number_end(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut end = at;
        while let Some(b'0'..=b'9') = bytes.get(end) {
            end += 1;
        }
        let is_zero_first = bytes.get(at) == Some(&b'0');
        if end > at && !is_zero_first && !matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
            return Some(end);
        }
        self.at = at;
        self.number().ok()?;
        Some(self.at)
    }

    /// As [`Scanner::skip_container`], with an error that says what is wrong.
    #[cold]
    fn explain_container(&mut self, kind: Kind) -> Result<(), ScanError> {
        let outside = self.depth;
        self.enter(kind == Kind::Object)?;
        while self.depth > outside {
            let member = if self.objects & 1 == 1 { self.skip_key()?.is_some() } else { self.next_item()? };
            if !member {
                continue;
            }
            match self.peek()? {
                Kind::String => drop(self.skip_string()?),
                Kind::Object => self.enter(true)?,
                Kind::Array => self.enter(false)?,
                kind => self.scalar(kind)?,
            }
        }
        Ok(())
    }
}

/// The containers around the innermost one.
struct Around {
    /// One bit for each, the innermost lowest: set for an object.
    objects: u128,
    count: usize,
    /// Those that are allowed, with the innermost one.
    most: usize,
}

impl Around {
    /// Kept out of the loop that uses them: there, registers are scarce.
    #[inline(never)]
    fn enter(&mut self, is_object: bool) -> Option<()> {
        self.count += 1;
        self.objects = self.objects << 1 | u128::from(is_object);
        (self.count < self.most).then_some(())
    }

    /// Whether the next one around is an object; `None` if there is none.
    #[inline(never)]
    fn leave(&mut self) -> Option<bool> {
        self.count = self.count.checked_sub(1)?;
        let is_object = self.objects & 1 == 1;
        self.objects >>= 1;
        Some(is_object)
    }
}

/// The bracket that closes an object, or an array.
#[inline(always)]
const fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// The first byte of a member's value, of which the colon is next or after space.
#[inline(never)]
fn value_of_member(bytes: &[u8], at: &mut usize) -> Option<u8> {
    if next_token(bytes, at)? != b':' {
        return None;
    }
    *at += 1;
    next_token(bytes, at)
}

/// The next byte that is not space, and where it is.
#[inline(always)]
fn next_token(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        match bytes.get(*at) {
            // All space is below this, and most bytes are not.
            Some(&byte) if byte > b' ' => return Some(byte),
            Some(b' ' | b'\n' | b'\r' | b'\t') => *at += 1,
            _ => return None,
        }
    }
}
