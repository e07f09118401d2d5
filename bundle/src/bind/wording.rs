//! The words of messages. They are read by models: each says what was expected and what came.

use super::prepared::{Check, Tool};
use crate::json::{Kind, StrictError, Value};
use crate::plan::{Contents, TypeSet};

/// Characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;
/// Characters of a path, each name in it already shortened.
const MAX_PATH: usize = 200;
/// Names or allowed values that a message lists.
const MAX_LISTED: usize = 12;
/// Characters of a schema's own reason.
const MAX_REASON: usize = 300;
/// Names longer than this are not typos.
const MAX_SUGGESTED: usize = 128;

/// `a string`, `an integer or null`.
pub(super) fn expected(types: TypeSet) -> String {
    if types == TypeSet::ANY {
        return "a JSON value".to_owned();
    }
    let number = types.contains(TypeSet::NUMBER);
    let names: Vec<&str> = types.names().filter(|name| !(number && *name == "integer")).collect();
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            text.push_str(if at + 1 == names.len() { " or " } else { ", " });
        }
        match *name {
            "null" => {}
            "array" | "integer" | "object" => text.push_str("an "),
            _ => text.push_str("a "),
        }
        text.push_str(name);
    }
    text
}

/// `the string "two"`; of a sensitive parameter only `a string`.
pub(super) fn got(value: Value<'_>, sensitive: bool) -> String {
    match (value.kind, sensitive) {
        (Kind::Null, _) => "null".to_owned(),
        (Kind::Array, _) => "an array".to_owned(),
        (Kind::Object, _) => "an object".to_owned(),
        (Kind::String, true) => "a string".to_owned(),
        (Kind::Number, true) => "a number".to_owned(),
        (Kind::Boolean, true) => "a boolean".to_owned(),
        (Kind::String, false) => format!("the string {}", quote(value)),
        (Kind::Number, false) => format!("the number {}", quote(value)),
        (Kind::Boolean, false) => quote(value),
    }
}

/// The value itself, shortened; `this value` for a sensitive parameter.
pub(super) fn value(value: Value<'_>, sensitive: bool) -> String {
    if sensitive { "this value".to_owned() } else { quote(value) }
}

pub(super) fn wrong_type(
    path: &str,
    types: TypeSet,
    value: Value<'_>,
    sensitive: bool,
    optional: bool,
) -> String {
    let mut text = format!("`{path}` must be {}, not {}", expected(types), got(value, sensitive));
    if value.kind == Kind::Null && optional {
        text.push_str(": leave it out instead");
    }
    text
}

pub(super) fn missing(path: &str, contents: &Contents, check: Option<&Check>) -> String {
    let wanted = match check {
        Some(check) if !check.enumeration.is_empty() => format!(" (one of {})", allowed(contents, check)),
        Some(check) if check.types != TypeSet::ANY => format!(" ({})", type_names(check.types)),
        _ => String::new(),
    };
    format!("`{path}` is required{wanted}")
}

/// The allowed values of an enumeration, as JSON.
pub(super) fn allowed(contents: &Contents, check: &Check) -> String {
    list(check.enumeration.iter().map(|&id| shorten(contents.strings.get(id))))
}

pub(super) fn unknown_argument(name: &str, contents: &Contents, tool: &Tool) -> String {
    let names = || tool.parameters.iter().map(|parameter| contents.strings.get(parameter.name.text));
    let shown = shorten(name);
    if let Some(near) = nearest(name, names()) {
        return format!("`{shown}` is not an argument: did you mean `{near}`?");
    }
    if tool.parameters.is_empty() {
        return format!("`{shown}` is not an argument: the tool takes none");
    }
    format!("`{shown}` is not an argument: it takes {}", list(names().map(|name| format!("`{name}`"))))
}

pub(super) fn unknown_property<'n>(path: &str, name: &str, names: impl Iterator<Item = &'n str>) -> String {
    match nearest(name, names) {
        Some(near) => format!("`{path}` is not known: did you mean `{near}`?"),
        None => format!("`{path}` is not known there"),
    }
}

pub(super) fn schema(path: &str, message: &str, sensitive: bool) -> String {
    if sensitive { format!("`{path}` does not match its schema") } else { schema_problem(path, message) }
}

/// What a schema says about the value at a path; an empty one is the value as a whole.
pub(crate) fn schema_problem(path: &str, message: &str) -> String {
    let message = shorten_to(message, MAX_REASON);
    match path {
        "" => message,
        _ if message.starts_with("is ") => format!("`{}` {message}", shorten(path)),
        _ => format!("`{}`: {message}", shorten(path)),
    }
}

/// Says nothing of the value: it may belong to a sensitive parameter.
pub(super) fn strict_error(error: &StrictError) -> String {
    match error {
        StrictError::DuplicateKey { .. } => "a member name occurs twice in one object".to_owned(),
        StrictError::NumberOutOfRange { .. } => "a number is too large to be checked".to_owned(),
        StrictError::NotJson(error) => format!("the arguments are not valid JSON: {error}"),
    }
}

/// A path cut to what a message may hold.
pub(super) fn path(path: &str) -> String {
    shorten_to(path, MAX_PATH)
}

/// A text cut to what a message may quote.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, MAX_QUOTED)
}

fn shorten_to(text: &str, limit: usize) -> String {
    // A name may hold line breaks; a message stays on its line.
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut shown: String = text.chars().take(limit).map(visible).collect();
    if text.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

fn quote(value: Value<'_>) -> String {
    match value.kind {
        Kind::String => format!("\"{}\"", shorten(value.raw())),
        _ => shorten(value.text),
    }
}

fn type_names(types: TypeSet) -> String {
    let number = types.contains(TypeSet::NUMBER);
    let names: Vec<&str> = types.names().filter(|name| !(number && *name == "integer")).collect();
    names.join(" or ")
}

fn list(items: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut more = 0;
    for (at, item) in items.enumerate() {
        if at >= MAX_LISTED {
            more += 1;
            continue;
        }
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&item);
    }
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The name that was probably meant: `user_id` for `userId`, `limit` for `limt`.
fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > MAX_SUGGESTED {
        return None;
    }
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(name);
    let tolerance = (wanted.chars().count() / 3).max(1);
    names
        .filter(|candidate| candidate.len() <= MAX_SUGGESTED)
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= tolerance && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_as_english() {
        assert_eq!(expected(TypeSet::INTEGER), "an integer");
        assert_eq!(expected(TypeSet::STRING.union(TypeSet::NULL)), "a string or null");
        let three = TypeSet::STRING.union(TypeSet::INTEGER).union(TypeSet::NUMBER).union(TypeSet::ARRAY);
        assert_eq!(expected(three), "a string, a number or an array");
        assert_eq!(expected(TypeSet::ANY), "a JSON value");
    }

    #[test]
    fn values_are_quoted_short_or_not_at_all() {
        let long = format!("\"{}\"", "é".repeat(61));
        assert_eq!(got(Value::of_valid(&long), false), format!("the string \"{}…\"", "é".repeat(60)));
        assert_eq!(got(Value::of_valid(&long), true), "a string");
        assert_eq!(got(Value::of_valid("1.50"), false), "the number 1.50");
        assert_eq!(got(Value::of_valid("[1]"), false), "an array");
    }

    #[test]
    fn near_names_are_suggested() {
        let names = || ["userId", "limit", "x"].into_iter();
        assert_eq!(nearest("user_id", names()), Some("userId"));
        assert_eq!(nearest("limt", names()), Some("limit"));
        assert_eq!(nearest("color", names()), None);
        assert_eq!(nearest("y", names()), None);
        assert_eq!(nearest(&"a".repeat(1_000_000), names()), None);
    }
}
