//! Where each argument goes.

use super::{About, Argument, Change, RestTool, Unplaced, codes};
use crate::import::draft::DraftParameter;
use crate::import::go_text::Rewritten;
use crate::language::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// The arguments, while the parts of the request that read them are built.
#[derive(Debug)]
pub struct Parameters<'s> {
    source: &'s RestTool,
    is_form: bool,
    path: BTreeSet<String>,
    /// With their names upstream.
    query: BTreeMap<String, String>,
    /// Read by a template.
    read: BTreeSet<String>,
    reads_all: bool,
    constants: Vec<DraftParameter>,
}

impl<'s> Parameters<'s> {
    pub fn new(source: &'s RestTool, is_form: bool) -> Parameters<'s> {
        Parameters {
            source,
            is_form,
            path: BTreeSet::new(),
            query: BTreeMap::new(),
            read: BTreeSet::new(),
            reads_all: false,
            constants: Vec::new(),
        }
    }

    pub fn put_in_path(&mut self, name: &str) {
        self.path.insert(name.to_owned());
    }

    /// `false` if the argument is somewhere else already.
    pub fn put_in_query(&mut self, name: &str, wire_name: &str) -> bool {
        !self.path.contains(name) && self.query.insert(name.to_owned(), wire_name.to_owned()).is_none()
    }

    pub fn read_by_template(&mut self, template: &Rewritten) {
        self.read.extend(template.reads.iter().cloned());
        self.reads_all |= template.reads_all;
    }

    pub fn read_names(&mut self, names: BTreeSet<String>) {
        self.read.extend(names);
    }

    /// A pair of the query that callers never see.
    pub fn add_constant(&mut self, wire_name: &str, value: &str) {
        let is_taken = |name: &str| {
            self.source.argument(name).is_some()
                || self.constants.iter().any(|constant| constant.name == name)
        };
        let mut name = wire_name.to_owned();
        while is_taken(&name) {
            name.push('_');
        }
        self.constants.push(DraftParameter {
            wire_name: (name != wire_name).then(|| wire_name.to_owned()),
            name,
            position: Some("query"),
            value: Some(Json::string(value)),
            ..DraftParameter::default()
        });
    }

    /// Whether an argument goes into a body that no template writes.
    pub fn has_body(&self) -> bool {
        self.source.body.is_none()
            && self.source.arguments.iter().any(|argument| match argument.position {
                Some(position) => position == "body",
                None => self.source.unplaced == Unplaced::Body,
            })
    }

    /// The parameters of the tool.
    pub fn finish(self, method: &str, changes: &mut Vec<Change>) -> Vec<DraftParameter> {
        let mut parameters = Vec::new();
        for (at, argument) in self.source.arguments.iter().enumerate() {
            let mut change = |code, why: String| changes.push(Change::new(About::Argument(at), code, why));
            if let Some(parameter) = self.one(argument, method, &mut change) {
                parameters.push(parameter);
            }
        }
        parameters.extend(self.constants);
        parameters
    }

    fn one(
        &self,
        argument: &Argument,
        method: &str,
        change: &mut dyn FnMut(&'static crate::import::codes::Code, String),
    ) -> Option<DraftParameter> {
        let mut draft = argument.draft.clone();
        let name = draft.name.clone();
        let is_read = self.reads_all || self.read.contains(&name);
        draft.position = if self.path.contains(&name) {
            Some("path")
        } else if let Some(wire_name) = self.query.get(&name) {
            draft.wire_name = (*wire_name != name).then(|| wire_name.clone());
            Some("query")
        } else {
            match (argument.position, self.source.unplaced) {
                // Only a template of the URL has it.
                (Some("path"), _) if is_read => None,
                (Some("path"), _) => {
                    change(&codes::NEVER_SENT, format!("no `{{{name}}}` is in the URL"));
                    return None;
                }
                (Some("body"), _) if self.source.body.is_some() && !is_read => {
                    change(&codes::NEVER_SENT, format!("the template of the body does not read `{name}`"));
                    return None;
                }
                (Some("body"), _) if self.source.body.is_some() => None,
                (Some(position), _) => Some(position),
                (None, unplaced) if is_read => {
                    if unplaced == Unplaced::Query
                        || (unplaced == Unplaced::Body && self.source.body.is_none())
                    {
                        change(&codes::SENT_ONCE, format!("a template sends `{name}`"));
                    }
                    None
                }
                (None, Unplaced::Query) => Some("query"),
                (None, Unplaced::Body) if self.source.body.is_none() => Some("body"),
                (None, _) if self.source.body.is_some() => {
                    change(&codes::NEVER_SENT, format!("no template reads `{name}`"));
                    return None;
                }
                (None, _) => {
                    let place = if matches!(method, "POST" | "PUT" | "PATCH") { "body" } else { "query" };
                    change(
                        &codes::NOW_SENT,
                        format!("`{name}` is sent in the {place}; remove it if the API does not want it"),
                    );
                    Some(place)
                }
            }
        };
        if draft.position == Some("path") && !draft.required {
            change(&codes::REQUIRED_IN_PATH, format!("`{name}` is a part of the path"));
            draft.required = true;
            draft.default = None;
        }
        if draft.required && draft.default.is_some() {
            change(&codes::DEFAULT_OF_REQUIRED, format!("a call without `{name}` is accepted, as before"));
            draft.required = false;
        }
        let is_container = matches!(draft.kind.as_deref(), Some("array" | "object"));
        let in_json = draft.position == Some("body") && !self.is_form;
        if is_container && draft.position.is_some() && !in_json {
            draft.style = Some("json");
        }
        Some(draft)
    }
}
