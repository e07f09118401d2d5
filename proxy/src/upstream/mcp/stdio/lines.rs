//! Bytes → lines of bounded length, however the bytes arrive.

/// Takes a stream apart into lines.
#[derive(Debug)]
pub(super) struct Lines {
    /// The beginning of a line that has not ended.
    partial: Vec<u8>,
    /// Bytes of that line that were not kept.
    skipped: usize,
    longest: usize,
}

/// A line, without what ends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It has more bytes than a line may have. Its beginning, and how long it was.
    TooLong {
        start: Vec<u8>,
        length: usize,
    },
}

/// Of a line that is too long.
const KEPT: usize = 256;

impl Lines {
    pub(super) fn new(longest: usize) -> Lines {
        Lines { partial: Vec::new(), skipped: 0, longest }
    }

    /// Takes the next bytes, and hands out the lines that they end. Lines without text are left out.
    pub(super) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Line)) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = after.get(1..).unwrap_or_default();
            self.add(line);
            self.end().into_iter().for_each(&mut each);
        }
        self.add(rest);
    }

    /// What is left when the stream has ended: a line that nobody ended.
    pub(super) fn end(&mut self) -> Option<Line> {
        let mut line = std::mem::take(&mut self.partial);
        let length = line.len() + std::mem::take(&mut self.skipped);
        if length > self.longest {
            line.truncate(KEPT);
            return Some(Line::TooLong { start: line, length });
        }
        if line.ends_with(b"\r") {
            line.pop();
        }
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        (!is_blank).then_some(Line::Whole(line))
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = self.longest.saturating_sub(self.partial.len());
        if self.skipped == 0 && bytes.len() <= room {
            self.partial.extend_from_slice(bytes);
            return;
        }
        // It is too long, so only its beginning is of use.
        if self.partial.len() < KEPT {
            let missing = KEPT - self.partial.len();
            let kept = bytes.get(..missing).unwrap_or(bytes);
            self.partial.extend_from_slice(kept);
            self.skipped += bytes.len() - kept.len();
        } else {
            self.skipped += bytes.len() + self.partial.len() - KEPT;
            self.partial.truncate(KEPT);
            self.partial.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(longest: usize, chunks: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::new(longest);
        let mut out = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, |line| out.push(line));
        }
        out.extend(lines.end());
        out
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        assert_eq!(lines(9, &[b"a\nb\r\n", b"\n  \n", b"c", b"d"]), [whole("a"), whole("b"), whole("cd")]);
        assert_eq!(lines(9, &[b"a\rb\n"]), [whole("a\rb")]);
        assert_eq!(lines(9, &[]), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let long = vec![b'x'; 100_000];
        let mut lines = Lines::new(1000);
        let mut out = Vec::new();
        for chunk in long.chunks(7000) {
            lines.feed(chunk, |line| out.push(line));
            assert!(lines.partial.capacity() <= 8000);
        }
        lines.feed(b"\nb\n", |line| out.push(line));
        assert_eq!(out, [Line::TooLong { start: vec![b'x'; KEPT], length: 100_000 }, whole("b")]);
    }

    proptest! {
        #[test]
        fn how_bytes_arrive_does_not_matter(
            text in "([a-c\n\r ]|[x]{5,700}){0,40}",
            cuts in proptest::collection::vec(0usize..2000, 0..6),
            longest in 1usize..600,
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                chunks.push(&bytes[start..cut]);
                start = cut;
            }
            let expected: Vec<Line> = text.split('\n').filter_map(|line| {
                if line.len() > longest {
                    let start = line.as_bytes()[..line.len().min(KEPT)].to_vec();
                    return Some(Line::TooLong { start, length: line.len() });
                }
                (!line.trim().is_empty()).then(|| whole(line.strip_suffix('\r').unwrap_or(line)))
            }).collect();
            prop_assert_eq!(lines(longest, &chunks), expected);
        }
    }
}
