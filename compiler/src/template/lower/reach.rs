//! Values that are found by keys, and what is read by name on the way.

use mcp_bundle::format::MAX_NAME_LENGTH;
use mcp_bundle::strings::StrId;
use mcp_bundle::template::MAX_PATH;

use super::code::{Code, ROOT, Span};
use super::shape::{Edge, NodeId};
use crate::template::{Read, Segment};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DraftPath {
    pub base: u32,
    pub steps: Vec<DraftStep>,
}

/// A key, and if the value it is taken from is known: its node and the place among its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DraftStep {
    pub key: StrId,
    pub field: Option<(NodeId, u32)>,
}

/// A value that is a register's, or found from there by keys.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pub path: DraftPath,
    pub node: Option<NodeId>,
    /// Of the last key.
    span: Span,
}

impl Reach {
    /// A value of which nothing is known, and whose register does not matter.
    pub fn unknown(span: &Span) -> Reach {
        Reach { path: DraftPath { base: ROOT, steps: Vec::new() }, node: None, span: span.clone() }
    }

    /// The register, if no key is taken from it.
    pub fn register(&self) -> Option<u32> {
        self.path.steps.is_empty().then_some(self.path.base)
    }
}

impl Code {
    /// The value of a register.
    pub fn reach(&self, register: u32, span: &Span) -> Reach {
        let node = self.registers.get(register as usize).and_then(|register| register.node);
        let path = DraftPath { base: register, steps: Vec::new() };
        Reach { path, node, span: span.clone() }
    }

    /// Goes on by a key of an object.
    pub fn step(&mut self, reach: &mut Reach, key: &str, span: &Span) {
        let id = self.key(key, span);
        let field = reach.node.and_then(|node| Some((node, self.shapes.field(node, id)?)));
        if field.is_none() {
            self.leave_known(reach);
        }
        reach.node = field.map(|(_, (_, child))| child);
        self.add_step(reach, id, field.map(|(node, (place, _))| (node, place)), span);
    }

    /// Goes on by a key that may also be the index of an element, so that it has to be searched.
    pub fn step_by_search(&mut self, reach: &mut Reach, key: &str, span: &Span) {
        let id = self.key(key, span);
        self.leave_known(reach);
        self.add_step(reach, id, None, span);
    }

    fn key(&mut self, key: &str, span: &Span) -> StrId {
        if key.len() > MAX_NAME_LENGTH {
            self.fail(span, format!("a key has more than {MAX_NAME_LENGTH} bytes"));
        }
        self.name(key)
    }

    fn add_step(&mut self, reach: &mut Reach, key: StrId, field: Option<(NodeId, u32)>, span: &Span) {
        if reach.path.steps.len() >= MAX_PATH {
            self.fail(span, format!("a path has more than {MAX_PATH} keys"));
            return;
        }
        reach.path.steps.push(DraftStep { key, field });
        reach.span = span.clone();
    }

    fn leave_known(&mut self, reach: &mut Reach) {
        self.note_read(reach, false);
        reach.node = None;
    }

    /// Notes what is read by name.
    pub fn note_read(&mut self, reach: &Reach, looped: bool) {
        if let Some(node) = reach.node
            && (looped || !reach.path.steps.is_empty())
        {
            let path = self.segments(node);
            self.add_read(Read { path, span: reach.span.clone(), looped });
        }
    }

    pub fn add_read(&mut self, read: Read) {
        if self.reads.last() != Some(&read) {
            self.reads.push(read);
        }
    }

    /// Notes that a condition is made of a value.
    pub fn note_tested(&mut self, node: Option<NodeId>) {
        if let Some(path) = node.map(|node| self.segments(node)).filter(|path| !path.is_empty()) {
            self.tested.insert(path);
        }
    }

    pub fn segments(&self, node: NodeId) -> Vec<Segment> {
        let segment = |edge| match edge {
            Edge::Key(key) => Segment::Key(self.names.get(key.0 as usize).cloned().unwrap_or_default()),
            Edge::Each => Segment::Each,
        };
        self.shapes.path(node).into_iter().map(segment).collect()
    }
}
