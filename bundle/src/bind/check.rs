//! Checking a value against the compiled check tree while it is scanned.

use super::Problems;
use super::arguments::find_name;
use super::names::{Mark, Names};
use super::problem::ProblemKind;
use super::wording;
use crate::bind::formats;
use crate::bind::matchers::Matchers;
use crate::json::decimal;
use crate::json::{Kind, ScanError, Scanner, Span, Value};
use crate::plan::{
    ArrayCheck, Check, Contents, NumberCheck, ObjectCheck, Property, StringCheck, ToolPlan, TypeSet,
};
use crate::strings::{StrId, Strings};
use std::cmp::Ordering;

/// Where a value stands: a chain on the stack, read only when there is a problem.
#[derive(Debug)]
pub(super) struct At<'p> {
    pub parent: Option<&'p At<'p>>,
    pub step: Step<'p>,
    /// Belongs to a sensitive parameter: neither its value nor names inside it are told.
    pub sensitive: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    Key(Value<'p>),
    Index(usize),
}

pub(super) struct Checker<'c, 'a> {
    pub contents: &'c Contents,
    pub matchers: &'c Matchers,
    pub tool: &'c ToolPlan,
    pub scanner: Scanner<'a>,
    pub problems: &'c mut Problems,
    pub seen: &'c mut Vec<u64>,
    /// Names that no check declares.
    pub names: &'c mut Names,
    pub text: &'c mut String,
}

impl At<'_> {
    /// As in `items[2].name`.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        self.write_path(&mut path);
        wording::path(&path)
    }

    /// The path of a declared member that is not there; its name is the spec's, never the caller's.
    fn path_to(&self, name: &str) -> String {
        let mut path = self.path();
        path.push('.');
        path.push_str(name);
        path
    }

    /// Recursion is bounded by the depth that the scanner allows.
    fn write_path(&self, path: &mut String) {
        if let Some(parent) = self.parent {
            parent.write_path(path);
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
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&wording::shorten(key.unescaped(&mut String::new())));
            }
        }
    }
}

impl<'a> Checker<'_, 'a> {
    /// Takes the next value, checking it against a node of the tool's tree. Fails only where the text
    /// is not JSON or too deep; other problems are collected. Recursion is bounded by the scanner.
    pub(super) fn value(&mut self, check: u32, at: &At<'_>, optional: bool) -> Result<Value<'a>, ScanError> {
        let tool = self.tool;
        let Some(check) = tool.checks.get(check as usize) else {
            // A loaded bundle has no such index; if it had, nothing may pass unchecked.
            self.problem(ProblemKind::Schema, at, |path| format!("`{path}` cannot be checked"));
            return self.scanner.value();
        };
        let plain = check.enumeration.is_empty();
        let kind = self.scanner.peek()?;
        match (kind, &check.array, &check.object) {
            (Kind::Array, Some(array), _) if plain && check.types.contains(TypeSet::ARRAY) => {
                self.array(array, at)
            }
            (Kind::Object, _, Some(object)) if plain && check.types.contains(TypeSet::OBJECT) => {
                self.object(object, at)
            }
            _ => {
                let value = match kind {
                    Kind::Array | Kind::Object => self.unchecked(at)?,
                    Kind::Null | Kind::Boolean | Kind::Number | Kind::String => self.scanner.take(kind)?,
                };
                self.whole(check, value, at, optional);
                Ok(value)
            }
        }
    }

    /// Checks an argument whose place is known. As [`Checker::value`].
    #[inline]
    pub(super) fn known(
        &mut self,
        check: u32,
        span: &Span,
        at: &At<'_>,
        optional: bool,
    ) -> Result<(), ScanError> {
        let tool = self.tool;
        match (span.kind, tool.checks.get(check as usize)) {
            (Kind::Null | Kind::Boolean | Kind::Number | Kind::String, Some(check)) => {
                self.whole(check, span.of(self.scanner.text()), at, optional);
                Ok(())
            }
            _ => {
                self.scanner.move_into(span.start());
                self.value(check, at, optional).map(drop)
            }
        }
    }

    /// Checks a value that needs no look inside.
    fn whole(&mut self, check: &Check, value: Value<'a>, at: &At<'_>, optional: bool) {
        if !has_type(check.types, value) {
            self.problem(ProblemKind::WrongType, at, |_| {
                wording::wrong_type(at, check.types, value, optional)
            });
            return;
        }
        if !check.enumeration.is_empty() && !self.is_listed(check, value) {
            let contents = self.contents;
            self.problem(ProblemKind::NotInEnum, at, |path| {
                let got = wording::value(value, at.sensitive);
                format!("`{path}` must be one of {}, not {got}", wording::allowed(contents, check))
            });
            return;
        }
        match value.kind {
            Kind::Number => {
                if let Some(number) = &check.number {
                    self.number(number, value, at);
                }
            }
            Kind::String => {
                if let Some(string) = &check.string {
                    self.string(string, value, at);
                }
            }
            _ => {}
        }
    }

    fn is_listed(&self, check: &Check, value: Value<'_>) -> bool {
        let strings = &self.contents.strings;
        is_literally_listed(self.contents, check, value)
            || check.enumeration.iter().any(|&id| {
                let allowed = Value::of_valid(strings.get(id));
                allowed.kind == value.kind
                    && match value.kind {
                        Kind::String => allowed.same_string(&value),
                        Kind::Number => decimal::compare(allowed.text, value.text) == Ordering::Equal,
                        _ => false,
                    }
            })
    }

    fn number(&mut self, check: &NumberCheck, value: Value<'a>, at: &At<'_>) {
        self.bound(check.minimum, "at least", Ordering::is_ge, value, at);
        self.bound(check.exclusive_minimum, "greater than", Ordering::is_gt, value, at);
        self.bound(check.maximum, "at most", Ordering::is_le, value, at);
        self.bound(check.exclusive_maximum, "less than", Ordering::is_lt, value, at);
    }

    /// Checks a number against a bound, if there is one; `holds` tells a good order of the two.
    #[inline(always)]
    fn bound(
        &mut self,
        bound: Option<StrId>,
        words: &str,
        holds: impl Fn(Ordering) -> bool,
        value: Value<'a>,
        at: &At<'_>,
    ) {
        let Some(bound) = bound.map(|id| self.contents.strings.get(id)) else { return };
        if !holds(decimal::compare(value.text, bound)) {
            self.problem(ProblemKind::OutOfRange, at, |path| {
                format!("`{path}` must be {words} {bound}, not {}", wording::value(value, at.sensitive))
            });
        }
    }

    fn string(&mut self, check: &StringCheck, value: Value<'a>, at: &At<'_>) {
        let (contents, matchers) = (self.contents, self.matchers);
        let text = value.unescaped(self.text);
        let problems = &mut *self.problems;
        // A character has one to four bytes, so most texts need not be counted.
        let few = check.max_length.is_none_or(|most| text.len() <= most as usize);
        let many = check.min_length.is_none_or(|least| text.len().div_ceil(4) >= least as usize);
        if !few || !many {
            let length = text.chars().count();
            length_problem(problems, at, "character", length, check.min_length, check.max_length);
        }
        if let Some(index) = check.pattern {
            let found = matchers.pattern(contents, index).is_some_and(|regex| regex.is_match(text));
            if !found {
                problems.push(ProblemKind::Pattern, || {
                    let pattern = contents.manifest.patterns.get(index as usize);
                    let pattern = pattern.map(|&id| contents.strings.get(id)).unwrap_or_default();
                    let got = wording::value(value, at.sensitive);
                    (at.path(), format!("`{}` must match the pattern `{pattern}`, not {got}", at.path()))
                });
            }
        }
        if let Some(format) = check.format
            && !formats::matches(format, text)
        {
            problems.push(ProblemKind::Format, || {
                let (example, got) = (formats::example(format), wording::got(value, at.sensitive));
                (
                    at.path(),
                    format!(
                        "`{}` must be in the format `{format}`, such as \"{example}\", not {got}",
                        at.path()
                    ),
                )
            });
        }
    }

    fn array(&mut self, check: &ArrayCheck, at: &At<'_>) -> Result<Value<'a>, ScanError> {
        let start = self.scanner.offset();
        let mut length = 0;
        self.scanner.enter_array()?;
        while self.scanner.next_item()? {
            match check.items {
                Some(items) => {
                    let inner = At { parent: Some(at), step: Step::Index(length), sensitive: at.sensitive };
                    self.value(items, &inner, false)?;
                }
                None => drop(self.unchecked_inner(at, Step::Index(length))?),
            }
            length += 1;
        }
        length_problem(self.problems, at, "item", length, check.min_items, check.max_items);
        Ok(Value { kind: Kind::Array, text: self.scanner.since(start), escaped: false })
    }

    fn object(&mut self, check: &ObjectCheck, at: &At<'_>) -> Result<Value<'a>, ScanError> {
        let start = self.scanner.offset();
        let base = self.seen.len();
        self.seen.resize(base + check.properties.len().div_ceil(64), 0);
        let mut count = 0;
        let names = self.names.open();
        self.scanner.enter_object()?;
        while let Some(key) = self.scanner.next_key()? {
            count += 1;
            let inner = At { parent: Some(at), step: Step::Key(key), sensitive: at.sensitive };
            match find_property(&self.contents.strings, &check.properties, key, self.text) {
                Some((index, property)) => {
                    if self.mark_seen(base, index) {
                        self.duplicate(&inner);
                    }
                    self.value(property.check, &inner, !property.required)?;
                }
                None => self.undeclared(check, key, &inner)?,
            }
        }
        for (index, property) in check.properties.iter().enumerate() {
            if property.required && !self.is_seen(base, index) {
                let (contents, node) = (self.contents, self.tool.checks.get(property.check as usize));
                self.problems.push(ProblemKind::Missing, || {
                    let path = at.path_to(contents.strings.get(property.name));
                    let message = wording::missing(&path, contents, node);
                    (path, message)
                });
            }
        }
        self.seen.truncate(base);
        self.close_names(names, at);
        length_problem(self.problems, at, "member", count, check.min_properties, check.max_properties);
        Ok(Value { kind: Kind::Object, text: self.scanner.since(start), escaped: false })
    }

    /// A member that no property names.
    fn undeclared(&mut self, check: &ObjectCheck, key: Value<'a>, at: &At<'_>) -> Result<(), ScanError> {
        self.names.push(self.scanner.text(), key);
        if let Some(additional) = check.additional {
            return self.value(additional, at, true).map(drop);
        }
        if check.closed {
            let contents = self.contents;
            self.problem(ProblemKind::UnknownArgument, at, |path| {
                let names = check.properties.iter().map(|property| contents.strings.get(property.name));
                let name = key.unescaped(&mut String::new()).to_owned();
                if at.sensitive {
                    return format!("`{path}` has a member that is not known");
                }
                wording::unknown_property(path, &name, names)
            });
        }
        self.unchecked(at).map(drop)
    }

    /// Takes the next value, of which only the names of members are checked. Recursion is bounded by
    /// the scanner.
    fn unchecked(&mut self, at: &At<'_>) -> Result<Value<'a>, ScanError> {
        let kind = self.scanner.peek()?;
        let start = self.scanner.offset();
        match kind {
            Kind::Array => {
                let mut index = 0;
                self.scanner.enter_array()?;
                while self.scanner.next_item()? {
                    self.unchecked_inner(at, Step::Index(index))?;
                    index += 1;
                }
            }
            Kind::Object => {
                let names = self.names.open();
                self.scanner.enter_object()?;
                while let Some(key) = self.scanner.next_key()? {
                    self.names.push(self.scanner.text(), key);
                    self.unchecked_inner(at, Step::Key(key))?;
                }
                self.close_names(names, at);
            }
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String => return self.scanner.take(kind),
        }
        Ok(Value { kind, text: self.scanner.since(start), escaped: false })
    }

    fn unchecked_inner(&mut self, at: &At<'_>, step: Step<'_>) -> Result<Value<'a>, ScanError> {
        self.unchecked(&At { parent: Some(at), step, sensitive: at.sensitive })
    }

    /// Ends the names of an object.
    fn close_names(&mut self, names: Mark, at: &At<'_>) {
        if let Some(key) = self.names.close(names, self.scanner.text()) {
            self.duplicate(&At { parent: Some(at), step: Step::Key(key), sensitive: at.sensitive });
        }
    }

    fn duplicate(&mut self, at: &At<'_>) {
        self.problem(ProblemKind::DuplicateArgument, at, |path| {
            let has = if at.sensitive { "has a member that is" } else { "is" };
            format!("`{path}` {has} given twice")
        });
    }

    /// Marks a property; `true` if it was marked before.
    fn mark_seen(&mut self, base: usize, index: usize) -> bool {
        let Some(word) = self.seen.get_mut(base + index / 64) else { return false };
        let bit = 1 << (index % 64);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }

    fn is_seen(&self, base: usize, index: usize) -> bool {
        self.seen.get(base + index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    fn problem(&mut self, kind: ProblemKind, at: &At<'_>, message: impl FnOnce(&str) -> String) {
        self.problems.push(kind, || {
            let path = at.path();
            let message = message(&path);
            (path, message)
        });
    }
}

/// Whether a value is written as the plan has it, as most are.
fn is_literally_listed(contents: &Contents, check: &Check, value: Value<'_>) -> bool {
    check.enumeration.iter().any(|&id| contents.strings.is(id, value.text.as_bytes()))
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

fn find_property<'p>(
    strings: &Strings,
    properties: &'p [Property],
    key: Value<'_>,
    buffer: &mut String,
) -> Option<(usize, &'p Property)> {
    let name = key.unescaped(buffer);
    let index = find_name(strings, properties, |property| property.name, name.as_bytes())?;
    properties.get(index).map(|property| (index, property))
}

fn length_problem(
    problems: &mut Problems,
    at: &At<'_>,
    unit: &str,
    length: usize,
    minimum: Option<u32>,
    maximum: Option<u32>,
) {
    let (words, bound) = match (minimum, maximum) {
        (Some(minimum), _) if length < minimum as usize => ("at least", minimum),
        (_, Some(maximum)) if length > maximum as usize => ("at most", maximum),
        _ => return,
    };
    problems.push(ProblemKind::Length, || {
        let plural = if bound == 1 { "" } else { "s" };
        (at.path(), format!("`{}` must have {words} {bound} {unit}{plural}, not {length}", at.path()))
    });
}
