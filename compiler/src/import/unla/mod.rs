//! Unla: configurations of its gateway, YAML or JSON.

pub mod codes;
mod functions;
#[cfg(test)]
mod tests;
mod tool;

use super::draft::DraftSpec;
use super::rest::report::name_tools;
use super::rest::upstreams::Upstreams;
use super::rest::url::Origin;
use super::rest::{Built, codes as rest};
use super::{Fate, Imported, Ledger};
use crate::language::json::Json;
use crate::language::names;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What the keys of a configuration are that are not about tools.
const FOREIGN: [&str; 4] = ["createdAt", "updatedAt", "deletedAt", "version"];

/// A server, while its tools are read.
#[derive(Debug)]
pub struct Server<'l, 'd> {
    pub ledger: &'l Ledger<'d>,
    /// Of the toolset, and what variables begin with.
    pub name: String,
    has_many_origins: bool,
    /// The settings that are read, with their variables.
    used: RefCell<BTreeMap<String, BTreeSet<String>>>,
}

/// Makes specs of the servers in a configuration.
pub fn import<'d>(document: &'d Json, source: &str, stem: Option<&str>) -> Result<Imported<'d>, String> {
    check(document)?;
    let ledger = Ledger::new(document);
    ledger.open(document);
    around(&ledger, document);
    let tools = ledger.list(document, "tools");
    let mut imported = Vec::new();
    let mut refused = 0;
    let mut taken = BTreeSet::new();
    for server in servers(&ledger, document, stem) {
        let Listed { value, name, allowed } = server;
        let mut server = Server { ledger: &ledger, name, has_many_origins: false, used: RefCell::default() };
        let wanted: Vec<(usize, &Json)> = tools
            .iter()
            .enumerate()
            .filter(|(_, tool)| {
                let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
                allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
            })
            .collect();
        server.has_many_origins = tool::origins(wanted.iter().map(|(_, tool)| *tool)) > 1;
        let mut spec = DraftSpec {
            name: server.name.clone(),
            comments: vec![format!("Imported from {source}, a configuration of Unla.")],
            instructions: value
                .and_then(|value| ledger.text(value, "description"))
                .map(str::to_owned)
                .filter(|text| !text.trim().is_empty()),
            lenient: true,
            ..DraftSpec::default()
        };
        let mut upstreams = Upstreams::default();
        let mut origins = Vec::new();
        for (at, value) in wanted {
            let place = format!("/tools/{at}");
            if !taken.insert(at) {
                let why = format!("an earlier server has it, so `{}` does not", server.name);
                ledger.note(&place, Fate::Changed, &codes::SERVED_ONCE, why);
                continue;
            }
            if ledger.members_of(value).is_none() {
                refused += 1;
                continue;
            }
            match tool::import(&server, value, &place) {
                Ok(Built { origin, mut tool, .. }) => {
                    let address = format!("${{{}}}", names::variable(&[&server.name, "url"], "URL"));
                    tool.upstream = Some(upstreams.of(&origin, None, &server.name, &address));
                    origins.push(origin);
                    spec.tools.push(tool);
                }
                Err(why) => {
                    refused += 1;
                    ledger.refuse(value, &rest::REQUEST_REFUSED, why);
                }
            }
        }
        name_tools(&ledger, &mut spec);
        upstreams.finish(&mut spec);
        server.settings(value);
        server.notes(&origins);
        imported.push(spec);
    }
    for (at, tool) in tools.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        ledger.leave_out(
            tool,
            &super::codes::NOT_USED,
            format!("no server has tool {at} in its `allowedTools`"),
        );
    }
    Ok(Imported { specs: imported, ledger, refused })
}

/// A server that the configuration lists.
struct Listed<'d> {
    value: Option<&'d Json>,
    name: String,
    /// `None`: all tools.
    allowed: Option<BTreeSet<&'d str>>,
}

/// The servers; one for all tools if there are none.
fn servers<'d>(ledger: &Ledger<'d>, document: &'d Json, stem: Option<&str>) -> Vec<Listed<'d>> {
    let fallback = document.get("name").and_then(Json::as_str).or(stem).and_then(names::spec_name);
    let fallback = fallback.unwrap_or_else(|| "unla".to_owned());
    let mut taken = BTreeSet::new();
    let mut all = Vec::new();
    for value in ledger.list(document, "servers") {
        if ledger.members_of(value).is_none() {
            continue;
        }
        let written = ledger.text(value, "name");
        let wanted = written.and_then(names::spec_name).unwrap_or_else(|| fallback.clone());
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        let name = free.unwrap_or(wanted);
        if let Some(theirs) = value.get("name").filter(|_| written.is_some_and(|written| written != name)) {
            ledger.change(theirs, &super::codes::NAME_CHANGED, format!("the toolset is called `{name}`"));
        }
        let allowed = value.get("allowedTools").and_then(|list| {
            ledger.keep(list);
            let names: BTreeSet<&str> = list.as_array()?.iter().filter_map(Json::as_str).collect();
            (!names.is_empty()).then_some(names)
        });
        all.push(Listed { value: Some(value), name, allowed });
    }
    if all.is_empty() {
        all.push(Listed { value: None, name: fallback, allowed: None });
    }
    all
}

/// Says what a document is if it is no configuration with tools.
fn check(document: &Json) -> Result<(), String> {
    let Some(_) = document.as_object() else {
        return Err(format!(
            "it is no configuration of Unla: it must be an object, not {}",
            document.with_article()
        ));
    };
    match document.get("tools").map(Json::as_array) {
        Some(Some([])) | None if document.get("mcpServers").is_some() => Err(
            "it has no `tools`: those of its `mcpServers` are listed when they run; run `mcpc import mcp URL` for each"
                .to_owned(),
        ),
        Some(Some([])) | None => Err("it is no configuration of Unla with tools: it has no `tools`".to_owned()),
        Some(None) => Err("its `tools` must be a list".to_owned()),
        Some(Some(_)) => Ok(()),
    }
}

/// What is around the servers and their tools.
fn around(ledger: &Ledger<'_>, document: &Json) {
    let whole = |name: &str, say: &dyn Fn(&Json)| document.get(name).into_iter().for_each(say);
    whole("name", &|value| ledger.keep(value));
    whole("tenant", &|value| {
        ledger.change(value, &codes::TENANT, "tenants are in `tenants.toml` of the edge");
    });
    whole("routers", &|value| {
        let why = "each toolset is served at `/mcp/NAME`; prefixes, CORS and login are in `edge.toml`";
        ledger.change(value, &codes::ROUTES, why);
    });
    whole("prompts", &|value| ledger.refuse(value, &codes::PROMPT, "a prompt is not a tool"));
    whole("mcpServers", &|value| {
        ledger.refuse(value, &codes::MCP_SERVER, "run `mcpc import mcp URL` for each server");
    });
    for name in FOREIGN {
        whole(name, &|value| {
            ledger.leave_out(value, &super::codes::NOT_USED, "it says nothing about requests");
        });
    }
}

impl<'d> Server<'_, 'd> {
    /// The variable of a setting, or of the environment. `host` is where it is sent.
    pub fn variable(&self, key: &str, host: Option<&str>) -> String {
        if let Some(name) = functions::of_environment(key) {
            return name.to_owned();
        }
        let host = host.filter(|_| self.has_many_origins);
        let variable = names::variable(&[&self.name, host.unwrap_or_default(), key], "SETTING");
        self.used.borrow_mut().entry(key.to_owned()).or_default().insert(variable.clone());
        variable
    }

    fn settings(&self, value: Option<&'d Json>) {
        let used = self.used.borrow();
        for (key, value) in value.map(|value| self.ledger.members(value, "config")).unwrap_or_default() {
            match used.get(key) {
                Some(variables) => {
                    let names: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
                    let why = format!("set {} for the edge", names.join(" and "));
                    self.ledger.change(value, &rest::SETTING_BECOMES_VARIABLE, why);
                }
                None => self.ledger.leave_out(value, &super::codes::NOT_USED, "no template reads it"),
            }
        }
    }

    /// What is not as it was for all tools.
    fn notes(&self, origins: &[Origin]) {
        let note = |code, why: String| self.ledger.note("/tools", Fate::Changed, code, why);
        if origins.contains(&Origin::Relative) {
            let name = names::variable(&[&self.name, "url"], "URL");
            note(&rest::ADDRESS_BECOMES_VARIABLE, format!("set `{name}` to the address of the API"));
        }
        let is_plain =
            |origin: &&Origin| matches!(origin, Origin::Absolute(url) if url.starts_with("http://"));
        for origin in origins.iter().filter(is_plain).collect::<BTreeSet<_>>() {
            if let Origin::Absolute(url) = origin {
                note(&rest::PLAIN_HTTP, format!("`{url}`: use `https` if the API has it"));
            }
        }
        let why = "required arguments and types are enforced, unknown arguments are refused; `lenient = true` takes what \
                   converts";
        note(&rest::ARGUMENTS_CHECKED, why.to_owned());
    }
}
