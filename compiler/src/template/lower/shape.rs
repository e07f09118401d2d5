//! Which parts of the data a program reads by name, as a tree that grows while its template is lowered.

use std::collections::BTreeMap;

use mcp_bundle::strings::StrId;
use mcp_bundle::template::{Field, MAX_FIELDS, MAX_PATH, NONE, Programs, Run, Shape};

/// A part of the data. A node's number is greater than its parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    pub const ROOT: NodeId = NodeId(0);
}

/// How a part is reached from the one that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Key(StrId),
    /// Every element or member.
    Each,
}

#[derive(Debug)]
struct Node {
    parent: Option<(NodeId, Edge)>,
    depth: usize,
    fields: Vec<(StrId, NodeId)>,
    items: Option<NodeId>,
}

#[derive(Debug)]
pub(super) struct Shapes {
    nodes: Vec<Node>,
    /// Otherwise a node with many fields would be searched again for each of them.
    fields: BTreeMap<(NodeId, StrId), (u32, NodeId)>,
}

impl Shapes {
    pub fn new() -> Shapes {
        let root = Node { parent: None, depth: 0, fields: Vec::new(), items: None };
        Shapes { nodes: vec![root], fields: BTreeMap::new() }
    }

    /// The field of that name and its place among the fields of its node; `None` if it would lie too deep, or
    /// the node has too many.
    pub fn field(&mut self, of: NodeId, key: StrId) -> Option<(u32, NodeId)> {
        if let Some(known) = self.fields.get(&(of, key)) {
            return Some(*known);
        }
        if self.nodes.get(of.0 as usize)?.fields.len() >= MAX_FIELDS as usize {
            return None;
        }
        let child = self.add(of, Edge::Key(key))?;
        let fields = &mut self.nodes.get_mut(of.0 as usize)?.fields;
        let place = fields.len() as u32;
        fields.push((key, child));
        self.fields.insert((of, key), (place, child));
        Some((place, child))
    }

    /// The node of what is looped over in `of`; `None` if it would lie too deep.
    pub fn items(&mut self, of: NodeId) -> Option<NodeId> {
        if let Some(known) = self.nodes.get(of.0 as usize)?.items {
            return Some(known);
        }
        let child = self.add(of, Edge::Each)?;
        self.nodes.get_mut(of.0 as usize)?.items = Some(child);
        Some(child)
    }

    fn add(&mut self, parent: NodeId, edge: Edge) -> Option<NodeId> {
        let depth = self.nodes.get(parent.0 as usize)?.depth + 1;
        if depth >= MAX_PATH {
            return None;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { parent: Some((parent, edge)), depth, fields: Vec::new(), items: None });
        Some(id)
    }

    /// How a node is reached from the root.
    pub fn path(&self, node: NodeId) -> Vec<Edge> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((parent, edge)) = self.nodes.get(at.0 as usize).and_then(|node| node.parent) {
            path.push(edge);
            at = parent;
        }
        path.reverse();
        path
    }

    /// For each node, whether it is found while the data are scanned. A shape has either fields or items: what is
    /// looped over and also has fields keeps the fields, and its elements are searched instead.
    pub fn found(&self) -> Found {
        let mut found: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            found.push(match node.parent {
                None => true,
                Some((parent, edge)) => {
                    let above = found.get(parent.0 as usize).copied().unwrap_or_default();
                    above && (edge != Edge::Each || !self.has_fields(parent))
                }
            });
        }
        Found(found)
    }

    fn has_fields(&self, node: NodeId) -> bool {
        self.nodes.get(node.0 as usize).is_some_and(|node| !node.fields.is_empty())
    }

    /// Writes the found nodes into the tables of a program and gives the root's shape.
    pub fn write(&self, found: &Found, strings: &[String], programs: &mut Programs) -> u32 {
        let mut shapes = vec![NONE; self.nodes.len()];
        let mut leaf = None;
        // Children have greater numbers than their parents, so this way they come first.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if !found.has(NodeId(at as u32)) {
                continue;
            }
            let shape_of = |child: NodeId| shapes.get(child.0 as usize).copied().unwrap_or(NONE);
            let items = node.items.map_or(NONE, shape_of);
            let is_leaf = node.fields.is_empty() && items == NONE;
            let shape = match leaf {
                Some(known) if is_leaf => known,
                _ => {
                    let fields = Run { start: programs.fields.len() as u32, count: node.fields.len() as u32 };
                    let text = |key: StrId| strings.get(key.0 as usize).map_or("", String::as_str);
                    let written =
                        node.fields.iter().map(|&(key, child)| Field::new(key, text(key), shape_of(child)));
                    programs.fields.extend(written);
                    programs.shapes.push(Shape { fields, items });
                    programs.shapes.len() as u32 - 1
                }
            };
            if is_leaf {
                leaf = Some(shape);
            }
            if let Some(slot) = shapes.get_mut(at) {
                *slot = shape;
            }
        }
        shapes.first().copied().unwrap_or(NONE)
    }
}

/// Says of each node whether it is found while the data are scanned.
#[derive(Debug)]
pub(super) struct Found(Vec<bool>);

impl Found {
    pub fn has(&self, node: NodeId) -> bool {
        self.0.get(node.0 as usize).copied().unwrap_or_default()
    }
}
