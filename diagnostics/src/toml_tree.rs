//! TOML with the place of every value, tables in the order of the file.

use std::borrow::Cow;
use toml::de::{DeTable, DeValue};

/// A value and its bytes in the file.
pub type Placed<T> = toml::Spanned<T>;
pub type TomlKey<'i> = Placed<Cow<'i, str>>;
pub type TomlValue<'i> = Placed<Value<'i>>;

#[derive(Debug, Clone)]
pub enum Value<'i> {
    String(Cow<'i, str>),
    Integer(Integer<'i>),
    /// Its text, without `_`.
    Float(Cow<'i, str>),
    Boolean(bool),
    /// Its text.
    Datetime(String),
    Array(Vec<TomlValue<'i>>),
    Table(TomlTable<'i>),
}

#[derive(Debug, Clone)]
pub struct Integer<'i> {
    /// With its sign, without its prefix and `_`.
    pub digits: Cow<'i, str>,
    pub radix: u32,
}

#[derive(Debug, Clone, Default)]
pub struct TomlTable<'i> {
    /// In the order of the file.
    entries: Vec<(TomlKey<'i>, TomlValue<'i>)>,
}

/// What could be understood of a text, and what is wrong with it.
pub fn read(text: &str) -> (TomlTable<'_>, Vec<toml::de::Error>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    (TomlTable::from(table.into_inner()), errors)
}

/// Whether nothing is wrong with a text.
pub fn is_toml(text: &str) -> bool {
    DeTable::parse(text).is_ok()
}

/// A string; the line ends of a multi-line one are the same whatever those of the file are. `source` is the file's text.
pub fn to_text(value: &TomlValue<'_>, source: &str) -> Option<String> {
    let text = value.get_ref().as_str()?;
    let literal = source.get(value.span()).unwrap_or_default();
    // Nearly no text has one, which is seen sooner by looking for a byte.
    if literal.as_bytes().contains(&b'\r') && literal.contains("\r\n") {
        return Some(text.replace("\r\n", "\n"));
    }
    Some(text.to_owned())
}

impl<'i> TomlTable<'i> {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&TomlKey<'i>, &TomlValue<'i>)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub fn get(&self, name: &str) -> Option<&TomlValue<'i>> {
        self.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
    }

    pub fn keys(&self) -> impl Iterator<Item = &TomlKey<'i>> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl Iterator<Item = &TomlValue<'i>> {
        self.entries.iter().map(|(_, value)| value)
    }
}

impl<'i> Value<'i> {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_integer(&self) -> Option<&Integer<'i>> {
        match self {
            Value::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[TomlValue<'i>]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_table(&self) -> Option<&TomlTable<'i>> {
        match self {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// As messages call it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Integer(_) => "integer",
            Value::Float(_) => "float",
            Value::Boolean(_) => "boolean",
            Value::Datetime(_) => "datetime",
            Value::Array(_) => "array",
            Value::Table(_) => "table",
        }
    }
}

impl Integer<'_> {
    pub fn to_i64(&self) -> Option<i64> {
        i64::from_str_radix(&self.digits, self.radix).ok()
    }
}

impl<'i> From<DeTable<'i>> for TomlTable<'i> {
    fn from(table: DeTable<'i>) -> TomlTable<'i> {
        let mut entries: Vec<_> = table.into_iter().map(|(key, value)| (key, placed(value))).collect();
        // The map's own order depends on features of the build.
        entries.sort_by_key(|(key, _)| key.span().start);
        TomlTable { entries }
    }
}

fn placed(value: Placed<DeValue<'_>>) -> TomlValue<'_> {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text),
        DeValue::Integer(integer) => {
            Value::Integer(Integer { digits: integer.as_str().to_owned().into(), radix: integer.radix() })
        }
        DeValue::Float(float) => Value::Float(float.as_str().to_owned().into()),
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(datetime) => Value::Datetime(datetime.to_string()),
        DeValue::Array(items) => Value::Array(items.into_iter().map(placed).collect()),
        DeValue::Table(table) => Value::Table(table.into()),
    };
    Placed::new(span, value)
}
