//! Binding: the arguments of a call in, the upstream request out.
//!
//! A pure function of the plan, the arguments and a few values of the place it runs in. One pass over
//! the arguments looks each up, checks it and remembers where it stands; then every position writes
//! its part of the request with its own encoder. There is no other way for a value into a request.
//! What most calls are goes a shorter way first, see `quick/`.
//!
//! All problems of a call are reported at once, in words that a model can act on. A message never
//! holds the value of a sensitive parameter or of a variable.
//!
//! A warm [`Scratch`] and [`Request`] make binding free of allocations, a full schema aside.

mod arguments;
mod check;
pub mod formats;
mod lookup;
pub mod matchers;
mod names;
pub mod patterns;
mod positions;
mod prepared;
mod problem;
mod quick;
mod request;
pub mod schema;
mod wording;

pub use prepared::{Course, PreparedTool, PreparedTools, ToolName};
pub use problem::{BindError, MAX_PROBLEMS, Problem, ProblemKind};
pub use request::Request;

pub(crate) use names::{Mark, Names};
pub(crate) use problem::Problems;
pub(crate) use request::Prepared;
pub(crate) use wording::{schema_problem, shorten};

use crate::envelope::Params;
use crate::json::{self, Kind, Member, ScanError, ScanErrorKind, Span, StrictError, Tape, Value, utf8};
use crate::plan::{Contents, HttpPlan, ToolPlan};
use crate::template::{self, Ambient, Ran};
use matchers::Matchers;
use positions::{Sink, Source};

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
    /// Indexed like [`crate::plan::Manifest::variables`].
    pub variables: &'a [Box<str>],
    pub tenant_id: Option<&'a str>,
    pub principal_sub: Option<&'a str>,
    /// What [`PreparedTools`] have for the tool.
    pub prepared: Option<&'a PreparedTool<'a>>,
    /// For templates that ask for the time or a random value.
    pub ambient: Ambient,
}

/// Memory that one call leaves to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    /// One for each parameter of the tool.
    slots: Vec<Slot>,
    /// Arguments that no parameter names, in the order given.
    extras: Vec<Member>,
    /// Which properties of the open objects have been seen.
    seen: Vec<u64>,
    names: Names,
    text: String,
    bytes: Vec<u8>,
    marks: Vec<usize>,
    /// If there is one, it sees which parts of the request's templates are run.
    pub trace: Option<Ran>,
    /// The arguments as templates see them, as one JSON object.
    data: String,
    template: template::Scratch,
}

/// What is known of one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Absent,
    /// A problem with it is already reported.
    Refused,
    Given(Span),
    /// The plan's default stands in.
    Default,
}

/// The arguments of a call, a JSON object: its text, and what stands where in it if that is known already.
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

impl Scratch {
    /// What a request is written from and to.
    #[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
    #[inline(always)]
    fn ends<'s>(
        &'s mut self,
        contents: &'s Contents,
        tool: &'s ToolPlan,
        http: &'s HttpPlan,
        arguments: &'s str,
        values: &'s Values<'_>,
        limits: &'s Limits,
        request: &'s mut Request,
        problems: &'s mut Problems,
    ) -> (Source<'s>, Sink<'s>) {
        let (slots, extras) = (&self.slots, &self.extras);
        let source = Source { contents, tool, http, arguments, slots, extras, values, limits };
        let sink = Sink {
            request,
            problems,
            text: &mut self.text,
            bytes: &mut self.bytes,
            marks: &mut self.marks,
            data: &mut self.data,
            template: &mut self.template,
            trace: &mut self.trace,
            names: &mut self.names,
        };
        (source, sink)
    }
}

impl<'a> Arguments<'a> {
    /// `{}`, which also stands for arguments that are not given.
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

/// Binds the arguments of a call, a JSON object, to the request that the tool's plan describes.
///
/// `matchers` are those of `contents`, and `tool` is one of its tools. An absent `arguments` is `{}`.
/// `request` is overwritten; after an error its content means nothing.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
pub fn bind(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    arguments: &[u8],
    values: &Values<'_>,
    limits: &Limits,
    scratch: &mut Scratch,
    request: &mut Request,
) -> Result<(), BindError> {
    match utf8::read(arguments) {
        Ok(text) => {
            let arguments = Arguments::of_text(text);
            bind_arguments(contents, matchers, tool, &arguments, values, limits, scratch, request)
        }
        Err(offset) => {
            let mut problems = Problems::default();
            let error = ScanError { kind: ScanErrorKind::NotUtf8, offset };
            arguments::unreadable(&mut problems, limits, error);
            problems.into_result(contents.strings.get(tool.name))
        }
    }
}

/// As [`bind()`], with arguments of a message that was read.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
pub fn bind_arguments(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    arguments: &Arguments<'_>,
    values: &Values<'_>,
    limits: &Limits,
    scratch: &mut Scratch,
    request: &mut Request,
) -> Result<(), BindError> {
    if let Some(prepared) = values.prepared
        && prepared.bind_quickly(contents, matchers, arguments, limits, scratch, request).is_some()
    {
        return Ok(());
    }
    bind_carefully(contents, matchers, tool, arguments, values, limits, scratch, request)
}

/// Knows every rule and tells what is wrong.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
#[inline(never)]
fn bind_carefully(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    arguments: &Arguments<'_>,
    values: &Values<'_>,
    limits: &Limits,
    scratch: &mut Scratch,
    request: &mut Request,
) -> Result<(), BindError> {
    let mut problems = Problems::default();
    request.clear();
    let collected =
        arguments::collect(contents, matchers, tool, arguments.text, limits, scratch, &mut problems);
    if collected {
        if let Some(index) = tool.schema {
            check_schema(contents, matchers, tool, index, arguments.text, limits, &mut problems);
        }
        if let Some(http) = tool.http() {
            request.method = http.method;
            let (source, mut sink) =
                scratch.ends(contents, tool, http, arguments.text, values, limits, request, &mut problems);
            positions::write(&source, &mut sink);
        }
    }
    if problems.count() == 0 {
        return Ok(());
    }
    problems.into_result(contents.strings.get(tool.name))
}

fn check_schema(
    contents: &Contents,
    matchers: &Matchers,
    tool: &ToolPlan,
    index: u32,
    arguments: &str,
    limits: &Limits,
    problems: &mut Problems,
) {
    let value = match json::parse_strict(arguments.as_bytes(), limits.depth) {
        Ok(value) => value,
        // A name that occurs twice is told with its place where the arguments are read.
        Err(StrictError::DuplicateKey { .. }) if problems.has(ProblemKind::DuplicateArgument) => {
            return;
        }
        Err(error) => {
            let kind = match error {
                StrictError::DuplicateKey { .. } => ProblemKind::DuplicateArgument,
                StrictError::NumberOutOfRange { .. } => ProblemKind::OutOfRange,
                StrictError::NotJson(_) => ProblemKind::NotJson,
            };
            problems.push(kind, || (String::new(), wording::strict_error(&error)));
            return;
        }
    };
    let Some(validator) = matchers.schema(contents, index) else {
        problems.push(ProblemKind::Schema, || {
            (String::new(), "the arguments cannot be checked: the tool's schema is invalid".to_owned())
        });
        return;
    };
    let checked = problems.count();
    for found in schema::validate(validator, &value) {
        let sensitive = arguments::find_parameter(contents, tool, &found.root)
            .and_then(|index| tool.parameters.get(index))
            .is_some_and(|parameter| parameter.sensitive);
        let path = wording::path(if sensitive { &found.root } else { &found.path });
        // The compiled checks say it better where both see it.
        if problems.mentions(&path, checked) {
            continue;
        }
        problems.push(ProblemKind::Schema, || {
            let message = wording::schema(&path, &found.message, sensitive);
            (path, message)
        });
    }
}
