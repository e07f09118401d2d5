//! Reads the tables of `edge.toml`: what is unknown or has the wrong type becomes a problem, what remains is typed.

use super::keys;
use super::numbers::{self, Unit};
use super::problem::Problem;
use super::suggest;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

pub type TomlValue<'i> = toml::Spanned<DeValue<'i>>;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct At<T> {
    pub value: T,
    pub span: Range<usize>,
}

/// One table of the file.
#[derive(Debug, Clone)]
pub struct Table<'t, 'i> {
    toml: &'t DeTable<'i>,
    /// For what is missing in it.
    pub span: Range<usize>,
}

#[derive(Debug, Default)]
pub struct Reader {
    pub problems: Vec<Problem>,
}

impl Reader {
    pub fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// A table whose keys are all known or reported.
    pub fn table<'t, 'i>(
        &mut self,
        name: &'static str,
        toml: &'t DeTable<'i>,
        span: Range<usize>,
    ) -> Table<'t, 'i> {
        for key in toml.keys() {
            let word: &str = key.get_ref();
            if keys::names(name).any(|known| known == word) {
                continue;
            }
            let place = if name.is_empty() { "the file".to_owned() } else { format!("`{name}`") };
            let problem = Problem::new(key.span(), format!("{place} has no key `{word}`"));
            let help =
                suggest::did_you_mean(word, keys::names(name)).unwrap_or_else(|| match keys::home(word) {
                    Some("") => format!("`{word}` belongs to the top of the file, before the first `[`"),
                    Some(home) => format!("`{word}` belongs to `[{home}]`"),
                    None => format!("its keys are {}", suggest::one_of(keys::names(name))),
                });
            self.report(problem.help(help));
        }
        Table { toml, span }
    }

    /// The table under a key, if it is there.
    pub fn subtable<'t, 'i>(&mut self, top: &Table<'t, 'i>, name: &'static str) -> Option<Table<'t, 'i>> {
        let value = top.value(name)?;
        match value.get_ref().as_table() {
            Some(toml) => Some(self.table(name, toml, value.span())),
            None => {
                self.report(wrong_type(name, value, "a table").help(format!("write `[{name}]`")));
                None
            }
        }
    }

    /// The tables under a key that may stand several times.
    pub fn subtables<'t, 'i>(&mut self, top: &Table<'t, 'i>, name: &'static str) -> Vec<Table<'t, 'i>> {
        let Some(value) = top.value(name) else { return Vec::new() };
        let items: Vec<&TomlValue<'i>> = match value.get_ref().as_array() {
            Some(items) => items.iter().collect(),
            None => vec![value],
        };
        let is_array = value.get_ref().is_array();
        let mut tables = Vec::new();
        for item in items {
            match item.get_ref().as_table() {
                Some(toml) if is_array => tables.push(self.table(name, toml, item.span())),
                _ => {
                    let problem = wrong_type(name, item, "a list of tables");
                    self.report(problem.help(format!("write `[[{name}]]`")));
                }
            }
        }
        tables
    }

    pub fn text(&mut self, table: &Table<'_, '_>, name: &'static str) -> Option<At<String>> {
        let value = table.value(name)?;
        match value.get_ref().as_str() {
            Some("") => self.report(Problem::new(value.span(), format!("`{name}` is empty"))),
            Some(text) => return Some(At { value: text.to_owned(), span: value.span() }),
            None => self.report(wrong_type(name, value, "a string")),
        }
        None
    }

    pub fn texts(&mut self, table: &Table<'_, '_>, name: &'static str) -> Vec<At<String>> {
        let Some(value) = table.value(name) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            let problem = wrong_type(name, value, "a list of strings");
            self.report(match value.get_ref().as_str() {
                Some(text) => problem.help(format!("write `{name} = [{text:?}]`")),
                None => problem,
            });
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match item.get_ref().as_str() {
                Some(text) => texts.push(At { value: text.to_owned(), span: item.span() }),
                None => self.report(wrong_type(name, item, "a list of strings")),
            }
        }
        texts
    }

    /// A number that is not one of the settings.
    pub fn number(
        &mut self,
        table: &Table<'_, '_>,
        name: &'static str,
        unit: Unit,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = table.value(name)?;
        let number = numbers::read(unit, value.get_ref()).map_err(|message| format!("`{name}` {message}"));
        let checked = number.and_then(|number| {
            numbers::in_range(name, unit, number, *range.start(), *range.end())?;
            Ok(number)
        });
        checked.map_err(|message| self.report(Problem::new(value.span(), message))).ok()
    }

    pub fn flag(&mut self, table: &Table<'_, '_>, name: &'static str) -> Option<bool> {
        let value = table.value(name)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.report(wrong_type(name, value, "`true` or `false`"));
        }
        flag
    }

    /// One of a few words.
    pub fn word<T: Copy>(
        &mut self,
        table: &Table<'_, '_>,
        name: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.text(table, name)?;
        let found = words.iter().find(|(word, _)| *word == text.value);
        if found.is_none() {
            let known = words.iter().map(|(word, _)| *word);
            let message = format!("`{name}` cannot be `{}`", text.value);
            let help = suggest::did_you_mean(&text.value, known.clone());
            let help = help.unwrap_or_else(|| format!("write {}", suggest::one_of(known)));
            self.report(Problem::new(text.span, message).help(help));
        }
        found.map(|(_, value)| *value)
    }
}

impl<'t, 'i> Table<'t, 'i> {
    pub fn value(&self, name: &str) -> Option<&'t TomlValue<'i>> {
        self.toml.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
    }
}

fn wrong_type(name: &str, value: &TomlValue<'_>, wanted: &str) -> Problem {
    Problem::new(value.span(), format!("`{name}` must be {wanted}, not {}", type_name(value.get_ref())))
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
