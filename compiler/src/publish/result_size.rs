//! How long a result of a tool can become, from what its spec limits.

use crate::language::json::Json;
use crate::language::schema_walk::follow;
use mcp_bundle::shape::Limits;

/// Bytes of a response that the edge reads at most, unless it is set up otherwise.
const EDGE_RESPONSE_BYTES: u64 = 10 << 20;
/// How far a schema is followed.
const MAX_DEPTH: usize = 32;
/// The longest escape of a character in JSON, `\u001f`.
const ESCAPE_BYTES: u64 = 6;

/// What decides it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds<'a> {
    pub max_response_bytes: Option<u32>,
    pub max_text_bytes: Option<u32>,
    pub max_results: Option<u32>,
    pub output_schema: Option<&'a Json>,
    /// Members that the schema does not name are not kept.
    pub has_select: bool,
    pub has_template: bool,
    /// The length of a fixed answer.
    pub fixed: Option<usize>,
}

/// The longest result, in bytes of its texts and of its structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worst {
    pub text: u64,
    pub structured: u64,
    /// What limits the text.
    pub because: &'static str,
}

impl Worst {
    pub fn of(bounds: &Bounds<'_>) -> Worst {
        let edge = Limits::default().text as u64;
        let response = match bounds.max_response_bytes {
            Some(bytes) => u64::from(bytes).min(EDGE_RESPONSE_BYTES),
            None => EDGE_RESPONSE_BYTES,
        };
        if let Some(length) = bounds.fixed {
            let text = (length as u64).min(bounds.max_text_bytes.map_or(edge, u64::from));
            return Worst { text, structured: 0, because: "the fixed answer" };
        }
        let described = bounds.output_schema.and_then(|schema| {
            let most = bounds.max_results.map(u64::from);
            Sizes { root: schema, most, is_selected: bounds.has_select }.of(schema, 0)
        });
        let mut limits = vec![(edge, "the limit of the edge")];
        limits.extend(bounds.max_text_bytes.map(|bytes| (u64::from(bytes), "`max_text_bytes`")));
        if !bounds.has_template {
            limits.push((response, "`max_response_bytes`"));
            limits.extend(described.map(|bytes| (bytes, "`output_schema`")));
        }
        let (text, because) = limits.into_iter().min_by_key(|(bytes, _)| *bytes).unwrap_or((edge, ""));
        let structured = match bounds.output_schema {
            None => 0,
            Some(_) => described.unwrap_or(response).min(response),
        };
        Worst { text, structured, because }
    }

    pub fn bytes(self) -> u64 {
        self.text.saturating_add(self.structured)
    }
}

/// The longest JSON text that a schema allows; `None` without a bound.
struct Sizes<'a> {
    root: &'a Json,
    most: Option<u64>,
    is_selected: bool,
}

impl<'a> Sizes<'a> {
    fn of(&self, schema: &'a Json, depth: usize) -> Option<u64> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(value) = schema.get("const") {
            return Some(value.to_text().len() as u64);
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return values.iter().map(|value| value.to_text().len() as u64).max();
        }
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            return self.of(follow(self.root, schema, target)?, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(keyword).and_then(Json::as_array) {
                let sizes: Option<Vec<u64>> =
                    choices.iter().map(|choice| self.of(choice, depth + 1)).collect();
                return sizes?.into_iter().max();
            }
        }
        let names = match schema.get("type")? {
            Json::Array(names) => names.as_slice(),
            name => std::slice::from_ref(name),
        };
        let sizes: Option<Vec<u64>> =
            names.iter().map(|name| self.of_type(schema, name.as_str()?, depth)).collect();
        sizes?.into_iter().max()
    }

    fn of_type(&self, schema: &'a Json, name: &str, depth: usize) -> Option<u64> {
        let number = |keyword: &str| schema.get(keyword).and_then(Json::as_number);
        let count = |keyword: &str| number(keyword).and_then(|number| number.parse::<u64>().ok());
        match name {
            "null" => Some(4),
            "boolean" => Some(5),
            "integer" => Some(number("minimum")?.len().max(number("maximum")?.len()) as u64),
            "string" => {
                let format = schema.get("format").and_then(Json::as_str);
                let length = match (count("maxLength"), format) {
                    (Some(length), _) => length,
                    (None, Some("uuid")) => 36,
                    (None, Some("date")) => 10,
                    _ => return None,
                };
                Some(length.saturating_mul(ESCAPE_BYTES).saturating_add(2))
            }
            "array" => {
                let elements = [count("maxItems"), self.most].into_iter().flatten().min()?;
                let element = self.of(schema.get("items")?, depth + 1)?;
                Some(element.saturating_add(1).saturating_mul(elements).saturating_add(2))
            }
            "object" => {
                let is_closed = schema.get("additionalProperties").and_then(Json::as_bool) == Some(false);
                let mut size = 2_u64;
                if !(is_closed || self.is_selected) || schema.get("patternProperties").is_some() {
                    return None;
                }
                for (name, property) in schema.get("properties").and_then(Json::as_object)? {
                    let property = self.of(property, depth + 1)?;
                    let name = Json::string(name).to_text().len() as u64 + 2;
                    size = size.saturating_add(name).saturating_add(property);
                }
                Some(size)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(schema: &str, bounds: Bounds<'_>) -> Worst {
        let schema = Json::parse(schema).unwrap();
        Worst::of(&Bounds { output_schema: Some(&schema), ..bounds })
    }

    #[test]
    fn the_tightest_limit_decides() {
        let nothing = Worst::of(&Bounds::default());
        assert_eq!(
            (nothing.text, nothing.structured, nothing.because),
            (1 << 20, 0, "the limit of the edge")
        );
        let text = Worst::of(&Bounds { max_text_bytes: Some(4000), ..Bounds::default() });
        assert_eq!((text.bytes(), text.because), (4000, "`max_text_bytes`"));
        let response = Worst::of(&Bounds { max_response_bytes: Some(100), ..Bounds::default() });
        assert_eq!((response.bytes(), response.because), (100, "`max_response_bytes`"));
        let template = Bounds { max_response_bytes: Some(100), has_template: true, ..Bounds::default() };
        assert_eq!(Worst::of(&template).because, "the limit of the edge");
        let fixed = Worst::of(&Bounds { fixed: Some(12), ..Bounds::default() });
        assert_eq!((fixed.bytes(), fixed.because), (12, "the fixed answer"));
    }

    #[test]
    fn a_schema_bounds_what_it_describes() {
        let list = r#"{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer","minimum":0,"maximum":999},"ok":{"type":"boolean"}},"additionalProperties":false}}"#;
        // `{"id":999,"ok":false}` has 21 bytes; a comma too many is counted.
        let ten = worst(list, Bounds { max_results: Some(10), ..Bounds::default() });
        assert_eq!((ten.text, ten.structured, ten.because), (10 * 23 + 2, 10 * 23 + 2, "`output_schema`"));
        let open = worst(list, Bounds::default());
        assert_eq!((open.because, open.structured), ("the limit of the edge", EDGE_RESPONSE_BYTES));
        let loose = list.replace(",\"additionalProperties\":false", "");
        assert_eq!(
            worst(&loose, Bounds { max_results: Some(10), ..Bounds::default() }).because,
            "the limit of the edge"
        );
        let selected = Bounds { max_results: Some(10), has_select: true, ..Bounds::default() };
        assert_eq!(worst(&loose, selected).text, 232);
        let text = worst(r#"{"type":"string","maxLength":10}"#, Bounds::default());
        assert_eq!(text.text, 62);
        let circle = worst(r##"{"$ref":"#"}"##, Bounds::default());
        assert_eq!(circle.because, "the limit of the edge");
    }
}
