//! Query, and the pairs of a form, which are written alike.

use super::percent;
use super::text::{self, Percent};
use crate::bind::pass::{Argument, Pass, Slot, Source};
use crate::bind::prepared::{Step, StepValue};
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::json::{self, Kind, Value};
use crate::wire_enums::Style;
use std::io::Write;

/// Writes `name=value` pairs with `&` between them.
#[derive(Debug)]
pub(super) struct Pairs<'s> {
    pub out: &'s mut Vec<u8>,
    /// Where the first pair begins; `first` is written before it.
    pub start: usize,
    pub first: Option<u8>,
    /// How long `out` may become. Names are written for each leaf and so grow faster than the
    /// arguments: nothing more is written once it is longer, and the check that follows sees that.
    pub limit: usize,
    pub text: &'s mut String,
    /// The name of the pair being written, encoded, where one argument becomes several.
    pub name: &'s mut Vec<u8>,
}

impl<R: Report> Pass<'_, '_, R> {
    pub(super) fn write_query(&mut self) -> Result<(), Refused> {
        let source = self.source;
        let (steps, limit) = (&source.tool.steps, source.limits.target);
        let target = &self.request.target;
        // A template may have begun the query.
        let first = if steps.has_template && target.contains(&b'?') { b'&' } else { b'?' };
        let start = target.len();
        for step in steps.query() {
            let Pass { request, scratch, report, .. } = self;
            let (text, name) = (&mut scratch.text, &mut scratch.bytes);
            let mut pairs = Pairs { out: &mut request.target, start, first: Some(first), limit, text, name };
            pairs.write(&source, &scratch.slots, step, report)?;
        }
        if self.request.target.len() <= limit {
            return Ok(());
        }
        self.report.problem(ProblemKind::TooLarge, || {
            (
                String::new(),
                format!("the arguments make a URL longer than the {limit} bytes that are allowed"),
            )
        })
    }
}

/// Why a value is not written to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Full,
    /// A member's name would read as several.
    Name,
}

impl Pairs<'_> {
    /// Writes what a plan has under one name, which is already encoded.
    #[inline]
    pub(super) fn write<R: Report>(
        &mut self,
        source: &Source<'_>,
        slots: &[Slot],
        step: &Step,
        report: &mut R,
    ) -> Result<(), Refused> {
        let name = source.bytes(step.name);
        match step.value {
            StepValue::Parameter(index) => {
                let Some(argument) = source.argument(slots, index) else { return Ok(()) };
                if self.argument(name, argument) != Err(Stop::Name) {
                    return Ok(());
                }
                report.problem(ProblemKind::InvalidMemberName, || {
                    let name = source.string(argument.parameter.name.text);
                    let message = format!(
                        "`{name}` is sent with the names of its members in brackets: none may be empty or \
                         contain `[` or `]`"
                    );
                    (name.to_owned(), message)
                })
            }
            StepValue::Literal(id) => {
                self.begin(name);
                self.out.extend_from_slice(source.bytes(id));
                Ok(())
            }
            StepValue::Parts(parts) => {
                self.begin(name);
                let parts = parts.of(&source.tools.parts);
                let encode = |text: &str, out: &mut Vec<u8>| {
                    percent::encode(text, out);
                    Ok(())
                };
                source.fixed.write_parts(parts, report, self.out, encode).map(drop)
            }
            StepValue::Template(_) | StepValue::File(_) | StepValue::Open | StepValue::Close => report
                .problem(ProblemKind::Schema, || (String::new(), "the tool's plan is invalid".to_owned())),
        }
    }

    #[inline]
    fn argument(&mut self, name: &[u8], Argument { parameter, value }: Argument<'_>) -> Result<(), Stop> {
        self.room()?;
        // Most values are one piece, whatever the style.
        if let Some(text) = text::plain(value) {
            self.begin(name);
            percent::encode_bytes(text, self.out);
            return Ok(());
        }
        match (parameter.style, value.kind) {
            (Style::Repeat, Kind::Array) => {
                self.set_name(name);
                for element in json::elements(value).filter(|element| element.kind != Kind::Null) {
                    self.one(element)?;
                }
            }
            (Style::Deep, Kind::Array | Kind::Object) => {
                self.set_name(name);
                self.deep(value)?;
            }
            (style, _) => {
                let before = self.out.len();
                self.begin(name);
                // Percent-encoding refuses nothing.
                let written = text::write(value, style, &mut Percent, self.text, self.out);
                if written == Ok(0) {
                    self.out.truncate(before);
                }
            }
        }
        Ok(())
    }

    /// `a[b][0]=c`, with the brackets encoded. Recursion is bounded by the depth of the arguments.
    fn deep(&mut self, value: Value<'_>) -> Result<(), Stop> {
        let length = self.name.len();
        for (index, element) in json::elements(value).enumerate() {
            // Writing to a `Vec` cannot fail.
            let _ = write!(self.name, "%5B{index}%5D");
            self.deep(element)?;
            self.name.truncate(length);
        }
        for (key, member) in json::members(value) {
            let key = key.unescaped(self.text);
            // `a[b][0]` is what a member `b][0` would become too, past the checks of `b`.
            if key.is_empty() || key.contains(['[', ']']) {
                return Err(Stop::Name);
            }
            self.name.extend_from_slice(b"%5B");
            percent::encode(key, self.name);
            self.name.extend_from_slice(b"%5D");
            if self.name.len() > self.limit {
                self.begin_again();
                return Err(Stop::Full);
            }
            self.deep(member)?;
            self.name.truncate(length);
        }
        if !matches!(value.kind, Kind::Array | Kind::Object | Kind::Null) {
            self.one(value)?;
        }
        Ok(())
    }

    fn one(&mut self, value: Value<'_>) -> Result<(), Stop> {
        self.begin_again();
        // Percent-encoding refuses nothing.
        let _ = text::one(value, None, &mut Percent, self.text, self.out);
        self.room()
    }

    fn room(&self) -> Result<(), Stop> {
        if self.out.len() > self.limit { Err(Stop::Full) } else { Ok(()) }
    }

    fn set_name(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
    }

    /// Begins a pair.
    fn begin(&mut self, name: &[u8]) {
        self.separate();
        self.out.extend_from_slice(name);
        self.out.push(b'=');
    }

    /// Begins a pair with [`Pairs::name`].
    fn begin_again(&mut self) {
        self.separate();
        self.out.extend_from_slice(self.name);
        self.out.push(b'=');
    }

    /// Writes what comes before a pair.
    #[inline]
    fn separate(&mut self) {
        if self.out.len() > self.start {
            self.out.push(b'&');
        } else if let Some(first) = self.first {
            self.out.push(first);
        }
    }
}
