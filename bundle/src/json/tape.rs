//! Where all values of an object are, so that readers need not scan it again.

use super::{Kind, ScanError, Scanner, Span, Value};

/// The values of an object and of everything in it, in the order of the text: names and values of members take turns, elements
/// and members follow what they are in. Unless there are too many: then that is all it records.
#[derive(Debug, Clone, Copy)]
pub struct Tape<'a> {
    /// What was scanned, the object and all around it: what the places refer to.
    text: &'a str,
    values: [Span; MOST],
    count: usize,
    /// The object nests no deeper, itself included.
    pub(crate) depth: usize,
}

/// Most calls have fewer. Each takes 12 bytes of a message, which are cleared for each one.
const MOST: usize = 32;

/// Scans a text, one value and nothing else, and finds where all values in it are, however many there are: as
/// [`Tape::all`] does of an object.
pub(crate) fn record<'a>(text: &'a str, depth: usize, tape: &mut Vec<Span>) -> Result<Value<'a>, ScanError> {
    tape.clear();
    let mut scanner = Scanner::of_text(text, depth);
    let kind = scanner.peek()?;
    let value = scanner.recorded(kind, &mut Unbounded { values: tape, open: usize::MAX })?;
    scanner.finish()?;
    Ok(value)
}

impl<'a> Tape<'a> {
    /// Values that it can hold.
    pub const MOST: usize = MOST;

    /// That of an empty object.
    pub(crate) const EMPTY: Tape<'static> =
        Tape { text: "", values: [Span::new(0, 0, Kind::Null, false); MOST], count: 0, depth: 1 };

    /// Starts again.
    #[inline(always)]
    pub(super) fn record(&mut self) -> Recorder<'_> {
        Recorder { values: &mut self.values, count: 0, open: usize::MAX }
    }

    /// What was recorded are so many values.
    #[inline(always)]
    pub(super) fn end(&mut self, text: &'a str, count: usize, depth: usize) {
        self.text = text;
        self.count = count;
        self.depth = depth;
    }

    /// What the places refer to.
    #[inline]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// All values but the object itself, or nothing.
    #[inline]
    pub fn all(&self) -> Option<&[Span]> {
        self.values.get(..self.count)
    }
}

impl Default for Tape<'_> {
    fn default() -> Self {
        Tape::EMPTY
    }
}

/// Records where skipped values are.
pub(super) trait Record {
    fn value(&mut self, start: usize, end: usize, kind: Kind, escaped: bool);

    /// An array or object begins.
    fn open(&mut self, start: usize, kind: Kind);

    /// The innermost one ends.
    fn close(&mut self, end: usize);
}

/// Nobody.
impl Record for () {
    #[inline(always)]
    fn value(&mut self, _: usize, _: usize, _: Kind, _: bool) {}

    #[inline(always)]
    fn open(&mut self, _: usize, _: Kind) {}

    #[inline(always)]
    fn close(&mut self, _: usize) {}
}

/// Fills a tape.
pub(super) struct Recorder<'t> {
    values: &'t mut [Span; MOST],
    /// Also of those for which there is no place.
    pub(super) count: usize,
    /// The innermost array or object that is not closed yet; as long, its end is the place of the one around it.
    open: usize,
}

impl Record for Recorder<'_> {
    #[inline(always)]
    fn value(&mut self, start: usize, end: usize, kind: Kind, escaped: bool) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = Span::new(start, end, kind, escaped);
        }
        self.count += 1;
    }

    #[inline(always)]
    fn open(&mut self, start: usize, kind: Kind) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = Span::new(start, self.open, kind, false);
        }
        self.open = self.count;
        self.count += 1;
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        // Beyond the last place nothing is known, nor asked for.
        if let Some(place) = self.values.get_mut(self.open) {
            self.open = place.end();
            place.set_end(end);
        }
    }
}

/// Fills a list.
struct Unbounded<'t> {
    values: &'t mut Vec<Span>,
    /// As [`Recorder::open`].
    open: usize,
}

impl Record for Unbounded<'_> {
    #[inline(always)]
    fn value(&mut self, start: usize, end: usize, kind: Kind, escaped: bool) {
        self.values.push(Span::new(start, end, kind, escaped));
    }

    #[inline(always)]
    fn open(&mut self, start: usize, kind: Kind) {
        self.values.push(Span::new(start, self.open, kind, false));
        self.open = self.values.len() - 1;
    }

    #[inline(always)]
    fn close(&mut self, end: usize) {
        if let Some(place) = self.values.get_mut(self.open) {
            self.open = place.end();
            place.set_end(end);
        }
    }
}
