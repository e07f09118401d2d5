//! Reads a TOML table by its table of keys: unknown keys, wrong shapes and missing keys become findings,
//! and what remains is well-shaped.

use super::shape::as_note;
use super::value::{to_json, to_text};
use crate::diagnostic::Diagnostic;
use crate::json::Json;
use crate::keys::{self, Key, Shape, Table};
use crate::lint::rules::{KEY_GIVEN_TWICE, MISSING_KEY, UNKNOWN_KEY};
use crate::source::{FileId, Span, Spanned};
use crate::suggest;
use crate::toml_tree::{self, TomlKey, TomlValue};

/// Where findings go while a file is read.
#[derive(Debug)]
pub struct Reading<'d> {
    pub file: FileId,
    /// The file's text.
    pub text: &'d str,
    pub diagnostics: &'d mut Vec<Diagnostic>,
}

/// The well-shaped values of one table.
#[derive(Debug)]
pub struct Fields<'t, 'i> {
    table: &'static Table,
    file: FileId,
    source: &'t str,
    pub span: Span,
    /// Every key was known and every value well-shaped.
    pub complete: bool,
    /// In the order of the file. Of the keys that a table may have, few are written, so these are what is searched.
    written: Vec<Field<'t, 'i>>,
}

/// A known key of a table that stands in the file.
#[derive(Debug)]
struct Field<'t, 'i> {
    key: &'static Key,
    span: Span,
    /// If it is well-shaped.
    value: Option<&'t TomlValue<'i>>,
}

impl<'d> Reading<'d> {
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
        toml: &'t toml_tree::Table<'i>,
        span: Span,
    ) -> Fields<'t, 'i>
    where
        'd: 't,
    {
        let before = self.diagnostics.len();
        let entries = toml.iter();
        let mut written: Vec<Field<'t, 'i>> = Vec::with_capacity(entries.len());
        for (toml_key, value) in entries {
            let key_span = self.span(toml_key.span());
            let name: &str = toml_key.get_ref();
            // A misspelt key is reported and then read as what it was meant to be, so that one mistake
            // is one finding.
            let Some(key) = table.find(name).or_else(|| self.unknown_key(table, toml, name, key_span)) else {
                continue;
            };
            if let Some(first) = written.iter().find(|field| std::ptr::eq(field.key, key)) {
                self.report(
                    Diagnostic::new(
                        &KEY_GIVEN_TWICE,
                        key_span,
                        format!("`{name}` and `{}` are the same key", other_name(key, name)),
                    )
                    .related(first.span, "first given here")
                    .help("keep one of the two"),
                );
                continue;
            }
            let value = self.shape_fits(key, value).then_some(value);
            written.push(Field { key, span: key_span, value });
        }
        for key in table.keys.iter().filter(|key| key.required) {
            if !written.iter().any(|field| std::ptr::eq(field.key, key)) {
                self.report(
                    Diagnostic::new(&MISSING_KEY, span, format!("{} needs `{}`", table.name, key.name))
                        .note(as_note(key.doc)),
                );
            }
        }
        let complete = self.diagnostics.len() == before;
        Fields { table, file: self.file, source: self.text, span, complete, written }
    }

    /// Reports an unknown key and returns the one that was meant, unless that is given too.
    fn unknown_key(
        &mut self,
        table: &'static Table,
        toml: &toml_tree::Table<'_>,
        name: &str,
        span: Span,
    ) -> Option<&'static Key> {
        let diagnostic = Diagnostic::new(&UNKNOWN_KEY, span, format!("{} has no key `{name}`", table.name));
        let Some(meant) = suggest::nearest(name, table.keys.iter().flat_map(Key::names)) else {
            self.report(match owner_of(name).filter(|owner| !std::ptr::eq(*owner, table)) {
                Some(owner) => diagnostic.help(format!(
                    "`{name}` is a key of {}: move it up, before the first header of another table",
                    owner.name
                )),
                None => {
                    let names = table.keys.iter().map(|key| format!("`{}`", key.name));
                    diagnostic.note(format!("its keys are {}", names.collect::<Vec<_>>().join(", ")))
                }
            });
            return None;
        };
        let diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        let key = table.find(meant)?;
        let same_key =
            |other: &TomlKey<'_>| table.find(other.get_ref()).is_some_and(|other| std::ptr::eq(other, key));
        // Renaming it to a key that is there too would break the file.
        if toml.keys().any(same_key) {
            self.report(diagnostic);
            return None;
        }
        // A header is written once for each of its tables, so renaming one would tear them apart.
        let before = self.text.get(..span.start as usize).unwrap_or_default().trim_end();
        let header = before.ends_with(['[', '.']);
        self.report(if header { diagnostic } else { diagnostic.replace(span, meant) });
        Some(key)
    }
}

impl<'t, 'i> Fields<'t, 'i> {
    pub fn value(&self, name: &str) -> Option<&'t TomlValue<'i>> {
        self.field(name)?.value
    }

    /// Whether the key stands in the file, well-shaped or not.
    pub fn is_written(&self, name: &str) -> bool {
        self.field(name).is_some()
    }

    /// `name` is the key's own, not another spelling of it.
    fn field(&self, name: &str) -> Option<&Field<'t, 'i>> {
        debug_assert!(self.table.keys.iter().any(|key| key.name == name), "`{name}` is in the table of keys");
        self.written.iter().find(|field| field.key.name == name)
    }

    pub fn text(&self, name: &str) -> Option<Spanned<String>> {
        let value = self.value(name)?;
        Some(Spanned::new(to_text(value, self.source)?, self.at(value)))
    }

    pub fn boolean(&self, name: &str) -> Option<Spanned<bool>> {
        let value = self.value(name)?;
        Some(Spanned::new(value.get_ref().as_bool()?, self.at(value)))
    }

    pub fn integer<T: TryFrom<i64>>(&self, name: &str) -> Option<Spanned<T>> {
        let value = self.value(name)?;
        let integer = value.get_ref().as_integer()?;
        Some(Spanned::new(T::try_from(integer.to_i64()?).ok()?, self.at(value)))
    }

    pub fn json(&self, name: &str) -> Option<Spanned<Json>> {
        let value = self.value(name)?;
        Some(Spanned::new(to_json(value, self.source)?, self.at(value)))
    }

    pub fn list(&self, name: &str) -> Option<Spanned<Vec<Spanned<Json>>>> {
        let value = self.value(name)?;
        let items = value.get_ref().as_array()?.iter();
        let items = items.filter_map(|item| Some(Spanned::new(to_json(item, self.source)?, self.at(item))));
        Some(Spanned::new(items.collect(), self.at(value)))
    }

    pub fn texts(&self, name: &str) -> Vec<Spanned<String>> {
        let items = self.value(name).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some(Spanned::new(to_text(item, self.source)?, self.at(item)))).collect()
    }

    /// The entries of a table of strings, in document order.
    pub fn text_map(&self, name: &str) -> Vec<(Spanned<String>, Spanned<String>)> {
        let Some(map) = self.value(name).and_then(|value| value.get_ref().as_table()) else {
            return Vec::new();
        };
        map.iter()
            .filter_map(|(key, value)| {
                let name = Spanned::new(key.get_ref().clone().into_owned(), Span::new(self.file, key.span()));
                Some((name, Spanned::new(to_text(value, self.source)?, self.at(value))))
            })
            .collect()
    }

    /// The words that a key's value is one of.
    pub fn words(&self, name: &str) -> &'static [&'static str] {
        match self.table.find(name).map(|key| key.shape) {
            Some(Shape::Word(words)) => words,
            _ => &[],
        }
    }

    pub fn table(&self, name: &str) -> Option<(&'t toml_tree::Table<'i>, Span)> {
        let value = self.value(name)?;
        Some((value.get_ref().as_table()?, self.at(value)))
    }

    pub fn tables(&self, name: &str) -> Vec<(&'t toml_tree::Table<'i>, Span)> {
        let items = self.value(name).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some((item.get_ref().as_table()?, self.at(item)))).collect()
    }

    pub fn at(&self, value: &TomlValue<'_>) -> Span {
        Span::new(self.file, value.span())
    }
}

/// The table that a key would be at home in.
fn owner_of(name: &str) -> Option<&'static Table> {
    [&keys::TOOL, &keys::UPSTREAM, &keys::PARAMETER].into_iter().find(|table| table.find(name).is_some())
}

fn other_name(key: &Key, name: &str) -> &'static str {
    key.names().find(|n| *n != name).unwrap_or(key.name)
}
