//! The few lines of a file that a finding is about, ready to print.
//!
//! A file may have megabytes and thousands of findings, a line may be very long, and both may hold anything:
//! an excerpt is small, and nothing in it steers a terminal.

use crate::source::SourceFile;
use crate::visible::{shown, visible};
use std::ops::Range;

/// Lines of a file and where their parts came from.
#[derive(Debug)]
pub struct Excerpt<'s> {
    source: &'s str,
    /// Number of the first line.
    pub line: usize,
    pub text: String,
    /// A line lost its beginning, so its columns are not the file's.
    pub is_shifted: bool,
    /// What of the file is in the text, and from which offset of the text.
    kept: Vec<(Range<usize>, usize)>,
}

/// Bytes of a line that are shown whatever it is.
const SHORT: usize = 400;
/// Bytes of a long line that are shown on either side of a mark.
const BESIDE: usize = 80;
/// Lines of a mark that are shown at most.
const LINES: usize = 100;

const BOM: char = '\u{feff}';

impl<'s> Excerpt<'s> {
    /// The lines of all marks. A line is cut at its start if the first mark is more than `head`
    /// bytes in.
    pub fn new(file: &'s SourceFile, marks: &[Range<usize>], head: usize) -> Excerpt<'s> {
        let source = file.text.as_str();
        let marks: Vec<Range<usize>> = marks.iter().map(|mark| clip(source, mark)).collect();
        let low = marks.iter().map(|mark| mark.start).min().unwrap_or_default();
        let high = marks.iter().map(|mark| mark.end).max().unwrap_or_default();
        let (line, mut at, lines) = file.lines_around(low..high, 0);
        let mut excerpt = Excerpt { source, line, text: String::new(), is_shifted: false, kept: Vec::new() };
        for full in lines.split_inclusive('\n') {
            let line = full.strip_suffix('\n').map_or(full, |line| line.strip_suffix('\r').unwrap_or(line));
            let bom = if at == 0 && line.starts_with(BOM) { BOM.len_utf8() } else { 0 };
            excerpt.keep(at + bom..at + line.len(), &marks, head);
            if full.ends_with('\n') {
                excerpt.text.push('\n');
            }
            at += full.len();
        }
        excerpt
    }

    /// Where a range of the file is in the text.
    pub fn place(&self, range: &Range<usize>) -> Range<usize> {
        let range = clip(self.source, range);
        self.offset(range.start)..self.offset(range.end)
    }

    fn offset(&self, offset: usize) -> usize {
        let Some((range, at)) = self.kept.iter().rev().find(|(range, _)| range.start <= offset) else {
            return 0;
        };
        let before = self.source.get(range.start..offset.min(range.end)).unwrap_or_default();
        at + before.chars().map(|c| shown(c).len_utf8()).sum::<usize>()
    }

    /// Adds a line, or the part of it around the marks.
    fn keep(&mut self, line: Range<usize>, marks: &[Range<usize>], head: usize) {
        let mut part = line.clone();
        if line.len() > SHORT {
            let on_line = |mark: &&Range<usize>| mark.start <= line.end && mark.end >= line.start;
            let on_line = || marks.iter().filter(on_line);
            let low = on_line().map(|mark| mark.start.max(line.start)).min().unwrap_or(line.start);
            let high = on_line().map(|mark| mark.end.min(line.end)).max().unwrap_or(low).min(low + SHORT);
            if low - line.start > head {
                part.start = floor(self.source, low - BESIDE.min(head));
            }
            part.end = floor(self.source, high + BESIDE).min(line.end);
        }
        if part.start > line.start {
            self.text.push('…');
            self.is_shifted = true;
        }
        self.kept.push((part.clone(), self.text.len()));
        self.text.push_str(&visible(self.source.get(part.clone()).unwrap_or_default()));
        if part.end < line.end {
            self.text.push('…');
        }
    }
}

/// The range within the text, on characters, and not too many lines of it.
fn clip(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = floor(text, range.start);
    let end = floor(text, range.end).max(start);
    let lines = text.get(start..end).unwrap_or_default().match_indices('\n');
    let end = lines.skip(LINES - 1).map(|(at, _)| start + at).next().unwrap_or(end);
    start..end
}

/// The last character boundary that is not behind an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn with<T>(text: &str, run: impl FnOnce(&SourceFile) -> T) -> T {
        let mut sources = Sources::default();
        let id = sources.add("x.toml", text);
        run(sources.file(id))
    }

    #[test]
    fn only_the_lines_of_the_marks_are_kept() {
        with("one\r\ntwo\r\nthree\r\n", |file| {
            let excerpt = Excerpt::new(file, &[Range { start: 5, end: 8 }], 0);
            assert_eq!((excerpt.line, excerpt.text.as_str()), (2, "two\n"));
            assert_eq!(excerpt.place(&(5..8)), 0..3);
            assert_eq!(excerpt.place(&(8..10)), 3..3);
        });
    }

    #[test]
    fn a_mark_keeps_its_place_behind_replaced_characters() {
        with("\u{feff}a\u{1b}\u{9b}中x = 1", |file| {
            let at = file.text.find('x').unwrap();
            let excerpt = Excerpt::new(file, &[at..at + 1, 0..0], 0);
            assert_eq!(excerpt.text, "a␛�中x = 1");
            assert_eq!(excerpt.text.get(excerpt.place(&(at..at + 1))), Some("x"));
            assert_eq!(excerpt.place(&(0..0)), 0..0);
        });
    }

    #[test]
    fn a_long_line_is_cut_around_the_marks() {
        let text = format!("{}MARK{}", "é".repeat(5000), "ü".repeat(5000));
        with(&text, |file| {
            let mark = 10_000..10_004;
            let excerpt = Excerpt::new(file, std::slice::from_ref(&mark), 100);
            assert!(excerpt.is_shifted && excerpt.text.len() < 300, "{}", excerpt.text.len());
            assert_eq!(excerpt.text.get(excerpt.place(&mark)), Some("MARK"));
            let excerpt = Excerpt::new(file, std::slice::from_ref(&mark), 20_000);
            assert!(!excerpt.is_shifted && excerpt.text.len() < 10_300);
            assert_eq!(excerpt.text.get(excerpt.place(&mark)), Some("MARK"));
        });
    }

    #[test]
    fn a_mark_of_many_lines_ends_early() {
        with(&"line\n".repeat(1000), |file| {
            let excerpt = Excerpt::new(file, &[Range { start: 0, end: file.text.len() }], 0);
            assert_eq!(excerpt.text.lines().count(), LINES);
            assert_eq!(excerpt.place(&(0..file.text.len())), 0..LINES * 5 - 1);
        });
    }
}
