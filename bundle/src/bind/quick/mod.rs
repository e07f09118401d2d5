//! The quick way to bind: what most calls are, in as few steps and as few places in memory as possible.
//!
//! Plans are made for being read and checked; a call needs little of them. When a bundle is activated, that little is laid out in a
//! few tables: all of a tool stands together in each, so that a tool that was not called for long is in the cache after a few reads,
//! however many others there are. Checks that are alike are kept once for all tools.
//!
//! The quick way only ever says yes. A value that is not fine at first sight, a plan that has something rare: then it gives up,
//! and the careful way, which knows every rule and every message, begins anew. Both must write the same request; tests and fuzzing
//! compare them.

mod check;
mod layout;
mod write;

pub(super) use layout::Layout;

use super::{Arguments, Limits, Prepared, Request};
use crate::json::Span;
use crate::matchers::Matchers;
use crate::plan::{Contents, TypeSet};
use crate::pool::same;
use crate::tag::{Format, Method};
use crate::template::Run;
use std::fmt;

/// A tool with more parameters is bound the careful way.
const MAX_PARAMETERS: usize = 32;

/// What calls of all tools need.
#[derive(Clone, Default)]
pub(super) struct Tables {
    tools: Vec<Tool>,
    parameters: Vec<Parameter>,
    steps: Vec<Step>,
    checks: Vec<Check>,
    properties: Vec<Property>,
    /// The values that enumerations allow, as JSON texts.
    values: Vec<Run>,
    /// Names, literals, defaults; some hold secrets.
    texts: Vec<u8>,
}

/// One tool. Texts are runs of [`Tables::texts`].
#[derive(Debug, Clone, Copy)]
struct Tool {
    name: Run,
    /// In the order of the plan, whose indexes the steps have.
    parameters: Run,
    /// A bit for each parameter that a call must have, or without which there is no quick way.
    required: u32,
    /// First those of the target, then those of headers, then those of the body. None: there is no quick way.
    steps: Run,
    /// Index of the fixed headers.
    headers: u32,
    method: Method,
    /// The body is an object of JSON.
    json_body: bool,
}

#[derive(Debug, Clone, Copy)]
struct Parameter {
    name: Name,
    check: Checked,
    /// What stands in for an absent argument: its JSON text in a body, its characters elsewhere.
    default: Option<Run>,
}

/// What is written next.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A literal of the path.
    Path(Run),
    PathValue(u8),
    /// A pair of the query that is the same for all calls, as one after the first.
    Query(Run),
    /// `&name=` and the value's parameter.
    QueryValue(Run, u8, Elements),
    /// `name: ` and the value's parameter.
    HeaderValue(Run, u8),
    /// The type of the body.
    ContentType(Run),
    /// `,"name":`, and then an object begins.
    Open(Run),
    Close,
    /// A member that is the same for all calls, after a comma.
    Field(Run),
    /// `,"name":` and the value's parameter.
    FieldValue(Run, u8),
}

/// How the elements of an array are written into a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    /// Each with the name.
    Repeated,
    Comma,
    Space,
    Pipe,
    /// In a way that is rare.
    Other,
}

/// As [`crate::plan::Check`], in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Check {
    types: TypeSet,
    /// In [`Tables::values`]; none allows any.
    values: Run,
    string: Option<StringCheck>,
    number: Option<NumberCheck>,
    array: ArrayCheck,
    object: Option<ObjectCheck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StringCheck {
    /// Of characters.
    least: usize,
    most: usize,
    pattern: Option<u32>,
    format: Option<Format>,
}

/// Whole numbers that are surely within the bounds; none, if least is greater than most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NumberCheck {
    least: i64,
    most: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ArrayCheck {
    least: usize,
    most: usize,
    items: Option<Checked>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ObjectCheck {
    least: usize,
    most: usize,
    /// In [`Tables::properties`], at most 64.
    properties: Run,
    /// A bit for each property that must be there.
    required: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Property {
    name: Name,
    check: Checked,
}

/// Which check a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Checked {
    /// Index in [`Tables::checks`].
    index: u32,
    /// A bit for each [`crate::json::Kind`] of which every value is fine.
    any: u8,
}

/// A name that is compared often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    /// Its first eight bytes, with zeros if there are fewer: they tell most names apart without a look at the texts.
    start: u64,
    text: Run,
}

/// One call.
struct Call<'a> {
    tables: &'a Tables,
    contents: &'a Contents,
    matchers: &'a Matchers,
    /// What the places refer to.
    text: &'a str,
    tape: &'a [Span],
}

/// Where the parameters' arguments stand on the tape, from 1; 0 is an absent one.
type Given = [u8; MAX_PARAMETERS];

impl Tables {
    #[inline]
    pub(super) fn is_named(&self, tool: usize, name: &[u8]) -> bool {
        let of_tool = self.tools.get(tool).map(|tool| tool.name.of(&self.texts));
        of_tool.is_some_and(|of_tool| of_tool.len() == name.len() && same(of_tool, name))
    }

    /// The index of a tool's fixed headers.
    #[inline]
    pub(super) fn headers(&self, tool: usize) -> Option<usize> {
        self.tools.get(tool).map(|tool| tool.headers as usize)
    }

    /// Binds the arguments of a call of the tool at this index, or gives up. Then what is in `request` means nothing.
    #[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
    #[inline]
    pub(super) fn bind(
        &self,
        tool: usize,
        prepared: &Prepared,
        contents: &Contents,
        matchers: &Matchers,
        arguments: &Arguments<'_>,
        limits: &Limits,
        marks: &mut Vec<usize>,
        request: &mut Request,
    ) -> Option<()> {
        let tool = self.tools.get(tool).filter(|tool| tool.steps.count > 0)?;
        let tape = arguments.tape.filter(|tape| tape.depth <= limits.depth)?;
        let call = Call { tables: self, contents, matchers, text: tape.text(), tape: tape.all()? };
        let mut given = Given::default();
        call.arguments(tool, limits, &mut given)?;
        marks.clear();
        request.method = tool.method;
        request.begin_with(prepared);
        call.write(tool, &given, limits, marks, request)
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}
