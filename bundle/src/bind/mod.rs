//! Binding: the arguments of a call in, the upstream request out.
//!
//! A pure function of the plan, the arguments and a few values of the place it runs in. There is one way, for all callers of
//! tools: the tool is prepared ([`PreparedTools`]), a scan of the message or of the arguments has found where their
//! values are ([`Tape`]), each is looked up and checked, and then every position writes its part of the request with
//! its own encoder. There is no other way for a value into a request.
//!
//! Binding stops at the first problem. Then the same code runs again to *explain*: all problems of a call are reported
//! at once, in words that a model can act on, and what it wrote is thrown away. A message never holds the value of a
//! sensitive parameter or of a variable.
//!
//! A lenient tool whose arguments are refused gets a second try, with arguments in which some values have been converted.
//!
//! A warm [`Scratch`] and [`Request`] make binding free of allocations, a full schema aside.

mod arguments;
mod check;
pub mod formats;
mod lenient;
mod lookup;
pub mod matchers;
mod names;
mod pass;
pub mod patterns;
mod positions;
mod prepared;
mod problem;
mod request;
pub mod schema;
mod wording;

pub use pass::Scratch;
pub use positions::{Unsendable, WhyUnsendable, unsendable};
pub use prepared::{PreparedTool, PreparedTools, SomeTools};
pub use problem::{BindError, MAX_PROBLEMS, Problem, ProblemKind, UNEXPLAINED};
pub use request::Request;

pub(crate) use wording::{schema_problem, shorten};

use crate::envelope::Params;
use crate::json::{self, Kind, MAX_DEPTH, ScanError, ScanErrorKind, Span, Tape, Value};
use crate::plan::Contents;
use crate::template::{self, Ambient};
use matchers::Matchers;
use pass::{Fixed, Pass, Source};
use problem::{Problems, Refused, Report, StopAtFirst};

/// Binds calls of one bundle.
#[derive(Debug)]
pub struct Binder<'a> {
    pub contents: &'a Contents,
    /// Those of `contents`.
    pub matchers: &'a Matchers,
    pub limits: &'a Limits,
    pub scratch: &'a mut Scratch,
}

/// What a call may hold at most; lengths in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Members of the arguments object.
    pub arguments: usize,
    /// Nesting, the arguments object included; at most [`crate::json::MAX_DEPTH`].
    pub depth: usize,
    /// One value in a path, before percent-encoding.
    pub path_value: usize,
    /// One header value, the cookie header included.
    pub header_value: usize,
    /// Path and query together.
    pub target: usize,
    pub body: usize,
    /// Of the templates of a request.
    pub template: template::Limits,
}

/// What a request is made of beside arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Values<'a> {
    /// Indexed like [`crate::plan::Manifest::variables`]; `None` for those that the tools were prepared with.
    pub variables: Option<&'a [Box<str>]>,
    pub tenant_id: Option<&'a str>,
    pub principal_sub: Option<&'a str>,
    /// For templates that ask for the time or a random value.
    pub ambient: Ambient,
}

/// The arguments of a call, a JSON object: its text, and what is where in it if that is known already.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<'a> {
    text: &'a str,
    tape: Option<&'a Tape<'a>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            arguments: 256,
            depth: 64,
            path_value: 2 << 10,
            header_value: 8 << 10,
            target: 64 << 10,
            body: 1 << 20,
            template: template::Limits::default(),
        }
    }
}

impl<'a> Arguments<'a> {
    /// `{}`, which also means arguments that are not given.
    pub const EMPTY: Arguments<'static> = Arguments { text: "{}", tape: Some(&Tape::EMPTY) };

    /// The arguments of a message; `None` if it has none, or `null`.
    #[inline]
    pub fn of_params(params: &'a Params<'_>) -> Option<Arguments<'a>> {
        match params.arguments? {
            Value { kind: Kind::Object, text, .. } => {
                Some(Arguments { text, tape: Some(&params.argument_tape) })
            }
            Value { kind: Kind::Null, .. } => None,
            value => Some(Arguments::of_text(value.text)),
        }
    }

    pub const fn of_text(text: &'a str) -> Arguments<'a> {
        Arguments { text, tape: None }
    }

    pub const fn text(&self) -> &'a str {
        self.text
    }
}

impl Binder<'_> {
    /// Binds the arguments of a call to the request that the tool's plan describes.
    ///
    /// `request` is overwritten; after an error its content means nothing.
    #[inline]
    pub fn bind(
        &mut self,
        tool: PreparedTool<'_>,
        arguments: &Arguments<'_>,
        values: &Values<'_>,
        request: &mut Request,
    ) -> Result<(), BindError> {
        request.clear();
        match self.run(tool, arguments, values, request, StopAtFirst) {
            (Ok(()), _) => Ok(()),
            (Err(Refused), _) if tool.tool.is_lenient => {
                self.bind_leniently(tool, arguments, values, request)
            }
            (Err(Refused), _) => Err(self.explain(tool, arguments, values)),
        }
    }

    /// What is wrong with the arguments of a call that is not bound.
    #[cold]
    fn explain(
        &mut self,
        tool: PreparedTool<'_>,
        arguments: &Arguments<'_>,
        values: &Values<'_>,
    ) -> BindError {
        // Templates that run again are not traced again.
        let trace = self.scratch.trace.take();
        let (_, problems) = self.run(tool, arguments, values, &mut Request::default(), Problems::default());
        self.scratch.trace = trace;
        problems.into_error(tool.name())
    }

    #[inline(always)]
    fn run<R: Report>(
        &mut self,
        PreparedTool { tools, tool }: PreparedTool<'_>,
        arguments: &Arguments<'_>,
        values: &Values<'_>,
        request: &mut Request,
        mut report: R,
    ) -> (Result<(), Refused>, R) {
        let Binder { contents, matchers, limits, .. } = *self;
        let known = arguments.tape.filter(|tape| tape.depth <= limits.depth);
        let known = known.and_then(|tape| Some((tape.text(), tape.all()?)));
        let mut own = Vec::new();
        let (text, tape) = match known {
            Some(known) => known,
            None => {
                // Nobody has looked at the text, or there are more values than a message has room for.
                own = std::mem::take(&mut self.scratch.tape);
                let recorded = record(arguments.text, limits, &mut own, &mut report);
                if recorded != Ok(true) {
                    self.scratch.tape = own;
                    return (recorded.map(drop), report);
                }
                (arguments.text, own.as_slice())
            }
        };
        let fixed = Fixed {
            contents,
            variables: values.variables.unwrap_or(&tools.variables),
            tenant_id: values.tenant_id,
            principal_sub: values.principal_sub,
        };
        let arguments = arguments.text;
        let source = Source { contents, matchers, limits, tools, tool, values, fixed, arguments, text, tape };
        let mut pass = Pass { source, scratch: &mut *self.scratch, request, report };
        let (done, report) = (pass.run(), pass.report);
        if known.is_none() {
            self.scratch.tape = own;
        }
        (done, report)
    }
}

/// Scans arguments; `false` if they are nothing to bind, which is then reported.
#[inline(never)]
fn record(
    text: &str,
    limits: &Limits,
    tape: &mut Vec<Span>,
    report: &mut impl Report,
) -> Result<bool, Refused> {
    if text.len() > Span::MAX_TEXT {
        report.problem(ProblemKind::TooLarge, || (String::new(), "the arguments are too long".to_owned()))?;
        return Ok(false);
    }
    match json::record(text, limits.depth, tape) {
        Ok(Value { kind: Kind::Object, .. }) => Ok(true),
        Ok(value) => {
            // A value without a name may be a secret that was meant for some parameter.
            report.problem(ProblemKind::NotAnObject, || {
                let message =
                    format!("the arguments must be a JSON object, not {}", wording::got(value, true));
                (String::new(), message)
            })?;
            Ok(false)
        }
        Err(error) => {
            unreadable(limits, error, report)?;
            Ok(false)
        }
    }
}

fn unreadable(limits: &Limits, error: ScanError, report: &mut impl Report) -> Result<(), Refused> {
    let depth = limits.depth.min(MAX_DEPTH);
    let (kind, message) = match error.kind {
        ScanErrorKind::TooDeep => {
            (ProblemKind::TooDeep, format!("the arguments are nested more than {depth} levels deep"))
        }
        _ => (ProblemKind::NotJson, format!("the arguments are not valid JSON: {error}")),
    };
    report.problem(kind, || (String::new(), message))
}
