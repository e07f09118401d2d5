//! agentgateway: `openapi` targets of its MCP backends.

use super::wrapped::{FETCHED_BY_SOURCE, RULE_REFUSED, Target, Wanted, note};
use super::{Foreign, NOT_EXPRESSIBLE, leave_out_rest};
use crate::import::Ledger;
use crate::import::ledger::escaped;
use crate::language::json::Json;

pub fn targets<'d>(ledger: &Ledger<'d>, document: &'d Json) -> Result<Vec<Target<'d>>, Foreign> {
    let mut found = Vec::new();
    let mut rules = Vec::new();
    find(document, &mut String::new(), &mut found, &mut rules);
    let mut targets = Vec::new();
    for (place, mcp) in &found {
        let all = mcp.get("targets").and_then(Json::as_array).unwrap_or_default();
        let mode = mcp.get("prefixMode").and_then(Json::as_str);
        let has_prefix = mode == Some("always") || all.len() > 1;
        mcp.get("prefixMode").into_iter().for_each(|mode| ledger.keep(mode));
        for (number, value) in all.iter().enumerate() {
            let place = format!("{place}/targets/{number}");
            if let Some(target) = target(ledger, value, place, has_prefix) {
                targets.push(target);
            }
        }
    }
    if targets.is_empty() {
        return Err(Foreign(
            "it has no MCP target with `openapi`; for targets that are MCP servers, use `mcpc import mcp URL`".to_owned(),
        ));
    }
    for (place, rule) in rules {
        apply(ledger, &place, rule, &mut targets);
    }
    leave_out_rest(ledger, document, "this part of agentgateway's configuration says nothing about tools");
    Ok(targets)
}

/// Finds MCP backends and the rules about their tools. Recursion is bounded by the depth of documents.
fn find<'d>(
    value: &'d Json,
    place: &mut String,
    found: &mut Vec<(String, &'d Json)>,
    rules: &mut Vec<(String, &'d Json)>,
) {
    let length = place.len();
    let inside: Vec<(String, &'d Json)> = match value {
        Json::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Json::Object(members) => members.iter().map(|(key, member)| (escaped(key), member)).collect(),
        _ => Vec::new(),
    };
    for (key, inner) in inside {
        place.push('/');
        place.push_str(&key);
        match key.as_str() {
            "mcp" if inner.get("targets").is_some() => found.push((place.clone(), inner)),
            "mcpAuthorization" => {
                for (number, rule) in
                    inner.get("rules").and_then(Json::as_array).unwrap_or_default().iter().enumerate()
                {
                    rules.push((format!("{place}/rules/{number}"), rule));
                }
            }
            _ => {}
        }
        find(inner, place, found, rules);
        place.truncate(length);
    }
}

fn target<'d>(ledger: &Ledger<'d>, value: &'d Json, place: String, has_prefix: bool) -> Option<Target<'d>> {
    let Some(openapi) = value.get("openapi") else {
        let why = "it is no OpenAPI target; list the tools of an MCP server with `mcpc import mcp URL`";
        ledger.refuse(value, &NOT_EXPRESSIBLE, why);
        return None;
    };
    ledger.open(value);
    ledger.open(openapi);
    let name = ledger.text(value, "name").map(str::to_owned);
    let schema = openapi.get("schema")?;
    ledger.keep(schema);
    let text = |key: &str| schema.get(key).and_then(Json::as_str).map(str::to_owned);
    let wanted = match schema {
        Json::String(text) => Wanted::Text(text.clone()),
        _ => match (text("file"), text("url")) {
            (Some(file), _) => Wanted::File(file),
            (None, Some(url)) => {
                ledger.change(schema, &FETCHED_BY_SOURCE, format!("the document was at {url}"));
                Wanted::Url(url)
            }
            (None, None) => return None,
        },
    };
    note(
        ledger,
        &place,
        "arguments were members of `path`, `query`, `header` and `body`",
        "a status of 4xx was a result like any other, and is an error now",
    );
    Some(Target {
        server: server(ledger, openapi),
        prefix: name.clone().filter(|_| has_prefix),
        place,
        value,
        name,
        wanted,
        headers: Vec::new(),
        operations: None,
    })
}

/// The base URL, if the configuration says where the API is.
fn server<'d>(ledger: &Ledger<'d>, openapi: &'d Json) -> Option<String> {
    let port = openapi.get("port").map(|port| port.as_str().map_or_else(|| port.to_text(), str::to_owned));
    openapi.get("port").into_iter().for_each(|port| ledger.keep(port));
    let path = ledger.text(openapi, "path").unwrap_or_default();
    let host = ledger.text(openapi, "host")?;
    if host.contains("://") {
        return Some(format!("{}{path}", host.trim_end_matches('/')));
    }
    // Without a port, or with that of TLS.
    let is_tls = port.as_deref().is_none_or(|port| matches!(port, "443" | "8443"));
    let scheme = if is_tls { "https" } else { "http" };
    let port = port.filter(|port| !host.contains(':') && !matches!(port.as_str(), "443" | "80"));
    Some(format!("{scheme}://{host}{}{path}", port.map(|port| format!(":{port}")).unwrap_or_default()))
}

/// A rule that names tools selects them; any other is told.
fn apply(ledger: &Ledger<'_>, place: &str, rule: &Json, targets: &mut [Target<'_>]) {
    let names = rule.as_str().and_then(named_tools);
    let Some(names) = names else {
        let why = "only `mcp.tool.name == \"…\"`, `in [\"…\"]` and these joined by `||` can come over; give tools `scopes`, or show them to some tenants only";
        ledger.refuse(rule, &RULE_REFUSED, format!("{place}: {why}"));
        return;
    };
    ledger.keep(rule);
    // It holds for what has the same policies.
    let owner = place.split("/mcpAuthorization").next().unwrap_or_default();
    let owner = owner.strip_suffix("/policies").unwrap_or(owner);
    for target in targets.iter_mut().filter(|target| target.place.starts_with(&format!("{owner}/"))) {
        let prefix = target.prefix.as_ref().map(|prefix| format!("{prefix}_")).unwrap_or_default();
        let of_target = names.iter().filter_map(|name| name.strip_prefix(&prefix));
        target.operations.get_or_insert_default().extend(of_target.map(str::to_owned));
    }
}

/// The names in `mcp.tool.name == "a" || mcp.tool.name in ["b", "c"]`.
fn named_tools(rule: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in rule.split("||") {
        let rest = part.trim().strip_prefix("mcp.tool.name")?.trim();
        match rest.strip_prefix("==") {
            Some(name) => names.push(quoted(name)?),
            None => {
                let list = rest.strip_prefix("in")?.trim().strip_prefix('[')?.strip_suffix(']')?;
                for name in list.split(',') {
                    names.push(quoted(name)?);
                }
            }
        }
    }
    Some(names)
}

fn quoted(text: &str) -> Option<String> {
    let text = text.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))?;
    (!inner.contains(['"', '\'', '\\'])).then(|| inner.to_owned())
}
