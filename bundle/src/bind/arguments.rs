//! Looking arguments up: each has a parameter, or the tool takes arguments of any name.

use super::check::{At, Step};
use super::pass::{Pass, Slot, Source};
use super::problem::{ProblemKind, Refused, Report};
use super::wording;
use crate::json::Span;
use crate::wire_enums::Position;

impl<R: Report> Pass<'_, '_, R> {
    /// Fills the slots of the parameters; `false` if there are too many arguments to look further.
    #[inline(never)]
    pub(super) fn arguments(&mut self) -> Result<bool, Refused> {
        let Source { tool, tape, limits, .. } = self.source;
        let scratch = &mut *self.scratch;
        scratch.slots.clear();
        scratch.slots.resize(tool.parameters.len(), Slot::Absent);
        scratch.extras.clear();
        scratch.seen.clear();
        scratch.names.clear();
        let (mut place, mut count) = (0, 0);
        while let Some(key) = tape.get(place) {
            if count == limits.arguments {
                self.report.problem(ProblemKind::TooManyArguments, || {
                    (String::new(), format!("there are more than {} arguments", limits.arguments))
                })?;
                return Ok(false);
            }
            count += 1;
            place = self.argument(place, key)?;
        }
        if !self.scratch.extras.is_empty() {
            self.extras_are_unique()?;
        }
        self.complete()?;
        Ok(true)
    }

    /// Takes the argument whose name is at this place; gives the place of the next one.
    #[inline(always)]
    fn argument(&mut self, place: usize, key: &Span) -> Result<usize, Refused> {
        let tool = self.source.tool;
        let index = self.find(key, &tool.parameters, |parameter| &parameter.name);
        let Some((index, parameter)) = index.and_then(|index| Some((index, tool.parameters.get(index)?)))
        else {
            return self.extra(place);
        };
        if self.scratch.slots.get(index) != Some(&Slot::Absent) {
            self.set(index, Slot::Refused);
            self.duplicate(key)?;
            return Ok(self.source.after(place + 1));
        }
        let at = At { parent: None, step: Step::Key(place), sensitive: parameter.sensitive };
        let before = self.report.count();
        let next = self.value(parameter.check, place + 1, &at, !parameter.required)?;
        let is_fine = self.report.count() == before;
        self.set(index, if is_fine { Slot::Given(place as u32 + 1) } else { Slot::Refused });
        Ok(next)
    }

    #[inline(always)]
    fn set(&mut self, index: usize, slot: Slot) {
        if let Some(place) = self.scratch.slots.get_mut(index) {
            *place = slot;
        }
    }

    /// An argument that no parameter names.
    #[inline(never)]
    fn extra(&mut self, place: usize) -> Result<usize, Refused> {
        let source = self.source;
        let key = source.value_at(place);
        let Some(check) = source.tool.additional else {
            self.report.problem(ProblemKind::UnknownArgument, || {
                let name = key.unescaped(&mut String::new()).to_owned();
                (wording::shorten(&name), wording::unknown_argument(&name, source.contents, source.tool))
            })?;
            return Ok(source.after(place + 1));
        };
        let at = At { parent: None, step: Step::Key(place), sensitive: false };
        let next = self.value(check, place + 1, &at, true)?;
        self.scratch.extras.push(place);
        Ok(next)
    }

    #[inline(never)]
    fn extras_are_unique(&mut self) -> Result<(), Refused> {
        let (source, scratch) = (self.source, &mut *self.scratch);
        let mark = scratch.names.open();
        for &place in &scratch.extras {
            if let Some(key) = source.tape.get(place) {
                scratch.names.push(source.text, key);
            }
        }
        match scratch.names.close(mark, source.text) {
            Some(key) => self.duplicate(&key),
            None => Ok(()),
        }
    }

    fn duplicate(&mut self, key: &Span) -> Result<(), Refused> {
        let text = self.source.text;
        self.report.problem(ProblemKind::DuplicateArgument, || {
            let name = wording::shorten(key.of(text).unescaped(&mut String::new()));
            let message = format!("`{name}` is given twice");
            (name, message)
        })
    }

    /// Puts in defaults and reports what is missing.
    fn complete(&mut self) -> Result<(), Refused> {
        let Source { tool, tools, contents, .. } = self.source;
        for (parameter, slot) in tool.parameters.iter().zip(&mut self.scratch.slots) {
            if *slot != Slot::Absent {
                continue;
            }
            if parameter.default.is_some() {
                *slot = Slot::Default;
                continue;
            }
            let kind = match parameter.position {
                Position::Path => ProblemKind::MissingPathParameter,
                _ if parameter.required => ProblemKind::Missing,
                _ => continue,
            };
            *slot = Slot::Refused;
            self.report.problem(kind, || {
                let name = contents.strings.get(parameter.name.text);
                let check = tools.checks.get(parameter.check.index as usize);
                (name.to_owned(), wording::missing(name, contents, check))
            })?;
        }
        Ok(())
    }
}
