//! Projection: keeps the parts of a JSON text that `select` names.
//!
//! What is kept is in the order of the answer, with its own digits and escapes, without space between tokens. The
//! objects and arrays that a path leads through are kept around it, even where they turn out to hold nothing: an empty
//! list of results is an answer. So is `null`. A value of another kind than the path expects is left out.

use super::select::{PathError, Segment, Segments};
use crate::json::{self, Kind, ScanError, Scanner, Value};
use std::fmt;
use std::ops::Range;

/// The place of the answer itself in the tree of paths.
const ROOT: usize = 0;

/// The paths of a tool as a tree, and what is open while an answer is read. Keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Projector {
    nodes: Vec<Node>,
    names: String,
    open: Vec<Frame>,
}

/// Why nothing could be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectError {
    /// No loaded bundle has such a path.
    Path(PathError),
    NotJson(ScanError),
    /// No path leads into an answer of this kind.
    Kind(Kind),
}

/// What of a value is wanted. Other places of the tree are indexes.
#[derive(Debug, Default)]
struct Node {
    /// In [`Projector::names`], if it is a member.
    name: Range<usize>,
    whole: bool,
    each: Option<usize>,
    /// The first member; the others follow through `next`.
    members: Option<usize>,
    next: Option<usize>,
}

/// An array or object whose start is written.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: usize,
    object: bool,
    /// Nothing is written in it yet.
    fresh: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Nothing,
    Whole,
    Inside,
}

impl Projector {
    /// Appends what the paths keep of `text` to `out`. After an error what was appended means nothing.
    pub(super) fn project<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p str>,
        text: &str,
        depth: usize,
        out: &mut String,
    ) -> Result<(), SelectError> {
        self.nodes.clear();
        self.names.clear();
        self.open.clear();
        self.nodes.push(Node::default());
        for path in paths {
            self.add(path).map_err(SelectError::Path)?;
        }
        let mut scanner = Scanner::of_text(text, depth);
        let kind = scanner.peek()?;
        let fits = self.fit(ROOT, kind) != Fit::Nothing;
        if fits {
            self.take(&mut scanner, ROOT, kind, out)?;
        } else {
            scanner.value()?;
        }
        while let Some(&frame) = self.open.last() {
            let found = if frame.object { scanner.next_key()?.map(Some) } else { item(&mut scanner)? };
            match found {
                Some(key) => self.member(&mut scanner, frame, key, out)?,
                None => {
                    out.push(if frame.object { '}' } else { ']' });
                    self.open.pop();
                }
            }
        }
        scanner.finish()?;
        if fits { Ok(()) } else { Err(SelectError::Kind(kind)) }
    }

    /// Takes or skips one member of an object, or one element of an array, which has no key.
    fn member(
        &mut self,
        scanner: &mut Scanner<'_>,
        frame: Frame,
        key: Option<Value<'_>>,
        out: &mut String,
    ) -> Result<(), ScanError> {
        let node = match &key {
            Some(key) => self.named(frame.node, |name| key.is_text(name)),
            None => self.nodes.get(frame.node).and_then(|node| node.each),
        };
        let kind = scanner.peek()?;
        let Some(node) = node.filter(|&node| self.fit(node, kind) != Fit::Nothing) else {
            return scanner.value().map(drop);
        };
        if !frame.fresh {
            out.push(',');
        }
        if let Some(frame) = self.open.last_mut() {
            frame.fresh = false;
        }
        if let Some(key) = key {
            out.push_str(key.text);
            out.push(':');
        }
        self.take(scanner, node, kind, out)
    }

    /// Writes the next value, or its start if only parts of it are wanted.
    fn take(
        &mut self,
        scanner: &mut Scanner<'_>,
        node: usize,
        kind: Kind,
        out: &mut String,
    ) -> Result<(), ScanError> {
        if self.fit(node, kind) == Fit::Whole {
            let value = scanner.value()?;
            match kind {
                Kind::Array | Kind::Object => json::compact(value.text, out),
                _ => out.push_str(value.text),
            }
            return Ok(());
        }
        let object = kind == Kind::Object;
        if object {
            scanner.enter_object()?;
        } else {
            scanner.enter_array()?;
        }
        out.push(if object { '{' } else { '[' });
        self.open.push(Frame { node, object, fresh: true });
        Ok(())
    }

    fn fit(&self, node: usize, kind: Kind) -> Fit {
        match (self.nodes.get(node), kind) {
            (None, _) => Fit::Nothing,
            (Some(node), _) if node.whole => Fit::Whole,
            (Some(_), Kind::Null) => Fit::Whole,
            (Some(node), Kind::Object) if node.members.is_some() => Fit::Inside,
            (Some(node), Kind::Array) if node.each.is_some() => Fit::Inside,
            _ => Fit::Nothing,
        }
    }

    fn add(&mut self, path: &str) -> Result<(), PathError> {
        let mut at = ROOT;
        for segment in Segments::new(path) {
            at = match segment? {
                Segment::Each => self.nodes.get(at).and_then(|node| node.each).unwrap_or_else(|| {
                    let new = self.push(Node::default());
                    self.edit(at, |node| node.each = Some(new));
                    new
                }),
                Segment::Name(name) => self.named(at, |other| other == name).unwrap_or_else(|| {
                    let start = self.names.len();
                    self.names.push_str(&name);
                    let next = self.nodes.get(at).and_then(|node| node.members);
                    let new = self.push(Node { name: start..self.names.len(), next, ..Node::default() });
                    self.edit(at, |node| node.members = Some(new));
                    new
                }),
            };
        }
        self.edit(at, |node| node.whole = true);
        Ok(())
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn edit(&mut self, node: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(node) {
            change(node);
        }
    }

    fn named(&self, parent: usize, is_name: impl Fn(&str) -> bool) -> Option<usize> {
        let mut member = self.nodes.get(parent)?.members;
        while let Some(index) = member {
            let node = self.nodes.get(index)?;
            if is_name(self.names.get(node.name.clone())?) {
                return Some(index);
            }
            member = node.next;
        }
        None
    }
}

/// An element has no key, and is not the end.
fn item<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Option<Value<'a>>>, ScanError> {
    Ok(scanner.next_item()?.then_some(None))
}

impl From<ScanError> for SelectError {
    fn from(error: ScanError) -> SelectError {
        SelectError::NotJson(error)
    }
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectError::Path(error) => write!(f, "a path is invalid: {error}"),
            SelectError::NotJson(error) => write!(f, "not valid JSON: {error}"),
            SelectError::Kind(kind) => {
                let found = match kind {
                    Kind::Null => "null",
                    Kind::Boolean => "a boolean",
                    Kind::Number => "a number",
                    Kind::String => "a string",
                    Kind::Array => "an array",
                    Kind::Object => "an object",
                };
                write!(f, "no path leads into {found}")
            }
        }
    }
}
