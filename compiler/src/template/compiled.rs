//! A template as a program that is not part of a bundle yet.

use std::collections::BTreeSet;
use std::ops::Range;

use mcp_bundle::json::write_escaped;
use mcp_bundle::template::{Encoding, OpCode, Programs};

use super::Dialect;

/// The register of the data.
const DATA: u32 = 0;

/// One compiled template. Tables and strings are its own; [`crate::plan`] moves them into the bundle's.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    pub dialect: Dialect,
    /// What it was compiled from, with `\n` for every line end: equal templates can share a program. Spans are of
    /// the text as it was given.
    pub source: String,
    /// Exactly one program. A [`mcp_bundle::strings::StrId`] in it is an index of `strings`.
    pub programs: Programs,
    /// No string is both a literal and something else.
    pub strings: Vec<String>,
    /// Names of the variables that it writes, by their index in its instructions.
    pub variables: Vec<String>,
    /// For each instruction, the bytes of the source that it stands for.
    pub spans: Vec<Range<usize>>,
    /// Whether any part of the data can reach the output or a decision; `false` means the text is constant up to
    /// the clock and random functions.
    pub reads_data: bool,
    pub reads: Vec<Read>,
    /// What is asked for before it is used: the paths that conditions are made of, not the whole data.
    pub tested: BTreeSet<Vec<Segment>>,
    /// In the order of their instructions.
    pub branches: Vec<Branch>,
}

/// A part of the data that the template reads by name, as far as that is known without data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub path: Vec<Segment>,
    /// The key in the source that comes last in the path; the whole expression if there is none.
    pub span: Range<usize>,
    /// It is looped over.
    pub looped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    Key(String),
    /// Every element of an array, or every member of an object.
    Each,
}

/// A part of the template that is run only sometimes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The first instruction of it. It has at least one of its own.
    pub op: u32,
    /// The action that decides about it.
    pub span: Range<usize>,
    pub kind: BranchKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// The body of an `if`, `unless`, `else if`, `with`.
    Taken,
    /// An `else` that is written.
    Else,
    /// The body of a loop.
    Loop,
}

impl Compiled {
    /// Writes the literals as they are inside a JSON string, where
    /// [`mcp_bundle::template::Destination::Text`] has them. To be called once.
    pub fn encode_as_text(&mut self) {
        let literals = self.programs.ops.iter().filter(|op| op.code == OpCode::Literal).map(|op| op.a);
        for id in literals.collect::<BTreeSet<u32>>() {
            if let Some(literal) = self.strings.get_mut(id as usize) {
                let mut escaped = Vec::with_capacity(literal.len());
                write_escaped(literal, &mut escaped);
                // Escaping makes text of text.
                *literal = String::from_utf8_lossy(&escaped).into_owned();
            }
        }
    }

    /// Whether it reads something by that name at the top of its data.
    pub fn reads_key(&self, name: &str) -> bool {
        self.keys().any(|key| key == name)
    }

    /// The members of the data that it reads by name.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.reads.iter().filter_map(|read| match read.path.first()? {
            Segment::Key(key) => Some(key.as_str()),
            Segment::Each => None,
        })
    }

    /// Whether it may read all of its data at once: prints it, loops over it, or gives it to a function.
    pub fn reads_whole(&self) -> bool {
        let is_data = |path: u32| {
            let path = self.programs.paths.get(path as usize);
            path.is_some_and(|path| path.base == DATA && path.steps.count == 0)
        };
        self.programs
            .ops
            .iter()
            .any(|op| matches!(op.code, OpCode::Emit | OpCode::Push | OpCode::Branch) && is_data(op.a))
    }

    /// What it always writes into the path of a URL by nothing but the name of an argument, each with its place.
    pub fn path_keys(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        // Whatever jumps over an instruction comes before it: only the end of a loop jumps back.
        let mut skipped = 0;
        self.programs.ops.iter().zip(&self.spans).enumerate().filter_map(move |(at, (op, span))| {
            let is_certain = skipped <= at;
            skipped = skipped.max(op.jump().unwrap_or_default() as usize);
            let in_path = op.code == OpCode::Emit && op.b == u32::from(Encoding::PathSegment.tag());
            let path = self.programs.paths.get(op.a as usize).filter(|_| in_path && is_certain)?;
            let key = path.steps.of(&self.programs.steps).first().filter(|_| path.base == DATA)?.key;
            Some((self.strings.get(key.0 as usize)?.as_str(), span.clone()))
        })
    }

    /// Its text without conditions: literals as they are, and for each value what `value` makes of its instruction.
    pub fn outline(&self, mut value: impl FnMut(&mut String)) -> String {
        let mut text = String::new();
        for op in &self.programs.ops {
            match op.code {
                OpCode::Literal => {
                    text.push_str(self.strings.get(op.a as usize).map_or("", String::as_str));
                }
                OpCode::Emit | OpCode::EmitTop | OpCode::Variable => value(&mut text),
                _ => {}
            }
        }
        text
    }

    /// Finds the places of literals for which only the text before them is known, as in Handlebars.
    /// To be called while spans are those of `source`.
    pub(super) fn find_literals(&mut self) {
        for (op, span) in self.programs.ops.iter().zip(&mut self.spans) {
            if op.code != OpCode::Literal || span.start < span.end {
                continue;
            }
            let text = self.strings.get(op.a as usize).map_or("", String::as_str);
            let rest = self.source.get(span.start..).unwrap_or_default();
            if let Some(start) = rest.find(text).map(|at| span.start + at) {
                *span = start..start + text.len();
            }
        }
    }

    /// Replaces every span.
    pub(super) fn map_spans(&mut self, map: impl Fn(&mut Range<usize>)) {
        self.spans.iter_mut().for_each(&map);
        self.reads.iter_mut().for_each(|read| map(&mut read.span));
        self.branches.iter_mut().for_each(|branch| map(&mut branch.span));
    }
}
