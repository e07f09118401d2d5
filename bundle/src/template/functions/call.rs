//! A call under way: its arguments, and the texts that they are or print.

use super::super::error::{Fault, Limit};
use super::super::function::Function;
use super::super::value::{Value, ValueKind, View};
use super::MAX_TEXT;
use crate::json::{self, Kind};
use std::borrow::Cow;
use std::fmt::Display;

#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionCall<'a> {
    pub view: View<'a>,
    pub function: Function,
    pub arguments: &'a [Value],
}

impl<'a> FunctionCall<'a> {
    /// An argument; absent if there are not that many.
    pub(super) fn value(&self, index: usize) -> Value {
        self.arguments.get(index).copied().unwrap_or(Value::Absent)
    }

    /// The arguments from one on.
    pub(super) fn rest(&self, start: usize) -> &'a [Value] {
        self.arguments.get(start..).unwrap_or_default()
    }

    pub(super) fn kind(&self, value: Value) -> ValueKind {
        self.view.kind(value)
    }

    pub(super) fn is_true(&self, index: usize) -> bool {
        self.view.is_true(self.value(index))
    }

    pub(super) fn fault(&self, message: impl Display) -> Fault {
        // The names of what has none in a template begin with a `#`.
        let name = self.function.as_str().trim_start_matches('#');
        Fault::value(format!("`{name}`: {message}"))
    }

    pub(super) fn check_count(&self) -> Result<(), Fault> {
        let (least, most) = self.function.arity();
        let count = self.arguments.len();
        let (word, bound) = match most {
            Some(most) if count > most => ("most", most),
            _ if count < least => ("least", least),
            _ => return Ok(()),
        };
        let noun = if bound == 1 { "argument" } else { "arguments" };
        Err(self.fault(format_args!("it takes at {word} {bound} {noun}, not {count}")))
    }

    /// What a value prints in Go's dialect, copied only where it must be.
    pub(super) fn printed(&self, value: Value) -> Cow<'a, str> {
        match value {
            Value::Constant(id) | Value::ConstantNumber(id) => Cow::Borrowed(self.view.strings.get(id)),
            Value::Text(span) => Cow::Borrowed(self.view.computed_text(span)),
            Value::Json(node) => {
                let json = self.view.json(node);
                match (json.kind, json.escaped) {
                    (Kind::String, false) => Cow::Borrowed(json.raw()),
                    (Kind::String, true) => {
                        let mut text = String::new();
                        json::unescape(json.raw(), &mut text);
                        Cow::Owned(text)
                    }
                    _ => Cow::Borrowed(json.text),
                }
            }
            Value::Absent => Cow::Borrowed(""),
            Value::Null => Cow::Borrowed("null"),
            Value::Bool(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
            Value::Int(number) => Cow::Owned(number.to_string()),
        }
    }

    /// The text that an argument stands for. Numbers and booleans are taken as they print, for an id is as often a
    /// number as a string, and what is not there is empty, as where it is printed. Lists and objects are not texts.
    pub(super) fn text(&self, index: usize) -> Result<Cow<'a, str>, Fault> {
        let value = self.value(index);
        match self.kind(value) {
            ValueKind::Absent | ValueKind::Null => Ok(Cow::Borrowed("")),
            ValueKind::Bool | ValueKind::Number | ValueKind::String => Ok(self.printed(value)),
            kind @ (ValueKind::Array | ValueKind::Object) => {
                Err(self.fault(format_args!("it needs text, not {}", describe(kind))))
            }
        }
    }

    /// The value of an argument that has to be a whole number.
    pub(super) fn integer(&self, value: Value) -> Result<i64, Fault> {
        let kind = self.kind(value);
        if kind != ValueKind::Number {
            return Err(self.fault(format_args!("it needs a whole number, not {}", describe(kind))));
        }
        let text = self.printed(value);
        super::math::whole(&text)
            .ok_or_else(|| self.fault(format_args!("{} is not a whole number", shortened(&text))))
    }
}

/// Appends text, unless it gets too long.
pub(super) fn push(out: &mut String, text: &str) -> Result<(), Fault> {
    if text.len() > MAX_TEXT.saturating_sub(out.len()) {
        return Err(Fault::Limit(Limit::Text));
    }
    out.push_str(text);
    Ok(())
}

pub(super) fn push_char(out: &mut String, character: char) -> Result<(), Fault> {
    push(out, character.encode_utf8(&mut [0; 4]))
}

/// What a kind is called in a message.
pub(super) const fn describe(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Absent => "a missing value",
        ValueKind::Null => "null",
        ValueKind::Bool => "a boolean",
        ValueKind::Number => "a number",
        ValueKind::String => "text",
        ValueKind::Array => "a list",
        ValueKind::Object => "an object",
    }
}

/// A text of the data for a message: its beginning, which is enough to find it.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}
