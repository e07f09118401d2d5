//! One pass over a call: its arguments are checked, then each position writes its part of the request.
//!
//! What a pass does with problems is up to its [`Report`]: binding stops at the first, explaining collects them all and
//! throws away what was written.

use super::names::Names;
use super::positions::Boundary;
use super::prepared::{Parameter, PreparedTools, Tool};
use super::problem::{ProblemKind, Refused, Report};
use super::{Limits, Matchers, Request, Values, schema, wording};
use crate::json::{self, Span, StrictError, Value};
use crate::plan::{Contents, Part};
use crate::strings::StrId;
use crate::template::{self, Ran};
use crate::wire_enums::PartKind;

/// What a pass reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub contents: &'a Contents,
    pub matchers: &'a Matchers,
    pub limits: &'a Limits,
    pub tools: &'a PreparedTools,
    pub tool: &'a Tool,
    pub values: &'a Values<'a>,
    pub fixed: Fixed<'a>,
    /// The arguments, a JSON object.
    pub arguments: &'a str,
    /// What the tape refers to: the arguments, or the message that they are in.
    pub text: &'a str,
    /// All values in the arguments, see [`json::Tape`].
    pub tape: &'a [Span],
}

/// What fixed values are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed<'a> {
    pub contents: &'a Contents,
    pub variables: &'a [Box<str>],
    pub tenant_id: Option<&'a str>,
    pub principal_sub: Option<&'a str>,
}

/// What a pass reads, writes and works with.
pub(crate) struct Pass<'a, 's, R> {
    pub source: Source<'a>,
    pub scratch: &'s mut Scratch,
    pub request: &'s mut Request,
    pub report: R,
}

/// Memory that one call leaves to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The values of arguments whose message did not list them.
    pub(super) tape: Vec<Span>,
    /// One for each parameter of the tool.
    pub(super) slots: Vec<Slot>,
    /// Places on the tape of arguments that no parameter names.
    pub(super) extras: Vec<usize>,
    /// Which properties of the open objects have been seen.
    pub(super) seen: Vec<u64>,
    pub(super) names: Names,
    pub(super) text: String,
    pub(super) bytes: Vec<u8>,
    pub(super) marks: Vec<usize>,
    /// Of the last multipart body.
    pub(super) boundary: Boundary,
    /// If there is one, it sees which parts of the request's templates are run.
    pub trace: Option<Ran>,
    /// The arguments as templates see them, as one JSON object.
    pub(super) data: Vec<u8>,
    /// The values of a body that a template wrote.
    pub(super) body: Vec<Span>,
    pub(super) template: template::Scratch,
}

/// What is known of one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Absent,
    /// A problem with it is already reported.
    Refused,
    /// Its argument's place on the tape.
    Given(u32),
    /// The default of the plan is used.
    Default,
}

/// An argument on its way into the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument<'a> {
    pub parameter: &'a Parameter,
    pub value: Value<'a>,
}

impl<R: Report> Pass<'_, '_, R> {
    /// All of it. `Err` after a problem that ends the pass.
    #[inline(always)]
    pub(super) fn run(&mut self) -> Result<(), Refused> {
        if !self.arguments()? {
            return Ok(());
        }
        if let Some(index) = self.source.tool.schema {
            self.schema(index)?;
        }
        self.write()
    }

    /// Validates the arguments as a whole.
    #[inline(never)]
    fn schema(&mut self, index: u32) -> Result<(), Refused> {
        let Source { contents, matchers, limits, arguments, .. } = self.source;
        let report = &mut self.report;
        let value = match json::parse_strict(arguments.as_bytes(), limits.depth) {
            Ok(value) => value,
            Err(error) => {
                let kind = match error {
                    StrictError::DuplicateKey { .. } => ProblemKind::DuplicateArgument,
                    StrictError::NumberOutOfRange { .. } => ProblemKind::OutOfRange,
                    StrictError::NotJson(_) => ProblemKind::NotJson,
                };
                // A name that occurs twice is reported with its place where the arguments are read.
                let is_told = kind == ProblemKind::DuplicateArgument
                    && report.reported().iter().any(|problem| problem.kind == kind);
                return if is_told {
                    Ok(())
                } else {
                    report.problem(kind, || (String::new(), wording::strict_error(&error)))
                };
            }
        };
        let Some(validator) = matchers.schema(contents, index) else {
            return report.problem(ProblemKind::Schema, || {
                (String::new(), "the arguments cannot be checked: the tool's schema is invalid".to_owned())
            });
        };
        if schema::is_valid(validator, &value) {
            return Ok(());
        }
        let checked = report.reported().len();
        for found in schema::problems(validator, &value) {
            let sensitive =
                self.source.find_parameter(&found.root).is_some_and(|parameter| parameter.sensitive);
            let path = wording::path(if sensitive { &found.root } else { &found.path });
            // The compiled checks say it better where both see it.
            if report.reported().iter().take(checked).any(|problem| problem.argument == path) {
                continue;
            }
            report.problem(ProblemKind::Schema, || {
                let message = wording::schema(&path, &found.message, sensitive);
                (path, message)
            })?;
        }
        Ok(())
    }
}

impl<'a> Source<'a> {
    #[inline]
    pub(super) fn string(&self, id: StrId) -> &'a str {
        self.contents.strings.get(id)
    }

    #[inline]
    pub(super) fn bytes(&self, id: StrId) -> &'a [u8] {
        self.contents.strings.bytes(id)
    }

    /// The value at a place of the tape.
    #[inline]
    pub(super) fn value_at(&self, place: usize) -> Value<'a> {
        match self.tape.get(place) {
            Some(span) => span.of(self.text),
            None => Value { kind: json::Kind::Null, text: "null", escaped: false },
        }
    }

    /// The place after a value and all that is in it.
    pub(super) fn after(&self, place: usize) -> usize {
        let Some((value, inside)) = self.tape.get(place..).and_then(<[Span]>::split_first) else {
            return place;
        };
        let inside = inside.iter().take_while(|inner| inner.start() < value.end());
        place + 1 + inside.count()
    }

    /// What a parameter holds in this call; `None` when it is left out, or already refused.
    #[inline(always)]
    pub(super) fn argument(&self, slots: &[Slot], index: u32) -> Option<Argument<'a>> {
        let parameter = self.tool.parameters.get(index as usize)?;
        let value = match *slots.get(index as usize)? {
            Slot::Absent | Slot::Refused => return None,
            Slot::Given(place) => self.value_at(place as usize),
            Slot::Default => Value::of_valid(self.string(parameter.default?)),
        };
        Some(Argument { parameter, value })
    }

    fn find_parameter(&self, name: &str) -> Option<&'a Parameter> {
        let strings = &self.contents.strings;
        self.tool.parameters.iter().find(|parameter| strings.is(parameter.name.text, name.as_bytes()))
    }

    /// How messages name a part of the plan.
    pub(super) fn part_name(&self, part: Part) -> String {
        match part.kind {
            PartKind::Parameter => {
                let parameter = self.tool.parameters.get(part.id as usize);
                parameter.map(|parameter| self.string(parameter.name.text)).unwrap_or_default().to_owned()
            }
            _ => self.fixed.part_name(part),
        }
    }
}

impl<'a> Fixed<'a> {
    /// The text of a variable, if this call has one.
    pub(super) fn variable_text(&self, part: Part) -> Option<&'a str> {
        match part.kind {
            PartKind::Variable => self.variables.get(part.id as usize).map(|text| &**text),
            PartKind::TenantId => self.tenant_id,
            PartKind::PrincipalSub => self.principal_sub,
            PartKind::Literal | PartKind::Parameter | PartKind::Template => None,
        }
    }

    pub(super) fn part_name(&self, part: Part) -> String {
        match part.kind {
            PartKind::Variable => {
                let name = self.contents.manifest.variables.get(part.id as usize);
                format!("${{{}}}", name.map(|&id| self.contents.strings.get(id)).unwrap_or_default())
            }
            PartKind::TenantId | PartKind::PrincipalSub => format!("${{{}}}", part.kind),
            PartKind::Literal | PartKind::Parameter | PartKind::Template => String::new(),
        }
    }
}
