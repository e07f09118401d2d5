//! Line ends: a file has those of the machine it was checked out on, and must give the same program everywhere.

use std::borrow::Cow;
use std::ops::Range;

/// A text with `\n` for every `\r\n`.
pub(super) struct LineEnds<'s> {
    pub text: Cow<'s, str>,
    /// Where in it a `\r` was left out.
    left_out: Vec<usize>,
}

impl<'s> LineEnds<'s> {
    pub fn new(source: &'s str) -> LineEnds<'s> {
        let left_out: Vec<usize> =
            source.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        let text =
            if left_out.is_empty() { Cow::Borrowed(source) } else { source.replace("\r\n", "\n").into() };
        LineEnds { text, left_out }
    }

    /// Turns a span of the text into one of the source.
    pub fn restore(&self, span: &mut Range<usize>) {
        span.start += self.left_out.partition_point(|at| *at < span.start);
        span.end += self.left_out.partition_point(|at| *at < span.end);
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests {
    use super::*;

    #[test]
    fn spans_are_found_again_in_the_source() {
        let source = "é\r\n\r\nab\rc\nd\r\n";
        let ends = LineEnds::new(source);
        assert_eq!(ends.text, "é\n\nab\rc\nd\n");
        for (word, expected) in
            [("é", "é"), ("\n\nab", "\r\n\r\nab"), ("ab\rc\nd", "ab\rc\nd"), ("d\n", "d\r\n")]
        {
            let at = ends.text.find(word).unwrap();
            let mut span = at..at + word.len();
            ends.restore(&mut span);
            assert_eq!(&source[span], expected);
        }
        let mut all = 0..ends.text.len();
        ends.restore(&mut all);
        assert_eq!(all, 0..source.len());
    }

    #[test]
    fn a_text_without_them_is_left_alone() {
        assert!(matches!(LineEnds::new("a\rb\n").text, Cow::Borrowed("a\rb\n")));
    }
}
