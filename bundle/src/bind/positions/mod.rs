//! Where a request can have a value. Each position has a file, which owns its encoding.
//!
//! To add one: give it a tag in [`crate::wire_enums::Position`] and its list in the plan and in
//! [`super::prepared`], write `positions/<name>.rs` with a `write_…` function like the others', and call it in
//! `write` below.
//!
//! A position never trusts a value: whatever it writes is encoded or refused. Names and literals come
//! from the plan, already encoded. A value is looked at inside only through the JSON scanner.

mod body;
mod cookie;
mod header;
mod multipart;
mod path;
mod percent;

pub(super) use percent::encode_bytes;
mod query;
mod template;
mod text;
mod unsendable;

pub(crate) use header::FixedHeaders;
pub(crate) use multipart::Boundary;
pub use unsendable::{Unsendable, WhyUnsendable, unsendable};

use super::pass::{Fixed, Pass};
use super::problem::{ProblemKind, Refused, Report};
use crate::plan::Part;
use crate::strings::StrId;
use crate::wire_enums::PartKind;

/// Why a place cannot hold a value, as the end of a sentence that the argument's name begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    kind: ProblemKind,
    message: String,
}

impl<R: Report> Pass<'_, '_, R> {
    /// Writes the request, step by step; it is only good without problems.
    #[inline(never)]
    pub(super) fn write(&mut self) -> Result<(), Refused> {
        let steps = &self.source.tool.steps;
        self.request.method = self.source.tool.method;
        if steps.needs_data {
            self.write_data();
        }
        self.write_path()?;
        self.write_query()?;
        self.write_headers()?;
        if !steps.cookies().is_empty() {
            self.write_cookies()?;
        }
        self.write_body()
    }

    /// Reports a step that is not allowed in its place. A loaded plan has none. If it had one, no
    /// partial request may be sent.
    fn misplaced(&mut self) -> Result<(), Refused> {
        self.report.problem(ProblemKind::Schema, || (String::new(), "the tool's plan is invalid".to_owned()))
    }
}

impl<'a> Fixed<'a> {
    /// Writes fixed parts: literals as they are, variables through `encode`.
    ///
    /// `false` if a variable has no value or is not allowed here; this is then reported.
    fn write_parts<R: Report>(
        &self,
        parts: &[Part],
        report: &mut R,
        out: &mut Vec<u8>,
        mut encode: impl FnMut(&str, &mut Vec<u8>) -> Result<(), Refusal>,
    ) -> Result<bool, Refused> {
        let mut complete = true;
        for &part in parts {
            match part.kind {
                PartKind::Literal => out.extend_from_slice(self.contents.strings.bytes(StrId(part.id))),
                // A loaded plan has these only alone; if not, nothing half-written may go out.
                PartKind::Parameter | PartKind::Template => {
                    complete = false;
                    report.problem(ProblemKind::Schema, || {
                        (self.part_name(part), "the tool's plan is invalid".to_owned())
                    })?;
                }
                PartKind::Variable | PartKind::TenantId | PartKind::PrincipalSub => {
                    let written = self.variable(part, report)?.map(|text| encode(text, out));
                    complete &= matches!(written, Some(Ok(())));
                    if let Some(Err(refusal)) = written {
                        refusal.report(&self.part_name(part), report)?;
                    }
                }
            }
        }
        Ok(complete)
    }

    /// The text of a variable; reports it if this call has none.
    fn variable<R: Report>(&self, part: Part, report: &mut R) -> Result<Option<&'a str>, Refused> {
        let value = self.variable_text(part);
        if value.is_none() {
            report.problem(ProblemKind::UnresolvedVariable, || {
                let name = self.part_name(part);
                let message =
                    format!("`{name}` has no value for this call, which is not a fault of the arguments");
                (name, message)
            })?;
        }
        Ok(value)
    }
}

impl Refusal {
    fn report(self, name: &str, report: &mut impl Report) -> Result<(), Refused> {
        report.problem(self.kind, || (name.to_owned(), format!("`{name}` {}", self.message)))
    }
}
