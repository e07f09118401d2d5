//! The pass over the arguments: each is looked up, checked, and its place remembered.

use super::check::{At, Checker, Step};
use super::problem::ProblemKind;
use super::{Extra, Limits, Problems, Scratch, Slot, Span, wording};
use crate::json::{Kind, MAX_DEPTH, ScanError, ScanErrorKind, Scanner, Value};
use crate::matchers::Matchers;
use crate::plan::{Contents, ToolPlan};
use crate::pool::{Pool, StrId};
use crate::tag::{BodyKind, Position};

/// Names up to which a list is searched from its start.
const SHORT_LIST: usize = 12;

/// Fills the slots of `scratch` and gives the arguments as text; `None` if they cannot be read at all.
pub(super) fn collect<'a>(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    arguments: &'a [u8],
    limits: &Limits,
    scratch: &mut Scratch,
    problems: &mut Problems,
) -> Option<&'a str> {
    scratch.slots.clear();
    scratch.slots.resize(tool.parameters.len(), Slot::Absent);
    scratch.extras.clear();
    scratch.seen.clear();
    scratch.names.clear();
    let scanner = match Scanner::new(arguments, limits.depth) {
        Ok(scanner) => scanner,
        Err(error) => {
            unreadable(problems, limits, error);
            return None;
        }
    };
    let text = scanner.text();
    let mut pass = Pass {
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
    match pass.run() {
        Ok(true) => {
            pass.complete();
            Some(text)
        }
        Ok(false) => None,
        Err(error) => {
            unreadable(problems, limits, error);
            None
        }
    }
}

/// Index of a parameter.
pub(super) fn find_parameter(contents: &Contents, tool: &ToolPlan, name: &str) -> Option<usize> {
    find_name(&contents.strings, &tool.parameters, |parameter| parameter.name, name)
}

/// Index of a name in a sorted list. In a short one, looking for equal lengths is faster than
/// comparing texts in a binary search.
pub(super) fn find_name<T>(
    strings: &Pool,
    list: &[T],
    id: impl Fn(&T) -> StrId,
    name: &str,
) -> Option<usize> {
    if list.len() > SHORT_LIST {
        return list.binary_search_by(|item| strings.get(id(item)).cmp(name)).ok();
    }
    list.iter().position(|item| strings.bytes(id(item)) == name.as_bytes())
}

struct Pass<'c, 'a> {
    checker: Checker<'c, 'a>,
    slots: &'c mut Vec<Slot>,
    extras: &'c mut Vec<Extra>,
    limits: &'c Limits,
}

impl<'a> Pass<'_, 'a> {
    /// `false` if the arguments are readable but not worth a further look.
    fn run(&mut self) -> Result<bool, ScanError> {
        let kind = self.checker.scanner.peek()?;
        if kind != Kind::Object {
            let value = self.checker.scanner.value()?;
            self.checker.scanner.finish()?;
            self.checker.problems.push(ProblemKind::NotAnObject, || {
                // A value without a name may be a secret that was meant for some parameter.
                (
                    String::new(),
                    format!("the arguments must be a JSON object, not {}", wording::got(value, true)),
                )
            });
            return Ok(false);
        }
        self.checker.scanner.enter_object()?;
        let extras = self.checker.names.open();
        let mut count = 0;
        while let Some(key) = self.checker.scanner.next_key()? {
            count += 1;
            if count > self.limits.arguments {
                let limit = self.limits.arguments;
                self.checker.problems.push(ProblemKind::TooManyArguments, || {
                    (String::new(), format!("there are more than {limit} arguments"))
                });
                return Ok(false);
            }
            self.argument(key)?;
        }
        if let Some(key) = self.checker.names.close(extras, self.checker.scanner.text()) {
            self.duplicate(key);
        }
        self.checker.scanner.finish()?;
        Ok(true)
    }

    fn argument(&mut self, key: Value<'a>) -> Result<(), ScanError> {
        let (contents, tool) = (self.checker.contents, self.checker.tool);
        let index = find_parameter(contents, tool, key.unescaped(self.checker.text));
        let found = index.and_then(|index| Some((tool.parameters.get(index)?, self.slots.get_mut(index)?)));
        let Some((parameter, slot)) = found else {
            return self.extra(key);
        };
        if *slot != Slot::Absent {
            *slot = Slot::Refused;
            self.duplicate(key);
            return self.checker.scanner.value().map(drop);
        }
        let at = At { parent: None, step: Step::Key(key), sensitive: parameter.sensitive };
        let before = self.checker.problems.count();
        let value = self.checker.value(parameter.check, &at, !parameter.required)?;
        *slot = if self.checker.problems.count() == before {
            Slot::Given(Span::of_value(self.checker.scanner.text(), value))
        } else {
            Slot::Refused
        };
        Ok(())
    }

    /// An argument that no parameter names.
    fn extra(&mut self, key: Value<'a>) -> Result<(), ScanError> {
        let (contents, tool) = (self.checker.contents, self.checker.tool);
        // A template may read them, too.
        let takes_others = matches!(tool.body.kind, BodyKind::Json | BodyKind::Template);
        let Some(check) = tool.additional.filter(|_| takes_others) else {
            self.checker.problems.push(ProblemKind::UnknownArgument, || {
                let name = key.unescaped(&mut String::new()).to_owned();
                (wording::shorten(&name), wording::unknown_argument(&name, contents, tool))
            });
            return self.checker.scanner.value().map(drop);
        };
        let text = self.checker.scanner.text();
        self.checker.names.push(text, key);
        let at = At { parent: None, step: Step::Key(key), sensitive: false };
        let value = self.checker.value(check, &at, true)?;
        self.extras.push(Extra { key: Span::of_value(text, key), value: Span::of_value(text, value) });
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
            if *slot != Slot::Absent {
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

fn unreadable(problems: &mut Problems, limits: &Limits, error: ScanError) {
    let depth = limits.depth.min(MAX_DEPTH);
    let (kind, message) = match error.kind {
        ScanErrorKind::TooDeep => {
            (ProblemKind::TooDeep, format!("the arguments are nested more than {depth} levels deep"))
        }
        _ => (ProblemKind::NotJson, format!("the arguments are not valid JSON: {error}")),
    };
    problems.push(kind, || (String::new(), message));
}
