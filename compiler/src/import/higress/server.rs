//! A server: its name, its settings, and its tools.

use super::security::Security;
use super::tool;
use crate::import::draft::DraftSpec;
use crate::import::go_text::{Roots, rewrite};
use crate::import::rest::codes;
use crate::import::rest::report::name_tools;
use crate::import::rest::upstreams::Upstreams;
use crate::import::rest::url::{self, Origin};
use crate::import::{Fate, Ledger};
use crate::language::json::Json;
use crate::language::names;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What templates of requests see: settings and arguments.
pub const REQUEST: Roots<'static> =
    Roots { data: &["args"], settings: &["config"], declared: None, has_variables: true };

#[derive(Debug)]
pub struct Server<'l, 'd> {
    pub ledger: &'l Ledger<'d>,
    config: &'d Json,
    place: String,
    /// As variables begin with.
    pub name: String,
    spec_name: String,
    /// Requests go to several hosts, so that each has credentials of its own.
    has_many_origins: bool,
    /// Settings that are a part of an address.
    address_settings: BTreeSet<String>,
    /// The settings that are read, with their variables.
    used: RefCell<BTreeMap<String, BTreeSet<String>>>,
    pub refused: usize,
}

impl<'l, 'd> Server<'l, 'd> {
    pub fn new(ledger: &'l Ledger<'d>, config: &'d Json, place: String, stem: Option<&str>) -> Self {
        ledger.open(config);
        let server = config.get("server").unwrap_or(&Json::Null);
        ledger.open(server);
        let written = ledger.text(server, "name");
        let spec_name = written
            .and_then(names::spec_name)
            .or_else(|| stem.and_then(names::spec_name))
            .unwrap_or_else(|| "higress".to_owned());
        if let Some(name) = server.get("name").filter(|_| written.is_some_and(|name| name != spec_name)) {
            ledger.change(
                name,
                &crate::import::codes::NAME_CHANGED,
                format!("the toolset is called `{spec_name}`"),
            );
        }
        Server {
            ledger,
            config,
            place,
            name: spec_name.clone(),
            spec_name,
            has_many_origins: false,
            address_settings: BTreeSet::new(),
            used: RefCell::default(),
            refused: 0,
        }
    }

    pub fn import(&mut self, source: &str) -> Result<DraftSpec, String> {
        let ledger = self.ledger;
        let server = self.config.get("server").unwrap_or(&Json::Null);
        let tools = ledger.list(self.config, "tools");
        self.find_origins(tools);
        let security = Security::new(ledger, server, &self.name);
        for name in ["version", "type", "passthroughAuthHeader"] {
            let Some(value) = server.get(name) else { continue };
            match (name, value.as_bool(), value.as_str()) {
                ("passthroughAuthHeader", Some(true), _) => ledger.change(
                    value,
                    &codes::CREDENTIAL_NOT_PASSED,
                    "the edge sends a credential of its own; for a token per caller see `kind = \"exchange\"`",
                ),
                ("version", ..) => ledger.leave_out(
                    value,
                    &crate::import::codes::NOT_USED,
                    "the version of a bundle is the digest of its contents",
                ),
                _ => ledger.keep(value),
            }
        }
        let mut spec = DraftSpec {
            name: self.spec_name.clone(),
            comments: vec![format!("Imported from {source}, a configuration of a Higress MCP server.")],
            lenient: true,
            ..DraftSpec::default()
        };
        let allowed = self.allowed();
        let mut upstreams = Upstreams::default();
        let mut origins = Vec::new();
        for (at, value) in tools.iter().enumerate() {
            let place = format!("{}/tools/{at}", self.place);
            let name = value.get("name").and_then(Json::as_str).unwrap_or_default();
            if allowed.as_ref().is_some_and(|allowed| !allowed.contains(name)) {
                ledger.leave_out(value, &codes::NOT_ALLOWED, "`allowTools` does not name the tool");
                continue;
            }
            if ledger.members_of(value).is_none() {
                self.refused += 1;
                continue;
            }
            match tool::import(self, value, &place, &security) {
                Ok((mut tool, sent)) => {
                    if let Some((origin, auth)) = sent {
                        let address = format!("${{{}}}", names::variable(&[&self.name, "url"], "URL"));
                        tool.upstream = Some(upstreams.of(&origin, auth.as_ref(), &self.spec_name, &address));
                        origins.push(origin);
                    }
                    spec.tools.push(tool);
                }
                Err(why) => {
                    self.refused += 1;
                    ledger.refuse(value, &codes::REQUEST_REFUSED, why);
                }
            }
        }
        name_tools(ledger, &mut spec);
        upstreams.finish(&mut spec);
        self.settings(server);
        self.notes(&origins);
        Ok(spec)
    }

    /// Which hosts there are, before variables are named.
    fn find_origins(&mut self, tools: &[Json]) {
        let mut origins = BTreeSet::new();
        for tool in tools {
            let url =
                tool.get("requestTemplate").and_then(|request| request.get("url")).and_then(Json::as_str);
            let Some(url) = url else { continue };
            let Ok(rewritten) = rewrite(url, REQUEST, &mut |key| format!("\u{1}{key}\u{2}")) else {
                continue;
            };
            if let Ok(target) = url::read(&rewritten.text) {
                if let Origin::Absolute(origin) = &target.origin {
                    let keys = origin.split('\u{1}').skip(1).filter_map(|part| part.split('\u{2}').next());
                    self.address_settings.extend(keys.map(str::to_owned));
                }
                origins.insert(target.origin);
            }
        }
        self.has_many_origins = origins.len() > 1;
    }

    /// The variable of a setting. `host` is where it is sent.
    pub fn variable(&self, key: &str, host: Option<&str>) -> String {
        let host = host.filter(|_| self.has_many_origins && !self.address_settings.contains(key));
        let variable = names::variable(&[&self.name, host.unwrap_or_default(), key], "SETTING");
        self.used.borrow_mut().entry(key.to_owned()).or_default().insert(variable.clone());
        variable
    }

    fn allowed(&self) -> Option<BTreeSet<&'d str>> {
        let list = self.config.get("allowTools")?;
        self.ledger.keep(list);
        Some(list.as_array()?.iter().filter_map(Json::as_str).collect())
    }

    /// What becomes of the settings.
    fn settings(&self, server: &'d Json) {
        let used = self.used.borrow();
        let set = |variables: &BTreeSet<String>| {
            let names: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
            format!("set {} for the edge", names.join(" and "))
        };
        let mut declared = BTreeSet::new();
        for (key, value) in self.ledger.members(server, "config") {
            declared.insert(key);
            match used.get(key) {
                Some(variables) => {
                    self.ledger.change(value, &codes::SETTING_BECOMES_VARIABLE, set(variables));
                }
                None => self.ledger.leave_out(value, &crate::import::codes::NOT_USED, "no template reads it"),
            }
        }
        for (key, variables) in used.iter().filter(|(key, _)| !declared.contains(key)) {
            let why = format!(
                "templates read `config.{key}`, which the source does not declare; {}",
                set(variables)
            );
            self.note(&codes::SETTING_BECOMES_VARIABLE, why);
        }
    }

    /// What is not as it was for all tools.
    fn notes(&self, origins: &[Origin]) {
        if origins.contains(&Origin::Relative) {
            let name = names::variable(&[&self.name, "url"], "URL");
            let why = format!("set `{name}` to the address of the API, such as `https://api.example.com`");
            self.note(&codes::ADDRESS_BECOMES_VARIABLE, why);
        }
        let is_plain =
            |origin: &&Origin| matches!(origin, Origin::Absolute(url) if url.starts_with("http://"));
        for origin in origins.iter().filter(is_plain).collect::<BTreeSet<_>>() {
            if let Origin::Absolute(url) = origin {
                self.note(&codes::PLAIN_HTTP, format!("`{url}`: use `https` if the API has it"));
            }
        }
        self.note(
            &codes::ARGUMENTS_CHECKED,
            "required arguments and types are enforced, unknown arguments are refused; `lenient = true` takes what converts"
                .to_owned(),
        );
        self.note(&codes::CLIENT_HEADERS, "headers of callers are not forwarded".to_owned());
    }

    fn note(&self, code: &'static crate::import::codes::Code, why: String) {
        self.ledger.note(&format!("{}/server", self.place), Fate::Changed, code, why);
    }
}
