//! The member names of objects being read: none may occur twice.
//!
//! Of two members of one name, an upstream may read another one than was checked. Names that a check
//! declares are marked there; this is for all others, of which there may be any number.

use super::shorten;
use crate::json::{self, Kind, Span, utf8};

/// Whether a text is JSON with no member twice; the error says why not.
pub(crate) fn sound_json(
    body: &[u8],
    depth: usize,
    tape: &mut Vec<Span>,
    names: &mut Names,
) -> Result<(), String> {
    let text = utf8::read(body).map_err(|_| "it is not text".to_owned())?;
    let value = json::record(text, depth, tape).map_err(|error| error.to_string())?;
    names.clear();
    match names.read_inside(text, tape, 0, value.kind, text.len()) {
        Ok(_) => Ok(()),
        Err(twice) => {
            Err(format!("it has two members `{}`", shorten(twice.of(text).unescaped(&mut String::new()))))
        }
    }
}

/// A stack of names, those of the innermost object last.
#[derive(Debug, Default)]
pub(crate) struct Names {
    list: Vec<Name>,
    /// The characters of names that are written with escapes, so that comparing never unescapes.
    text: String,
}

#[derive(Debug, Clone, Copy)]
struct Name {
    key: Span,
    /// Its characters' place: in [`Names::text`] if it has escapes, else in the text that was read.
    start: usize,
    end: usize,
}

/// Where an object's names begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    list: usize,
    text: usize,
}

impl Names {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.text.clear();
    }

    /// Begins an object.
    pub(crate) fn open(&self) -> Mark {
        Mark { list: self.list.len(), text: self.text.len() }
    }

    /// Adds a name, which is in `text`.
    pub(crate) fn push(&mut self, text: &str, key: &Span) {
        let (start, end) = if key.escaped {
            let start = self.text.len();
            json::unescape(key.of(text).raw(), &mut self.text);
            (start, self.text.len())
        } else {
            (key.start() + 1, key.end().saturating_sub(1))
        };
        self.list.push(Name { key: *key, start, end });
    }

    /// Ends an object, forgetting its names; gives one that it holds twice.
    ///
    /// Sorted by length first, names are only compared with others that are as long, so all of it takes
    /// the size of the names times the logarithm of their number.
    #[inline]
    pub(crate) fn close(&mut self, mark: Mark, text: &str) -> Option<Span> {
        if self.list.len() == mark.list {
            return None;
        }
        let twice = self.twice(mark, text);
        self.list.truncate(mark.list);
        self.text.truncate(mark.text);
        twice
    }

    /// A name that an object holds twice, in a value that is at this place of a tape; else the place after it. Recursion is
    /// bounded by the depth of the tape.
    pub(crate) fn read(&mut self, text: &str, tape: &[Span], place: usize) -> Result<usize, Span> {
        let Some(value) = tape.get(place) else { return Ok(place) };
        self.read_inside(text, tape, place + 1, value.kind, value.end())
    }

    /// The same for what is in an array or object, from a place to where it ends in the text.
    pub(crate) fn read_inside(
        &mut self,
        text: &str,
        tape: &[Span],
        mut place: usize,
        kind: Kind,
        end: usize,
    ) -> Result<usize, Span> {
        let mark = self.open();
        while let Some(inner) = tape.get(place).filter(|inner| inner.start() < end) {
            if kind == Kind::Object {
                self.push(text, inner);
                place += 1;
            }
            place = self.read(text, tape, place)?;
        }
        self.close(mark, text).map_or(Ok(place), Err)
    }

    fn twice(&mut self, mark: Mark, source: &str) -> Option<Span> {
        let names = self.list.get_mut(mark.list..).unwrap_or_default();
        let escaped = self.text.as_bytes();
        let characters = |name: &Name| {
            let text = if name.key.escaped { escaped } else { source.as_bytes() };
            text.get(name.start..name.end).unwrap_or_default()
        };
        let length = |name: &Name| name.end - name.start;
        names.sort_unstable_by(|a, b| {
            length(a).cmp(&length(b)).then_with(|| characters(a).cmp(characters(b)))
        });
        let next = names.iter().skip(1);
        names.iter().zip(next).find(|(a, b)| characters(a) == characters(b)).map(|(a, _)| a.key)
    }
}
