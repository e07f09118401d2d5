//! Reads a TOML file by its tables of keys: unknown keys, wrong shapes and missing keys become findings,
//! and what remains is well-shaped.

mod meant;
mod rename;
mod shape;
mod syntax;

pub use shape::is_json;

use self::shape::as_note;
use crate::diagnostic::Diagnostic;
use crate::keys::{Key, Shape, Table};
use crate::rule::Rule;
use crate::size;
use crate::source::{FileId, Span, Spanned};
use crate::suggest;
use crate::toml_tree::{TomlTable, TomlValue, to_text};

/// A language that is written in TOML, beside its tables of keys.
#[derive(Debug)]
pub struct Language {
    pub rules: ReadingRules,
    /// The header that a list of tables is written with: `tool.parameters`.
    pub header: fn(&Key) -> String,
    /// Where a key that is unknown in a table belongs, as a help.
    pub home: fn(&str, &'static Table) -> Option<String>,
    /// The help for a file that is not TOML at all.
    pub how_to_begin: &'static str,
}

/// What findings about the form of a file are called, where kinds of findings have codes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadingRules {
    pub syntax: Option<&'static Rule>,
    pub unknown_key: Option<&'static Rule>,
    pub missing_key: Option<&'static Rule>,
    pub key_given_twice: Option<&'static Rule>,
    pub wrong_type: Option<&'static Rule>,
    pub invalid_value: Option<&'static Rule>,
}

/// A file that is being read, and where findings go.
#[derive(Debug)]
pub struct Reading<'d> {
    pub language: &'static Language,
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
    /// The file's text.
    pub source: &'t str,
    pub span: Span,
    /// Every key was known and every value well-shaped.
    pub complete: bool,
    /// A value other than a number or a boolean has the wrong shape and was left out, so what seems to
    /// be missing may only be written in another way.
    pub misshapen: bool,
    /// In the order of the file. Of the keys that a table may have, few are written, so these are what is searched.
    written: Vec<Field<'t, 'i>>,
}

/// A known key that the file gives.
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
        toml: &'t TomlTable<'i>,
        span: Span,
    ) -> Fields<'t, 'i>
    where
        'd: 't,
    {
        let before = self.diagnostics.len();
        let mut misshapen = false;
        let entries = toml.iter();
        let mut written: Vec<Field<'t, 'i>> = Vec::with_capacity(entries.len());
        for (toml_key, value) in entries {
            let key_span = self.span(toml_key.span());
            let name: &str = toml_key.get_ref();
            // A misspelt key is reported and then read as what it was meant to be, so that one mistake
            // is one finding.
            let Some(key) = table.find(name).or_else(|| self.unknown_key(table, toml, toml_key, value))
            else {
                continue;
            };
            if let Some(first) = written.iter().find(|field| std::ptr::eq(field.key, key)) {
                self.report(
                    Diagnostic::of(
                        self.language.rules.key_given_twice,
                        key_span,
                        format!("`{name}` and `{}` are the same key", other_name(key, name)),
                    )
                    .related(first.span, "first given here")
                    .help("keep one of the two"),
                );
                continue;
            }
            let value = self.shape_fits(key, value).then_some(value);
            misshapen |= value.is_none() && !key.shape.is_scalar();
            written.push(Field { key, span: key_span, value });
        }
        for key in table.keys.iter().filter(|key| key.required) {
            if !written.iter().any(|field| std::ptr::eq(field.key, key)) {
                let message = format!("{} needs `{}`", table.name, key.name);
                let rule = self.language.rules.missing_key;
                self.report(Diagnostic::of(rule, span, message).note(as_note(key.doc)));
            }
        }
        let complete = self.diagnostics.len() == before;
        Fields { table, file: self.file, source: self.text, span, complete, misshapen, written }
    }

    /// One word of a set; another word is reported with the allowed ones.
    pub fn word<T>(
        &mut self,
        fields: &Fields<'_, '_>,
        name: &'static str,
        from_word: impl Fn(&str) -> Option<T>,
        rule: Option<&'static Rule>,
    ) -> Option<Spanned<T>> {
        let text = fields.text(name)?;
        if let Some(value) = from_word(&text.value) {
            return Some(Spanned::new(value, text.span));
        }
        let words = fields.words(name);
        // A name of several words is none of the reader's, and `a` does not go before a vowel.
        let what = if name.contains('_') || name.starts_with(['a', 'e', 'i', 'o', 'u']) {
            format!("value of `{name}`")
        } else {
            name.to_owned()
        };
        let mut diagnostic = Diagnostic::of(rule, text.span, format!("`{}` is not a {what}", text.value))
            .note(format!("it is one of {}", suggest::one_of(words.iter().copied())));
        if let Some(same) = words.iter().find(|word| word.eq_ignore_ascii_case(&text.value)) {
            diagnostic =
                diagnostic.help(format!("write it as `{same}`")).replace(text.span, format!("\"{same}\""));
        } else if let Some(meant) =
            abbreviated(&text.value, words).or_else(|| suggest::nearest(&text.value, words.iter().copied()))
        {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        self.report(diagnostic);
        None
    }
}

impl<'t, 'i> Fields<'t, 'i> {
    pub fn value(&self, name: &str) -> Option<&'t TomlValue<'i>> {
        self.field(name)?.value
    }

    /// Whether the file gives the key, well-shaped or not.
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

    /// A [`Shape::Seconds`] in milliseconds.
    pub fn millis(&self, name: &str) -> Option<u32> {
        let Some(Shape::Seconds { max }) = self.table.find(name).map(|key| key.shape) else {
            return None;
        };
        shape::millis(self.value(name)?.get_ref(), max)
    }

    pub fn texts(&self, name: &str) -> Vec<Spanned<String>> {
        let items = self.value(name).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some(Spanned::new(to_text(item, self.source)?, self.at(item)))).collect()
    }

    /// A [`Shape::Size`] in bytes.
    pub fn size(&self, name: &str) -> Option<Spanned<u64>> {
        let value = self.value(name)?;
        Some(Spanned::new(size::parse(value.get_ref().as_str()?)?, self.at(value)))
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
            Some(Shape::Word(words) | Shape::WordOrTable(words, _)) => words,
            _ => &[],
        }
    }

    pub fn table(&self, name: &str) -> Option<(&'t TomlTable<'i>, Span)> {
        let value = self.value(name)?;
        Some((value.get_ref().as_table()?, self.at(value)))
    }

    /// A list of tables. A single table that was reported as such is read as a list of one.
    pub fn tables(&self, name: &str) -> Vec<(&'t TomlTable<'i>, Span)> {
        let items = self.value(name).map(|value| match value.get_ref().as_array() {
            Some(items) => items,
            None => std::slice::from_ref(value),
        });
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some((item.get_ref().as_table()?, self.at(item)))).collect()
    }

    pub fn at(&self, value: &TomlValue<'_>) -> Span {
        Span::new(self.file, value.span())
    }
}

fn other_name(key: &Key, name: &str) -> &'static str {
    key.names().find(|n| *n != name).unwrap_or(key.name)
}

/// The word that begins with what is written: `int`, `bool`.
fn abbreviated(written: &str, words: &[&'static str]) -> Option<&'static str> {
    let lower = written.to_ascii_lowercase();
    let begins = |word: &&&str| lower.len() >= 3 && word.to_ascii_lowercase().starts_with(&lower);
    words.iter().find(begins).copied()
}

#[cfg(test)]
mod tests;
