//! Scans a JSON text once and keeps what a shape asks for.
//!
//! All of the text is validated; of values that the shape does not mention, nothing is kept. What is kept are places
//! in the text, in one table: an object's fields lie next to each other, items are chained.

use super::NONE;
use super::error::{Fault, Limit};
use super::value::{Node, Source};
use crate::json::{Kind, ScanError, Scanner, Token, Value};
use crate::plan::program::{Field, Programs, Shape};
use crate::strings::Strings;

/// What is kept of the values scanned so far.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub list: Vec<Node>,
    open: Vec<Open>,
    /// The most that may be kept.
    pub limit: usize,
}

/// A container whose parts are being scanned.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: usize,
    parts: Parts,
}

#[derive(Debug, Clone, Copy)]
enum Parts {
    Fields { shape: Shape, first: usize, expected: usize },
    Elements { shape: u32, last: u32, count: u32 },
    Members { shape: u32, last: u32, count: u32 },
}

/// What shapes refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub programs: &'a Programs,
    pub strings: &'a Strings,
}

/// A scan that keeps nodes.
struct Scan<'a, 'n> {
    nodes: &'n mut Nodes,
    shapes: Shapes<'a>,
    scanner: Scanner<'a>,
    source: Source,
    /// Where the scanned text begins in its source.
    offset: u32,
}

impl Nodes {
    /// Scans the data: the one value that is all of `scanner`'s text.
    pub(crate) fn scan(
        &mut self,
        shapes: Shapes<'_>,
        shape: u32,
        scanner: Scanner<'_>,
    ) -> Result<Node, Box<Fault>> {
        self.open.clear();
        let root = self.keep(1)?;
        let mut scan = Scan { nodes: self, shapes, scanner, source: Source::Data, offset: 0 };
        scan.value(shape, root)?;
        scan.parts()?;
        scan.scanner.finish().map_err(data)?;
        Ok(self.list.get(root).copied().unwrap_or(Node::ABSENT))
    }

    /// Gathers the items of a container that was scanned without them.
    pub(crate) fn gather(
        &mut self,
        shapes: Shapes<'_>,
        node: Node,
        text: &str,
        depth: usize,
    ) -> Result<Node, Box<Fault>> {
        self.open.clear();
        let root = self.keep(1)?;
        let scanner = Scanner::of_text(text, depth).allow_lone_surrogates();
        let mut scan = Scan { nodes: self, shapes, scanner, source: node.source, offset: node.start };
        let kind = scan.scanner.peek().map_err(data)?;
        scan.enter(kind, root, Shape { items: NONE, ..Shape::default() })?;
        scan.parts()?;
        Ok(self.list.get(root).copied().unwrap_or(Node::ABSENT))
    }

    #[inline]
    fn keep(&mut self, count: usize) -> Result<usize, Box<Fault>> {
        let first = self.list.len();
        if first + count > self.limit {
            return Err(Box::new(Fault::Limit(Limit::Values)));
        }
        self.list.resize(first + count, Node::ABSENT);
        Ok(first)
    }

    #[inline(always)]
    fn set(&mut self, target: usize, node: Node) {
        if let Some(slot) = self.list.get_mut(target) {
            *slot = node;
        }
    }

    fn set_parts(&mut self, parts: Parts) {
        if let Some(open) = self.open.last_mut() {
            open.parts = parts;
        }
    }

    /// Appends a new item to the chain of a container.
    fn chain(&mut self, container: usize, last: u32, item: usize) {
        if last == NONE {
            if let Some(container) = self.list.get_mut(container) {
                container.children = item as u32;
            }
        } else if let Some(last) = self.list.get_mut(last as usize) {
            last.next = item as u32;
        }
    }

    /// Of members with the same name, the last value stays, in the place of the first. Gives how many are left.
    fn drop_repeated(&mut self, container: usize, count: u32, text: &str, offset: u32) -> u32 {
        let first = self.list.get(container).map_or(NONE, |node| node.children);
        let name = |list: &[Node], member: u32| {
            let key = list.get(member as usize + 1).copied().unwrap_or(Node::ABSENT);
            let range = key.start.wrapping_sub(offset) as usize..key.end.wrapping_sub(offset) as usize;
            let text: &str = text.get(range).unwrap_or_default();
            Value { kind: Kind::String, text, escaped: key.escaped }
        };
        // Few names are compared each with each; that needs no memory.
        let list = &self.list;
        if count <= 8
            && !chain_of(list, first).any(|one| {
                chain_of(list, one).skip(1).any(|other| name(list, one).same_string(&name(list, other)))
            })
        {
            return count;
        }
        let mut members: Vec<u32> = chain_of(list, first).collect();
        members.sort_by(|&one, &other| {
            name(list, one).compare_strings(&name(list, other)).then(one.cmp(&other))
        });
        let mut removed = Vec::new();
        let mut values = Vec::new();
        for same in members.chunk_by(|&one, &other| name(list, one).same_string(&name(list, other))) {
            if let [first, .., last] = same {
                values.push((*first, *last));
                removed.extend(same.iter().skip(1).copied());
            }
        }
        for (first, last) in values {
            if let Some(&value) = self.list.get(last as usize)
                && let Some(slot) = self.list.get_mut(first as usize)
            {
                *slot = Node { next: slot.next, ..value };
            }
        }
        removed.sort_unstable();
        let mut at = first;
        while let Some(node) = self.list.get(at as usize) {
            let mut next = node.next;
            while removed.binary_search(&next).is_ok() {
                next = self.list.get(next as usize).map_or(NONE, |node| node.next);
            }
            if let Some(node) = self.list.get_mut(at as usize) {
                node.next = next;
            }
            at = next;
        }
        count - removed.len() as u32
    }
}

/// The items of a chain, from one on.
fn chain_of(list: &[Node], first: u32) -> impl Iterator<Item = u32> + Clone {
    let found = |at: u32| (at != NONE && (at as usize) < list.len()).then_some(at);
    std::iter::successors(found(first), move |&at| list.get(at as usize).and_then(|node| found(node.next)))
}

impl Scan<'_, '_> {
    /// Takes the next value: whole if nothing inside it is asked for, else only its first bracket.
    #[inline(always)]
    fn value(&mut self, shape: u32, target: usize) -> Result<(), Box<Fault>> {
        let kind = self.scanner.peek().map_err(data)?;
        let token = match kind {
            Kind::String => self.scanner.skip_string().map_err(data)?,
            Kind::Array | Kind::Object => {
                if let Some(shape) = self.shapes.programs.shapes.get(shape as usize)
                    && (shape.items != NONE || (kind == Kind::Object && shape.fields.count > 0))
                {
                    return self.enter(kind, target, *shape);
                }
                self.scanner.skip(kind).map_err(data)?
            }
            _ => self.scanner.skip(kind).map_err(data)?,
        };
        self.nodes.set(target, leaf(kind, token, self.source, self.offset));
        Ok(())
    }

    #[inline]
    fn enter(&mut self, kind: Kind, target: usize, shape: Shape) -> Result<(), Box<Fault>> {
        let start = self.offset.wrapping_add(self.scanner.offset() as u32);
        let mut node = Node { start, kind: Some(kind), source: self.source, ..Node::ABSENT };
        let parts = if kind == Kind::Array {
            self.scanner.enter_array().map_err(data)?;
            Parts::Elements { shape: shape.items, last: NONE, count: 0 }
        } else {
            self.scanner.enter_object().map_err(data)?;
            if shape.fields.count > 0 {
                let first = self.nodes.keep(shape.fields.count as usize)?;
                node.children = first as u32;
                Parts::Fields { shape, first, expected: 0 }
            } else {
                Parts::Members { shape: shape.items, last: NONE, count: 0 }
            }
        };
        self.nodes.set(target, node);
        self.nodes.open.push(Open { node: target, parts });
        Ok(())
    }

    /// Goes on with the innermost open container until none is open.
    fn parts(&mut self) -> Result<(), Box<Fault>> {
        while let Some(&Open { node, parts }) = self.nodes.open.last() {
            match parts {
                Parts::Fields { shape, first, expected } => self.fields(node, shape, first, expected)?,
                Parts::Elements { shape, last, count } => {
                    if !self.scanner.next_item().map_err(data)? {
                        self.close(node, count);
                        continue;
                    }
                    let target = self.nodes.keep(1)?;
                    self.nodes.chain(node, last, target);
                    self.nodes.set_parts(Parts::Elements { shape, last: target as u32, count: count + 1 });
                    self.value(shape, target)?;
                }
                Parts::Members { shape, last, count } => {
                    let Some(key) = self.scanner.skip_key().map_err(data)? else {
                        let count = self.nodes.drop_repeated(node, count, self.scanner.text(), self.offset);
                        self.close(node, count);
                        continue;
                    };
                    let target = self.nodes.keep(2)?;
                    self.nodes.chain(node, last, target);
                    self.nodes.set(target + 1, leaf(Kind::String, key, self.source, self.offset));
                    self.nodes.set_parts(Parts::Members { shape, last: target as u32, count: count + 1 });
                    self.value(shape, target)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the members of an object until one is a container to look into, or there is none left.
    fn fields(
        &mut self,
        node: usize,
        shape: Shape,
        first: usize,
        mut expected: usize,
    ) -> Result<(), Box<Fault>> {
        let Shapes { programs, strings } = self.shapes;
        let fields = shape.fields.of(&programs.fields);
        let open = self.nodes.open.len();
        while let Some(key) = self.scanner.skip_key().map_err(data)? {
            match find_field(strings, fields, expected, key, self.scanner.text()) {
                None => {
                    let kind = self.scanner.peek().map_err(data)?;
                    self.scanner.skip(kind).map_err(data)?;
                }
                Some((index, field)) => {
                    expected = index + 1;
                    self.value(field.shape, first + index)?;
                    if self.nodes.open.len() > open {
                        if let Some(container) = self.nodes.open.get_mut(open.wrapping_sub(1)) {
                            container.parts = Parts::Fields { shape, first, expected };
                        }
                        return Ok(());
                    }
                }
            }
        }
        self.close(node, NONE);
        Ok(())
    }

    fn close(&mut self, node: usize, count: u32) {
        if let Some(node) = self.nodes.list.get_mut(node) {
            node.end = self.offset.wrapping_add(self.scanner.offset() as u32);
            node.count = count;
        }
        self.nodes.open.pop();
    }
}

/// The field that a key names, and its place. Objects of a list mostly have their members in the same order.
#[inline(always)]
fn find_field<'f>(
    strings: &Strings,
    fields: &'f [Field],
    expected: usize,
    key: Token,
    text: &str,
) -> Option<(usize, &'f Field)> {
    if key.escaped {
        let name = Value { kind: Kind::String, text: text.get(key.start..key.end)?, escaped: true };
        return fields.iter().enumerate().find(|(_, field)| name.is_text(strings.get(field.key)));
    }
    let name = text.as_bytes().get(key.start + 1..key.end.wrapping_sub(1))?;
    let prefix = match text.as_bytes().get(key.start + 1..).and_then(<[u8]>::first_chunk::<8>) {
        // What follows a short name in the text is cut off.
        Some(word) => {
            let start = u64::from_le_bytes(*word) & !(u64::MAX << (8 * name.len().min(7)));
            start | Field::prefix_length(name.len())
        }
        None => Field::prefix_of(name),
    };
    let is_named =
        |field: &Field| field.prefix == prefix && (name.len() <= 7 || strings.bytes(field.key) == name);
    match fields.get(expected) {
        Some(field) if is_named(field) => Some((expected, field)),
        _ => fields.iter().enumerate().find(|(_, field)| is_named(field)),
    }
}

#[inline(always)]
fn leaf(kind: Kind, token: Token, source: Source, offset: u32) -> Node {
    Node {
        start: offset.wrapping_add(token.start as u32),
        end: offset.wrapping_add(token.end as u32),
        kind: Some(kind),
        escaped: token.escaped,
        source,
        ..Node::ABSENT
    }
}

#[cold]
fn data(error: ScanError) -> Box<Fault> {
    Box::new(Fault::Data(error))
}
