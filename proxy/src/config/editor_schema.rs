//! JSON Schemas of `edge.toml` and `tenants.toml` for editors, made from the tables of keys that their readers use.

use super::keys::{self, TOP};
use crate::tenants;
use mcp_diagnostics::{Key, Shape, Table};
use serde_json::{Map, Value, json};

/// Of `edge.toml`.
pub fn edge() -> String {
    text(&TOP, "edge.toml", "The configuration of `mcp-edge`")
}

/// Of `tenants.toml`.
pub fn tenants() -> String {
    text(&tenants::TOP, "tenants.toml", "Who may call an `mcp-edge`, and how much")
}

/// The schema as text, the same in every build.
fn text(top: &'static Table, file: &str, description: &str) -> String {
    let mut schema = object(top, "");
    if let Value::Object(members) = &mut schema {
        members.insert("$schema".into(), json!("http://json-schema.org/draft-07/schema#"));
        members.insert("title".into(), json!(file));
        members.insert("description".into(), json!(description));
    }
    // The map's own order depends on the build.
    schema.sort_all_objects();
    format!("{schema:#}\n")
}

/// `prefix` is the name of the table with a dot, as in the reference of keys.
fn object(table: &'static Table, prefix: &str) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        for name in key.names() {
            properties.insert(name.into(), property(key, prefix));
        }
    }
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let (Value::Object(members), false) = (&mut schema, required.is_empty()) {
        members.insert("required".into(), json!(required));
    }
    schema
}

fn property(key: &Key, prefix: &str) -> Value {
    let full = format!("{prefix}{}", key.name);
    let mut schema = of_shape(key.shape, &full);
    if let Value::Object(members) = &mut schema {
        members.insert("description".into(), json!(key.doc));
        let default = keys::all().find(|(name, _)| *name == full).and_then(|(_, row)| row.default_value());
        if let Some(default) = default {
            members.insert("default".into(), default);
        }
    }
    schema
}

fn of_shape(shape: Shape, full: &str) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string", "minLength": 1 }),
        Shape::Word(words) => json!({ "type": "string", "enum": words }),
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Size { .. } => json!({ "type": "string", "pattern": "^[0-9]+ *([KMG]i)?B$" }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Shape::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Shape::List => json!({ "type": "array" }),
        Shape::Object => json!({ "type": "object" }),
        Shape::IntegerOrTable { min, max, table } => {
            let table = object(table, &format!("{full}."));
            json!({ "anyOf": [{ "type": "integer", "minimum": min, "maximum": max }, table] })
        }
        Shape::TextOrTable(table) => {
            json!({ "anyOf": [{ "type": "string" }, object(table, &format!("{full}."))] })
        }
        Shape::WordOrTable(words, table) => {
            json!({ "anyOf": [{ "type": "string", "enum": words }, object(table, &format!("{full}."))] })
        }
        Shape::Table(table) => object(table, &format!("{full}.")),
        Shape::Tables(table) => json!({ "type": "array", "items": object(table, &format!("{full}.")) }),
        Shape::NamedTables(table) => {
            json!({ "type": "object", "additionalProperties": object(table, &format!("{full}.")) })
        }
        // Dates look different to each editor.
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(value: Value) -> bool {
        is_valid(&edge(), value)
    }

    fn is_valid(schema: &str, value: Value) -> bool {
        let schema = mcp_bundle::bind::schema::compile(schema).unwrap();
        mcp_bundle::bind::schema::is_valid(&schema, &value)
    }

    #[test]
    fn the_schema_of_tenants_accepts_and_refuses_what_the_reader_does() {
        let key = json!({ "id": "ci", "digest": "sha256:0", "expires": "2027-06-30" });
        let tenant = |key: Value| {
            let rate = json!({ "calls": 6, "seconds": 1 });
            json!({ "tenant": { "acme": { "toolsets": ["*"], "rate": rate, "variables": { "A": "${B}" }, "keys": [key] } } })
        };
        assert!(is_valid(&tenants(), tenant(key)));
        for wrong in [
            json!({ "tenants": {} }),
            json!({ "tenant": { "acme": { "toolset": ["a"] } } }),
            json!({ "tenant": { "acme": { "rate": { "calls": 6 } } } }),
            json!({ "tenant": { "acme": { "calls_in_flight": 0 } } }),
            tenant(json!({ "id": "ci" })),
        ] {
            assert!(!is_valid(&tenants(), wrong.clone()), "{wrong}");
        }
    }

    #[test]
    fn the_schema_accepts_what_the_reader_accepts() {
        assert!(accepts(json!({})));
        assert!(accepts(json!({
            "bundle": "tools.mcpk", "auth": "none", "admin": "off", "metrics": false, "keys": ["k.pub"],
            "listen": [{ "address": "127.0.0.1:0", "certificate": "c.pem", "key": "k.pem" }],
            "log": { "format": "json" }, "limits": { "request_body": "2MiB", "batch": 1 },
            "timeouts": { "idle_seconds": 30 }, "access": { "hosts": ["a.example"] },
        })));
    }

    #[test]
    fn the_schema_refuses_what_the_reader_refuses() {
        for wrong in [
            json!({ "bundel": "tools.mcpk" }),
            json!({ "auth": "jwt" }),
            json!({ "bundle": "" }),
            json!({ "threads": 0 }),
            json!({ "listen": {} }),
            json!({ "log": { "level": "loud" } }),
            json!({ "limits": { "request_body": "2MB" } }),
            json!({ "timeouts": { "idle_seconds": "30s" } }),
        ] {
            assert!(!accepts(wrong.clone()), "{wrong}");
        }
    }

    #[test]
    fn every_key_has_a_doc_and_numbers_have_defaults() {
        let schema: Value = serde_json::from_str(&edge()).unwrap();
        let batch = &schema["properties"]["limits"]["properties"]["batch"];
        assert_eq!((&batch["default"], &batch["description"]), (&json!(32), &json!("requests in a batch")));
        assert_eq!(schema["properties"]["admin"]["default"], "127.0.0.1:8081");
    }
}
