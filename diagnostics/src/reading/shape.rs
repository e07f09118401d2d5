//! Whether a value has the shape that its key needs.

use super::{Reading, meant};
use crate::diagnostic::{Applicability, Diagnostic, Edit};
use crate::keys::{Key, Shape};
use crate::size;
use crate::source::Span;
use crate::suggest::one_of;
use crate::toml_tree::{TomlValue, Value};

impl Reading<'_> {
    /// Whether a value has the key's shape; reports it if not.
    pub(super) fn shape_fits(&mut self, key: &Key, value: &TomlValue<'_>) -> bool {
        let span = self.span(value.span());
        let rules = &self.language.rules;
        let wrong = |expected: &str| {
            let actual = value.get_ref().type_name();
            Diagnostic::of(
                rules.wrong_type,
                span,
                format!("`{}` must be {expected}, not {} {actual}", key.name, article(actual)),
            )
            .note(as_note(key.doc))
        };
        let problem = match (key.shape, value.get_ref()) {
            (Shape::Any, _) => return self.is_json(key, value, span),
            (
                Shape::Text
                | Shape::Word(_)
                | Shape::TextOrTable(_)
                | Shape::WordOrTable(..)
                | Shape::ObjectOrText
                | Shape::SchemaOrText,
                Value::String(_),
            ) => return true,
            (Shape::Boolean | Shape::Schema | Shape::SchemaOrText, Value::Boolean(_)) => return true,
            (Shape::Seconds { max }, Value::Integer(_) | Value::Float(_)) => {
                if millis(value.get_ref(), max).is_some() {
                    return true;
                }
                let message = format!("`{}` must be between 0.001 and {max}", key.name);
                Diagnostic::of(rules.invalid_value, span, message).note(as_note(key.doc))
            }
            (Shape::Seconds { max }, Value::String(text)) => {
                let problem = wrong("a number of seconds");
                match meant::seconds(text, max) {
                    Some(meant) => problem.help(format!("write `{meant}`")).replace(span, meant),
                    None => problem,
                }
            }
            (
                Shape::Integer { min, max } | Shape::IntegerOrTable { min, max, .. },
                Value::Integer(integer),
            ) => match integer.to_i64() {
                Some(number) if (min..=max).contains(&number) => return true,
                _ => Diagnostic::of(
                    rules.invalid_value,
                    span,
                    format!("`{}` must be between {min} and {max}", key.name),
                )
                .note(as_note(key.doc)),
            },
            (Shape::Size { min, max }, Value::String(text)) => match size::parse(text) {
                Some(bytes) if (min..=max).contains(&bytes) => return true,
                Some(_) => {
                    let (min, max) = (size::write(min), size::write(max));
                    let message = format!("`{}` must be between `\"{min}\"` and `\"{max}\"`", key.name);
                    Diagnostic::of(rules.invalid_value, span, message).note(as_note(key.doc))
                }
                None => {
                    let message = format!("`{text}` is not a valid size");
                    let problem = Diagnostic::of(rules.invalid_value, span, message).note(SIZE_UNITS);
                    with_size(problem, value.get_ref(), min, max)
                }
            },
            (Shape::Size { min, max }, Value::Integer(_)) => {
                let message = format!("`{}` needs a unit", key.name);
                let problem = Diagnostic::of(rules.wrong_type, span, message).note(SIZE_UNITS);
                with_size(problem, value.get_ref(), min, max)
            }
            (
                Shape::Integer { min, max } | Shape::IntegerOrTable { min, max, .. },
                Value::String(_) | Value::Float(_),
            ) => {
                let problem = wrong("an integer");
                match meant::integer(key.name, value.get_ref(), min, max) {
                    Some(number) => {
                        problem.help(format!("write `{number}`")).replace(span, number.to_string())
                    }
                    None => problem,
                }
            }
            (Shape::Boolean, Value::String(text)) => {
                let problem = wrong("`true` or `false`");
                match ["true", "false"].iter().find(|word| word.eq_ignore_ascii_case(text)) {
                    Some(word) => problem.help(format!("write `{word}`")).replace(span, *word),
                    None => problem,
                }
            }
            (Shape::Number, Value::Integer(_) | Value::Float(_)) => {
                return self.is_json(key, value, span);
            }
            (Shape::Texts, Value::Array(items)) => {
                match items.iter().find(|item| item.get_ref().as_str().is_none()) {
                    None => return true,
                    Some(item) => Diagnostic::of(
                        rules.wrong_type,
                        self.span(item.span()),
                        format!("`{}` must be a list of strings", key.name),
                    ),
                }
            }
            (Shape::TextMap, Value::Table(map)) => {
                let mut fits = true;
                for (name, value) in map.iter().filter(|(_, value)| value.get_ref().as_str().is_none()) {
                    let message = format!("`{}.{}` must be a string", key.name, name.get_ref());
                    let span = self.span(value.span());
                    self.report(Diagnostic::of(rules.wrong_type, span, message));
                    fits = false;
                }
                return fits;
            }
            (Shape::List, Value::Array(_)) => return self.is_json(key, value, span),
            (Shape::Object | Shape::Schema | Shape::ObjectOrText | Shape::SchemaOrText, Value::Table(_)) => {
                return self.is_json(key, value, span);
            }
            (Shape::TableOrFalse(_), Value::Boolean(false)) => return true,
            (
                Shape::TextOrTable(_)
                | Shape::WordOrTable(..)
                | Shape::IntegerOrTable { .. }
                | Shape::TableOrFalse(_)
                | Shape::Table(_)
                | Shape::NamedTables(_),
                Value::Table(_),
            ) => return true,
            (Shape::Tables(_), Value::Array(items)) => {
                match items.iter().find(|item| item.get_ref().as_table().is_none()) {
                    None => return true,
                    Some(item) => Diagnostic::of(
                        rules.wrong_type,
                        self.span(item.span()),
                        format!("`{}` must be a list of tables", key.name),
                    ),
                }
            }
            (Shape::Tables(table), Value::Table(only)) => {
                let problem = wrong("a list of tables").help(format!(
                    "write `[[{}]]` with two brackets, once for each",
                    (self.language.header)(key)
                ));
                let is_one =
                    table.keys.iter().filter(|key| key.required).all(|key| only.get(key.name).is_some());
                let written = self.text.get(value.span()).unwrap_or_default();
                let is_header = written.starts_with('[') && written.ends_with(']');
                self.report(if is_one && is_header {
                    problem.replace(span, format!("[{written}]"))
                } else {
                    problem
                });
                // What is plainly one of them is read as such, so that one mistake is one finding.
                return is_one;
            }
            (shape, _) => wrong(&shape_name(shape)),
        };
        self.report(problem);
        false
    }

    /// TOML has numbers that JSON lacks.
    fn is_json(&mut self, key: &Key, value: &TomlValue<'_>, span: Span) -> bool {
        if is_json(value) {
            return true;
        }
        self.report(Diagnostic::of(
            self.language.rules.invalid_value,
            span,
            format!("`{}` holds `nan` or `inf`, which JSON cannot express", key.name),
        ));
        false
    }
}

const SIZE_UNITS: &str = "the units are `B`, `KiB`, `MiB` and `GiB`";

/// Suggests the size that was meant, or shows how sizes are written.
fn with_size(problem: Diagnostic, value: &Value<'_>, min: u64, max: u64) -> Diagnostic {
    let Some(meant) = meant::size(value, min, max) else {
        return problem.help("write it like `\"64KiB\"`");
    };
    let kind = if meant.is_exact { Applicability::Safe } else { Applicability::DisplayOnly };
    let edit = Edit { span: problem.span, text: meant.text.clone() };
    problem.help(format!("write `{}`", meant.text)).fix(kind, vec![edit])
}

fn shape_name(shape: Shape) -> String {
    let name = match shape {
        Shape::Text | Shape::Word(_) => "a string",
        Shape::Integer { .. } => "an integer",
        Shape::Seconds { .. } => "a number of seconds",
        Shape::Number => "a number",
        Shape::Boolean => "`true` or `false`",
        Shape::Texts => "a list of strings",
        Shape::TextMap => "a table of strings",
        Shape::Any => "a value",
        Shape::List => "a list",
        Shape::Object => "a table",
        Shape::Schema => "a JSON Schema (a table, `true` or `false`)",
        Shape::ObjectOrText => "a JSON Schema: a table, JSON text or `{ file = \"…\" }`",
        Shape::SchemaOrText => "a JSON Schema: a table, a boolean, JSON text or `{ file = \"…\" }`",
        Shape::Size { .. } => "a size",
        Shape::TextOrTable(table) | Shape::WordOrTable(_, table) => {
            return format!("a string or a table with {}", one_of(table.names()));
        }
        Shape::IntegerOrTable { table, .. } => {
            return format!("an integer or a table with {}", one_of(table.names()));
        }
        Shape::TableOrFalse(_) => "a table or `false`",
        Shape::Table(_) => "a table",
        Shape::Tables(_) => "a list of tables",
        Shape::NamedTables(_) => "a table of tables",
    };
    name.to_owned()
}

/// A number of seconds in milliseconds, rounded; `None` if that is nothing or too much.
pub(super) fn millis(value: &Value<'_>, max: u32) -> Option<u32> {
    let seconds: f64 = match value {
        Value::Integer(integer) => return u32::try_from(integer.to_i64()?).ok().and_then(|s| within(s, max)),
        Value::Float(text) => text.replace('_', "").parse().ok()?,
        _ => return None,
    };
    let millis = (seconds * 1000.0).round();
    (millis >= 1.0 && millis <= f64::from(max) * 1000.0).then_some(millis as u32)
}

fn within(seconds: u32, max: u32) -> Option<u32> {
    (1..=max).contains(&seconds).then(|| seconds.checked_mul(1000)).flatten()
}

/// Whether a value can be JSON, which lacks some of TOML's numbers.
pub fn is_json(value: &TomlValue<'_>) -> bool {
    match value.get_ref() {
        Value::Integer(integer) => {
            integer.radix == 10 || u128::from_str_radix(&integer.digits, integer.radix).is_ok()
        }
        Value::Float(float) => !float.contains("inf") && !float.contains("nan"),
        Value::Array(items) => items.iter().all(is_json),
        Value::Table(table) => table.values().all(is_json),
        Value::String(_) | Value::Boolean(_) | Value::Datetime(_) => true,
    }
}

/// A key's doc in the style of notes.
pub(super) fn as_note(doc: &str) -> String {
    let text = doc.strip_suffix('.').unwrap_or(doc);
    let mut chars = text.chars();
    match (chars.next(), text.chars().nth(1)) {
        // `APIs` and `JSON` stay as they are.
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
