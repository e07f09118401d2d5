//! What an MCP server says of one of its tools, as far as it is reviewed and pinned: all that makes a model call it, and how.
//!
//! A definition has one canonical text, whatever the order of its members and the spaces between them, and its [`Pin`] is the
//! digest of that. Title, icons and annotations are not part of it: what clients see of those is what the spec says.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The members of a definition that count, in the order of the canonical text.
const MEMBERS: [&str; 4] = ["description", "inputSchema", "name", "outputSchema"];
const PREFIX: &str = "sha256:";

/// The digest of a definition that was reviewed. Its text is `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin([u8; 32]);

/// A text that is not a pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pin is `sha256:` and 64 hexadecimal digits in lower case")]
pub struct NotAPin;

/// The canonical text of a definition, which a server lists as an element of `tools`; `None` if that is not an object.
///
/// Members of objects are sorted by their bytes. A member that is `null` counts as absent, and so does an empty
/// description, which some servers list for a tool that has none.
pub fn canonical(tool: &Value) -> Option<String> {
    let tool = tool.as_object()?;
    let mut out = String::from("{");
    for name in MEMBERS {
        let is_there = |value: &&Value| !value.is_null() && value.as_str() != Some("");
        let Some(value) = tool.get(name).filter(is_there) else { continue };
        if out.len() > 1 {
            out.push(',');
        }
        write(&Value::from(name), &mut out);
        out.push(':');
        write(value, &mut out);
    }
    out.push('}');
    Some(out)
}

/// Whether a text is the canonical one of some definition.
pub fn is_canonical(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| canonical(&value).as_deref() == Some(text))
}

/// Depth is that of a parsed value, which is bounded.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => object(members, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn object(members: &Map<String, Value>, out: &mut String) {
    // Other crates of a build may make the map keep the order of the text.
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(&Value::from(name.as_str()), out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

impl Pin {
    /// The pin of a definition's canonical text.
    pub fn of(canonical: &str) -> Pin {
        Pin(Sha256::digest(canonical).into())
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin({self})")
    }
}

impl FromStr for Pin {
    type Err = NotAPin;

    fn from_str(text: &str) -> Result<Pin, NotAPin> {
        let digits = text.strip_prefix(PREFIX).ok_or(NotAPin)?.as_bytes();
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, []) = digits.as_chunks::<2>() else { return Err(NotAPin) };
        let bytes = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
        let bytes: Option<Vec<u8>> = bytes.collect();
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Pin).ok_or(NotAPin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_what_is_reviewed_counts() {
        let tool = json!({
            "title": "T", "outputSchema": null, "name": "search", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"b": {}, "a": {"enum": [1.5, null, "x\n"]}}},
            "description": "Finds things.",
        });
        let expected = r#"{"description":"Finds things.","inputSchema":{"properties":{"a":{"enum":[1.5,null,"x\n"]},"b":{}},"type":"object"},"name":"search"}"#;
        assert_eq!(canonical(&tool).as_deref(), Some(expected));
        assert!(is_canonical(expected));
        assert!(!is_canonical(&expected.replace(",\"name\"", ", \"name\"")));
        assert!(!is_canonical(&expected.replace("\"name\"", "\"title\"")));
        assert_eq!(canonical(&json!([])), None);
        assert_eq!(canonical(&json!({"description": "", "name": "a"})), canonical(&json!({"name": "a"})));
    }

    #[test]
    fn pins_have_one_spelling() {
        let pin = Pin::of("{}");
        assert_eq!(
            pin.to_string(),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
        assert_eq!(pin.to_string().parse(), Ok(pin));
        for text in
            ["", "sha256:", "sha256:44", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"]
        {
            assert_eq!(text.parse::<Pin>(), Err(NotAPin), "{text}");
        }
        assert_eq!(pin.to_string().to_uppercase().parse::<Pin>(), Err(NotAPin));
        assert_eq!(format!("{pin}0").parse::<Pin>(), Err(NotAPin));
    }

    fn value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,6}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_text_is_its_own(schema in value(), description in ".{0,20}", name in "[a-z]{1,8}") {
            let tool = json!({"inputSchema": schema, "name": name, "description": description, "title": name});
            let text = canonical(&tool).unwrap();
            prop_assert!(is_canonical(&text));
            let again: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(canonical(&again), Some(text.clone()));
            prop_assert_eq!(Pin::of(&text).to_string().parse(), Ok(Pin::of(&text)));
        }
    }
}
