//! A JSON Schema of the spec language, made of the tables of keys, for editors.

use crate::language::keys::{TOOL, TYPES};
use mcp_diagnostics::keys::{Key, Shape, Table};
use serde_json::{Map, Value, json};

/// The schema of files whose root is `table`.
pub fn of_table(table: &'static Table) -> Value {
    let mut schema = object(table);
    if let Value::Object(members) = &mut schema {
        members.insert("$schema".into(), json!("http://json-schema.org/draft-07/schema#"));
        members.insert("title".into(), json!(table.name));
    }
    // The map's own order depends on the build.
    schema.sort_all_objects();
    schema
}

fn object(table: &'static Table) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        for name in key.names() {
            properties.insert(name.into(), property(table, key, name));
        }
    }
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "additionalProperties": false,
    });
    if let (Value::Object(members), false) = (&mut schema, required.is_empty()) {
        members.insert("required".into(), json!(required));
    }
    if let (Value::Object(members), true) = (&mut schema, std::ptr::eq(table, &TOOL)) {
        let requests = json!([
            { "required": ["method", "endpoint"] },
            { "required": ["upstream", "pin"] },
            { "required": ["respond"] },
        ]);
        members.insert("anyOf".into(), requests);
    }
    schema
}

fn property(table: &Table, key: &Key, name: &str) -> Value {
    let mut schema = match key.name {
        "body" if std::ptr::eq(table, &TOOL) => {
            json!({ "type": "string", "pattern": "^(json|form|whole:.+)$" })
        }
        _ => of_shape(key.shape),
    };
    if let Value::Object(members) = &mut schema {
        let doc = if name == key.name {
            key.doc.to_owned()
        } else {
            format!("Same as `{}`. {}", key.name, key.doc)
        };
        members.insert("description".into(), json!(doc));
    }
    schema
}

fn of_shape(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        // Types may have a capital.
        Shape::Word(words) if words == TYPES => {
            let capital = |word: &&str| {
                word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default()
            };
            let spelt: Vec<String> =
                words.iter().map(|w| (*w).to_owned()).chain(words.iter().map(capital)).collect();
            json!({ "type": "string", "enum": spelt })
        }
        Shape::Word(words) => json!({ "type": "string", "enum": words }),
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Seconds { max } => json!({ "type": "number", "minimum": 0.001, "maximum": max }),
        Shape::Size { .. } => json!({ "type": "string", "pattern": "^[0-9]+ *([KMG]i)?B$" }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Shape::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Shape::Any => json!({}),
        Shape::List => json!({ "type": "array" }),
        Shape::Object => json!({ "type": "object" }),
        Shape::Schema => json!({ "type": ["object", "boolean"] }),
        Shape::ObjectOrText => json!({ "type": ["object", "string"] }),
        Shape::SchemaOrText => json!({ "type": ["object", "boolean", "string"] }),
        Shape::IntegerOrTable { min, max, table } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": min, "maximum": max }, object(table)] })
        }
        Shape::TextOrTable(table) => json!({ "anyOf": [{ "type": "string" }, object(table)] }),
        Shape::WordOrTable(words, table) => {
            json!({ "anyOf": [{ "type": "string", "enum": words }, object(table)] })
        }
        Shape::TableOrFalse(table) => json!({ "anyOf": [{ "const": false }, object(table)] }),
        Shape::Table(table) => object(table),
        Shape::Tables(table) => json!({ "type": "array", "items": object(table) }),
        Shape::NamedTables(table) => json!({ "type": "object", "additionalProperties": object(table) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::keys::{CONFIG, ROOT};

    #[test]
    fn the_schema_is_one_and_knows_every_spelling() {
        for table in [&ROOT, &CONFIG] {
            let schema = of_table(table);
            mcp_bundle::bind::schema::compile(&schema.to_string()).unwrap();
        }
        let schema = of_table(&ROOT);
        let parameter = &schema["properties"]["tool"]["items"]["properties"]["parameters"]["items"];
        for name in ["type", "parameter_type", "default_value", "minLength", "min_length"] {
            assert!(parameter["properties"].get(name).is_some(), "{name}");
        }
        assert_eq!(parameter["required"], json!(["name"]));
    }

    #[test]
    fn tools_without_a_request_or_with_an_unknown_body_are_refused() {
        let schema = mcp_bundle::bind::schema::compile(&of_table(&ROOT).to_string()).unwrap();
        let accepts = |tool: Value| mcp_bundle::bind::schema::is_valid(&schema, &json!({ "tool": [tool] }));
        let with = |key: &str, value: Value| {
            let mut tool = json!({ "name": "a", "method": "POST", "endpoint": "https://a.example/" });
            tool[key] = value;
            tool
        };
        assert!(accepts(json!({ "name": "a", "respond": "x" })));
        assert!(!accepts(json!({ "name": "a", "method": "GET" })));
        assert!(!accepts(json!({ "name": "a", "endpoint": "https://a.example/" })));
        for body in ["json", "form", "whole:text"] {
            assert!(accepts(with("body", json!(body))), "{body}");
        }
        assert!(!accepts(with("body", json!("xml"))) && !accepts(with("body", json!("whole:"))));
        assert!(accepts(with("timeout_seconds", json!(0.5))) && accepts(with("timeout_seconds", json!(5))));
        assert!(!accepts(with("timeout_seconds", json!(0))));
        assert!(accepts(with("input_schema", json!("{}"))) && !accepts(with("input_schema", json!(true))));
        assert!(accepts(with("output_schema", json!({ "file": "x.json" }))));
    }
}
