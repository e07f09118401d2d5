//! From the parser crate's line and column to a tag of the source.

use std::ops::Range;

use super::scan::{Tag, TagKind};

/// The source with its lines and tags.
pub(super) struct Positions<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    tags: Vec<Tag>,
    /// The last tag that was asked for; an `else` is looked for behind it.
    last: usize,
    /// The last place that was asked for, to count on from there: lines may be long.
    known: LineColumn,
}

#[derive(Clone, Copy)]
struct LineColumn {
    line: usize,
    column: usize,
    offset: usize,
}

impl<'s> Positions<'s> {
    pub fn new(source: &'s str, tags: Vec<Tag>) -> Self {
        let line_starts =
            std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, line_starts, tags, last: 0, known: LineColumn { line: 1, column: 1, offset: 0 } }
    }

    /// The byte offset of a line and a column, both counted from 1, columns in characters.
    pub fn offset(&mut self, line: usize, column: usize) -> usize {
        let Some(&start) = line.checked_sub(1).and_then(|line| self.line_starts.get(line)) else {
            return self.source.len();
        };
        let known = if self.known.line == line && self.known.column <= column {
            self.known
        } else {
            LineColumn { line, column: 1, offset: start }
        };
        let text = self.source.get(known.offset..).unwrap_or_default();
        let ahead = column.saturating_sub(known.column);
        let within = text.char_indices().nth(ahead).map_or(text.len(), |(at, _)| at);
        self.known = LineColumn { line, column, offset: known.offset + within };
        self.known.offset
    }

    /// The tag that starts at a line and a column.
    pub fn tag_at(&mut self, line: usize, column: usize) -> Range<usize> {
        let offset = self.offset(line, column);
        match self.tags.binary_search_by_key(&offset, |tag| tag.span.start) {
            Ok(found) => {
                self.last = found;
                self.tags.get(found).map_or(offset..offset, |tag| tag.span.clone())
            }
            // Behind the place where the scan stopped: up to the first braces that could close it.
            Err(_) => {
                let rest = self.source.get(offset..).unwrap_or_default();
                offset..offset + rest.find("}}").map_or(rest.len(), |at| at + 2)
            }
        }
    }

    /// The next `{{else name` behind the last tag asked for; the crate does not say where those are.
    pub fn next_else(&mut self, name: &str) -> Option<Range<usize>> {
        let found = self.tags.iter().enumerate().skip(self.last + 1).find(|(_, tag)| {
            let text = self.source.get(tag.span.clone()).unwrap_or_default();
            let inner = text.trim_start_matches(['{', '~', ' ', '\t', '\r', '\n']);
            let inner = inner.strip_prefix("else").or_else(|| inner.strip_prefix('^'));
            tag.kind == TagKind::Else && inner.is_some_and(|inner| inner.trim_start().starts_with(name))
        });
        let (at, tag) = found?;
        self.last = at;
        Some(tag.span.clone())
    }

    /// The place of `word` within a tag, or the whole tag.
    pub fn within(&self, tag: &Range<usize>, word: &str) -> Range<usize> {
        let text = self.source.get(tag.clone()).unwrap_or_default();
        match text.find(word) {
            Some(at) if !word.is_empty() => tag.start + at..tag.start + at + word.len(),
            _ => tag.clone(),
        }
    }

    /// The place of `word` within a tag where it is not a part of a longer one, or the whole tag.
    pub fn word(&self, tag: &Range<usize>, word: &str) -> Range<usize> {
        let text = self.source.get(tag.clone()).unwrap_or_default();
        let goes_on = |c: char| c.is_alphanumeric() || "_-./@#\"'".contains(c);
        let stands_alone = |at: &usize| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
            !word.is_empty() && !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
        };
        match text.match_indices(word).map(|(at, _)| at).find(stands_alone) {
            Some(at) => tag.start + at..tag.start + at + word.len(),
            None => tag.clone(),
        }
    }

    /// The span to show for a syntax error at an offset: one character, or a tag if it starts there.
    pub fn error_span(&self, offset: usize) -> Range<usize> {
        if let Some(tag) = self.tags.iter().find(|tag| tag.span.start == offset) {
            return tag.span.clone();
        }
        let next = self.source.get(offset..).and_then(|rest| rest.chars().next());
        offset..offset + next.map_or(0, char::len_utf8)
    }

    /// The text of the tag that holds an offset.
    pub fn tag_text(&self, offset: usize) -> Option<&'s str> {
        let tag = self.tags.iter().find(|tag| tag.span.contains(&offset))?;
        self.source.get(tag.span.clone())
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests {
    use super::super::scan::scan;
    use super::*;

    fn positions(source: &str) -> Positions<'_> {
        Positions::new(source, scan(source).unwrap().tags)
    }

    #[test]
    fn columns_count_characters() {
        let source = "é\r\nß{{a}}\n{{b}}";
        let mut positions = positions(source);
        assert_eq!(&source[positions.tag_at(2, 2)], "{{a}}");
        assert_eq!(&source[positions.tag_at(3, 1)], "{{b}}");
        assert_eq!(positions.offset(2, 1), 4);
        assert_eq!(positions.offset(2, 3), 7);
        assert_eq!(positions.offset(9, 9), source.len());
        assert_eq!(positions.offset(0, 0), source.len());
    }

    #[test]
    fn an_else_is_found_behind_its_block() {
        let source = "{{#if a}}{{#if b}}{{else}}{{/if}}{{else if c}}{{~ else  if d}}{{/if}}";
        let mut positions = positions(source);
        positions.tag_at(1, 1);
        assert_eq!(positions.next_else("if").map(|span| &source[span]), Some("{{else if c}}"));
        assert_eq!(positions.next_else("if").map(|span| &source[span]), Some("{{~ else  if d}}"));
        assert_eq!(positions.next_else("if"), None);
    }

    #[test]
    fn an_error_points_at_a_tag_or_a_character() {
        let source = "{{a}}é";
        let positions = positions(source);
        assert_eq!(positions.error_span(0), 0..5);
        assert_eq!(positions.error_span(5), 5..7);
        assert_eq!(positions.error_span(7), 7..7);
        assert_eq!(positions.within(&(0..5), "a"), 2..3);
        let positions = self::positions("{{#each e.a e}}");
        assert_eq!(positions.word(&(0..15), "e"), 12..13);
        assert_eq!(positions.word(&(0..15), "a"), 0..15);
    }
}
