//! Where an argument can stand in a request. Each position has a file, which owns its encoding.
//!
//! To add one: give it a tag in [`crate::wire_enums::Position`] and its list in the plan, write
//! `position/<name>.rs` with a `write` function like the others', and call it in [`write`] below.
//!
//! A position never trusts a value: whatever it writes is encoded or refused. Names and literals come
//! from the plan, already encoded. A value is looked at inside only through the JSON scanner.

mod body;
mod cookie;
pub(crate) mod copy;
mod header;
mod path;
pub(crate) mod percent;
mod query;
mod template;
mod text;

pub(crate) use header::{is_visible as is_header_value, write as write_headers};
pub(crate) use path::{is_dotless, write_plain as write_plain_path_value};

use crate::bind::{Limits, Names, ProblemKind, Problems, Request, Slot, Values};
use crate::json::{Member, Value};
use crate::plan::{Contents, HttpPlan, Parameter, Part, Placed, ToolPlan};
use crate::strings::StrId;
use crate::template::{Ran, Scratch};
use crate::wire_enums::{BodyKind, PartKind};

/// What requests are written from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub contents: &'a Contents,
    pub tool: &'a ToolPlan,
    pub http: &'a HttpPlan,
    /// The text that the spans in `slots` and `extras` refer to.
    pub arguments: &'a str,
    pub slots: &'a [Slot],
    pub extras: &'a [Member],
    pub values: &'a Values<'a>,
    pub limits: &'a Limits,
}

/// What requests are written to, with memory to work in.
#[derive(Debug)]
pub(crate) struct Sink<'s> {
    pub request: &'s mut Request,
    pub problems: &'s mut Problems,
    pub text: &'s mut String,
    pub bytes: &'s mut Vec<u8>,
    pub marks: &'s mut Vec<usize>,
    pub data: &'s mut String,
    pub template: &'s mut Scratch,
    pub trace: &'s mut Option<Ran>,
    pub names: &'s mut Names,
}

/// An argument on its way into the request.
#[derive(Debug, Clone, Copy)]
struct Argument<'a> {
    parameter: &'a Parameter,
    value: Value<'a>,
}

/// Why a place cannot hold a value, as the end of a sentence that the argument's name begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    kind: ProblemKind,
    message: String,
}

/// What stands in a place.
#[derive(Debug, Clone, Copy)]
enum Content<'a> {
    /// `None` when the argument is left out, or already refused.
    Argument(Option<Argument<'a>>),
    Fixed(&'a [Part]),
}

/// Writes the request. Problems are collected; the request is only good without any.
pub(crate) fn write(source: &Source<'_>, sink: &mut Sink<'_>) {
    let http = source.http;
    let headers = match source.values.prepared {
        Some(prepared) => {
            sink.request.begin_with(prepared.headers);
            http.headers.get(prepared.headers.covers..).unwrap_or_default()
        }
        None => &http.headers,
    };
    // Arguments of an earlier call are never there for a template.
    sink.data.clear();
    if has_template(http, headers) {
        template::write_data(source, sink.data);
    }
    path::write(source, sink);
    query::write(source, sink);
    if !headers.is_empty() {
        header::write(source, sink, headers);
    }
    cookie::write(source, sink);
    body::write(source, sink);
}

/// Whether a template writes a part of the request. Every call asks, so nothing is looked at for it that cannot hold one.
fn has_template(http: &HttpPlan, headers: &[Placed]) -> bool {
    let is_template = |part: &Part| part.kind == PartKind::Template;
    http.body.kind == BodyKind::Template
        || http.path.last().is_some_and(is_template)
        || headers.iter().any(|header| header.value.first().is_some_and(is_template))
}

impl<'a> Source<'a> {
    #[inline]
    fn string(&self, id: StrId) -> &'a str {
        self.contents.strings.get(id)
    }

    #[inline]
    fn argument(&self, index: u32) -> Option<Argument<'a>> {
        let parameter = self.tool.parameters.get(index as usize)?;
        let value = match self.slots.get(index as usize)? {
            Slot::Absent | Slot::Refused => return None,
            Slot::Given(span) => span.of(self.arguments),
            Slot::Default => Value::of_valid(self.string(parameter.default?)),
        };
        Some(Argument { parameter, value })
    }

    #[inline]
    fn content(&self, value: &'a [Part]) -> Content<'a> {
        match value {
            [Part { kind: PartKind::Parameter, id }] => Content::Argument(self.argument(*id)),
            parts => Content::Fixed(parts),
        }
    }

    /// The text of a variable, if this call has one.
    fn variable_text(&self, part: Part) -> Option<&'a str> {
        match part.kind {
            PartKind::Variable => self.values.variables.get(part.id as usize).map(|text| &**text),
            PartKind::TenantId => self.values.tenant_id,
            PartKind::PrincipalSub => self.values.principal_sub,
            PartKind::Literal | PartKind::Parameter | PartKind::Template => None,
        }
    }

    /// The text of a variable; reports it if this call has none.
    fn variable(&self, part: Part, problems: &mut Problems) -> Option<&'a str> {
        let value = self.variable_text(part);
        if value.is_none() {
            problems.push(ProblemKind::UnresolvedVariable, || {
                let name = self.part_name(part);
                let message =
                    format!("`{name}` has no value for this call, which is not a fault of the arguments");
                (name, message)
            });
        }
        value
    }

    /// How messages name a part of the plan.
    fn part_name(&self, part: Part) -> String {
        match part.kind {
            PartKind::Variable => {
                let name = self.contents.manifest.variables.get(part.id as usize);
                format!("${{{}}}", name.map(|&id| self.string(id)).unwrap_or_default())
            }
            PartKind::TenantId | PartKind::PrincipalSub => format!("${{{}}}", part.kind),
            PartKind::Parameter => {
                let parameter = self.tool.parameters.get(part.id as usize);
                parameter.map(|parameter| self.string(parameter.name)).unwrap_or_default().to_owned()
            }
            PartKind::Literal | PartKind::Template => String::new(),
        }
    }

    /// Writes fixed parts: literals as they are, variables through `encode`.
    ///
    /// `false` if a variable has no value or cannot stand here; that is then reported.
    fn write_fixed(
        &self,
        parts: &[Part],
        problems: &mut Problems,
        out: &mut Vec<u8>,
        mut encode: impl FnMut(&str, &mut Vec<u8>) -> Result<(), Refusal>,
    ) -> bool {
        let mut complete = true;
        for &part in parts {
            match part.kind {
                PartKind::Literal => out.extend_from_slice(self.contents.strings.bytes(StrId(part.id))),
                // A loaded plan has these only alone; if not, nothing half-written may go out.
                PartKind::Parameter | PartKind::Template => {
                    complete = false;
                    problems.push(ProblemKind::Schema, || {
                        (self.part_name(part), "the tool's plan is invalid".to_owned())
                    });
                }
                PartKind::Variable | PartKind::TenantId | PartKind::PrincipalSub => {
                    match self.variable(part, problems).map(|text| encode(text, out)) {
                        Some(Ok(())) => {}
                        Some(Err(refusal)) => {
                            complete = false;
                            refusal.report(&self.part_name(part), problems);
                        }
                        None => complete = false,
                    }
                }
            }
        }
        complete
    }

    fn placed_name(&self, placed: &Placed) -> &'a str {
        self.string(placed.name)
    }
}

impl Refusal {
    fn report(self, name: &str, problems: &mut Problems) {
        problems.push(self.kind, || (name.to_owned(), format!("`{name}` {}", self.message)));
    }
}
