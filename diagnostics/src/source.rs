//! The texts that were read, and where things are in them.

use std::ops::Range;
use std::sync::OnceLock;

/// A file of [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(u32);

/// A byte range of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

/// A place as people count: lines and columns from 1, columns in characters, the offset in bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub line: usize,
    pub column: usize,
    pub offset: usize,
}

#[derive(Debug, Clone)]
pub struct SourceFile {
    /// As shown to people: relative to where the command ran.
    pub name: String,
    pub text: String,
    line_starts: OnceLock<Vec<u32>>,
}

/// All files of one run.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

const BOM: char = '\u{feff}';

impl Sources {
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile::new(name, text));
        id
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        #[expect(clippy::indexing_slicing, reason = "only `add` makes ids, and files are never removed")]
        &self.files[id.0 as usize]
    }

    pub fn file_mut(&mut self, id: FileId) -> &mut SourceFile {
        #[expect(clippy::indexing_slicing, reason = "only `add` makes ids, and files are never removed")]
        &mut self.files[id.0 as usize]
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.range()).unwrap_or_default()
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The part of a TOML string literal that a byte range of the decoded string was written as.
    ///
    /// `span` is the whole literal with its quotes. Where the literal cannot be mapped (a string that
    /// does not come from a literal), the whole span is returned.
    pub fn inside(&self, span: Span, decoded: Range<usize>) -> Span {
        let raw = self.text(span);
        match crate::literal::locate(raw, decoded) {
            Some(range) => Span {
                file: span.file,
                start: span.start + range.start as u32,
                end: span.start + range.end as u32,
            },
            None => span,
        }
    }
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile { name: name.into(), text: text.into(), line_starts: OnceLock::new() }
    }

    pub fn location(&self, offset: usize) -> Location {
        let starts = self.line_starts();
        let offset = offset.min(self.text.len());
        let line = starts.partition_point(|&start| start as usize <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or_default() as usize;
        let before = self.text.get(start..offset).unwrap_or_default();
        let column = before.chars().filter(|&c| c != BOM).count() + 1;
        Location { line, column, offset }
    }

    /// The lines that a range touches: number of the first, its offset, and the text of all.
    pub fn lines_around(&self, range: Range<usize>, context: usize) -> (usize, usize, &str) {
        let starts = self.line_starts();
        let first = self.location(range.start).line.saturating_sub(context).max(1);
        let last = self.location(range.end).line + context;
        let start = starts.get(first - 1).copied().unwrap_or_default() as usize;
        let end = starts.get(last).map_or(self.text.len(), |&s| s as usize);
        (first, start, self.text.get(start..end).unwrap_or_default())
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1)).collect()
        })
    }
}

impl Span {
    pub fn new(file: FileId, range: Range<usize>) -> Span {
        Span { file, start: range.start as u32, end: range.end as u32 }
    }

    /// The beginning of a file, for what concerns it as a whole.
    pub fn whole_file(file: FileId) -> Span {
        Span { file, start: 0, end: 0 }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<T> Spanned<T> {
    pub fn new(value: T, span: Span) -> Spanned<T> {
        Spanned { value, span }
    }

    pub fn as_ref(&self) -> Spanned<&T> {
        Spanned { value: &self.value, span: self.span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("x.toml", text)
    }

    #[test]
    fn columns_count_characters() {
        let file = file("a = 1\n\té中🦀x = 2\n");
        let offset = file.text.find('x').unwrap();
        assert_eq!(file.location(offset), Location { line: 2, column: 5, offset });
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let file = file("\u{feff}bad = 1");
        assert_eq!(file.location(3).column, 1);
    }

    #[test]
    fn crlf_lines_count_once() {
        let file = file("a\r\nb\r\ncd");
        let offset = file.text.find('d').unwrap();
        assert_eq!(file.location(offset), Location { line: 3, column: 2, offset });
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(file("ab").location(99), Location { line: 1, column: 3, offset: 2 });
        assert_eq!(file("").location(0), Location { line: 1, column: 1, offset: 0 });
    }

    #[test]
    fn lines_around_a_range_come_with_their_number() {
        let file = file("one\ntwo\nthree\nfour\n");
        let at = file.text.find("three").unwrap();
        assert_eq!(file.lines_around(at..at + 5, 0), (3, 8, "three\n"));
        assert_eq!(file.lines_around(at..at + 5, 1), (2, 4, "two\nthree\nfour\n"));
    }
}
