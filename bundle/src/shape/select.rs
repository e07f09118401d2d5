//! The paths of `select`, such as `orderId`, `items[].name` or `[].id`.
//!
//! Names are separated by dots, and `[]` stands for every element of an array. A backslash takes the meaning from
//! `.`, `[`, `]` and itself. The compiler refuses what this refuses, with the same words.

use std::borrow::Cow;
use std::fmt;

/// The most steps of one path; a deeper answer is not read anyway.
pub const MAX_SEGMENTS: usize = 64;
/// The most paths that a tool may have: they are compared each with each.
pub const MAX_PATHS: usize = 256;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment<'a> {
    /// The member of this name, its escapes resolved.
    Name(Cow<'a, str>),
    /// Every element of an array.
    Each,
}

/// The steps of a path.
pub fn parse(path: &str) -> Result<Vec<Segment<'_>>, PathError> {
    Segments::new(path).collect()
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathError {
    pub message: &'static str,
    /// The byte of the path that it is about.
    pub offset: usize,
}

/// Reads a path step by step, without a list of them. Ends after an error.
#[derive(Debug, Clone)]
pub(super) struct Segments<'a> {
    path: &'a str,
    at: usize,
    count: usize,
    /// A name has to follow.
    name_next: bool,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for PathError {}

impl<'a> Segments<'a> {
    pub(super) fn new(path: &'a str) -> Segments<'a> {
        Segments { path, at: 0, count: 0, name_next: !path.starts_with("[") }
    }

    fn segment(&mut self) -> Result<Option<Segment<'a>>, PathError> {
        if !self.name_next {
            match self.byte(self.at) {
                None => return Ok(None),
                Some(b'[') => return self.each().map(Some),
                Some(b'.') => self.at += 1,
                Some(b']') => return Err(error("`]` without `[`", self.at)),
                Some(_) => return Err(error("expected `.` or `[]`", self.at)),
            }
        }
        self.name().map(Some)
    }

    fn each(&mut self) -> Result<Segment<'a>, PathError> {
        let inside = self.at + 1;
        if self.byte(inside) != Some(b']') {
            let rest = self.path.get(inside..).unwrap_or_default();
            let message = match rest.contains(']') {
                true => "only `[]`, which is every element, is known in brackets",
                false => "`[` without `]`",
            };
            return Err(error(message, self.at));
        }
        self.at = inside + 1;
        Ok(Segment::Each)
    }

    fn name(&mut self) -> Result<Segment<'a>, PathError> {
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.byte(self.at) {
                Some(b'\\') => {
                    if !matches!(self.byte(self.at + 1), Some(b'.' | b'[' | b']' | b'\\')) {
                        return Err(error("`\\` is only allowed before `.`, `[`, `]` and `\\`", self.at));
                    }
                    escaped = true;
                    self.at += 2;
                }
                Some(b']') => return Err(error("`]` without `[`", self.at)),
                None | Some(b'.' | b'[') => break,
                Some(_) => self.at += 1,
            }
        }
        let raw = self.path.get(start..self.at).unwrap_or_default();
        if raw.is_empty() {
            return Err(error("expected a name", start));
        }
        self.name_next = false;
        Ok(Segment::Name(if escaped { unescape(raw).into() } else { raw.into() }))
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.path.as_bytes().get(at).copied()
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Result<Segment<'a>, PathError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let mut found = self.segment().transpose()?;
        self.count += 1;
        if self.count > MAX_SEGMENTS {
            found = Err(error("more than 64 steps", start));
        }
        if found.is_err() {
            *self = Segments { path: "", at: 0, count: 0, name_next: false };
        }
        Some(found)
    }
}

fn error(message: &'static str, offset: usize) -> PathError {
    PathError { message, offset }
}

/// Every backslash comes before the character that is meant.
fn unescape(raw: &str) -> String {
    let mut name = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        name.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> Segment<'_> {
        Segment::Name(text.into())
    }

    #[test]
    fn paths_are_names_and_every_element() {
        let each = Segment::Each;
        assert_eq!(parse("orderId").unwrap(), [name("orderId")]);
        assert_eq!(parse("a.b[].c").unwrap(), [name("a"), name("b"), each.clone(), name("c")]);
        assert_eq!(parse("[].id").unwrap(), [each.clone(), name("id")]);
        assert_eq!(parse("[][]").unwrap(), [each.clone(), each.clone()]);
        assert_eq!(parse("a[][].b[]").unwrap(), [name("a"), each.clone(), each.clone(), name("b"), each]);
        assert_eq!(parse("é .$*").unwrap(), [name("é "), name("$*")]);
    }

    #[test]
    fn a_backslash_takes_the_meaning_away() {
        assert_eq!(parse(r"a\.b\[\]\\.c").unwrap(), [name(r"a.b[]\"), name("c")]);
        assert_eq!(parse(r"\[][]").unwrap_err().to_string(), "`]` without `[` at byte 2");
    }

    #[test]
    fn an_invalid_path_is_refused_where_it_goes_wrong() {
        for (path, message) in [
            ("", "expected a name at byte 0"),
            (".a", "expected a name at byte 0"),
            ("a.", "expected a name at byte 2"),
            ("a..b", "expected a name at byte 2"),
            ("a.[]", "expected a name at byte 2"),
            ("[].", "expected a name at byte 3"),
            ("a[]b", "expected `.` or `[]` at byte 3"),
            ("é[0]", "only `[]`, which is every element, is known in brackets at byte 2"),
            ("a[*].b", "only `[]`, which is every element, is known in brackets at byte 1"),
            ("a[", "`[` without `]` at byte 1"),
            ("a[.b", "`[` without `]` at byte 1"),
            ("a]", "`]` without `[` at byte 1"),
            ("a[]]", "`]` without `[` at byte 3"),
            (r"a\b", "`\\` is only allowed before `.`, `[`, `]` and `\\` at byte 1"),
            ("a\\", "`\\` is only allowed before `.`, `[`, `]` and `\\` at byte 1"),
        ] {
            assert_eq!(parse(path).unwrap_err().to_string(), message, "{path}");
        }
    }

    #[test]
    fn long_paths_are_refused() {
        assert_eq!(parse(&"[]".repeat(64)).unwrap().len(), 64);
        assert_eq!(parse(&"[]".repeat(65)).unwrap_err().to_string(), "more than 64 steps at byte 128");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(path in r"[ab\.\[\]\\é]{0,12}") {
            let _ = parse(&path);
        }

        #[test]
        fn any_name_can_be_written(names in prop::collection::vec(".{1,4}", 1..4)) {
            let escape = |name: &String| -> String {
                let special = |c: char| [".", "[", "]", "\\"].contains(&c.to_string().as_str());
                name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
            };
            let path = names.iter().map(escape).collect::<Vec<_>>().join(".");
            let expected: Vec<_> = names.iter().map(|text| name(text)).collect();
            prop_assert_eq!(parse(&path).unwrap(), expected);
        }
    }
}
