//! Envoy's filter `envoy.filters.http.mcp_json_rest_bridge`, in a whole bootstrap, in a part of one, or alone.

mod places;
mod rule;
mod schema;

use super::{BASE_URL_UNKNOWN, Foreign, NOT_EXPRESSIBLE, Source, either, leave_out_rest, rename};
use crate::import::codes::codes;
use crate::import::draft::{DraftSpec, DraftTool, DraftUpstream};
use crate::import::ledger::escaped;
use crate::import::rest::codes::{ARGUMENTS_CHECKED, CLIENT_HEADERS};
use crate::import::{Fate, Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::spec_name;
use places::Places;

codes! {
    pub SLASHES_ENCODED = "slashes-encoded", "Envoy leaves the `/` in values of `{name=pattern}`. Here it is encoded.";
    pub NESTED_ARGUMENT = "nested-argument", "An argument inside of another one is sent in another way, or not at all.";
    pub SCHEMA_COMPLETED = "schema-completed", "The schema of the arguments lacked something that calls need.";
    pub SCHEMA_MISSING = "schema-missing", "A tool has no schema, so only what its request names is an argument.";
    pub STATUS_MEANING = "status-meaning", "To Envoy, statuses below 400 are results. Here only 2xx are; redirects within the origin are followed.";
    pub IGNORED_BY_SOURCE = "ignored-by-source", "The source itself ignores it.";
    pub ONE_ENDPOINT = "one-endpoint", "A cluster has several endpoints, and a spec one place.";
}

/// A configuration of the filter.
struct Filter<'d> {
    place: String,
    /// Ahead of its name; of a route, the route's.
    name: Option<String>,
    config: &'d Json,
}

pub fn import<'d>(source: &Source<'_>, document: &'d Json) -> Result<Imported<'d>, Foreign> {
    let ledger = Ledger::new(document);
    let mut filters = Vec::new();
    find(document, &mut String::new(), None, &mut filters);
    if filters.is_empty() {
        return Err(Foreign(
            "it has no filter `envoy.filters.http.mcp_json_rest_bridge` with a `tool_config`".to_owned(),
        ));
    }
    let places = Places::of(document);
    let mut specs: Vec<DraftSpec> = Vec::new();
    let mut refused = 0;
    let several = filters.len() > 1;
    for (number, filter) in filters.iter().enumerate() {
        let own = filter.name.clone().filter(|_| several).or(source.stem.map(str::to_owned));
        let name = own.as_deref().and_then(spec_name).unwrap_or_else(|| "envoy".to_owned());
        let taken = specs.iter().any(|spec| spec.name == name);
        let name = if taken { format!("{name}_{}", number + 1) } else { name };
        let mut spec =
            DraftSpec { name, comments: source.comments("envoy"), lenient: true, ..DraftSpec::default() };
        refused += read_filter(&ledger, filter, &places, &mut spec);
        if !spec.tools.is_empty() {
            specs.push(spec);
        }
    }
    let mut tools: Vec<DraftTool> = specs
        .iter_mut()
        .flat_map(|spec| spec.tools.drain(..).map(|tool| (spec.name.clone(), tool)))
        .map(|(spec, mut tool)| {
            tool.tags = vec![spec];
            tool
        })
        .collect();
    rename(&ledger, &mut tools);
    for mut tool in tools {
        let of = tool.tags.pop();
        if let Some(spec) = specs.iter_mut().find(|spec| Some(&spec.name) == of.as_ref()) {
            spec.tools.push(tool);
        }
    }
    places.mark(&ledger);
    leave_out_rest(&ledger, document, "this part of Envoy's configuration says nothing about tools");
    Ok(Imported { specs, ledger, refused })
}

/// Finds the filters, at most as deep as documents are.
fn find<'d>(value: &'d Json, place: &mut String, name: Option<&str>, found: &mut Vec<Filter<'d>>) {
    let is_bridge =
        value.get("@type").and_then(Json::as_str).is_some_and(|kind| kind.contains("mcp_json_rest_bridge"));
    let has_tools = tool_lists(value).next().is_some();
    if has_tools || (is_bridge && either(value, ["tool_config", "toolConfig"]).is_some()) {
        found.push(Filter { place: place.clone(), name: name.map(str::to_owned), config: value });
        return;
    }
    let length = place.len();
    let mut inside = |key: &str, inner: &'d Json, name: Option<&str>| {
        place.push('/');
        place.push_str(&escaped(key));
        find(inner, place, name, found);
        place.truncate(length);
    };
    match value {
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| inside(&index.to_string(), item, name));
        }
        Json::Object(members) => {
            // Routes and listeners have names, and so have filters, which are all called the same.
            let own = value.get("name").and_then(Json::as_str).filter(|own| !own.starts_with("envoy."));
            members.iter().for_each(|(key, member)| inside(key, member, own.or(name)));
        }
        _ => {}
    }
}

/// The `tools` of a `tool_config`, which may be one or a list of them.
fn tool_lists(config: &Json) -> impl Iterator<Item = &Json> {
    let holder = either(config, ["tool_config", "toolConfig"]).map(|(_, value)| value);
    let all = match holder {
        Some(Json::Array(items)) => items.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    all.into_iter().filter(|one| one.get("tools").is_some_and(|tools| tools.as_array().is_some()))
}

/// Reads the tools of a filter; gives how many cannot be had.
fn read_filter<'d>(
    ledger: &Ledger<'d>,
    filter: &Filter<'d>,
    places: &Places<'d>,
    spec: &mut DraftSpec,
) -> usize {
    let config = filter.config;
    ledger.open(config);
    about_filter(ledger, filter);
    let mut refused = 0;
    let Some((key, holder)) = either(config, ["tool_config", "toolConfig"]) else { return 0 };
    ledger.open(holder);
    for list in tool_lists(config) {
        ledger.open(list);
        let at = match holder.as_array().and_then(|all| all.iter().position(|one| std::ptr::eq(one, list))) {
            Some(index) => format!("{}/{key}/{index}/tools", filter.place),
            None => format!("{}/{key}/tools", filter.place),
        };
        for names in [["tool_list_http_rule", "toolListHttpRule"], ["tool_list_local", "toolListLocal"]] {
            if let Some((_, value)) = either(list, names) {
                ledger.leave_out(value, &super::BESIDE_TOOLS, "the edge always lists the tools itself");
            }
        }
        for (number, value) in ledger.list(list, "tools").iter().enumerate() {
            let place = format!("{at}/{number}");
            match tool(ledger, value, place, places, spec) {
                Some(tool) => spec.tools.push(tool),
                None => refused += 1,
            }
        }
    }
    refused
}

/// What is true of all tools of a filter, or of none.
fn about_filter(ledger: &Ledger<'_>, filter: &Filter<'_>) {
    let config = filter.config;
    if let Some(kind) = config.get("@type") {
        ledger.keep(kind);
    }
    for names in [
        ["server_info", "serverInfo"],
        ["max_request_body_size", "maxRequestBodySize"],
        ["max_response_body_size", "maxResponseBodySize"],
    ] {
        if let Some((name, value)) = either(config, names) {
            let why = match name {
                "server_info" | "serverInfo" => {
                    "the edge speaks all revisions, and a bundle has its own name and version"
                }
                _ => {
                    "the edge has limits of its own: `limits` in `edge.toml`, and `max_response_bytes` of a tool"
                }
            };
            ledger.leave_out(value, &super::BESIDE_TOOLS, why);
        }
    }
    let place = &filter.place;
    let notes = [
        (
            &CLIENT_HEADERS,
            "all headers of a client reached the API; name those that it needs as parameters, or give the upstream `auth`",
        ),
        (
            &ARGUMENTS_CHECKED,
            "arguments that the schema does not allow are refused; `lenient = true` converts numbers, numeric texts and booleans",
        ),
        (
            &STATUS_MEANING,
            "a status from 300 to 399 is an error now, unless it is a redirect within the origin",
        ),
    ];
    for (code, why) in notes {
        ledger.note(place, Fate::Changed, code, why);
    }
}

fn tool<'d>(
    ledger: &Ledger<'d>,
    value: &'d Json,
    place: String,
    places: &Places<'d>,
    spec: &mut DraftSpec,
) -> Option<DraftTool> {
    ledger.members_of(value)?;
    let mut tool = DraftTool {
        place,
        name: ledger.text(value, "name").unwrap_or_default().to_owned(),
        ..DraftTool::default()
    };
    match read(ledger, value, places, spec, &mut tool) {
        Ok(()) => Some(tool),
        Err(why) => {
            ledger.refuse(value, &NOT_EXPRESSIBLE, why);
            None
        }
    }
}

fn read<'d>(
    ledger: &Ledger<'d>,
    value: &'d Json,
    places: &Places<'d>,
    spec: &mut DraftSpec,
    tool: &mut DraftTool,
) -> Result<(), String> {
    if tool.name.is_empty() {
        return Err("the tool has no `name`".to_owned());
    }
    let (_, http_rule) = either(value, ["http_rule", "httpRule"]).ok_or("the tool has no `http_rule`")?;
    let rule = rule::Rule::read(ledger, http_rule)?;
    let shown = either(value, ["tool_list_config", "toolListConfig"]).map(|(_, shown)| shown);
    if let Some(shown) = shown {
        ledger.members_of(shown);
        tool.title = ledger.text(shown, "title").map(str::to_owned);
        tool.description = ledger.text(shown, "description").map(str::to_owned);
    }
    if let Some((_, info)) = either(value, ["server_info", "serverInfo"]) {
        ledger.leave_out(info, &IGNORED_BY_SOURCE, "Envoy ignores `server_info` of a tool");
    }
    let arguments = schema::arguments(ledger, shown, &rule, tool)?;
    rule.place(ledger, http_rule, &arguments, tool)?;
    tool.input_schema = Some(arguments.schema);
    upstream(ledger, places, &rule, spec, tool)
}

fn upstream(
    ledger: &Ledger<'_>,
    places: &Places<'_>,
    rule: &rule::Rule,
    spec: &mut DraftSpec,
    tool: &mut DraftTool,
) -> Result<(), String> {
    let (url, name, timeout_ms) = match places.find(&rule.sample_path()) {
        Some(found) => {
            if let (Some((prefix, rewrite)), Some(endpoint)) = (&found.rewrite, tool.endpoint.as_mut()) {
                let rest = endpoint.strip_prefix(prefix.as_str()).ok_or_else(|| {
                    format!("the route rewrites `{prefix}`, which is not the fixed beginning of the path")
                })?;
                let slash =
                    if rewrite.ends_with('/') || rest.starts_with('/') || rest.is_empty() { "" } else { "/" };
                let joined = format!("{rewrite}{slash}{rest}");
                *endpoint = joined.replace("//", "/");
            }
            (found.url, found.name, found.timeout_ms)
        }
        None => ("${API_URL}".to_owned(), "api".to_owned(), None),
    };
    let known =
        spec.upstreams.iter().find(|upstream| upstream.url == url && upstream.timeout_ms == timeout_ms);
    tool.upstream = Some(match known {
        Some(upstream) => upstream.name.clone(),
        None => {
            if url.starts_with("${") {
                let why = "no route and cluster for the path of a tool; set `API_URL` where the edge runs, such as `https://api.example.com`";
                ledger.note(&tool.place, Fate::Changed, &BASE_URL_UNKNOWN, why);
            }
            let base = spec_name(&name).unwrap_or_else(|| "api".to_owned());
            let taken = |name: &str| spec.upstreams.iter().any(|upstream| upstream.name == name);
            let name = if taken(&base) { format!("{base}_{}", spec.upstreams.len() + 1) } else { base };
            spec.upstreams.push(DraftUpstream {
                name: name.clone(),
                url,
                timeout_ms,
                ..DraftUpstream::default()
            });
            name
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests;
