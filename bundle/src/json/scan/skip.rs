//! Skipping a whole array or object.

use super::Scanner;
use crate::json::special::plain_end;
use crate::json::{Kind, ScanError};

impl Scanner<'_> {
    /// Skips a whole array or object.
    pub(super) fn container(&mut self, kind: Kind) -> Result<(), ScanError> {
        let before = self.clone();
        if self.skip_container(kind).is_some() {
            return Ok(());
        }
        // It goes wrong somewhere. Slower, but that tells where and how.
        *self = before;
        self.explain_container(kind)
    }

    /// Skips a whole array or object, or gives `None` if anything is wrong with it.
    ///
    /// Of a large answer, most is skipped, so this is the hottest loop of all: the place is a local variable, and the
    /// open containers are bits, so there is no recursion.
    fn skip_container(&mut self, kind: Kind) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut depth = 1_usize;
        let room = self.max_depth.checked_sub(self.depth)?.checked_sub(1)?;
        let mut objects = u128::from(kind == Kind::Object);
        let mut at = self.at + 1;
        let mut fresh = true;
        loop {
            let in_object = objects & 1 == 1;
            let mut byte = next_token(bytes, &mut at)?;
            if byte == if in_object { b'}' } else { b']' } {
                at += 1;
                depth -= 1;
                objects >>= 1;
                fresh = false;
                if depth == 0 {
                    self.at = at;
                    self.fresh = false;
                    return Some(());
                }
                continue;
            }
            if !fresh {
                if byte != b',' {
                    return None;
                }
                at += 1;
                byte = next_token(bytes, &mut at)?;
            }
            fresh = false;
            if in_object {
                if byte != b'"' {
                    return None;
                }
                at = self.string_end(at)?;
                if next_token(bytes, &mut at)? != b':' {
                    return None;
                }
                at += 1;
                byte = next_token(bytes, &mut at)?;
            }
            match byte {
                b'"' => at = self.string_end(at)?,
                b'{' | b'[' => {
                    if depth > room {
                        return None;
                    }
                    at += 1;
                    depth += 1;
                    objects = objects << 1 | u128::from(byte == b'{');
                    fresh = true;
                }
                b'0'..=b'9' | b'-' => {
                    self.at = at;
                    self.number().ok()?;
                    at = self.at;
                }
                _ => {
                    let word: &[u8] = match byte {
                        b't' => b"true",
                        b'f' => b"false",
                        b'n' => b"null",
                        _ => return None,
                    };
                    bytes.get(at..)?.strip_prefix(word)?;
                    at += word.len();
                }
            }
        }
    }

    /// Where the string ends whose first quote is at `at`.
    #[inline(always)]
    fn string_end(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let end = plain_end(bytes, at + 1);
        if bytes.get(end) == Some(&b'"') {
            return Some(end + 1);
        }
        self.at = end;
        self.skip_escaped_string(at).ok().map(|token| token.end)
    }

    /// As [`Scanner::skip_container`], with an error that tells what is wrong.
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
