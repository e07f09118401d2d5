//! JSON texts as trees, where nothing else will do.

use super::{Kind, ScanError, Scanner};
use serde_json::{Map, Number, Value};

/// Why a text is not a JSON value that everyone reads alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictError {
    #[error("{0}")]
    NotJson(#[from] ScanError),
    #[error("member `{name}` occurs twice")]
    DuplicateKey { name: String },
    #[error("number {text} is out of range")]
    NumberOutOfRange { text: String },
}

/// Parses a text into a tree, refusing members of the same name at any depth.
///
/// With two members of one name, the one that was validated and the one that an upstream reads from
/// the forwarded text could be different ones.
pub fn parse_strict(bytes: &[u8], max_depth: usize) -> Result<Value, StrictError> {
    let mut scanner = Scanner::new(bytes, max_depth)?;
    let value = build(&mut scanner)?;
    scanner.finish()?;
    Ok(value)
}

/// Recursion is bounded by the scanner's depth.
fn build(scanner: &mut Scanner<'_>) -> Result<Value, StrictError> {
    match scanner.peek()? {
        Kind::Object => {
            let mut members = Map::new();
            scanner.enter_object()?;
            while let Some(key) = scanner.next_key()? {
                let name = key.unescaped(&mut String::new()).to_owned();
                let value = build(scanner)?;
                if members.insert(name, value).is_some() {
                    let name = key.unescaped(&mut String::new()).to_owned();
                    return Err(StrictError::DuplicateKey { name });
                }
            }
            Ok(Value::Object(members))
        }
        Kind::Array => {
            let mut items = Vec::new();
            scanner.enter_array()?;
            while scanner.next_item()? {
                items.push(build(scanner)?);
            }
            Ok(Value::Array(items))
        }
        Kind::String => Ok(Value::String(scanner.value()?.unescaped(&mut String::new()).to_owned())),
        Kind::Number => {
            let text = scanner.value()?.text;
            match text.parse::<Number>() {
                Ok(number) => Ok(Value::Number(number)),
                Err(_) => Err(StrictError::NumberOutOfRange { text: text.to_owned() }),
            }
        }
        Kind::Boolean => Ok(Value::Bool(scanner.value()?.text == "true")),
        Kind::Null => scanner.value().map(|_| Value::Null).map_err(StrictError::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::ScanErrorKind;
    use serde_json::json;

    #[test]
    fn strict_parsing_refuses_what_readers_disagree_about() {
        assert_eq!(
            parse_strict(br#" {"a":[1,"b\n",null,true,1.5e3]} "#, 8).unwrap(),
            json!({"a": [1, "b\n", null, true, 1500.0]})
        );
        assert_eq!(
            parse_strict(br#"{"a":[{"b":1,"\u0062":2}]}"#, 8),
            Err(StrictError::DuplicateKey { name: "b".into() })
        );
        assert!(matches!(parse_strict(b"1e999", 8), Err(StrictError::NumberOutOfRange { .. })));
        let deep = parse_strict(b"[[[1]]]", 2).unwrap_err();
        assert!(matches!(deep, StrictError::NotJson(ScanError { kind: ScanErrorKind::TooDeep, .. })));
    }
}
