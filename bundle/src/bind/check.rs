//! Checking values by what is where on the tape. Recursion is bounded by the depth that arguments may have.

use super::formats;
use super::pass::{Pass, Source};
use super::prepared::{ArrayCheck, Check, CheckRef, Length, Name, NumberCheck, ObjectCheck, StringCheck};
use super::problem::{ProblemKind, Refused, Report};
use super::wording;
use crate::json::{Kind, Span, Value, decimal};
use crate::plan::TypeSet;
use crate::strings::{StrId, Strings};
use std::cmp::Ordering;

/// Names up to which a list is searched from its start.
const SHORT_LIST: usize = 32;

/// Where a value is: a chain on the stack, read only when there is a problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'p> {
    pub parent: Option<&'p At<'p>>,
    pub step: Step,
    /// Belongs to a sensitive parameter: neither its value nor names inside it are shown.
    pub sensitive: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A name's place on the tape.
    Key(usize),
    Index(usize),
}

impl<'p> At<'p> {
    fn inside(&'p self, step: Step) -> At<'p> {
        At { parent: Some(self), step, sensitive: self.sensitive }
    }

    /// As in `items[2].name`.
    fn path(&self, source: &Source<'_>) -> String {
        let mut path = String::new();
        self.write_path(source, &mut path);
        wording::path(&path)
    }

    /// The path of a declared member that is not there; its name is the spec's, never the caller's.
    fn path_to(&self, source: &Source<'_>, name: &str) -> String {
        let mut path = self.path(source);
        path.push('.');
        path.push_str(name);
        path
    }

    fn write_path(&self, source: &Source<'_>, path: &mut String) {
        if let Some(parent) = self.parent {
            parent.write_path(source, path);
            if self.sensitive {
                return;
            }
        }
        match self.step {
            Step::Index(index) => {
                path.push('[');
                path.push_str(&index.to_string());
                path.push(']');
            }
            Step::Key(place) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&wording::shorten(source.value_at(place).unescaped(&mut String::new())));
            }
        }
    }
}

impl<R: Report> Pass<'_, '_, R> {
    /// Checks the value at this place of the tape and gives the place after it.
    #[inline(always)]
    pub(super) fn value(
        &mut self,
        check: CheckRef,
        place: usize,
        at: &At<'_>,
        optional: bool,
    ) -> Result<usize, Refused> {
        // A name is followed by its value on every tape.
        let span = self.source.tape.get(place).ok_or(Refused)?;
        if check.takes_any(span.kind) {
            return Ok(place + 1);
        }
        let Some(check) = self.source.tools.checks.get(check.index as usize) else {
            // A loaded bundle has no such index; if it had, nothing may pass unchecked.
            self.problem(ProblemKind::Schema, at, |path| format!("`{path}` cannot be checked"))?;
            return Ok(self.source.after(place));
        };
        match span.kind {
            Kind::Array | Kind::Object => self.container(check, place, span, at, optional),
            _ => {
                self.scalar(check, span, at, optional)?;
                Ok(place + 1)
            }
        }
    }

    #[inline(never)]
    fn container(
        &mut self,
        check: &Check,
        place: usize,
        span: &Span,
        at: &At<'_>,
        optional: bool,
    ) -> Result<usize, Refused> {
        let is_plain = check.enumeration.is_empty();
        match (span.kind, &check.array, &check.object) {
            (Kind::Array, Some(array), _) if is_plain && check.types.contains(TypeSet::ARRAY) => {
                self.array(array, place, span, at)
            }
            (Kind::Object, _, Some(object)) if is_plain && check.types.contains(TypeSet::OBJECT) => {
                self.object(object, place, span, at)
            }
            _ => {
                let next = self.unchecked(place, at)?;
                self.whole(check, span.of(self.source.text), at, optional)?;
                Ok(next)
            }
        }
    }

    /// Checks a string, a number, a boolean or null.
    #[inline(never)]
    fn scalar(&mut self, check: &Check, span: &Span, at: &At<'_>, optional: bool) -> Result<(), Refused> {
        let value = span.of(self.source.text);
        if value.kind == Kind::Number
            && check.enumeration.is_empty()
            && is_surely_fine(check, value.text.as_bytes())
        {
            return Ok(());
        }
        self.whole(check, value, at, optional)
    }

    /// Checks a value that needs no look inside.
    fn whole(&mut self, check: &Check, value: Value<'_>, at: &At<'_>, optional: bool) -> Result<(), Refused> {
        let contents = self.source.contents;
        if !has_type(check.types, value) {
            return self.problem(ProblemKind::WrongType, at, |path| {
                wording::wrong_type(path, check.types, value, at.sensitive, optional)
            });
        }
        if !check.enumeration.is_empty() && !is_listed(&contents.strings, &check.enumeration, value) {
            return self.problem(ProblemKind::NotInEnum, at, |path| {
                let got = wording::value(value, at.sensitive);
                format!("`{path}` must be one of {}, not {got}", wording::allowed(contents, check))
            });
        }
        match (value.kind, &check.number, &check.string) {
            (Kind::Number, Some(number), _) => self.number(number, value, at),
            (Kind::String, _, Some(string)) => self.string(string, value, at),
            _ => Ok(()),
        }
    }

    fn number(&mut self, check: &NumberCheck, value: Value<'_>, at: &At<'_>) -> Result<(), Refused> {
        self.bound(check.minimum, "at least", Ordering::is_ge, value, at)?;
        self.bound(check.exclusive_minimum, "greater than", Ordering::is_gt, value, at)?;
        self.bound(check.maximum, "at most", Ordering::is_le, value, at)?;
        self.bound(check.exclusive_maximum, "less than", Ordering::is_lt, value, at)
    }

    /// Checks a number against a bound, if there is one; `holds` accepts an order of the two.
    fn bound(
        &mut self,
        bound: Option<StrId>,
        words: &str,
        holds: impl Fn(Ordering) -> bool,
        value: Value<'_>,
        at: &At<'_>,
    ) -> Result<(), Refused> {
        let Some(bound) = bound.map(|id| self.source.string(id)) else { return Ok(()) };
        if holds(decimal::compare(value.text, bound)) {
            return Ok(());
        }
        self.problem(ProblemKind::OutOfRange, at, |path| {
            format!("`{path}` must be {words} {bound}, not {}", wording::value(value, at.sensitive))
        })
    }

    fn string(&mut self, check: &StringCheck, value: Value<'_>, at: &At<'_>) -> Result<(), Refused> {
        let source = self.source;
        let Source { contents, matchers, .. } = source;
        let text = value.unescaped(&mut self.scratch.text);
        let report = &mut self.report;
        // A character has one to four bytes, so most texts need not be counted.
        let Length { least, most } = check.length;
        if text.len() > most as usize || text.len().div_ceil(4) < least as usize {
            check_length(&source, report, at, "character", text.chars().count(), check.length)?;
        }
        if let Some(index) = check.pattern
            && !matchers.pattern(contents, index).is_some_and(|pattern| pattern.is_match(text))
        {
            report.problem(ProblemKind::Pattern, || {
                let pattern = contents.manifest.patterns.get(index as usize);
                let pattern = pattern.map(|&id| contents.strings.get(id)).unwrap_or_default();
                let (path, got) = (at.path(&source), wording::value(value, at.sensitive));
                let message = format!("`{path}` must match the pattern `{pattern}`, not {got}");
                (path, message)
            })?;
        }
        match check.format {
            Some(format) if !formats::matches(format, text) => report.problem(ProblemKind::Format, || {
                let (example, got) = (formats::example(format), wording::got(value, at.sensitive));
                let path = at.path(&source);
                let message =
                    format!("`{path}` must be in the format `{format}`, such as \"{example}\", not {got}");
                (path, message)
            }),
            _ => Ok(()),
        }
    }

    fn array(
        &mut self,
        check: &ArrayCheck,
        place: usize,
        span: &Span,
        at: &At<'_>,
    ) -> Result<usize, Refused> {
        let (mut next, mut length) = (place + 1, 0);
        while self.source.tape.get(next).is_some_and(|element| element.start() < span.end()) {
            let inner = at.inside(Step::Index(length));
            next = match check.items {
                Some(items) => self.value(items, next, &inner, false)?,
                None => self.unchecked(next, &inner)?,
            };
            length += 1;
        }
        check_length(&self.source, &mut self.report, at, "item", length, check.length)?;
        Ok(next)
    }

    fn object(
        &mut self,
        check: &ObjectCheck,
        place: usize,
        span: &Span,
        at: &At<'_>,
    ) -> Result<usize, Refused> {
        let source = self.source;
        let base = self.scratch.seen.len();
        self.scratch.seen.resize(base + check.properties.len().div_ceil(64), 0);
        let names = self.scratch.names.open();
        let (mut next, mut count) = (place + 1, 0);
        while let Some(key) = source.tape.get(next).filter(|key| key.start() < span.end()) {
            count += 1;
            let inner = at.inside(Step::Key(next));
            let index = self.find(key, &check.properties, |property| &property.name);
            next = match index.and_then(|index| Some((index, check.properties.get(index)?))) {
                Some((index, property)) => {
                    if self.mark_seen(base, index) {
                        self.duplicate_member(&inner)?;
                    }
                    self.value(property.check, next + 1, &inner, !property.required)?
                }
                None => {
                    self.scratch.names.push(source.text, key);
                    self.undeclared(check, next, &inner)?
                }
            };
        }
        for (index, property) in check.properties.iter().enumerate() {
            if property.required && !self.is_seen(base, index) {
                self.report.problem(ProblemKind::Missing, || {
                    let path = at.path_to(&source, source.string(property.name.text));
                    let node = source.tools.checks.get(property.check.index as usize);
                    let message = wording::missing(&path, source.contents, node);
                    (path, message)
                })?;
            }
        }
        self.scratch.seen.truncate(base);
        if let Some(key) = self.scratch.names.close(names, source.text) {
            self.duplicate_name(&key, at)?;
        }
        check_length(&source, &mut self.report, at, "member", count, check.length)?;
        Ok(next)
    }

    /// A member that no property names; its name is at `place`.
    fn undeclared(&mut self, check: &ObjectCheck, place: usize, at: &At<'_>) -> Result<usize, Refused> {
        if let Some(additional) = check.additional {
            return self.value(additional, place + 1, at, true);
        }
        if check.closed {
            let source = self.source;
            self.problem(ProblemKind::UnknownArgument, at, |path| {
                if at.sensitive {
                    return format!("`{path}` has a member that is not known");
                }
                let names = check.properties.iter().map(|property| source.string(property.name.text));
                let name = source.value_at(place).unescaped(&mut String::new()).to_owned();
                wording::unknown_property(path, &name, names)
            })?;
        }
        self.unchecked(place + 1, at)
    }

    /// A value of which only the names of members are checked: none may occur twice.
    #[inline]
    fn unchecked(&mut self, place: usize, at: &At<'_>) -> Result<usize, Refused> {
        match self.source.tape.get(place) {
            Some(span) if matches!(span.kind, Kind::Array | Kind::Object) => {
                self.unchecked_container(place, span, at)
            }
            _ => Ok(place + 1),
        }
    }

    fn unchecked_container(&mut self, place: usize, span: &Span, at: &At<'_>) -> Result<usize, Refused> {
        let source = self.source;
        let names = self.scratch.names.open();
        let (mut next, mut index) = (place + 1, 0);
        while let Some(inner) = source.tape.get(next).filter(|inner| inner.start() < span.end()) {
            next = if span.kind == Kind::Object {
                self.scratch.names.push(source.text, inner);
                self.unchecked(next + 1, &at.inside(Step::Key(next)))?
            } else {
                self.unchecked(next, &at.inside(Step::Index(index)))?
            };
            index += 1;
        }
        if let Some(key) = self.scratch.names.close(names, source.text) {
            self.duplicate_name(&key, at)?;
        }
        Ok(next)
    }

    /// Reports a name that an object holds twice.
    fn duplicate_name(&mut self, key: &Span, at: &At<'_>) -> Result<(), Refused> {
        let place = self.source.tape.partition_point(|value| value.start() < key.start());
        self.duplicate_member(&at.inside(Step::Key(place)))
    }

    fn duplicate_member(&mut self, at: &At<'_>) -> Result<(), Refused> {
        self.problem(ProblemKind::DuplicateArgument, at, |path| {
            let has = if at.sensitive { "has a member that is" } else { "is" };
            format!("`{path}` {has} given twice")
        })
    }

    /// Marks a property; `true` if it was marked before.
    fn mark_seen(&mut self, base: usize, index: usize) -> bool {
        let Some(word) = self.scratch.seen.get_mut(base + index / 64) else { return false };
        let bit = 1 << (index % 64);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }

    fn is_seen(&self, base: usize, index: usize) -> bool {
        self.scratch.seen.get(base + index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    fn problem(
        &mut self,
        kind: ProblemKind,
        at: &At<'_>,
        message: impl FnOnce(&str) -> String,
    ) -> Result<(), Refused> {
        let source = &self.source;
        self.report.problem(kind, || {
            let path = at.path(source);
            let message = message(&path);
            (path, message)
        })
    }

    /// The index of a name in a list that is sorted by name.
    #[inline(always)]
    pub(super) fn find<T>(&mut self, key: &Span, list: &[T], name: impl Fn(&T) -> &Name) -> Option<usize> {
        let source = self.source;
        let strings = &source.contents.strings;
        let text = source.text.as_bytes();
        let raw = text.get(key.start() + 1..key.end().wrapping_sub(1))?;
        if key.escaped || list.len() > SHORT_LIST {
            return self.find_rarely(key, list, name);
        }
        let start = Name::start_in(text, key.start() + 1, raw.len());
        list.iter().position(|item| name(item).is(strings, raw, start))
    }

    /// A name with escapes, or one of many.
    #[inline(never)]
    fn find_rarely<T>(&mut self, key: &Span, list: &[T], name: impl Fn(&T) -> &Name) -> Option<usize> {
        let strings = &self.source.contents.strings;
        let wanted = key.of(self.source.text).unescaped(&mut self.scratch.text).as_bytes();
        list.binary_search_by(|item| strings.bytes(name(item).text).cmp(wanted)).ok()
    }
}

fn has_type(types: TypeSet, value: Value<'_>) -> bool {
    match value.kind {
        Kind::Null => types.contains(TypeSet::NULL),
        Kind::Boolean => types.contains(TypeSet::BOOLEAN),
        Kind::String => types.contains(TypeSet::STRING),
        Kind::Array => types.contains(TypeSet::ARRAY),
        Kind::Object => types.contains(TypeSet::OBJECT),
        Kind::Number => {
            types.contains(TypeSet::NUMBER)
                || types.contains(TypeSet::INTEGER) && decimal::is_integer(value.text)
        }
    }
}

fn is_listed(strings: &Strings, enumeration: &[StrId], value: Value<'_>) -> bool {
    // Most values are written as the plan has them.
    enumeration.iter().any(|&id| strings.is(id, value.text.as_bytes()))
        || enumeration.iter().any(|&id| {
            let allowed = Value::of_valid(strings.get(id));
            allowed.kind == value.kind
                && match value.kind {
                    Kind::String => allowed.same_string(&value),
                    Kind::Number => decimal::compare(allowed.text, value.text) == Ordering::Equal,
                    _ => false,
                }
        })
}

/// Whether a number has the type and is within the bounds, as far as a few digits decide: others are compared as decimals.
#[inline(always)]
fn is_surely_fine(check: &Check, digits: &[u8]) -> bool {
    let Some((whole, is_whole)) = whole_part(digits) else { return false };
    let is_typed =
        check.types.contains(TypeSet::NUMBER) || is_whole && check.types.contains(TypeSet::INTEGER);
    is_typed
        && check.number.as_ref().is_none_or(|&NumberCheck { least, most, .. }| {
            // A fraction makes it less than one greater.
            whole >= least && whole + i64::from(!is_whole) <= most
        })
}

/// The whole part of a number that is not negative and has few digits, and whether that is all of it.
#[inline(always)]
fn whole_part(text: &[u8]) -> Option<(i64, bool)> {
    const MOST_DIGITS: usize = 18;
    if text.len() > MOST_DIGITS {
        return None;
    }
    let mut whole = 0;
    let mut digits = text.iter();
    for byte in digits.by_ref() {
        match byte {
            b'0'..=b'9' => whole = whole * 10 + i64::from(byte - b'0'),
            b'.' => return digits.all(u8::is_ascii_digit).then_some((whole, false)),
            _ => return None,
        }
    }
    Some((whole, true))
}

#[inline]
fn check_length(
    source: &Source<'_>,
    report: &mut impl Report,
    at: &At<'_>,
    unit: &str,
    length: usize,
    allowed: Length,
) -> Result<(), Refused> {
    if allowed.holds(length) {
        return Ok(());
    }
    let (words, bound) = match allowed.least {
        least if length < least as usize => ("at least", least),
        _ => ("at most", allowed.most),
    };
    report.problem(ProblemKind::Length, || {
        let (path, plural) = (at.path(source), if bound == 1 { "" } else { "s" });
        let message = format!("`{path}` must have {words} {bound} {unit}{plural}, not {length}");
        (path, message)
    })
}
