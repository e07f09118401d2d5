//! Tools of gateways that make a request of Go templates, an URL, headers and a body, and of arguments with a place.
//!
//! An importer reads its format into a [`RestTool`]; [`build`] makes a tool of a spec.

pub mod codes;
mod headers;
mod parameters;
pub mod report;
pub mod upstreams;
pub mod url;
pub mod values;

use super::codes::{Code, SECRET_REPLACED};
use super::draft::{DraftParameter, DraftTemplate, DraftTool};
use super::go_text::{Piece, Rewritten, go_action, pieces, template_text};
use super::secrets::is_secret;
use crate::language::json::Json;
use crate::language::names::variable;
use parameters::Parameters;
use std::collections::BTreeSet;
use url::{Origin, Pair};

/// A tool of the source.
#[derive(Debug, Clone, Default)]
pub struct RestTool {
    pub place: String,
    pub name: String,
    pub description: Option<String>,
    pub method: String,
    pub url: Rewritten,
    pub headers: Vec<(String, Rewritten)>,
    pub body: Option<Rewritten>,
    pub arguments: Vec<Argument>,
    pub unplaced: Unplaced,
    /// The body is a form, whatever the headers say.
    pub is_form: bool,
    /// The body is one of several parts.
    pub is_multipart: bool,
}

/// An argument, by its place in the source's list.
#[derive(Debug, Clone, Default)]
pub struct Argument {
    pub draft: DraftParameter,
    pub position: Option<&'static str>,
}

/// Where the source sends arguments without a place of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unplaced {
    Query,
    Body,
    /// Only where a template reads them.
    #[default]
    Nowhere,
}

/// A tool of a spec, without its upstream.
#[derive(Debug, Clone)]
pub struct Built {
    pub origin: Origin,
    pub tool: DraftTool,
    pub changes: Vec<Change>,
}

/// What is not as it was.
#[derive(Debug, Clone)]
pub struct Change {
    pub about: About,
    pub code: &'static Code,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    Url,
    Method,
    /// By its place in the list.
    Header(usize),
    Body,
    Argument(usize),
}

impl Change {
    fn new(about: About, code: &'static Code, why: impl Into<String>) -> Change {
        Change { about, code, why: why.into() }
    }
}

/// Makes a tool, or says why there is none.
pub fn build(source: &RestTool) -> Result<Built, String> {
    let mut changes = Vec::new();
    let mut tool = DraftTool {
        place: source.place.clone(),
        name: source.name.clone(),
        description: source.description.clone(),
        ..DraftTool::default()
    };
    let method = source.method.trim().to_ascii_uppercase();
    if method.is_empty() {
        changes.push(Change::new(About::Method, &codes::METHOD_ADDED, "without a method, `GET` is sent"));
    }
    tool.method = Some(if method.is_empty() { "GET".to_owned() } else { method });
    let is_form = source.is_form || headers::is_form(&source.headers);
    let (url, replaced) = with_placeholders(source);
    let target = url::read(&url)?;
    if target.has_fragment {
        changes.push(Change::new(About::Url, &codes::FRAGMENT_DROPPED, "what follows the `#` is never sent"));
    }
    let mut parameters = Parameters::new(source, is_form);
    let (path, query) = (url::placeholders(&target.path), url::pairs(&target.query));
    tool.endpoint = Some(match (path, query) {
        (Some((path, names)), Some(pairs)) => {
            let mut fixed = Vec::new();
            names.iter().for_each(|name| parameters.put_in_path(name));
            for pair in pairs {
                match pair {
                    Pair::Fixed(pair) => match hidden(source, &pair, &mut changes) {
                        Some((name, value)) => parameters.add_constant(&name, &value),
                        None => fixed.push(pair),
                    },
                    Pair::Constant { name, value } => parameters.add_constant(&name, &value),
                    Pair::Argument { name, argument } => {
                        if !parameters.put_in_query(&argument, &name) {
                            return Err(format!("the URL has the argument `{argument}` in two places"));
                        }
                    }
                }
            }
            let question = if fixed.is_empty() { "" } else { "?" };
            format!("{}{question}{}", or_slash(path), fixed.join("&"))
        }
        _ => {
            parameters.read_by_template(&source.url);
            parameters.read_names(replaced);
            let path = or_slash(template_text(&target.path));
            headers::certainly_go(&match target.query.as_slice() {
                [] => path,
                query => format!("{path}?{}", template_text(query)),
            })
        }
    });
    changes.extend(undeclared(About::Url, &source.url));
    if source.url.reads.iter().any(|name| source.argument(name).is_some()) {
        let names: Vec<String> = source.url.reads.iter().map(|name| format!("`{name}`")).collect();
        let why = format!("{} cannot change the rest of the URL any more", names.join(", "));
        changes.push(Change::new(About::Url, &codes::RAW_BECOMES_ENCODED, why));
    }
    tool.headers = headers::build(source, is_form, &mut parameters, &mut changes);
    if let Some(body) = &source.body {
        parameters.read_by_template(body);
        if !body.reads.is_empty() || body.reads_all {
            let why = "values are written as JSON or escaped for it, so that none changes the body around it";
            changes.push(Change::new(About::Body, &codes::RAW_BECOMES_ENCODED, why));
        }
        changes.extend(undeclared(About::Body, body));
        tool.body_template = Some(DraftTemplate::Go(body.text.clone()));
    }
    if is_form && (source.body.is_some() || parameters.has_body()) {
        tool.body = Some("form".to_owned());
    }
    if source.is_multipart {
        tool.body = Some("multipart".to_owned());
    }
    tool.parameters = parameters.finish(tool.method.as_deref().unwrap_or_default(), &mut changes);
    Ok(Built { origin: target.origin, tool, changes })
}

/// A fixed pair of a query whose value is a secret, with a variable instead of it.
fn hidden(source: &RestTool, pair: &str, changes: &mut Vec<Change>) -> Option<(String, String)> {
    let (name, value) = pair.split_once('=')?;
    if !is_secret(name, &Json::string(value)) {
        return None;
    }
    let variable = variable(&[&source.name, name], "API_KEY");
    let why = format!("`{name}` has `${{{variable}}}` instead of its secret");
    changes.push(Change::new(About::Url, &SECRET_REPLACED, why));
    Some((name.to_owned(), format!("${{{variable}}}")))
}

impl RestTool {
    fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.draft.name == name)
    }
}

/// The URL with an action for each `{name}` of an argument of the path, and the names of those.
fn with_placeholders(source: &RestTool) -> (String, BTreeSet<String>) {
    let mut replaced = BTreeSet::new();
    let mut all = pieces(&source.url.text);
    let names = source.arguments.iter().filter(|argument| argument.position == Some("path"));
    for name in names.map(|argument| &argument.draft.name) {
        let placeholder = format!("{{{name}}}");
        for piece in &mut all {
            let Piece::Text(text) = piece else { continue };
            if text.contains(&placeholder) {
                *text = text.replace(&placeholder, &go_action(name));
                replaced.insert(name.clone());
            }
        }
    }
    (template_text(&all), replaced)
}

/// What a template reads and never finds.
fn undeclared(about: About, template: &Rewritten) -> Option<Change> {
    let names: Vec<String> = template.undeclared.iter().map(|name| format!("`{name}`")).collect();
    let why = format!("{} is no argument, so nothing is inserted, as in the source", names.join(", "));
    (!names.is_empty()).then(|| Change::new(about, &codes::UNDECLARED_ARGUMENT, why))
}

fn or_slash(path: String) -> String {
    if path.is_empty() { "/".to_owned() } else { path }
}
