//! The quick way to bind: what most calls are, in as few steps and as few places in memory as possible.
//!
//! Plans are made for being read and checked; a call needs little of them. When a bundle is activated, that little is laid out anew:
//! all of a tool stands together, so that a tool that was not called for long is in the cache after a few reads, however many others
//! there are. Checks that are alike are kept once for all tools.
//!
//! The quick way only ever says yes. A value that is not fine at first sight, a plan that has something rare: then it gives up,
//! and the careful way, which knows every rule and every message, begins anew. Both must write the same request; tests and fuzzing
//! compare them.

mod check;
mod layout;
mod record;
mod write;

pub(super) use layout::Layout;

use super::{Limits, Prepared, Request};
use crate::bind::matchers::Matchers;
use crate::json::{Span, Tape};
use crate::plan::{Contents, TypeSet};
use crate::strings::StrId;
use crate::template::Run;
use crate::wire_enums::{Format, Method};
use std::fmt;

/// A tool with more parameters is bound the careful way.
const MAX_PARAMETERS: usize = 32;

/// What calls of all tools need.
#[derive(Clone, Default)]
pub(super) struct Tables {
    /// The records of tools, and texts, of which some hold secrets.
    bytes: Vec<u8>,
    checks: Vec<Check>,
    properties: Vec<Property>,
    /// The values that enumerations allow, as JSON texts.
    values: Vec<Run>,
}

/// The record of one tool. Texts are runs of [`Tables::bytes`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool<'a> {
    pub(super) ids: Ids,
    pub(super) name: &'a [u8],
    /// Headers of a message repeat arguments.
    pub(super) mirrored: bool,
    /// A bit for each parameter that a call must have, or without which there is no quick way.
    required: u32,
    /// In the order of the plan, whose indexes the steps have; see [`Parameter::read`].
    parameters: &'a [[u8; 32]],
    /// First those of the target, then those of headers, then those of the body. None: there is no quick way.
    steps: &'a [[u8; 12]],
    method: Method,
    /// The body is an object of JSON.
    json_body: bool,
}

/// What stands elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ids {
    /// Of the tool.
    pub(super) index: u32,
    /// Of the fixed headers.
    pub(super) headers: u32,
    /// Of what follows binding.
    pub(super) course: u32,
    pub(super) name_id: StrId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parameter {
    name: Name,
    check: Checked,
    /// What stands in for an absent argument: its JSON text in a body, its characters elsewhere.
    default: Option<Run>,
}

/// What is written next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Binds the arguments of a call, or gives up. Then what is in `request` means nothing.
    #[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
    #[inline]
    pub(super) fn bind(
        &self,
        tool: &Tool<'_>,
        prepared: &Prepared,
        contents: &Contents,
        matchers: &Matchers,
        tape: &Tape<'_>,
        limits: &Limits,
        marks: &mut Vec<usize>,
        request: &mut Request,
    ) -> Option<()> {
        if tool.steps.is_empty() || tape.depth > limits.depth {
            return None;
        }
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
        f.debug_struct("Tables").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
