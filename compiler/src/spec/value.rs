//! TOML values as JSON.

use crate::json::Json;
use toml::de::{DeTable, DeValue};

pub type TomlValue<'i> = toml::Spanned<DeValue<'i>>;

/// The entries of a table as the file has them; the map's own order depends on features of the build.
pub fn in_document_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t toml::Spanned<toml::de::DeString<'i>>, &'t TomlValue<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Whether a value can be JSON, which lacks some of TOML's numbers.
pub fn is_json(value: &TomlValue<'_>) -> bool {
    match value.get_ref() {
        DeValue::Integer(integer) => {
            integer.radix() == 10 || u128::from_str_radix(integer.as_str(), integer.radix()).is_ok()
        }
        DeValue::Float(float) => is_finite(float.as_str()),
        DeValue::Array(items) => items.iter().all(is_json),
        DeValue::Table(table) => table.values().all(is_json),
        DeValue::String(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => true,
    }
}

fn is_finite(float: &str) -> bool {
    !float.contains("inf") && !float.contains("nan")
}

/// A TOML value as JSON; `None` if it holds a number that JSON lacks. `source` is the file's text.
pub fn to_json(value: &TomlValue<'_>, source: &str) -> Option<Json> {
    Some(match value.get_ref() {
        DeValue::String(_) => Json::String(to_text(value, source)?),
        DeValue::Boolean(value) => Json::Bool(*value),
        DeValue::Integer(integer) if integer.radix() == 10 => {
            Json::Number(integer.as_str().trim_start_matches('+').to_owned())
        }
        DeValue::Integer(integer) => {
            Json::Number(u128::from_str_radix(integer.as_str(), integer.radix()).ok()?.to_string())
        }
        DeValue::Float(float) => {
            let text = float.as_str().trim_start_matches('+');
            is_finite(text).then(|| Json::Number(text.to_owned()))?
        }
        DeValue::Datetime(datetime) => Json::String(datetime.to_string()),
        DeValue::Array(items) => {
            Json::Array(items.iter().map(|item| to_json(item, source)).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => table_to_json(table, source)?,
    })
}

pub fn table_to_json(table: &DeTable<'_>, source: &str) -> Option<Json> {
    let members = in_document_order(table)
        .into_iter()
        .map(|(key, value)| Some((key.get_ref().clone().into_owned(), to_json(value, source)?)));
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
