//! Values while a program runs: spans of texts, never trees.

use crate::json::decimal;
use crate::json::{self, Kind, ScanError, Scanner};
use crate::strings::{StrId, Strings};
use crate::wire_enums::Dialect;
use std::fmt::{self, Write};

/// A value of the data, of the template, or computed. Small and without references: a [`View`]
/// shows what it contains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Absent,
    Null,
    Bool(bool),
    Int(i64),
    /// A string of the pool.
    Constant(StrId),
    /// A number of the pool, as a JSON text.
    ConstantNumber(StrId),
    /// Computed characters.
    Text(TextSpan),
    Json(Node),
}

/// Computed characters, in the texts that the machine has written so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextSpan {
    pub start: u32,
    pub end: u32,
}

/// A JSON value that was scanned, and what was found in it on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub start: u32,
    pub end: u32,
    /// `None` where nothing was found.
    pub kind: Option<Kind>,
    /// A string with escapes.
    pub escaped: bool,
    pub source: Source,
    /// Of an object scanned with fields, the first of them; of a value scanned with items, the first of those; else
    /// [`super::NONE`].
    pub children: u32,
    /// The next of the items that this one belongs to. A member of an object is followed by its name.
    pub next: u32,
    /// How many items there are; [`super::NONE`] if they were not gathered.
    pub count: u32,
}

/// Which text a node is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Data,
    /// What the machine has written.
    Computed,
}

/// What kind of value something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Absent,
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueKind::Absent => "absent value",
            ValueKind::Null => "null",
            ValueKind::Bool => "boolean",
            ValueKind::Number => "number",
            ValueKind::String => "string",
            ValueKind::Array => "list",
            ValueKind::Object => "object",
        })
    }
}

/// What values are parts of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub dialect: Dialect,
    pub strings: &'a Strings,
    pub data: &'a str,
    pub computed: &'a str,
}

impl Node {
    pub(crate) const ABSENT: Node = Node {
        start: 0,
        end: 0,
        kind: None,
        escaped: false,
        source: Source::Data,
        children: super::NONE,
        next: super::NONE,
        count: super::NONE,
    };
}

impl Value {
    pub(crate) fn of_node(node: Node) -> Value {
        if node.kind.is_some() { Value::Json(node) } else { Value::Absent }
    }
}

impl<'a> View<'a> {
    pub(crate) fn kind(&self, value: Value) -> ValueKind {
        match value {
            Value::Absent => ValueKind::Absent,
            Value::Null => ValueKind::Null,
            Value::Bool(_) => ValueKind::Bool,
            Value::Int(_) | Value::ConstantNumber(_) => ValueKind::Number,
            Value::Constant(_) | Value::Text(_) => ValueKind::String,
            Value::Json(node) => match node.kind {
                None => ValueKind::Absent,
                Some(Kind::Null) => ValueKind::Null,
                Some(Kind::Boolean) => ValueKind::Bool,
                Some(Kind::Number) => ValueKind::Number,
                Some(Kind::String) => ValueKind::String,
                Some(Kind::Array) => ValueKind::Array,
                Some(Kind::Object) => ValueKind::Object,
            },
        }
    }

    /// The text of a node as JSON; a string with its quotes.
    pub(crate) fn json(&self, node: Node) -> json::Value<'a> {
        let source = match node.source {
            Source::Data => self.data,
            Source::Computed => self.computed,
        };
        json::Value {
            kind: node.kind.unwrap_or(Kind::Null),
            text: source.get(node.start as usize..node.end as usize).unwrap_or_default(),
            escaped: node.escaped,
        }
    }

    pub(crate) fn computed_text(&self, span: TextSpan) -> &'a str {
        self.computed.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The characters of a string, `None` for other kinds; `buffer` is used if they have to be unescaped.
    pub(crate) fn string<'b>(&self, value: Value, buffer: &'b mut String) -> Option<&'b str>
    where
        'a: 'b,
    {
        match value {
            Value::Constant(id) => Some(self.strings.get(id)),
            Value::Text(span) => Some(self.computed_text(span)),
            Value::Json(node) if node.kind == Some(Kind::String) => Some(self.json(node).unescaped(buffer)),
            _ => None,
        }
    }

    /// The digits of a number, `None` for other kinds; `buffer` is used if they have to be written.
    pub(crate) fn number<'b>(&self, value: Value, buffer: &'b mut String) -> Option<&'b str>
    where
        'a: 'b,
    {
        match value {
            Value::ConstantNumber(id) => Some(self.strings.get(id)),
            Value::Int(number) => {
                buffer.clear();
                // Writing to a `String` cannot fail.
                let _ = write!(buffer, "{number}");
                Some(buffer)
            }
            Value::Json(node) if node.kind == Some(Kind::Number) => Some(self.json(node).text),
            _ => None,
        }
    }

    /// `None` for other kinds.
    pub(crate) fn boolean(&self, value: Value) -> Option<bool> {
        match value {
            Value::Bool(truth) => Some(truth),
            Value::Json(node) if node.kind == Some(Kind::Boolean) => Some(self.json(node).text == "true"),
            _ => None,
        }
    }

    /// How many bytes a value refers to: the cost of reading all of it.
    pub(crate) fn weight(&self, value: Value) -> usize {
        match value {
            Value::Json(node) => (node.end - node.start.min(node.end)) as usize,
            Value::Text(span) => (span.end - span.start.min(span.end)) as usize,
            Value::Constant(id) => self.strings.get(id).len(),
            _ => 0,
        }
    }

    /// Whether a value counts as true in the program's dialect.
    pub(crate) fn is_true(&self, value: Value) -> bool {
        match self.kind(value) {
            ValueKind::Absent | ValueKind::Null => false,
            ValueKind::Bool => self.boolean(value) == Some(true),
            ValueKind::Number => match (value, self.dialect) {
                (Value::Int(number), _) => number != 0,
                (_, Dialect::Go) => {
                    decimal::compare(self.number(value, &mut String::new()).unwrap_or("0"), "0").is_ne()
                }
                // The crate takes a number that is too small for a normal float for zero.
                (_, Dialect::Handlebars) => {
                    let number = self.number(value, &mut String::new()).and_then(|text| text.parse().ok());
                    number.is_none_or(|number: f64| number.is_normal() || number.is_infinite())
                }
            },
            ValueKind::String => !self.is_empty_string(value),
            // A bracket, maybe space, a bracket.
            ValueKind::Array | ValueKind::Object => match value {
                Value::Json(node) => {
                    let text = self.json(node).text;
                    text.get(1..)
                        .and_then(|rest| rest.trim_start().bytes().next())
                        .is_some_and(|byte| !matches!(byte, b']' | b'}'))
                }
                _ => false,
            },
        }
    }

    fn is_empty_string(&self, value: Value) -> bool {
        match value {
            Value::Constant(id) => self.strings.get(id).is_empty(),
            Value::Text(span) => span.start >= span.end,
            Value::Json(node) => node.end.saturating_sub(node.start) <= 2,
            _ => true,
        }
    }

    /// Appends a value as the program's dialect prints it.
    pub(crate) fn print(&self, value: Value, out: &mut String) {
        match value {
            Value::Absent => {}
            Value::Null if self.dialect == Dialect::Go => out.push_str("null"),
            Value::Null => {}
            Value::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
            Value::Int(number) => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "{number}");
            }
            Value::Constant(id) | Value::ConstantNumber(id) => out.push_str(self.strings.get(id)),
            Value::Text(span) => out.push_str(self.computed_text(span)),
            Value::Json(node) => print_json(self.dialect, self.json(node), out),
        }
    }

    /// Appends a value as JSON; an absent one as `null`.
    pub(crate) fn print_as_json(&self, value: Value, out: &mut String) {
        match self.string(value, &mut String::new()) {
            // As it came, escapes and all.
            Some(_) if matches!(value, Value::Json(_)) => {
                if let Value::Json(node) = value {
                    out.push_str(self.json(node).text);
                }
            }
            Some(text) => {
                let mut quoted = Vec::with_capacity(text.len() + 2);
                json::write_string(text, &mut quoted);
                out.push_str(&String::from_utf8_lossy(&quoted));
            }
            None => match value {
                Value::Absent | Value::Null => out.push_str("null"),
                Value::Json(node) => out.push_str(self.json(node).text),
                _ => self.print(value, out),
            },
        }
    }

    /// What an object has under a key, the last if there are several; absent for other kinds.
    pub(crate) fn member(&self, value: Value, key: &str) -> Value {
        let Value::Json(node) = value else { return Value::Absent };
        let (whole, mut found) = (self.json(node), Value::Absent);
        for (name, value) in json::members(whole) {
            if name.is_text(key) {
                found = Value::Json(self.inside(node, value));
            }
        }
        found
    }

    /// An array's element; absent for other kinds and beyond the end.
    pub(crate) fn element(&self, value: Value, index: usize) -> Value {
        self.items(value).nth(index).unwrap_or(Value::Absent)
    }

    /// The elements of an array; none for other kinds.
    pub(crate) fn items(&self, value: Value) -> impl Iterator<Item = Value> + use<'a> {
        let view = *self;
        let node = match value {
            Value::Json(node) if node.kind == Some(Kind::Array) => Some(node),
            _ => None,
        };
        node.into_iter().flat_map(move |node| {
            json::elements(view.json(node)).map(move |element| Value::Json(view.inside(node, element)))
        })
    }

    /// The node of a value that was found in the text of another.
    pub(crate) fn inside(&self, outer: Node, value: json::Value<'a>) -> Node {
        let base = self.json(outer).text.as_ptr().addr();
        let offset = value.text.as_ptr().addr().wrapping_sub(base) as u32;
        let start = outer.start.wrapping_add(offset);
        Node {
            start,
            end: start.wrapping_add(value.text.len() as u32),
            kind: Some(value.kind),
            escaped: value.escaped,
            source: outer.source,
            ..Node::ABSENT
        }
    }
}

/// Appends a value of the data as a dialect prints it.
pub(crate) fn print_json(dialect: Dialect, value: json::Value<'_>, out: &mut String) {
    match (value.kind, dialect) {
        (Kind::String, _) => out.push_str(value.unescaped(&mut String::new())),
        (Kind::Null, Dialect::Handlebars) => {}
        (Kind::Object, Dialect::Handlebars) => out.push_str("[object]"),
        // It was scanned before, so this goes well.
        (Kind::Array, Dialect::Handlebars) => drop(print_list(value, out)),
        _ => out.push_str(value.text),
    }
}

/// As the `handlebars` crate does: `[1, x, [object], [2]]`. One pass, however deep the lists nest.
fn print_list(array: json::Value<'_>, out: &mut String) -> Result<(), ScanError> {
    let mut scanner = Scanner::of_text(array.text, json::MAX_DEPTH).allow_lone_surrogates();
    let mut depth = 0_usize;
    loop {
        let mut is_first = scanner.peek()? == Kind::Array;
        if is_first {
            scanner.enter_array()?;
            out.push('[');
            depth += 1;
        } else {
            print_json(Dialect::Handlebars, scanner.value()?, out);
        }
        while !scanner.next_item()? {
            out.push(']');
            is_first = false;
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Ok(());
            }
        }
        if !is_first {
            out.push_str(", ");
        }
    }
}
