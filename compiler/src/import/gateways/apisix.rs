//! APISIX: the plugin `openapi-to-mcp` of its routes, services and plugin configurations.

use super::wrapped::{FETCHED_BY_SOURCE, Target, Wanted, headers, note};
use super::{BESIDE_TOOLS, Foreign, leave_out_rest};
use crate::import::Ledger;
use crate::import::ledger::escaped;
use crate::language::json::Json;
use crate::language::names::spec_name;

const PLUGIN: &str = "openapi-to-mcp";

pub fn targets<'d>(ledger: &Ledger<'d>, document: &'d Json) -> Result<Vec<Target<'d>>, Foreign> {
    let mut found = Vec::new();
    find(document, None, &mut String::new(), &mut found);
    let several = found.len() > 1;
    let mut targets = Vec::new();
    for (place, name, value) in found {
        let name = name.filter(|name| spec_name(name).is_some());
        targets.extend(target(ledger, value, place, name, several));
    }
    if targets.is_empty() {
        return Err(Foreign(format!("it has no plugin `{PLUGIN}` with an `openapi_url`")));
    }
    leave_out_rest(ledger, document, "this part of APISIX's configuration says nothing about tools");
    Ok(targets)
}

/// Finds the plugins, with the names of what has them. Recursion is bounded by the depth of documents.
fn find<'d>(
    value: &'d Json,
    name: Option<&'d str>,
    place: &mut String,
    found: &mut Vec<(String, Option<String>, &'d Json)>,
) {
    let length = place.len();
    let own = ["name", "id", "uri"].into_iter().find_map(|key| value.get(key)?.as_str());
    let name = own.or(name);
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
        if key == PLUGIN {
            found.push((place.clone(), name.map(str::to_owned), inner));
        } else {
            find(inner, name, place, found);
        }
        place.truncate(length);
    }
}

fn target<'d>(
    ledger: &Ledger<'d>,
    value: &'d Json,
    place: String,
    name: Option<String>,
    several: bool,
) -> Option<Target<'d>> {
    ledger.members_of(value)?;
    let url = value.get("openapi_url")?;
    let text = url.as_str();
    match text {
        Some(text) => ledger.change(url, &FETCHED_BY_SOURCE, format!("the document was at {text}")),
        None => ledger.refuse_kind(url, "a text"),
    }
    for key in ["_meta", "transport", "max_body_size", "max_response_size", "timeout"] {
        if let Some(written) = value.get(key) {
            ledger.leave_out(
                written,
                &BESIDE_TOOLS,
                "the edge serves and limits tools in its own way, see `edge.toml`",
            );
        }
    }
    let is_flat = ledger.boolean(value, "flatten_parameters").unwrap_or_default();
    note(
        ledger,
        &place,
        match is_flat {
            true => "the names of arguments may differ: look at each tool",
            false => {
                "arguments were members of `pathParameters`, `queryParameters`, `headerParameters` and `requestBody`"
            }
        },
        "the text of a result had the status and headers around the answer; now it is the answer",
    );
    let variables = name.as_deref().unwrap_or("api");
    Some(Target {
        server: ledger.text(value, "base_url").map(str::to_owned),
        headers: headers(ledger, ledger.members(value, "headers"), variables),
        wanted: Wanted::Url(text?.to_owned()),
        prefix: name.clone().filter(|_| several),
        operations: None,
        place,
        value,
        name,
    })
}
