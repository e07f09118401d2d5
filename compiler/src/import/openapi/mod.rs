//! OpenAPI documents as specs: 3.0, 3.1 and Swagger 2.
//!
//! An operation becomes a tool. Schemas are complete: what several places share is in `$defs`. Answers are cut to what a model
//! needs. Nothing is fetched: a reference that leads out of the document is refused.

mod accounts;
mod answers;
mod api;
mod arguments;
mod bodies;
pub mod codes;
mod encodings;
mod endpoint;
mod examples;
mod names;
mod operations;
mod parameters;
mod sample;
mod schemas;
mod security;
mod selection;
mod servers;
mod text;
mod tool;
mod toolsets;
mod upstreams;
mod view;

pub use selection::Selection;
pub use servers::is_usable;

use super::codes::Code;
use super::{Fate, Imported};
use crate::language::json::Json;
use crate::language::names::{MAX_LENGTH, Wanted, distinct, spec_name};
use api::Api;
use operations::Operation;
use schemas::{DescriptionLimits, Schemas};
use tool::Built;
use upstreams::Upstreams;

/// All schemas together, as values: a spec file has at most 64 MiB.
const MAX_TEXT: usize = 40 * 1024 * 1024;

/// What the command line asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Name of the spec; default: by the document's title.
    pub name: Option<String>,
    /// What the spec is called if the title has no letters.
    pub stem: Option<String>,
    /// What comments call the document.
    pub source: String,
    /// What the names of tools begin with.
    pub prefix: Option<String>,
    /// The base URL, instead of the document's servers.
    pub server: Option<String>,
    /// The variable with a token, instead of the document's security.
    pub bearer_env: Option<String>,
    pub selection: Selection,
    /// A toolset for each tag.
    pub by_tag: bool,
    pub compact: bool,
    pub no_select: bool,
}

/// Why an operation is not a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: &'static Code,
    pub why: String,
}

impl Refusal {
    fn new(code: &'static Code, why: impl Into<String>) -> Refusal {
        Refusal { code, why: why.into() }
    }
}

/// Imports a document. The error says why it cannot be imported at all.
pub fn import<'d>(document: &'d Json, options: &Options) -> Result<Imported<'d>, String> {
    let api = Api::new(document)?;
    api.ledger.open(document);
    let title = document.get("info").and_then(|info| info.get("title")).and_then(Json::as_str);
    let base = base_name(options, title);
    let operations = operations::read(&api);
    if operations.is_empty() {
        return Err("the document has no operations, so there is nothing to import".to_owned());
    }
    options.selection.check(&operations)?;
    let selected = select(&api, &operations, &options.selection);
    if selected.is_empty() {
        return Err(format!("none of the {} operations was asked for", operations.len()));
    }
    let limits = match options.compact {
        true => DescriptionLimits { argument: 50, member: 0, deeper: 0 },
        false => DescriptionLimits { argument: 100, member: 70, deeper: 50 },
    };
    let mut schemas = Schemas::new(&api, limits);
    let mut upstreams = Upstreams::new(&base);
    let mut built: Vec<(&Operation<'_>, Built)> = Vec::new();
    let (mut refused, mut length) = (0, 0);
    for operation in selected {
        let tool = tool::build(&api, &mut schemas, &mut upstreams, operation, &base, options);
        let tool = tool.and_then(|tool| {
            length += tool.tool.input_schema.as_ref().map_or(0, |schema| schema.to_text().len());
            if length <= MAX_TEXT {
                return Ok(tool);
            }
            Err(Refusal::new(&codes::TOO_LARGE, "the specs would be too large; select fewer operations"))
        });
        match tool {
            Ok(tool) => built.push((operation, tool)),
            Err(Refusal { code, why }) => {
                api.ledger.refuse(operation.node, code, why);
                refused += 1;
            }
        }
    }
    name_tools(&api, &mut built, options);
    if options.compact {
        let why = "optional arguments have no descriptions, members of arguments no members; no output schemas, patterns, lengths";
        api.ledger.note("", Fate::Changed, &codes::COMPACT, why);
    }
    security::account(&api);
    accounts::close(&api, built.iter().map(|(operation, _)| operation.node));
    let specs = toolsets::group(&api, built, &upstreams, &base, options);
    Ok(Imported { specs, ledger: api.ledger, refused })
}

/// What is asked for; the ledger gets the rest.
fn select<'o, 'd>(
    api: &Api<'d>,
    operations: &'o [Operation<'d>],
    selection: &Selection,
) -> Vec<&'o Operation<'d>> {
    let mut selected = Vec::new();
    for operation in operations {
        let is_full = selection.max_tools.is_some_and(|most| selected.len() >= most);
        let why = selection.refuses(operation).or(is_full.then_some("`--max-tools` takes those before it"));
        match why {
            None => selected.push(operation),
            Some(why) => api.ledger.leave_out(operation.node, &super::codes::NOT_SELECTED, why),
        }
    }
    selected
}

fn base_name(options: &Options, title: Option<&str>) -> String {
    let short = title.map(|title| {
        let lower = title.chars().take(80).collect::<String>().to_lowercase().replace(['\'', '’'], "");
        let words = crate::language::names::portable(&lower.replace('-', "_"));
        let all: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
        let is_filler = |word: &&str| {
            matches!(
                *word,
                "api" | "apis" | "rest" | "http" | "openapi" | "the" | "specification" | "spec" | "swagger"
            )
        };
        let said: Vec<&str> = all.iter().copied().filter(|word| !is_filler(word)).take(4).collect();
        if said.is_empty() { all.join("_") } else { said.join("_") }
    });
    let candidates = [options.name.clone(), short, options.stem.clone()];
    candidates.into_iter().flatten().find_map(|text| spec_name(&text)).unwrap_or_else(|| "api".to_owned())
}

fn name_tools(api: &Api<'_>, built: &mut [(&Operation<'_>, Built)], options: &Options) {
    let prefix =
        options.prefix.as_deref().map(crate::language::names::portable).filter(|prefix| !prefix.is_empty());
    let places: Vec<String> = built.iter().map(|(operation, _)| operation.place.clone()).collect();
    let wanted = built.iter().zip(&places).map(|((operation, _), place)| {
        let of_path = || names::of_path(operation.method, operation.path);
        let plain = operation.id.map(names::snake).filter(|name| !name.is_empty()).unwrap_or_else(of_path);
        let name = match &prefix {
            Some(prefix) if !plain.starts_with(&format!("{prefix}_")) => format!("{prefix}_{plain}"),
            _ => plain,
        };
        Wanted { is_own: operation.id == Some(name.as_str()), has_name: true, theirs: place, name }
    });
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let names = distinct(&wanted);
    for (((operation, built), name), wanted) in built.iter_mut().zip(names).zip(&wanted) {
        if operation.id != Some(name.as_str()) {
            let is_long = wanted.name.len() > MAX_LENGTH;
            let why = match operation.id {
                None => format!("without an `operationId`, the tool is `{name}`"),
                Some(id) if is_long => format!("`{}` is too long, so the tool is `{name}`", short(id)),
                Some(id) => format!("`{}` became `{name}`", short(id)),
            };
            match operation.node.get("operationId") {
                Some(id) => api.ledger.change(id, &super::codes::NAME_CHANGED, why),
                None => api.ledger.note(&operation.place, Fate::Changed, &super::codes::NAME_CHANGED, why),
            }
        }
        if let ("POST" | "PATCH", Some(destroys)) = (operation.method, names::destroys(&name)) {
            built.tool.hint("destructiveHint", destroys);
        }
        built.tool.name = name;
    }
}

/// A text of the document in a message.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests;
