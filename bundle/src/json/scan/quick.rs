//! Quick ways for what most texts are: compact, and with names that are known beforehand. What they do not take, the other
//! functions of the scanner take or refuse.

use super::{Scanner, Token};
use crate::json::Kind;
use crate::json::special::plain_end;

impl Scanner<'_> {
    /// Takes what most values are: strings without escapes, integers and booleans, without space before. Else takes nothing.
    #[inline(always)]
    pub(super) fn skip_quickly(&mut self) -> Option<Kind> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        match bytes.get(self.at)? {
            b'"' => {
                end = plain_end(bytes, end);
                if bytes.get(end) != Some(&b'"') {
                    return None;
                }
                self.at = end + 1;
                Some(Kind::String)
            }
            b'1'..=b'9' => {
                while let Some(b'0'..=b'9') = bytes.get(end) {
                    end += 1;
                }
                if matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
                    return None;
                }
                self.at = end;
                Some(Kind::Number)
            }
            b't' => self.take_word(b"true").then_some(Kind::Boolean),
            b'f' => self.take_word(b"false").then_some(Kind::Boolean),
            _ => None,
        }
    }

    #[inline(always)]
    fn take_word(&mut self, word: &[u8]) -> bool {
        let is_next = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Takes the next member's name and colon if they are among these, with quotes and without space.
    ///
    /// Names that nearly every text has are found faster this way than by looking for their ends.
    #[inline(always)]
    pub(crate) fn take_known_name<T: Copy, const N: usize>(&mut self, names: &[(&str, T); N]) -> Option<T> {
        let start = self.next_name()?;
        let rest = self.text.as_bytes().get(start..)?;
        // Four bytes tell nearly all of them apart.
        let first = rest.first_chunk::<4>()?;
        for (text, name) in names {
            if text.as_bytes().first_chunk() == Some(first) && rest.starts_with(text.as_bytes()) {
                self.fresh = false;
                self.at = start + text.len();
                return Some(*name);
            }
        }
        None
    }

    /// The same for a name that has one space before it, and takes a space behind its colon, too: so Python writes JSON.
    pub(crate) fn take_known_spaced_name<T: Copy>(&mut self, names: &[(&str, T)]) -> Option<T> {
        let start = self.next_name()?;
        let rest = self.text.as_bytes().get(start..)?.strip_prefix(b" ")?;
        let first = rest.first_chunk::<4>()?;
        let is_next =
            |text: &str| text.as_bytes().first_chunk() == Some(first) && rest.starts_with(text.as_bytes());
        let (text, name) = names.iter().find(|(text, _)| is_next(text))?;
        self.fresh = false;
        self.at = start + 1 + text.len();
        self.at += usize::from(self.byte() == Some(b' '));
        Some(*name)
    }

    /// Takes the bracket that closes an object, if it is next and no space is before it.
    #[inline(always)]
    pub(crate) fn take_end_of_object(&mut self) -> bool {
        let is_next = self.byte() == Some(b'}');
        if is_next {
            self.leave();
        }
        is_next
    }

    /// Skips what most names are: without escapes, and without space before and after. Else nothing is skipped.
    #[inline(always)]
    pub(super) fn quick_key(&mut self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        let start = self.next_name()?;
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let end = plain_end(bytes, start + 1);
        let Some([b'"', b':', ..]) = bytes.get(end..) else { return None };
        self.fresh = false;
        self.at = end + 2;
        Some(Token { start, end: end + 1, escaped: false })
    }

    /// Where the next member's name begins, if no space is before it: after a comma, unless it is the first.
    #[inline(always)]
    fn next_name(&self) -> Option<usize> {
        let is_comma = self.byte() == Some(b',');
        (is_comma != self.fresh).then(|| self.at + usize::from(is_comma))
    }
}
