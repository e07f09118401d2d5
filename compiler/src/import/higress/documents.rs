//! Where the servers are in a file: at its root, or in a resource of Kubernetes.

use super::codes;
use crate::import::Ledger;
use crate::import::draft::DraftSpec;
use crate::language::json::Json;
use std::collections::BTreeSet;

/// The keys of a tool, in all the cases that Go's decoder takes for the same.
const TOOL_KEYS: &[&str] = &[
    "name",
    "description",
    "legacyOnly",
    "security",
    "args",
    "outputSchema",
    "requestTemplate",
    "responseTemplate",
    "errorResponseTemplate",
];
const ARGUMENT_KEYS: &[&str] = &[
    "name",
    "description",
    "type",
    "required",
    "default",
    "enum",
    "items",
    "properties",
    "objectRequired",
    "position",
];
const REQUEST_KEYS: &[&str] =
    &["url", "method", "headers", "body", "argsToJsonBody", "argsToUrlParam", "argsToFormBody", "security"];
const RESPONSE_KEYS: &[&str] = &["body", "prependBody", "appendBody"];
const HEADER_KEYS: &[&str] = &["key", "value"];

/// Gives the keys of tools their usual case: the source does not look at it.
pub fn canonical(document: &mut Json) {
    let Json::Object(members) = document else { return };
    if let Some((_, spec)) = members.iter_mut().find(|(name, _)| name == "spec") {
        let Json::Object(members) = spec else { return };
        for (name, value) in members {
            match (name.as_str(), value) {
                ("defaultConfig", config) => canonical(config),
                ("matchRules", Json::Array(rules)) => rules.iter_mut().for_each(|rule| {
                    if let Some(config) = member(rule, "config") {
                        canonical(config);
                    }
                }),
                _ => {}
            }
        }
        return;
    }
    let Some(Json::Array(tools)) =
        members.iter_mut().find(|(name, _)| name == "tools").map(|(_, tools)| tools)
    else {
        return;
    };
    for tool in tools {
        rename(tool, TOOL_KEYS);
        each(member(tool, "args"), ARGUMENT_KEYS);
        if let Some(request) = member(tool, "requestTemplate") {
            rename(request, REQUEST_KEYS);
            each(member(request, "headers"), HEADER_KEYS);
        }
        if let Some(response) = member(tool, "responseTemplate") {
            rename(response, RESPONSE_KEYS);
        }
    }
}

fn member<'j>(value: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    let Json::Object(members) = value else { return None };
    members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
}

fn each(list: Option<&mut Json>, keys: &[&str]) {
    if let Some(Json::Array(items)) = list {
        items.iter_mut().for_each(|item| rename(item, keys));
    }
}

fn rename(value: &mut Json, keys: &[&str]) {
    let Json::Object(members) = value else { return };
    let there: BTreeSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    for (name, _) in members {
        let canonical = keys.iter().find(|key| key.eq_ignore_ascii_case(name) && !there.contains(**key));
        if let Some(key) = canonical {
            *name = (*key).to_owned();
        }
    }
}

/// What places in the document of this number begin with.
pub fn label(number: usize) -> String {
    if number == 0 { String::new() } else { format!("#{}", number + 1) }
}

/// The configurations, with their places.
pub fn servers<'d>(documents: &'d [Json], ledger: &Ledger<'d>) -> Result<Vec<(String, &'d Json)>, String> {
    let mut all = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let place = label(number);
        if document.get("apiVersion").is_some() && document.get("kind").is_some() {
            in_resource(document, &place, ledger, &mut all);
        } else {
            all.push((place, document));
        }
    }
    for (_, config) in &all {
        check(config)?;
    }
    if all.is_empty() {
        return Err("none of its resources is a `WasmPlugin` with a configuration".to_owned());
    }
    Ok(all)
}

fn in_resource<'d>(resource: &'d Json, place: &str, ledger: &Ledger<'d>, all: &mut Vec<(String, &'d Json)>) {
    let leave_out = |value: &Json| {
        ledger.leave_out(
            value,
            &codes::KUBERNETES,
            "it says where the plugin runs, and not what the tools are",
        );
    };
    if resource.get("kind").and_then(Json::as_str) != Some("WasmPlugin") {
        return leave_out(resource);
    }
    let before = all.len();
    for (name, value) in ledger.members_of(resource).unwrap_or_default() {
        if name != "spec" {
            leave_out(value);
            continue;
        }
        for (name, value) in ledger.members_of(value).unwrap_or_default() {
            match name.as_str() {
                "defaultConfig" if is_server(value) => {
                    all.push((format!("{place}/spec/defaultConfig"), value));
                }
                "matchRules" => {
                    ledger.open(value);
                    for (at, rule) in value.as_array().unwrap_or_default().iter().enumerate() {
                        for (name, value) in ledger.members_of(rule).unwrap_or_default() {
                            match name.as_str() {
                                "config" if is_server(value) => {
                                    all.push((format!("{place}/spec/matchRules/{at}/config"), value));
                                }
                                _ => leave_out(value),
                            }
                        }
                    }
                }
                _ => leave_out(value),
            }
        }
    }
    if all.len() == before {
        leave_out(resource);
    }
}

fn is_server(config: &Json) -> bool {
    config.get("server").is_some() || config.get("toolSet").is_some()
}

/// Says what a configuration is if it is none of a server with tools of its own.
fn check(config: &Json) -> Result<(), String> {
    if let Some(set) = config.get("toolSet") {
        let servers = set.get("serverTools").and_then(Json::as_array).unwrap_or_default();
        let names: Vec<&str> =
            servers.iter().filter_map(|server| server.get("serverName").and_then(Json::as_str)).collect();
        let names =
            if names.is_empty() { "its servers".to_owned() } else { format!("`{}`", names.join("`, `")) };
        return Err(format!(
            "it is a `toolSet`, which has no tools of its own; import the files of {names} instead"
        ));
    }
    if config.get("tools").is_some_and(|tools| tools.as_object().is_some()) {
        return Err("its `tools` are no list: it is a template of the converter `openapi-to-mcp`, and no server; import \
                    what the converter has written, or the OpenAPI document with `mcpc import openapi`"
            .to_owned());
    }
    let Some(server) = config.get("server") else {
        return Err("it is no configuration of a Higress MCP server: it has no `server`".to_owned());
    };
    if server.as_object().is_none() {
        return Err(format!("its `server` must be an object, not {}", server.with_article()));
    }
    if server.get("type").and_then(Json::as_str) == Some("mcp-proxy") {
        let url = server.get("mcpServerURL").and_then(Json::as_str).unwrap_or("URL");
        let sse = if server.get("transport").and_then(Json::as_str) == Some("sse") {
            " --transport sse"
        } else {
            ""
        };
        return Err(format!(
            "it passes calls on to an MCP server, whose tools are listed when it runs; run `mcpc import mcp {url}{sse}`"
        ));
    }
    match config.get("tools").map(|tools| tools.as_array()) {
        Some(Some([])) | None => {
            let name = server.get("name").and_then(Json::as_str).unwrap_or("the server");
            Err(format!(
                "it has no `tools`: `{name}` is a program inside Higress, of which the file says nothing"
            ))
        }
        Some(None) => Err("its `tools` must be a list".to_owned()),
        Some(Some(_)) => Ok(()),
    }
}

/// Two servers of one name are two files.
pub fn distinct_names(specs: &mut [DraftSpec]) {
    let mut taken = BTreeSet::new();
    for spec in specs {
        let wanted = spec.name.clone();
        let mut number = 2;
        while !taken.insert(spec.name.clone()) {
            spec.name = format!("{wanted}_{number}");
            number += 1;
        }
    }
}
