//! Kong's plugin `ai-mcp-proxy`, in a declarative configuration as decK writes it.

mod entities;
mod tool;

use super::{BESIDE_TOOLS, Foreign, NOT_EXPRESSIBLE, Source, leave_out_rest, rename};
use crate::import::codes::codes;
use crate::import::draft::{DraftSpec, DraftTool, DraftUpstream};
use crate::import::rest::codes::{ARGUMENTS_CHECKED, CLIENT_HEADERS};
use crate::import::{Fate, Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::spec_name;
use entities::{Entities, Plugin};

codes! {
    pub PASSTHROUGH = "passthrough", "The plugin passes an MCP server through, and has no tools to import.";
    pub ACL_DROPPED = "acl-dropped", "Who may call a tool is not in the spec. Everyone may, until tenants or scopes say otherwise.";
    pub FORM_FLATTENED = "form-flattened", "The fields of a form are arguments of their own, and no longer members of `body`.";
    pub ANSWER_NOT_CHECKED = "answer-not-checked", "The described answer is not made an `output_schema`.";
    pub GATEWAY_HOST = "gateway-host", "It is where the gateway listens. The tool calls the service behind it.";
    pub OTHER_PLUGIN = "other-plugin", "Another plugin worked on the requests. The edge has no part of it.";
}

/// Kong's own limit of a call.
const TIMEOUT_MS: u64 = 10_000;

pub fn import<'d>(source: &Source<'_>, document: &'d Json) -> Result<Imported<'d>, Foreign> {
    if document.get("ai_gateway_mcp_servers").is_some() {
        return Err(Foreign(
            "it is a configuration of AI Gateway 2 (`ai_gateway_mcp_servers`); only the plugin `ai-mcp-proxy` of Kong Gateway \
             can be imported"
                .to_owned(),
        ));
    }
    let ledger = Ledger::new(document);
    let entities = Entities::of(document);
    if entities.plugins.is_empty() {
        return Err(Foreign(
            "it has no plugin `ai-mcp-proxy`; export the configuration with `deck gateway dump`".to_owned(),
        ));
    }
    let (mut tools, mut refused) = (Vec::<DraftTool>::new(), 0);
    let name = source.stem.and_then(spec_name).unwrap_or_else(|| "kong".to_owned());
    let mut spec =
        DraftSpec { name, comments: source.comments("kong"), lenient: true, ..DraftSpec::default() };
    for plugin in &entities.plugins {
        refused += read_plugin(&ledger, &entities, plugin, &mut spec, &mut tools);
    }
    rename(&ledger, &mut tools);
    spec.tools = tools;
    leave_out_rest(&ledger, document, "this part of Kong's configuration says nothing about tools");
    Ok(Imported { specs: vec![spec], ledger, refused })
}

fn read_plugin<'d>(
    ledger: &Ledger<'d>,
    entities: &Entities<'d>,
    plugin: &Plugin<'d>,
    spec: &mut DraftSpec,
    tools: &mut Vec<DraftTool>,
) -> usize {
    ledger.open(plugin.value);
    ledger.text(plugin.value, "name");
    let about = |name: &str, why: &str| {
        if let Some(value) = plugin.value.get(name) {
            ledger.leave_out(value, &BESIDE_TOOLS, why);
        }
    };
    for name in [
        "id",
        "tags",
        "enabled",
        "instance_name",
        "protocols",
        "created_at",
        "updated_at",
        "service",
        "route",
    ] {
        about(name, "it is about Kong's own plugin");
    }
    let Some(config) = ledger.object(plugin.value, "config") else { return 0 };
    let mode = ledger.text(config, "mode").unwrap_or("conversion-listener");
    for name in ["server", "logging", "max_request_body_size", "include_consumer_groups", "listener"] {
        if let Some(value) = config.get(name) {
            ledger.leave_out(
                value,
                &BESIDE_TOOLS,
                "the edge serves and limits tools in its own way, see `edge.toml`",
            );
        }
    }
    match mode {
        "conversion-listener" | "conversion-only" => {}
        // Others have the tools.
        "listener" => return 0,
        _ => {
            let why = "list the tools of the MCP server behind it: `mcpc import mcp URL`";
            ledger.refuse(config, &PASSTHROUGH, why);
            return 1;
        }
    }
    if let Some(acl) = config.get("default_acl") {
        ledger.refuse(
            acl,
            &ACL_DROPPED,
            "give the tools `scopes`, or show them to some tenants only (docs/OPERATIONS.md)",
        );
    }
    let timeout_ms = config.get("server").and_then(|server| server.get("timeout")).and_then(Json::as_number);
    let timeout_ms =
        timeout_ms.and_then(|digits| digits.parse().ok()).filter(|ms| (1..=86_400_000).contains(ms));
    let place = format!("{}/config", plugin.place);
    notes(ledger, entities, plugin, &place);
    let mut refused = 0;
    for (number, value) in ledger.list(config, "tools").iter().enumerate() {
        let context = tool::Context { ledger, entities, plugin, number: number + 1 };
        let mut tool = DraftTool { place: format!("{place}/tools/{number}"), ..DraftTool::default() };
        match context.read(value, &mut tool) {
            Ok(url) => {
                tool.upstream = Some(upstream(spec, url, plugin, timeout_ms.unwrap_or(TIMEOUT_MS)));
                tools.push(tool);
            }
            Err(why) => {
                ledger.refuse(value, &NOT_EXPRESSIBLE, why);
                refused += 1;
            }
        }
    }
    refused
}

fn notes(ledger: &Ledger<'_>, entities: &Entities<'_>, plugin: &Plugin<'_>, place: &str) {
    let notes = [
        (
            &CLIENT_HEADERS,
            "headers of clients reached the API; name those that it needs as parameters, or give the upstream `auth`",
        ),
        (
            &ARGUMENTS_CHECKED,
            "arguments that the schema does not allow are refused; `lenient = true` converts numbers, numeric texts and booleans",
        ),
    ];
    for (code, why) in notes {
        ledger.note(place, Fate::Changed, code, why);
    }
    for other in entities.other_plugins(plugin) {
        ledger.note(
            place,
            Fate::Refused,
            &OTHER_PLUGIN,
            format!("plugin `{other}` worked on these calls; do its work at the API or at the edge"),
        );
    }
}

/// The upstream of this URL; a new one if there is none yet.
fn upstream(spec: &mut DraftSpec, url: String, plugin: &Plugin<'_>, timeout_ms: u64) -> String {
    let known =
        spec.upstreams.iter().find(|upstream| upstream.url == url && upstream.timeout_ms == Some(timeout_ms));
    if let Some(upstream) = known {
        return upstream.name.clone();
    }
    let base = plugin.service_name().and_then(spec_name).unwrap_or_else(|| "api".to_owned());
    let taken = |name: &str| spec.upstreams.iter().any(|upstream| upstream.name == name);
    let name = if taken(&base) { format!("{base}_{}", spec.upstreams.len() + 1) } else { base };
    spec.upstreams.push(DraftUpstream {
        name: name.clone(),
        url,
        timeout_ms: Some(timeout_ms),
        ..DraftUpstream::default()
    });
    name
}

#[cfg(test)]
mod tests;
