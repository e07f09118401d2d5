//! JSON values in messages and comparisons.

use crate::language::json::Json;
use mcp_bundle::json::decimal;
use std::cmp::Ordering;

/// Longest value that a message quotes whole, in characters.
const MAX_SHOWN: usize = 40;

/// Equality in JSON Schema's sense: numbers by value, members in any order.
pub fn equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => decimal::compare(left, right) == Ordering::Equal,
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| equal(l, r))
        }
        (Json::Object(left), Json::Object(members)) => {
            let same =
                |(name, value): &(String, Json)| right.get(name).is_some_and(|other| equal(value, other));
            left.len() == members.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

/// A value as a message quotes it, in backticks, shortened.
pub fn show(value: &Json) -> String {
    show_text(&value.to_text())
}

/// A value in a message about it.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    Value(String),
    /// It is of a `sensitive` parameter, and never appears.
    Hidden,
}

pub fn shown(value: &Json, sensitive: bool) -> Shown {
    if sensitive { Shown::Hidden } else { Shown::Value(show(value)) }
}

impl Shown {
    /// "default `20`", or "the default" where the value is hidden.
    pub fn after(&self, word: &str) -> String {
        match self {
            Shown::Value(value) => format!("{word} {value}"),
            Shown::Hidden => format!("the {word}"),
        }
    }
}

/// "1 character", "2 characters".
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A text as a message quotes it: in backticks, on one line, shortened.
pub fn show_text(text: &str) -> String {
    let mut shown = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == MAX_SHOWN {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.push('`');
    shown
}

/// The type of a value, with its article.
pub fn type_of(value: &Json) -> &'static str {
    with_article(value.type_name())
}

/// A JSON type's name with its article.
pub fn with_article(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_members_in_any_order() {
        let number = |text: &str| Json::Number(text.into());
        let pair = |a: (&str, &str), b: (&str, &str)| {
            Json::Object(vec![(a.0.into(), number(a.1)), (b.0.into(), number(b.1))])
        };
        assert!(equal(&number("1.0"), &number("1")));
        assert!(!equal(&number("9007199254740993"), &number("9007199254740992")));
        assert!(equal(&pair(("a", "1"), ("b", "2")), &pair(("b", "2.0"), ("a", "1"))));
        assert!(!equal(&Json::string("1"), &number("1")));
    }

    #[test]
    fn quoted_texts_stay_on_one_line() {
        assert_eq!(show_text("a\nb"), "`a\\nb`");
        assert_eq!(show_text(&"x".repeat(99)).chars().count(), 43);
    }
}
