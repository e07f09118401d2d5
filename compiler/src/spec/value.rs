//! TOML values as JSON.

use crate::json::Json;
use crate::toml_tree::{Table, TomlValue, Value};

/// Whether a value can be JSON, which lacks some of TOML's numbers.
pub fn is_json(value: &TomlValue<'_>) -> bool {
    match value.get_ref() {
        Value::Integer(integer) => {
            integer.radix == 10 || u128::from_str_radix(&integer.digits, integer.radix).is_ok()
        }
        Value::Float(float) => is_finite(float),
        Value::Array(items) => items.iter().all(is_json),
        Value::Table(table) => table.values().all(is_json),
        Value::String(_) | Value::Boolean(_) | Value::Datetime(_) => true,
    }
}

fn is_finite(float: &str) -> bool {
    !float.contains("inf") && !float.contains("nan")
}

/// A TOML value as JSON; `None` if it holds a number that JSON lacks. `source` is the file's text.
pub fn to_json(value: &TomlValue<'_>, source: &str) -> Option<Json> {
    Some(match value.get_ref() {
        Value::String(_) => Json::String(to_text(value, source)?),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(integer) if integer.radix == 10 => {
            Json::Number(integer.digits.trim_start_matches('+').to_owned())
        }
        Value::Integer(integer) => {
            Json::Number(u128::from_str_radix(&integer.digits, integer.radix).ok()?.to_string())
        }
        Value::Float(float) => {
            let text = float.trim_start_matches('+');
            is_finite(text).then(|| Json::Number(text.to_owned()))?
        }
        Value::Datetime(datetime) => Json::String(datetime.clone()),
        Value::Array(items) => {
            Json::Array(items.iter().map(|item| to_json(item, source)).collect::<Option<_>>()?)
        }
        Value::Table(table) => table_to_json(table, source)?,
    })
}

pub fn table_to_json(table: &Table<'_>, source: &str) -> Option<Json> {
    let members =
        table.iter().map(|(key, value)| Some((key.get_ref().clone().into_owned(), to_json(value, source)?)));
    Some(Json::Object(members.collect::<Option<_>>()?))
}

/// A string; the line ends of a multi-line one are the same whatever those of the file are.
pub fn to_text(value: &TomlValue<'_>, source: &str) -> Option<String> {
    let text = value.get_ref().as_str()?;
    let literal = source.get(value.span()).unwrap_or_default();
    // Nearly no text has one, which is seen sooner by looking for a byte.
    if memchr::memchr(b'\r', literal.as_bytes()).is_some() && literal.contains("\r\n") {
        return Some(text.replace("\r\n", "\n"));
    }
    Some(text.to_owned())
}
