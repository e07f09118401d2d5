//! Arguments that headers repeat, because the server's schema says so (`x-mcp-header`).

use super::http::header;
use mcp_bundle::json::{self, Kind, Value};

/// An argument, by the names that lead to it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mirror {
    header: String,
    path: Vec<String>,
}

/// Levels of properties that are looked at.
const MOST_LEVELS: usize = 16;

/// Those of a definition's schema.
pub(super) fn of(definition: &str) -> Box<[Mirror]> {
    // Nearly none has any.
    if !definition.contains("x-mcp-header") {
        return Box::default();
    }
    let value: serde_json::Value = serde_json::from_str(definition).unwrap_or_default();
    let mut found = Vec::new();
    if let Some(schema) = value.get("inputSchema") {
        collect(schema, &mut Vec::new(), &mut found);
    }
    found.into()
}

fn collect(schema: &serde_json::Value, path: &mut Vec<String>, found: &mut Vec<Mirror>) {
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if path.len() >= MOST_LEVELS {
            return;
        }
        path.push(name.clone());
        let header = property.get("x-mcp-header").and_then(serde_json::Value::as_str);
        let is_token = |text: &&str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if let Some(header) = header.filter(is_token) {
            let header = format!("mcp-param-{}", header.to_ascii_lowercase());
            found.push(Mirror { header, path: path.clone() });
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Writes a header for each argument that is there.
pub(super) fn write(mirrors: &[Mirror], arguments: &[u8], out: &mut Vec<u8>) {
    let Ok(text) = std::str::from_utf8(arguments) else { return };
    for Mirror { header: name, path } in mirrors {
        let found = path.iter().try_fold(Value::of_valid(text), |value, name| {
            json::members(value).find(|(key, _)| key.is_text(name)).map(|(_, value)| value)
        });
        let Some(found) = found else { continue };
        match found.kind {
            Kind::String => header(name, found.unescaped(&mut String::new()), out),
            Kind::Null | Kind::Object | Kind::Array => {}
            _ => header(name, found.text, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_repeat_what_the_schema_names() {
        let definition = r#"{"inputSchema":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "page":{"type":"object","properties":{"size":{"type":"integer","x-mcp-header":"Size"}}},
            "bad":{"type":"string","x-mcp-header":"a\r\nb: c"}}}}"#;
        let mirrors = of(definition);
        let written = |arguments: &str| {
            let mut out = Vec::new();
            write(&mirrors, arguments.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        let both = written(r#"{"region":"eu","page":{"size":7},"bad":"x"}"#);
        let mut lines: Vec<&str> = both.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["mcp-param-region: eu", "mcp-param-size: 7"]);
        assert_eq!(written(r#"{"region":null}"#), "");
        assert_eq!(written(r#"{"region":"Zürich\n"}"#), "mcp-param-region: =?base64?WsO8cmljaAo=?=\r\n");
        assert!(of(r#"{"inputSchema":{"type":"object"}}"#).is_empty());
    }
}
