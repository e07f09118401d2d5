//! Reads a TOML table by its table of keys: unknown keys, wrong shapes and missing keys become findings,
//! and what remains is well-shaped.

use crate::diagnostic::Diagnostic;
use crate::json::Json;
use crate::keys::{Key, Shape, Table};
use crate::lint::rules::{INVALID_VALUE, KEY_GIVEN_TWICE, MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE};
use crate::source::{FileId, Span, Spanned};
use crate::suggest;
use toml::de::{DeTable, DeValue};

pub type TomlValue<'i> = toml::Spanned<DeValue<'i>>;

/// Where findings go while a file is read.
#[derive(Debug)]
pub struct Reading<'d> {
    pub file: FileId,
    pub diagnostics: &'d mut Vec<Diagnostic>,
}

/// The well-shaped values of one table.
#[derive(Debug)]
pub struct Fields<'t, 'i> {
    table: &'static Table,
    file: FileId,
    pub span: Span,
    /// In the order of the table's keys.
    values: Vec<Option<&'t TomlValue<'i>>>,
    /// Whether the key stands in the file, well-shaped or not.
    written: Vec<bool>,
}

impl Reading<'_> {
    pub fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.file, range)
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads a table; `span` is where to point when a key is missing.
    pub fn fields<'t, 'i>(
        &mut self,
        table: &'static Table,
        toml: &'t DeTable<'i>,
        span: Span,
    ) -> Fields<'t, 'i> {
        let mut values: Vec<Option<&'t TomlValue<'i>>> = vec![None; table.keys.len()];
        let mut first_keys: Vec<Option<Span>> = vec![None; table.keys.len()];
        for (key, value) in in_document_order(toml) {
            let key_span = self.span(key.span());
            let name: &str = key.get_ref();
            let Some(index) = table.position(name) else {
                self.unknown_key(table, toml, name, key_span);
                continue;
            };
            let (Some(slot), Some(first), Some(known)) =
                (values.get_mut(index), first_keys.get_mut(index), table.keys.get(index))
            else {
                continue;
            };
            if let Some(first) = *first {
                self.report(
                    Diagnostic::new(
                        &KEY_GIVEN_TWICE,
                        key_span,
                        format!("`{name}` and `{}` are the same key", other_name(known, name)),
                    )
                    .related(first, "first given here")
                    .help("keep one of the two"),
                );
                continue;
            }
            *first = Some(key_span);
            if self.shape_fits(known, value) {
                *slot = Some(value);
            }
        }
        for (key, first) in table.keys.iter().zip(&first_keys) {
            if key.required && first.is_none() {
                self.report(
                    Diagnostic::new(&MISSING_KEY, span, format!("{} needs `{}`", table.name, key.name))
                        .note(as_note(key.doc)),
                );
            }
        }
        let written = first_keys.iter().map(Option::is_some).collect();
        Fields { table, file: self.file, span, values, written }
    }

    fn unknown_key(&mut self, table: &'static Table, toml: &DeTable<'_>, name: &str, span: Span) {
        let known = table.keys.iter().flat_map(Key::names);
        let mut diagnostic =
            Diagnostic::new(&UNKNOWN_KEY, span, format!("{} has no key `{name}`", table.name));
        if let Some(meant) = suggest::nearest(name, known) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
            // Renaming it to a key that is there too would break the file.
            if !toml.keys().any(|key| key.get_ref() == meant) {
                diagnostic = diagnostic.replace(span, meant);
            }
        } else {
            let names: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
            diagnostic = diagnostic.note(format!("its keys are {}", names.join(", ")));
        }
        self.report(diagnostic);
    }

    /// Whether a value has the key's shape; reports it if not.
    fn shape_fits(&mut self, key: &Key, value: &TomlValue<'_>) -> bool {
        let span = self.span(value.span());
        let wrong = |expected: &str| {
            let actual = value.get_ref().type_str();
            Diagnostic::new(
                &WRONG_TYPE,
                span,
                format!("`{}` must be {expected}, not {} {actual}", key.name, article(actual)),
            )
            .note(as_note(key.doc))
        };
        let problem = match (key.shape, value.get_ref()) {
            (Shape::Any, value) => return self.is_json(key, value, span),
            (Shape::Text | Shape::Word(_) | Shape::Template, DeValue::String(_)) => return true,
            (Shape::Boolean | Shape::Schema, DeValue::Boolean(_)) => return true,
            (Shape::Integer { min, max }, DeValue::Integer(integer)) => {
                match i64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(number) if (min..=max).contains(&number) => return true,
                    _ => Diagnostic::new(
                        &INVALID_VALUE,
                        span,
                        format!("`{}` must be between {min} and {max}", key.name),
                    )
                    .note(as_note(key.doc)),
                }
            }
            (Shape::Number, value @ (DeValue::Integer(_) | DeValue::Float(_))) => {
                return self.is_json(key, value, span);
            }
            (Shape::Texts, DeValue::Array(items)) => {
                match items.iter().find(|item| !item.get_ref().is_str()) {
                    None => return true,
                    Some(item) => Diagnostic::new(
                        &WRONG_TYPE,
                        self.span(item.span()),
                        format!("`{}` must be a list of strings", key.name),
                    ),
                }
            }
            (Shape::TextMap, DeValue::Table(map)) => {
                match map.iter().find(|(_, value)| !value.get_ref().is_str()) {
                    None => return true,
                    Some((name, value)) => Diagnostic::new(
                        &WRONG_TYPE,
                        self.span(value.span()),
                        format!("`{}.{}` must be a string", key.name, name.get_ref()),
                    ),
                }
            }
            (Shape::List, value @ DeValue::Array(_)) => return self.is_json(key, value, span),
            (Shape::Object | Shape::Schema, value @ DeValue::Table(_)) => {
                return self.is_json(key, value, span);
            }
            (Shape::Template | Shape::Table(_) | Shape::NamedTables(_), DeValue::Table(_)) => return true,
            (Shape::Tables(_), DeValue::Array(items)) => {
                match items.iter().find(|item| !item.get_ref().is_table()) {
                    None => return true,
                    Some(item) => Diagnostic::new(
                        &WRONG_TYPE,
                        self.span(item.span()),
                        format!("`{}` must be a list of tables", key.name),
                    ),
                }
            }
            (Shape::Tables(_), DeValue::Table(_)) => wrong("a list of tables")
                .help(format!("write `[[…{}]]` with two brackets, once for each", key.name)),
            (shape, _) => wrong(shape_name(shape)),
        };
        self.report(problem);
        false
    }

    /// TOML has numbers that JSON lacks.
    fn is_json(&mut self, key: &Key, value: &DeValue<'_>, span: Span) -> bool {
        if to_json(value).is_some() {
            return true;
        }
        self.report(Diagnostic::new(
            &INVALID_VALUE,
            span,
            format!("`{}` holds `nan` or `inf`, which JSON cannot express", key.name),
        ));
        false
    }
}

impl<'t, 'i> Fields<'t, 'i> {
    pub fn value(&self, name: &str) -> Option<&'t TomlValue<'i>> {
        let index = self.table.position(name);
        debug_assert!(index.is_some(), "`{name}` is in the table of keys");
        self.values.get(index?).copied().flatten()
    }

    pub fn is_written(&self, name: &str) -> bool {
        self.table.position(name).and_then(|index| self.written.get(index)).is_some_and(|written| *written)
    }

    pub fn text(&self, name: &str) -> Option<Spanned<String>> {
        let value = self.value(name)?;
        Some(Spanned::new(value.get_ref().as_str()?.to_owned(), self.at(value)))
    }

    pub fn boolean(&self, name: &str) -> Option<Spanned<bool>> {
        let value = self.value(name)?;
        Some(Spanned::new(value.get_ref().as_bool()?, self.at(value)))
    }

    pub fn integer<T: TryFrom<i64>>(&self, name: &str) -> Option<Spanned<T>> {
        let value = self.value(name)?;
        let integer = value.get_ref().as_integer()?;
        let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
        Some(Spanned::new(T::try_from(number).ok()?, self.at(value)))
    }

    pub fn json(&self, name: &str) -> Option<Spanned<Json>> {
        let value = self.value(name)?;
        Some(Spanned::new(to_json(value.get_ref())?, self.at(value)))
    }

    pub fn list(&self, name: &str) -> Option<Spanned<Vec<Spanned<Json>>>> {
        let value = self.value(name)?;
        let items = value.get_ref().as_array()?.iter();
        let items = items.filter_map(|item| Some(Spanned::new(to_json(item.get_ref())?, self.at(item))));
        Some(Spanned::new(items.collect(), self.at(value)))
    }

    pub fn texts(&self, name: &str) -> Vec<Spanned<String>> {
        let items = self.value(name).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items
            .filter_map(|item| Some(Spanned::new(item.get_ref().as_str()?.to_owned(), self.at(item))))
            .collect()
    }

    /// The entries of a table of strings, in document order.
    pub fn text_map(&self, name: &str) -> Vec<(Spanned<String>, Spanned<String>)> {
        let Some(map) = self.value(name).and_then(|value| value.get_ref().as_table()) else {
            return Vec::new();
        };
        in_document_order(map)
            .into_iter()
            .filter_map(|(key, value)| {
                let name = Spanned::new(key.get_ref().clone().into_owned(), Span::new(self.file, key.span()));
                Some((name, Spanned::new(value.get_ref().as_str()?.to_owned(), self.at(value))))
            })
            .collect()
    }

    /// The words that a key's value is one of.
    pub fn words(&self, name: &str) -> &'static [&'static str] {
        let key = self.table.position(name).and_then(|index| self.table.keys.get(index));
        match key.map(|key| key.shape) {
            Some(Shape::Word(words)) => words,
            _ => &[],
        }
    }

    pub fn table(&self, name: &str) -> Option<(&'t DeTable<'i>, Span)> {
        let value = self.value(name)?;
        Some((value.get_ref().as_table()?, self.at(value)))
    }

    pub fn tables(&self, name: &str) -> Vec<(&'t DeTable<'i>, Span)> {
        let items = self.value(name).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some((item.get_ref().as_table()?, self.at(item)))).collect()
    }

    pub fn at(&self, value: &TomlValue<'_>) -> Span {
        Span::new(self.file, value.span())
    }
}

/// The entries of a table as the file has them; the map's own order depends on features of the build.
pub fn in_document_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t toml::Spanned<toml::de::DeString<'i>>, &'t TomlValue<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A TOML value as JSON; `None` if it holds a number that JSON lacks.
pub fn to_json(value: &DeValue<'_>) -> Option<Json> {
    Some(match value {
        DeValue::String(text) => Json::String(text.clone().into_owned()),
        DeValue::Boolean(value) => Json::Bool(*value),
        DeValue::Integer(integer) if integer.radix() == 10 => {
            Json::Number(integer.as_str().trim_start_matches('+').to_owned())
        }
        DeValue::Integer(integer) => {
            Json::Number(u128::from_str_radix(integer.as_str(), integer.radix()).ok()?.to_string())
        }
        DeValue::Float(float) => {
            let text = float.as_str().trim_start_matches('+');
            if text.contains("inf") || text.contains("nan") {
                return None;
            }
            Json::Number(text.to_owned())
        }
        DeValue::Datetime(datetime) => Json::String(datetime.to_string()),
        DeValue::Array(items) => {
            Json::Array(items.iter().map(|item| to_json(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Json::Object(
            in_document_order(table)
                .into_iter()
                .map(|(key, value)| Some((key.get_ref().clone().into_owned(), to_json(value.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
    })
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Word(_) => "a string",
        Shape::Integer { .. } => "an integer",
        Shape::Number => "a number",
        Shape::Boolean => "`true` or `false`",
        Shape::Texts => "a list of strings",
        Shape::TextMap => "a table of strings",
        Shape::Any => "a value",
        Shape::List => "a list",
        Shape::Object => "a table",
        Shape::Schema => "a JSON Schema (a table, `true` or `false`)",
        Shape::Template => "a string or a table with `go`, `handlebars` or `file`",
        Shape::Table(_) => "a table",
        Shape::Tables(_) => "a list of tables",
        Shape::NamedTables(_) => "a table of tables",
    }
}

/// A key's doc in the style of notes.
fn as_note(doc: &str) -> String {
    let text = doc.strip_suffix('.').unwrap_or(doc);
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn other_name(key: &Key, name: &str) -> &'static str {
    key.names().find(|n| *n != name).unwrap_or(key.name)
}
