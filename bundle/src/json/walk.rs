//! Iterating over one level of a value that is already validated.

use super::{Kind, MAX_DEPTH, Scanner, Value};

/// The elements of an array; none for other kinds.
#[derive(Debug, Clone)]
pub struct Elements<'a>(Option<Scanner<'a>>);

/// The members of an object; none for other kinds.
#[derive(Debug, Clone)]
pub struct Members<'a>(Option<Scanner<'a>>);

pub fn elements(array: Value<'_>) -> Elements<'_> {
    let mut scanner = Scanner::of_text(array.text, MAX_DEPTH).allow_lone_surrogates();
    let is_array = scanner.peek() == Ok(Kind::Array) && scanner.enter_array().is_ok();
    Elements(is_array.then_some(scanner))
}

pub fn members(object: Value<'_>) -> Members<'_> {
    let mut scanner = Scanner::of_text(object.text, MAX_DEPTH).allow_lone_surrogates();
    let is_object = scanner.peek() == Ok(Kind::Object) && scanner.enter_object().is_ok();
    Members(is_object.then_some(scanner))
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let scanner = self.0.as_mut()?;
        if !scanner.next_item().ok()? {
            self.0 = None;
            return None;
        }
        scanner.value().ok()
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Value<'a>, Value<'a>);

    fn next(&mut self) -> Option<(Value<'a>, Value<'a>)> {
        let scanner = self.0.as_mut()?;
        let Some(key) = scanner.next_key().ok()? else {
            self.0 = None;
            return None;
        };
        Some((key, scanner.value().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_is_walked() {
        let array = Value::of_valid(r#"[1, "a", [2], {}]"#);
        assert_eq!(elements(array).map(|value| value.text).collect::<Vec<_>>(), ["1", "\"a\"", "[2]", "{}"]);
        assert_eq!(members(array).count(), 0);
        let object = Value::of_valid(r#"{"a": 1, "b": {"c": 2}}"#);
        let seen: Vec<_> = members(object).map(|(key, value)| (key.raw(), value.text)).collect();
        assert_eq!(seen, [("a", "1"), ("b", r#"{"c": 2}"#)]);
        assert_eq!(elements(object).count(), 0);
        assert_eq!(elements(Value::of_valid("[]")).count(), 0);
    }
}
