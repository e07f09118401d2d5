//! The operations of a document.

use super::api::Api;
use super::codes;
use crate::import::codes::NOT_USED;
use crate::import::ledger::escaped;
use crate::language::json::Json;

/// Methods of operations. The edge sends no TRACE.
const METHODS: &[(&str, &str)] = &[
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
];

/// One operation, not read in depth.
#[derive(Debug)]
pub struct Operation<'d> {
    /// A JSON pointer.
    pub place: String,
    pub path: &'d str,
    pub method: &'static str,
    pub node: &'d Json,
    /// The path item, which may have parameters and servers.
    pub item: &'d Json,
    pub id: Option<&'d str>,
    pub summary: Option<&'d str>,
    pub description: Option<&'d str>,
    pub tags: Vec<&'d str>,
    pub is_deprecated: bool,
    pub is_internal: bool,
}

/// All operations in the order of the document.
pub fn read<'d>(api: &Api<'d>) -> Vec<Operation<'d>> {
    let mut operations = Vec::new();
    // Azure keeps those there whose paths differ only in their queries.
    let homes = ["paths", "x-ms-paths"];
    let items =
        homes.iter().flat_map(|home| api.ledger.members(api.root, home).iter().map(move |one| (home, one)));
    for (home, (path, item)) in items {
        if path.starts_with("x-") {
            continue;
        }
        let Ok(target) = api.resolve(item) else { continue };
        let members = target.as_object().unwrap_or_default();
        let is_empty = !members.iter().any(|(word, _)| METHODS.iter().any(|(name, _)| name == word));
        for (word, value) in members {
            let place = format!("/{home}/{}/{word}", escaped(path));
            if let Some((_, method)) = METHODS.iter().find(|(name, _)| name == word) {
                if api.ledger.members_of(value).is_some() {
                    operations.push(operation(api, place, path, method, value, target));
                }
            } else if matches!(word.as_str(), "summary" | "description") {
                let why = "a tool says what its own operation says";
                api.ledger.change(value, &codes::NOT_PUBLISHED, why);
            } else if is_empty && matches!(word.as_str(), "servers" | "parameters") {
                api.ledger.leave_out(value, &NOT_USED, "the path has no operations");
            } else if word == "trace" {
                api.ledger.refuse(value, &codes::UNSUPPORTED_METHOD, "the edge sends no TRACE requests");
            }
        }
    }
    operations
}

fn operation<'d>(
    api: &Api<'d>,
    place: String,
    path: &'d str,
    method: &'static str,
    node: &'d Json,
    item: &'d Json,
) -> Operation<'d> {
    let ledger = &api.ledger;
    let tags = ledger.list(node, "tags").iter().filter_map(|tag| {
        let text = tag.as_str();
        match text {
            Some(_) => ledger.keep(tag),
            None => ledger.refuse_kind(tag, "a text"),
        }
        text
    });
    let is_internal = ledger.boolean(node, "x-internal").unwrap_or(false);
    if let Some(links) = node.get("externalDocs") {
        ledger.change(links, &codes::NOT_PUBLISHED, "links say nothing about calls");
    }
    if let Some(produces) = node.get("produces") {
        ledger.change(produces, &codes::NOT_PUBLISHED, "an answer says itself what it is");
    }
    if let Some(callbacks) = node.get("callbacks") {
        ledger.refuse(callbacks, &codes::CALLBACK, "nothing calls an edge back");
    }
    Operation {
        place,
        path,
        method,
        node,
        item,
        id: ledger.text(node, "operationId"),
        summary: ledger.text(node, "summary"),
        description: ledger.text(node, "description"),
        tags: tags.collect(),
        is_deprecated: ledger.boolean(node, "deprecated").unwrap_or(false),
        is_internal,
    }
}
