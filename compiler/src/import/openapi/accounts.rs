//! Accounts for what no operation reads itself: shared definitions, and words about the API as a whole.

use super::api::Api;
use super::codes;
use crate::import;
use crate::language::json::Json;

pub fn close<'d>(api: &Api<'d>, operations: impl Iterator<Item = &'d Json>) {
    reached(api, operations);
    for shared in api.shared() {
        for (_, definition) in api.ledger.members_of(shared).unwrap_or_default() {
            if !api.ledger.is_marked(definition) {
                let why = "nothing that was imported refers to it";
                api.ledger.leave_out(definition, &import::codes::NOT_USED, why);
            }
        }
    }
    if let Some(components) = api.root.get("components") {
        api.ledger.members_of(components);
    }
    for (name, value) in api.root.as_object().unwrap_or_default() {
        match name.as_str() {
            "openapi" | "swagger" => api.ledger.keep(value),
            "info" | "tags" | "externalDocs" | "jsonSchemaDialect" | "produces" => {
                api.ledger.change(value, &codes::DOCUMENTATION, "it is about the API, and not about a call");
            }
            "webhooks" | "x-webhooks" => {
                api.ledger.refuse(value, &codes::CALLBACK, "nothing calls an edge back");
            }
            // Operations that name servers and credentials of their own do not read these.
            "security" | "servers" | "host" | "basePath" | "schemes" | "consumes"
                if !api.ledger.is_marked(value) =>
            {
                api.ledger.leave_out(
                    value,
                    &import::codes::NOT_USED,
                    "no operation that was imported uses it",
                );
            }
            _ => {}
        }
    }
}

/// What operations refer to and no argument has: answers and examples. Of these, the specs have parts.
fn reached<'d>(api: &Api<'d>, operations: impl Iterator<Item = &'d Json>) {
    let mut pending: Vec<&'d Json> = operations.collect();
    let mut seen = std::collections::BTreeSet::new();
    while let Some(value) = pending.pop() {
        match value {
            Json::Array(items) => pending.extend(items),
            Json::Object(members) => {
                for (name, value) in members {
                    let Some(reference) = value.as_str().filter(|_| name == "$ref") else {
                        pending.push(value);
                        continue;
                    };
                    if !seen.insert(reference) {
                        continue;
                    }
                    let Some(target) = api.known(reference) else { continue };
                    if !api.ledger.is_marked(target) {
                        let why = "it is part of answers, of which the specs have what `select` keeps";
                        api.ledger.change(target, &codes::ANSWER, why);
                    }
                    pending.push(target);
                }
            }
            _ => {}
        }
    }
}
