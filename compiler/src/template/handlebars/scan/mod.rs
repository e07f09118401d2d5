//! Finds the tags of a template and how deep they nest, before the parser crate sees it.
//!
//! The crate recurses once for each level and would abort the process on a template that nests deep enough, so
//! this must never count too few levels. Where the grammar leaves a tag's extent open, the scan stops and bounds
//! what is left by counting every bracket in it. Behind a tag that does not parse nothing matters: the crate
//! stops there. On the way it learns the tags' places, and why blocks do not match, better than the crate says it.

use std::ops::Range;

use crate::template::{MAX_BLOCK_DEPTH, MAX_PAREN_DEPTH, TemplateError};

/// How many `else` the blocks around a place may have before it. The crate nests each in the one before.
const MAX_ELSE: usize = 256;

/// How deep an unreadable rest of a template may nest at most; far below what the crate survives.
const MAX_UNSURE_DEPTH: usize = 128;

/// A tag's place and role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    pub kind: TagKind,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    /// `{{#`, also of partials and decorators.
    Open,
    /// `{{/`.
    Close,
    /// `{{else`, `{{^`.
    Else,
    Comment,
    /// `{{{{name}}}}` with its text and its end.
    Raw,
    /// All others.
    Value,
}

/// What a scan found.
pub(super) struct Scan {
    /// In the order of the source; up to where the scan stopped.
    pub tags: Vec<Tag>,
    /// Why the template cannot parse, if the scan saw it.
    pub problem: Option<TemplateError>,
}

/// Scans `source`; an error says that it nests too deep.
pub(super) fn scan(source: &str) -> Result<Scan, TemplateError> {
    let mut scanner = Scanner { source, pos: 0, tags: Vec::new(), open: Vec::new(), problem: None };
    while let Some(start) = scanner.next_tag(scanner.pos, "{{") {
        let Some(end) = scanner.tag(start)? else { break };
        scanner.pos = end;
    }
    if scanner.problem.is_none()
        && let Some(block) = scanner.open.last()
    {
        let message = format!("block `{}` is never closed", block.name);
        let error = TemplateError::syntax(block.span.clone(), message);
        scanner.problem = Some(error.with_help(format!("add `{{{{/{}}}}}`", block.name)));
    }
    Ok(Scan { tags: scanner.tags, problem: scanner.problem })
}

struct Scanner<'s> {
    source: &'s str,
    pos: usize,
    tags: Vec<Tag>,
    open: Vec<Block<'s>>,
    problem: Option<TemplateError>,
}

struct Block<'s> {
    name: &'s str,
    span: Range<usize>,
    elses: usize,
}

/// Where a tag ends, as far as its text shows.
enum Extent {
    To(usize),
    /// Never closed.
    Open,
    /// A `[…]` that is an array or a key, depending on what the grammar can make of it.
    Unsure,
}

impl<'s> Scanner<'s> {
    fn from(&self, at: usize) -> &'s str {
        self.source.get(at..).unwrap_or_default()
    }

    /// The next `braces` from `from` on that no backslash makes text. Two backslashes are one that is text.
    fn next_tag(&self, from: usize, braces: &str) -> Option<usize> {
        let mut from = from;
        loop {
            let text = self.from(from);
            let at = text.find(braces)?;
            let before = text.get(..at).unwrap_or_default();
            if before.len() - before.trim_end_matches('\\').len() != 1 {
                return Some(from + at);
            }
            let escaped = if self.from(from + at).starts_with("{{{{") { 4 } else { 2 };
            from += at + escaped;
        }
    }

    /// Reads the tag at `start`; `None` if the scan ends here.
    fn tag(&mut self, start: usize) -> Result<Option<usize>, TemplateError> {
        let text = self.from(start);
        if text.starts_with("{{{{") {
            return self.raw_block(start);
        }
        if text.starts_with("{{!") {
            let end = comment_length(text).map(|length| start + length);
            return Ok(self.found(TagKind::Comment, start, end, "comment"));
        }
        let inner = text.get(2..).unwrap_or_default();
        let inner = inner.trim_start_matches(is_space);
        let inner = inner.strip_prefix('~').unwrap_or(inner).trim_start_matches(is_space);
        let kind = match inner.chars().next() {
            Some('#') => TagKind::Open,
            Some('/') if !inner.starts_with("/*") => TagKind::Close,
            Some('^') => TagKind::Else,
            _ if inner.starts_with("else") => TagKind::Else,
            _ => TagKind::Value,
        };
        let end = match self.extent(start + 2, "}}")? {
            Extent::Unsure => return self.unsure(start),
            Extent::To(end) => Some(end),
            Extent::Open => None,
        };
        let Some(end) = self.found(kind, start, end, "tag") else { return Ok(None) };
        let name = block_name(inner);
        match kind {
            TagKind::Open => self.open_block(name, start..end)?,
            TagKind::Close => self.close_block(name, start..end),
            TagKind::Else => self.else_tag(start..end)?,
            _ => {}
        }
        Ok(Some(end))
    }

    fn found(&mut self, kind: TagKind, start: usize, end: Option<usize>, what: &str) -> Option<usize> {
        match end {
            Some(end) => self.tags.push(Tag { kind, span: start..end }),
            None => self.report(TemplateError::syntax(start..start + 2, format!("unclosed {what}"))),
        }
        end
    }

    fn raw_block(&mut self, start: usize) -> Result<Option<usize>, TemplateError> {
        let head = match self.extent(start + 4, "}}}}")? {
            Extent::Unsure => return self.unsure(start),
            Extent::To(end) => Some(end),
            Extent::Open => None,
        };
        let close = head.and_then(|head| self.next_tag(head, "{{{{"));
        let end = close.and_then(|close| Some(close + self.from(close).find("}}}}")? + 4));
        Ok(self.found(TagKind::Raw, start, end, "raw block"))
    }

    /// Looks for the `closing` braces of a tag, over strings and brackets.
    fn extent(&self, from: usize, closing: &str) -> Result<Extent, TemplateError> {
        let mut depth = 0usize;
        let mut braces = 0usize;
        let mut at = from;
        while let Some(c) = self.from(at).chars().next() {
            let rest = self.from(at);
            match c {
                '}' if braces > 0 => braces -= 1,
                '}' if rest.starts_with(closing) => return Ok(Extent::To(at + closing.len())),
                // No tag holds another one.
                '{' if rest.starts_with("{{") => return Ok(Extent::Open),
                '{' => braces += 1,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '"' | '\'' => match string_length(rest, c) {
                    Some(length) => {
                        at += length;
                        continue;
                    }
                    None => return Ok(Extent::Open),
                },
                '[' => match rest.find(']') {
                    Some(end) if !rest.get(1..end).unwrap_or_default().contains(AMBIGUOUS) => {
                        at += end + 1;
                        continue;
                    }
                    _ => return Ok(Extent::Unsure),
                },
                _ => {}
            }
            if depth > MAX_PAREN_DEPTH || braces > MAX_PAREN_DEPTH {
                let message = format!("parentheses nest deeper than {MAX_PAREN_DEPTH}");
                return Err(TemplateError::too_complex(at..at + 1, message));
            }
            at += c.len_utf8();
        }
        Ok(Extent::Open)
    }

    /// Ends the scan, if what is left cannot nest too deep whatever it means.
    fn unsure(&self, start: usize) -> Result<Option<usize>, TemplateError> {
        let rest = self.from(start);
        let brackets = rest.matches(['(', '[']).count();
        // An object starts with a brace of its own; those of tags come in pairs.
        let objects = rest.split("{{").map(|part| part.trim_start_matches('{').matches('{').count());
        let objects: usize = objects.sum();
        let blocks = rest.matches(['#', '^']).count() + rest.matches("else").count();
        if self.open.len() + brackets + objects + blocks > MAX_UNSURE_DEPTH {
            let message = "a `[…]` with quotes or brackets in it needs a shorter template";
            return Err(TemplateError::too_complex(start..start + 2, message)
                .with_help("read such a key with `lookup`, as in `{{lookup this \"a[b]\"}}`"));
        }
        Ok(None)
    }

    fn open_block(&mut self, name: &'s str, span: Range<usize>) -> Result<(), TemplateError> {
        if self.open.len() >= MAX_BLOCK_DEPTH {
            let message = format!("block `{name}` nests deeper than {MAX_BLOCK_DEPTH} blocks");
            return Err(TemplateError::too_complex(span, message));
        }
        self.open.push(Block { name, span, elses: 0 });
        Ok(())
    }

    fn close_block(&mut self, name: &str, span: Range<usize>) {
        match self.open.pop() {
            Some(block) if block.name == name || name.is_empty() => {}
            Some(block) => {
                let message = format!("`{{{{/{name}}}}}` closes block `{}`", block.name);
                self.report(
                    TemplateError::syntax(span, message)
                        .with_help(format!("close it with `{{{{/{}}}}}`", block.name)),
                );
            }
            None => self.report(TemplateError::syntax(span, format!("`{{{{/{name}}}}}` closes no block"))),
        }
    }

    fn else_tag(&mut self, span: Range<usize>) -> Result<(), TemplateError> {
        let Some(block) = self.open.last_mut() else {
            let tag = self.source.get(span.clone()).unwrap_or_default();
            let inner = tag.trim_matches(|c: char| is_space(c) || matches!(c, '{' | '}' | '~'));
            let error = match inner.strip_prefix('^').map(|name| name.trim_matches(is_space)) {
                Some(name) if !name.is_empty() => {
                    TemplateError::syntax(span, format!("`{tag}` outside a block"))
                        .with_help(format!("write `{{{{#unless {name}}}}}`"))
                }
                _ => TemplateError::syntax(span, "`{{else}}` outside a block"),
            };
            self.report(error);
            return Ok(());
        };
        block.elses += 1;
        if self.open.iter().map(|block| block.elses).sum::<usize>() > MAX_ELSE {
            let message = format!("more than {MAX_ELSE} `else` in a row");
            return Err(TemplateError::too_complex(span, message));
        }
        Ok(())
    }

    /// Keeps the first problem: the crate stops at it.
    fn report(&mut self, error: TemplateError) {
        self.problem.get_or_insert(error);
    }
}

/// What makes the text between `[` and `]` read differently as a key and as an array.
const AMBIGUOUS: [char; 3] = ['"', '\'', '['];

fn comment_length(text: &str) -> Option<usize> {
    let body = text.get(3..)?;
    let dashed = body.trim_start_matches(is_space).strip_prefix("--");
    if let Some(end) = dashed.and_then(|dashed| Some(text.len() - dashed.len() + dashed.find("--}}")? + 4)) {
        return Some(end);
    }
    body.find("}}").map(|at| at + 5)
}

/// The length of the string that `text` starts with, quotes included.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next()?;
            }
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The name in `#name`, `#*name`, `#> name` and `/name`.
fn block_name(inner: &str) -> &str {
    let name = inner.trim_start_matches(|c: char| is_space(c) || matches!(c, '#' | '/' | '*' | '>'));
    let end = name.find(|c: char| is_space(c) || matches!(c, '}' | '~' | '(' | '"'));
    name.get(..end.unwrap_or(name.len())).unwrap_or_default()
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
