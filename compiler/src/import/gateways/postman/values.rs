//! Variables of a collection, `{{name}}`, and values whose types nobody wrote.

use super::VARIABLE_MOVED;
use crate::import::Ledger;
use crate::import::secrets::is_secret_name;
use crate::language::json::Json;
use crate::language::names;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Variables within variables are looked up this often.
const MOST_STEPS: usize = 5;
/// A text that grows beyond this by its variables stays as it is: each may hold another one many times.
const MAX_TEXT: usize = 256 * 1024;

pub struct Variables<'d> {
    known: BTreeMap<&'d str, (&'d Json, String)>,
    used: RefCell<BTreeSet<String>>,
}

/// A text taken apart at its variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Variable(String),
}

impl<'d> Variables<'d> {
    pub fn of(ledger: &Ledger<'d>, collection: &'d Json) -> Variables<'d> {
        let mut known = BTreeMap::new();
        for variable in ledger.list(collection, "variable") {
            let name = ["key", "id", "name"].into_iter().find_map(|key| variable.get(key)?.as_str());
            let text = match variable.get("value") {
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) | None => String::new(),
                Some(other) => other.to_text(),
            };
            let is_off = variable.get("disabled") == Some(&Json::Bool(true));
            if let Some(name) = name.filter(|_| !is_off) {
                known.insert(name, (variable, text));
            }
        }
        Variables { known, used: RefCell::default() }
    }

    /// The value that the collection has. Of a secret it is not told.
    pub fn value(&self, name: &str) -> Option<String> {
        self.used.borrow_mut().insert(name.to_owned());
        let (variable, text) = self.known.get(name)?;
        let is_secret = is_secret_name(name) || variable.get("type").and_then(Json::as_str) == Some("secret");
        Some(text).filter(|text| !text.is_empty() && !is_secret).cloned()
    }

    /// A text with the values of its variables, as far as they are known.
    pub fn resolved(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MOST_STEPS {
            let pieces = pieces(&text);
            if !pieces.iter().any(|piece| matches!(piece, Piece::Variable(_))) {
                break;
            }
            let written = pieces.into_iter().map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Variable(name) => self.value(&name).unwrap_or_else(|| format!("{{{{{name}}}}}")),
            });
            let written: String = written.collect();
            if written.len() > MAX_TEXT.max(text.len()) {
                break;
            }
            text = written;
        }
        text
    }

    /// A text with `${NAME}` for its variables; what else is in it stays as it is.
    pub fn with_places(&self, text: &str) -> String {
        let written = pieces(text).into_iter().map(|piece| match piece {
            Piece::Text(text) => super::super::literal(&text),
            Piece::Variable(name) => {
                self.used.borrow_mut().insert(name.clone());
                format!("${{{}}}", place_name(&name))
            }
        });
        written.collect()
    }

    /// Says in the report what became of the variables.
    pub fn mark(&self, ledger: &Ledger<'_>) {
        let used = self.used.borrow();
        for (name, (variable, _)) in &self.known {
            if used.contains(*name) {
                ledger.change(
                    variable,
                    &VARIABLE_MOVED,
                    format!("`{name}` is an argument, a default, or `${{{}}}`", place_name(name)),
                );
            } else {
                ledger.leave_out(variable, &crate::import::codes::NOT_USED, "no request has it");
            }
        }
    }
}

/// The name of a variable where the edge runs.
pub fn place_name(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in name.trim_start_matches('$').chars() {
        // `baseUrl` is two words.
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            words.push('_');
        }
        words.push(c);
        before = c;
    }
    names::variable(&[&words], "VALUE")
}

/// Takes a text apart.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Variable(name.trim().to_owned()));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    pieces
}

/// The name of a text that is one variable and nothing else.
pub fn only_variable(text: &str) -> Option<String> {
    match pieces(text.trim()).as_slice() {
        [Piece::Variable(name)] => Some(name.clone()),
        _ => None,
    }
}

/// A description, which is a text or an object with one.
pub fn description<'d>(ledger: &Ledger<'d>, holder: &'d Json) -> Option<String> {
    let value = holder.get("description")?;
    ledger.keep(value);
    let text = value.as_str().or_else(|| value.get("content")?.as_str())?.trim();
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// The value that a text probably stands for.
pub fn typed(text: &str) -> Json {
    match Json::parse(text) {
        Some(value @ (Json::Bool(_) | Json::Number(_))) if text.len() < 16 && value.to_text() == text => {
            value
        }
        _ => Json::string(text),
    }
}

/// The type of a value, and the keywords that describe its inside.
pub fn described(value: &Json) -> (String, Vec<(String, Json)>) {
    match value {
        Json::Array(items) => {
            let items = items.first().map_or_else(|| Json::Object(Vec::new()), schema);
            ("array".to_owned(), vec![("items".to_owned(), items)])
        }
        Json::Object(members) if !members.is_empty() => {
            let properties = members.iter().map(|(name, value)| (name.clone(), schema(value))).collect();
            ("object".to_owned(), vec![("properties".to_owned(), Json::Object(properties))])
        }
        // Nobody knows what may stand in place of `null`.
        Json::Null => ("string".to_owned(), Vec::new()),
        other => (other.type_name().to_owned(), Vec::new()),
    }
}

fn schema(value: &Json) -> Json {
    if *value == Json::Null {
        return Json::Object(Vec::new());
    }
    let (kind, keywords) = described(value);
    Json::Object([vec![("type".to_owned(), Json::String(kind))], keywords].concat())
}
