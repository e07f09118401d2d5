//! The document: its version, and what its references lead to.

use super::codes;
use crate::import::Ledger;
use crate::language::json::Json;
use percent_encoding::percent_decode_str;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// How many references are followed one after the other.
const MAX_REFERENCES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Swagger2,
    V30,
    /// 3.1 and later: schemas are JSON Schemas.
    V31,
}

#[derive(Debug)]
pub struct Api<'d> {
    pub root: &'d Json,
    pub ledger: Ledger<'d>,
    pub version: Version,
    /// What each reference leads to.
    targets: RefCell<BTreeMap<String, Option<&'d Json>>>,
}

impl<'d> Api<'d> {
    /// The error says what the document is instead.
    pub fn new(root: &'d Json) -> Result<Api<'d>, String> {
        let version = version(root)?;
        Ok(Api { root, ledger: Ledger::new(root), version, targets: RefCell::default() })
    }

    /// The object that a value is, or refers to. References are marked; the object is opened.
    pub fn resolve(&self, value: &'d Json) -> Result<&'d Json, String> {
        let mut value = value;
        for _ in 0..MAX_REFERENCES {
            let Some(members) = value.as_object() else {
                let why = format!("this must be an object, not {}", value.with_article());
                self.ledger.refuse(value, &codes::INVALID, &why);
                return Err(why);
            };
            self.ledger.open(value);
            let Some(reference) = value.get("$ref") else { return Ok(value) };
            let Some(text) = reference.as_str() else {
                self.ledger.refuse_kind(reference, "a text");
                return Err("its `$ref` is not a text".to_owned());
            };
            for (name, sibling) in members.iter().filter(|(name, _)| name != "$ref") {
                if matches!(name.as_str(), "summary" | "description") {
                    self.ledger.keep(sibling);
                } else {
                    self.ledger.change(
                        sibling,
                        &codes::REF_SIBLING,
                        "what is beside a `$ref` has no meaning",
                    );
                }
            }
            value = match self.target(text) {
                Ok(target) => target,
                Err(why) => {
                    self.ledger.refuse(reference, &codes::UNRESOLVED_REF, &why);
                    return Err(why);
                }
            };
            self.ledger.keep(reference);
        }
        Err("its `$ref`s lead in a circle".to_owned())
    }

    /// What a reference leads to.
    pub fn target(&self, reference: &str) -> Result<&'d Json, String> {
        if !reference.starts_with('#') {
            let shown: String = reference.chars().take(80).collect();
            return Err(format!(
                "`$ref` leads to `{shown}`, and an import reads no other file and nothing from the network; \
                 bundle the documents into one first"
            ));
        }
        self.known(reference).ok_or_else(|| {
            let shown: String = reference.chars().take(120).collect();
            format!("`$ref` leads to `{shown}`, which the document does not have")
        })
    }

    /// The same for those who do not ask why not.
    pub fn known(&self, reference: &str) -> Option<&'d Json> {
        if let Some(known) = self.targets.borrow().get(reference) {
            return *known;
        }
        let found = reference.strip_prefix('#').and_then(|pointer| pointed(self.root, pointer));
        self.targets.borrow_mut().insert(reference.to_owned(), found);
        found
    }

    /// Where shared definitions are, by what they define.
    pub fn shared(&self) -> Vec<&'d Json> {
        let names: &[&str] = match self.version {
            Version::Swagger2 => &["definitions", "parameters", "responses"],
            _ => &[
                "schemas",
                "parameters",
                "requestBodies",
                "responses",
                "headers",
                "examples",
                "links",
                "callbacks",
                "pathItems",
            ],
        };
        let home = match self.version {
            Version::Swagger2 => Some(self.root),
            _ => self.root.get("components"),
        };
        names.iter().filter_map(|name| home?.get(name)).collect()
    }
}

fn version(root: &Json) -> Result<Version, String> {
    if root.as_object().is_none() {
        return Err(format!("this is not an OpenAPI document: it is {}", root.with_article()));
    }
    // YAML reads `2.0` and `3.0` without quotes as numbers.
    let text = |name: &str| root.get(name).and_then(|value| value.as_str().or(value.as_number()));
    if let Some(version) = text("openapi") {
        return match version {
            v if v == "3.0" || v.starts_with("3.0.") => Ok(Version::V30),
            v if v.starts_with("3.") => Ok(Version::V31),
            v => Err(format!("OpenAPI {v} is not known here; convert the document to 3.0 or 3.1")),
        };
    }
    if let Some(version) = text("swagger") {
        return match version {
            v if v == "2" || v.starts_with("2.") => Ok(Version::Swagger2),
            v => Err(format!("Swagger {v} is not known here; convert the document to OpenAPI 3")),
        };
    }
    let has = |names: &[&str]| names.iter().all(|name| root.get(name).is_some());
    let other = if has(&["swaggerVersion"]) {
        "it is Swagger 1.x; convert it to OpenAPI 3"
    } else if has(&["info", "item"]) {
        "it looks like a Postman collection: try `mcpc import postman`"
    } else if has(&["asyncapi"]) {
        "it is AsyncAPI, which describes messages and no HTTP calls"
    } else if has(&["server", "tools"]) {
        "it looks like a Higress file: try `mcpc import higress`"
    } else if has(&["mcpServers"]) {
        "it lists MCP servers: try `mcpc import mcp-servers`"
    } else {
        "it has neither `openapi` nor `swagger`"
    };
    Err(format!("this is not an OpenAPI document: {other}"))
}

/// What a JSON pointer in a URL fragment leads to.
fn pointed<'d>(root: &'d Json, pointer: &str) -> Option<&'d Json> {
    if pointer.is_empty() {
        return Some(root);
    }
    let mut value = root;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = percent_decode_str(step).decode_utf8().ok()?.replace("~1", "/").replace("~0", "~");
        value = match value {
            Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
            other => other.get(&step)?,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_others_are_named() {
        let error = |text: &str| Api::new(&Json::read(text).unwrap()).map(drop).unwrap_err();
        assert!(error("[]").contains("it is an array"));
        assert!(error("{}").contains("neither `openapi` nor `swagger`"));
        assert!(error(r#"{"openapi":"4.0.0"}"#).contains("convert"));
        assert!(error(r#"{"swaggerVersion":"1.2"}"#).contains("Swagger 1.x"));
        assert!(error(r#"{"info":{},"item":[]}"#).contains("import postman"));
    }

    #[test]
    fn references_lead_only_into_the_document() {
        let text = r##"{"openapi":"3.0.0","a/b":{"c":[{"$ref":"#/d"}]},"d":{"x":1},"e":{"$ref":"#/f"},"f":{"$ref":"#/e"}}"##;
        let root = Json::read(text).unwrap();
        let api = Api::new(&root).unwrap();
        let leads = |reference: &'static str| api.target(reference).map(Json::to_text);
        assert_eq!(leads("#/a~1b/c/0").unwrap(), r##"{"$ref":"#/d"}"##);
        assert_eq!(leads("#/a%7E1b/c/0").unwrap(), r##"{"$ref":"#/d"}"##);
        assert!(leads("#/missing").unwrap_err().contains("does not have"));
        for elsewhere in ["other.yaml#/a", "https://example.com/a.json", "file:///etc/passwd"] {
            assert!(leads(elsewhere).unwrap_err().contains("nothing from the network"));
        }
        assert!(api.resolve(root.get("e").unwrap()).unwrap_err().contains("circle"));
        assert_eq!(api.resolve(pointed(&root, "/a~1b/c/0").unwrap()).unwrap().to_text(), r#"{"x":1}"#);
    }
}
