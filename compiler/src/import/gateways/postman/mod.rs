//! Postman collections, version 2.1: folders become toolsets, requests tools, and saved responses examples.

mod auth;
mod body;
mod request;
mod url;
mod values;

use super::{BESIDE_TOOLS, Foreign, NOT_EXPRESSIBLE, Source, rename};
use crate::import::codes::codes;
use crate::import::draft::{DraftSpec, DraftTool, DraftUpstream};
use crate::import::ledger::escaped;
use crate::import::{Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::{portable, spec_name};
use auth::Auth;
use std::collections::BTreeMap;
use values::Variables;

codes! {
    pub SCRIPT_DROPPED = "script-dropped", "Scripts do not run. What they change in a request or check of a response is lost.";
    pub TYPE_INFERRED = "type-inferred", "Collections have values and no types, so types are those of the values.";
    pub DISABLED = "disabled", "The collection itself does not send it.";
    pub VARIABLE_MOVED = "variable-moved", "A variable of the collection became an argument, or a variable of the place where the edge runs.";
    pub AUTH_NOT_EXPRESSIBLE = "auth-not-expressible", "A spec cannot prove itself to the API in this way.";
}

/// What folders hand down to their requests.
struct Folder<'d> {
    /// Index of the spec.
    spec: usize,
    tags: Vec<String>,
    auth: Option<&'d Json>,
}

struct Importing<'d> {
    ledger: Ledger<'d>,
    variables: Variables<'d>,
    specs: Vec<DraftSpec>,
    /// With the number of its spec.
    tools: Vec<(usize, DraftTool)>,
    refused: usize,
    format_comments: Vec<String>,
}

pub fn import<'d>(source: &Source<'_>, document: &'d Json) -> Result<Imported<'d>, Foreign> {
    // The API of Postman wraps what the app exports.
    let (collection, place) = match document.get("collection") {
        Some(inner) if document.get("item").is_none() => (inner, "/collection"),
        _ => (document, ""),
    };
    let info = collection.get("info");
    let schema = info.and_then(|info| info.get("schema")?.as_str()).unwrap_or_default();
    if collection.get("item").and_then(Json::as_array).is_none() || schema.contains("/v1.") {
        return Err(Foreign(
            "it is no Postman collection of version 2; export one with \"Collection v2.1\"".to_owned(),
        ));
    }
    let ledger = Ledger::new(document);
    ledger.open(document);
    ledger.open(collection);
    let mut importing = Importing {
        variables: Variables::of(&ledger, collection),
        ledger,
        specs: Vec::new(),
        tools: Vec::new(),
        refused: 0,
        format_comments: source.comments("postman"),
    };
    importing.about(collection);
    let title = info.and_then(|info| info.get("name")?.as_str());
    let name = title.and_then(spec_name).or_else(|| source.stem.and_then(spec_name));
    let root = importing.spec(name.unwrap_or_else(|| "collection".to_owned()), title);
    let folder = Folder {
        spec: root,
        tags: Vec::new(),
        auth: collection.get("auth").filter(|auth| **auth != Json::Null),
    };
    importing.items(collection, place, &folder, true);
    Ok(importing.finish())
}

impl<'d> Importing<'d> {
    fn spec(&mut self, name: String, title: Option<&str>) -> usize {
        let taken = |name: &str| self.specs.iter().any(|spec| spec.name == name);
        let name = if taken(&name) { format!("{name}_{}", self.specs.len() + 1) } else { name };
        let comments = self.format_comments.clone();
        self.specs.push(DraftSpec {
            name,
            comments,
            title: title.map(str::to_owned),
            ..DraftSpec::default()
        });
        self.specs.len() - 1
    }

    /// What is not about requests.
    fn about(&self, holder: &'d Json) {
        for key in [
            "info",
            "protocolProfileBehavior",
            "_postman_id",
            "id",
            "uid",
            "createdAt",
            "updatedAt",
            "_postman_isSubFolder",
        ] {
            if let Some(value) = holder.get(key) {
                self.ledger.leave_out(value, &BESIDE_TOOLS, "this is about the collection itself");
            }
        }
        if let Some(events) = holder.get("event") {
            let has_code = |event: &Json| {
                let lines = event.get("script").and_then(|script| script.get("exec"));
                lines.is_some_and(|lines| match lines {
                    Json::Array(lines) => {
                        lines.iter().any(|line| line.as_str().is_none_or(|line| !line.trim().is_empty()))
                    }
                    line => line.as_str().is_none_or(|line| !line.trim().is_empty()),
                })
            };
            if events.as_array().is_some_and(|events| !events.iter().any(has_code)) {
                self.ledger.leave_out(events, &BESIDE_TOOLS, "there is no code in it");
            } else {
                self.ledger.refuse(
                    events,
                    &SCRIPT_DROPPED,
                    "scripts do not run here; check what they do to requests",
                );
            }
        }
    }

    /// The requests and folders of a folder. Recursion is bounded by the depth of documents.
    fn items(&mut self, holder: &'d Json, place: &str, folder: &Folder<'d>, is_root: bool) {
        let Some(items) = holder.get("item") else { return };
        self.ledger.open(items);
        for (number, item) in items.as_array().unwrap_or_default().iter().enumerate() {
            let place = format!("{place}/item/{}", escaped(&number.to_string()));
            if self.ledger.members_of(item).is_none() {
                self.refused += 1;
            } else if item.get("item").is_some() {
                self.folder(item, &place, folder, is_root);
            } else {
                self.request(item, place, folder);
            }
        }
    }

    fn folder(&mut self, item: &'d Json, place: &str, outer: &Folder<'d>, is_root: bool) {
        self.about(item);
        let title = self.ledger.text(item, "name").unwrap_or_default();
        let own = item.get("auth").filter(|auth| **auth != Json::Null);
        let mut folder = Folder { spec: outer.spec, tags: outer.tags.clone(), auth: own.or(outer.auth) };
        let name = spec_name(title);
        if is_root && let Some(name) = name {
            folder.spec = self.spec(name, Some(title));
            let text = values::description(&self.ledger, item);
            if let Some(spec) = self.specs.get_mut(folder.spec) {
                spec.instructions = text;
            }
        } else {
            if !title.is_empty() {
                folder.tags.push(title.to_owned());
            }
            if let Some(text) = item.get("description") {
                self.ledger.leave_out(
                    text,
                    &BESIDE_TOOLS,
                    "only the folders at the top have a description for models",
                );
            }
        }
        self.items(item, place, &folder, false);
    }

    fn request(&mut self, item: &'d Json, place: String, folder: &Folder<'d>) {
        self.about(item);
        let ledger = &self.ledger;
        let title = ledger.text(item, "name").unwrap_or_default();
        let mut tool = DraftTool {
            place,
            name: portable(title).to_ascii_lowercase().trim_matches('_').to_owned(),
            title: Some(title.to_owned()).filter(|title| !title.is_empty()),
            tags: folder.tags.clone(),
            ..DraftTool::default()
        };
        let read = request::read(ledger, &self.variables, item, &mut tool);
        let placed = read.and_then(|read| {
            let auth = Auth::of(ledger, &self.variables, read.auth.or(folder.auth))?;
            Ok((read.url, auth))
        });
        match placed {
            Ok((url, auth)) => {
                tool.upstream = self.upstream(folder.spec, url, auth);
                self.tools.push((folder.spec, tool));
            }
            Err(why) => {
                ledger.refuse(item, &NOT_EXPRESSIBLE, why);
                self.refused += 1;
            }
        }
    }

    /// The upstream for a place and a way to prove oneself there.
    fn upstream(&mut self, spec: usize, url: String, auth: Auth) -> Option<String> {
        let spec = self.specs.get_mut(spec)?;
        let same = |upstream: &&DraftUpstream| upstream.url == url && upstream.auth == auth.draft;
        if let Some(upstream) = spec.upstreams.iter().find(same) {
            return Some(upstream.name.clone());
        }
        let name = match spec.upstreams.len() {
            0 => "api".to_owned(),
            known => format!("api_{}", known + 1),
        };
        spec.upstreams.push(DraftUpstream {
            name: name.clone(),
            url,
            auth: auth.draft,
            ..DraftUpstream::default()
        });
        Some(name)
    }

    fn finish(mut self) -> Imported<'d> {
        let specs: Vec<usize> = self.tools.iter().map(|(spec, _)| *spec).collect();
        let mut tools: Vec<DraftTool> = self.tools.into_iter().map(|(_, tool)| tool).collect();
        rename(&self.ledger, &mut tools);
        for (spec, tool) in specs.into_iter().zip(tools) {
            if let Some(spec) = self.specs.get_mut(spec) {
                spec.tools.push(tool);
            }
        }
        self.variables.mark(&self.ledger);
        self.specs.retain(|spec| !spec.tools.is_empty());
        Imported { specs: self.specs, ledger: self.ledger, refused: self.refused }
    }
}

/// Arguments of a tool by name, with the values that the collection sends.
type Values = BTreeMap<String, Json>;

#[cfg(test)]
mod tests;
