//! The pass over the arguments: each is looked up, checked, and its place remembered.

use super::check::{At, Checker, Step};
use super::problem::ProblemKind;
use super::{Limits, Mark, Problems, Scratch, Slot, wording};
use crate::bind::matchers::Matchers;
use crate::json::{Kind, MAX_DEPTH, Member, ScanError, ScanErrorKind, Scanner, Span, Value};
use crate::plan::{Contents, ToolPlan};
use crate::strings::{StrId, Strings};
use crate::wire_enums::{BodyKind, Position};

/// Names up to which a list is searched from its start.
const SHORT_LIST: usize = 12;

/// Fills the slots of `scratch`; `false` if the arguments cannot be read at all.
pub(super) fn collect(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    text: &str,
    limits: &Limits,
    scratch: &mut Scratch,
    problems: &mut Problems,
) -> bool {
    if text.len() > Span::MAX_TEXT {
        problems.push(ProblemKind::TooLarge, || (String::new(), "the arguments are too long".to_owned()));
        return false;
    }
    scratch.slots.clear();
    scratch.slots.resize(tool.parameters.len(), Slot::Absent);
    scratch.extras.clear();
    scratch.seen.clear();
    scratch.names.clear();
    let scanner = Scanner::of_text(text, limits.depth);
    let mut pass = Pass {
        text,
        checker: Checker {
            contents,
            matchers,
            tool,
            scanner,
            problems,
            seen: &mut scratch.seen,
            names: &mut scratch.names,
            text: &mut scratch.text,
        },
        slots: &mut scratch.slots,
        extras: &mut scratch.extras,
        limits,
    };
    match pass.scan() {
        Ok(true) => {
            pass.complete();
            true
        }
        Ok(false) => false,
        Err(error) => {
            unreadable(problems, limits, error);
            false
        }
    }
}

/// Index of a parameter.
#[inline]
pub(super) fn find_parameter(contents: &Contents, tool: &ToolPlan, name: &str) -> Option<usize> {
    find_name(&contents.strings, &tool.parameters, |parameter| parameter.name, name.as_bytes())
}

/// Index of a name in a sorted list. In a short one, looking for equal lengths is faster than
/// comparing texts in a binary search.
#[inline(always)]
pub(super) fn find_name<T>(
    strings: &Strings,
    list: &[T],
    id: impl Fn(&T) -> StrId,
    name: &[u8],
) -> Option<usize> {
    if list.len() > SHORT_LIST {
        return list.binary_search_by(|item| strings.bytes(id(item)).cmp(name)).ok();
    }
    for (index, item) in list.iter().enumerate() {
        if strings.is(id(item), name) {
            return Some(index);
        }
    }
    None
}

struct Pass<'c, 'a> {
    /// The arguments.
    text: &'a str,
    checker: Checker<'c, 'a>,
    slots: &'c mut Vec<Slot>,
    extras: &'c mut Vec<Member>,
    limits: &'c Limits,
}

impl<'a> Pass<'_, 'a> {
    /// Takes the arguments one by one. `false` if they are readable but not worth a further look.
    fn scan(&mut self) -> Result<bool, ScanError> {
        let mut scanner = Scanner::of_text(self.text, self.limits.depth);
        let kind = scanner.peek()?;
        if kind != Kind::Object {
            let value = scanner.value()?;
            scanner.finish()?;
            self.checker.problems.push(ProblemKind::NotAnObject, || {
                // A value without a name may be a secret that was meant for some parameter.
                (
                    String::new(),
                    format!("the arguments must be a JSON object, not {}", wording::got(value, true)),
                )
            });
            return Ok(false);
        }
        scanner.enter_object()?;
        let extras = self.checker.names.open();
        let mut count = 0;
        while let Some(key) = scanner.next_key()? {
            if count == self.limits.arguments {
                self.too_many();
                return Ok(false);
            }
            count += 1;
            let value = scanner.value()?;
            self.argument(&Member {
                key: Span::of_value(self.text, key),
                value: Span::of_value(self.text, value),
            })?;
        }
        self.close(extras);
        scanner.finish()?;
        Ok(true)
    }

    fn too_many(&mut self) {
        let limit = self.limits.arguments;
        self.checker.problems.push(ProblemKind::TooManyArguments, || {
            (String::new(), format!("there are more than {limit} arguments"))
        });
    }

    fn close(&mut self, extras: Mark) {
        if let Some(key) = self.checker.names.close(extras, self.text) {
            self.duplicate(key);
        }
    }

    fn argument(&mut self, member: &Member) -> Result<(), ScanError> {
        let (contents, tool) = (self.checker.contents, self.checker.tool);
        let key = member.key.of(self.text);
        let index = find_parameter(contents, tool, key.unescaped(self.checker.text));
        let found = index.and_then(|index| Some((tool.parameters.get(index)?, self.slots.get_mut(index)?)));
        let Some((parameter, slot)) = found else {
            return self.extra(member, key);
        };
        if !matches!(slot, Slot::Absent) {
            *slot = Slot::Refused;
            self.duplicate(key);
            return Ok(());
        }
        let at = At { parent: None, step: Step::Key(key), sensitive: parameter.sensitive };
        let before = self.checker.problems.count();
        self.checker.known(parameter.check, &member.value, &at, !parameter.required)?;
        *slot =
            if self.checker.problems.count() == before { Slot::Given(member.value) } else { Slot::Refused };
        Ok(())
    }

    /// An argument that no parameter names.
    fn extra(&mut self, member: &Member, key: Value<'a>) -> Result<(), ScanError> {
        let (contents, tool) = (self.checker.contents, self.checker.tool);
        // A template may read them, too.
        let takes_others =
            tool.http().is_some_and(|http| matches!(http.body.kind, BodyKind::Json | BodyKind::Template));
        let Some(check) = tool.additional.filter(|_| takes_others) else {
            self.checker.problems.push(ProblemKind::UnknownArgument, || {
                let name = key.unescaped(&mut String::new()).to_owned();
                (wording::shorten(&name), wording::unknown_argument(&name, contents, tool))
            });
            return Ok(());
        };
        self.checker.names.push(self.text, key);
        let at = At { parent: None, step: Step::Key(key), sensitive: false };
        self.checker.known(check, &member.value, &at, true)?;
        self.extras.push(*member);
        Ok(())
    }

    fn duplicate(&mut self, key: Value<'a>) {
        self.checker.problems.push(ProblemKind::DuplicateArgument, || {
            let name = wording::shorten(key.unescaped(&mut String::new()));
            let message = format!("`{name}` is given twice");
            (name, message)
        });
    }

    /// Puts in defaults and reports what is missing.
    fn complete(&mut self) {
        let (contents, tool) = (self.checker.contents, self.checker.tool);
        for (parameter, slot) in tool.parameters.iter().zip(self.slots.iter_mut()) {
            if !matches!(slot, Slot::Absent) {
                continue;
            }
            // What the caller must decide is not decided for it.
            if parameter.default.is_some() && !parameter.required {
                *slot = Slot::Default;
                continue;
            }
            let kind = match parameter.position {
                Position::Path => ProblemKind::MissingPathParameter,
                _ if parameter.required => ProblemKind::Missing,
                _ => continue,
            };
            *slot = Slot::Refused;
            self.checker.problems.push(kind, || {
                let name = contents.strings.get(parameter.name);
                let check = tool.checks.get(parameter.check as usize);
                (name.to_owned(), wording::missing(name, contents, check))
            });
        }
    }
}

pub(super) fn unreadable(problems: &mut Problems, limits: &Limits, error: ScanError) {
    let depth = limits.depth.min(MAX_DEPTH);
    let (kind, message) = match error.kind {
        ScanErrorKind::TooDeep => {
            (ProblemKind::TooDeep, format!("the arguments are nested more than {depth} levels deep"))
        }
        _ => (ProblemKind::NotJson, format!("the arguments are not valid JSON: {error}")),
    };
    problems.push(kind, || (String::new(), message));
}
