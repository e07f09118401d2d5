//! TOML values as JSON.

use crate::language::json::Json;
use mcp_diagnostics::toml_tree::{TomlTable, TomlValue, Value, to_text};
use mcp_diagnostics::{Fields, Spanned};

/// Values of a table as JSON.
pub trait JsonFields {
    fn json(&self, name: &str) -> Option<Spanned<Json>>;

    fn list(&self, name: &str) -> Option<Spanned<Vec<Spanned<Json>>>>;
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
            let is_finite = !text.contains("inf") && !text.contains("nan");
            is_finite.then(|| Json::Number(text.to_owned()))?
        }
        Value::Datetime(datetime) => Json::String(datetime.clone()),
        Value::Array(items) => {
            Json::Array(items.iter().map(|item| to_json(item, source)).collect::<Option<_>>()?)
        }
        Value::Table(table) => table_to_json(table, source)?,
    })
}

pub fn table_to_json(table: &TomlTable<'_>, source: &str) -> Option<Json> {
    let members =
        table.iter().map(|(key, value)| Some((key.get_ref().clone().into_owned(), to_json(value, source)?)));
    Some(Json::Object(members.collect::<Option<_>>()?))
}

impl JsonFields for Fields<'_, '_> {
    fn json(&self, name: &str) -> Option<Spanned<Json>> {
        let value = self.value(name)?;
        Some(Spanned::new(to_json(value, self.source)?, self.at(value)))
    }

    fn list(&self, name: &str) -> Option<Spanned<Vec<Spanned<Json>>>> {
        let value = self.value(name)?;
        let items = value.get_ref().as_array()?.iter();
        let items = items.filter_map(|item| Some(Spanned::new(to_json(item, self.source)?, self.at(item))));
        Some(Spanned::new(items.collect(), self.at(value)))
    }
}
