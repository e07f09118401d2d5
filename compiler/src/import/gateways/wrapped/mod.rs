//! Gateways that make tools of OpenAPI documents: the import of these documents, and what the gateway says beside them.

use super::{Foreign, Source, literal, without_secret};
use crate::import::codes::{self, codes};
use crate::import::openapi::{self, Options, Selection};
use crate::import::{Fate, Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::{self, spec_name};

codes! {
    pub ARGUMENTS_FLATTENED = "arguments-flattened", "The source nests arguments by their place. Here they are side by side.";
    pub RESULT_CHANGED = "result-changed", "The source gave another result for the same answer of the API.";
    pub DOCUMENT_REFUSED = "document-refused", "The OpenAPI document cannot be imported.";
    pub RULE_REFUSED = "rule-refused", "A rule about who may call a tool is not in the spec.";
    pub FETCHED_BY_SOURCE = "fetched-by-source", "The source fetches the document again and again. Here it is read once: import it again when it changes.";
}

/// An OpenAPI document that a gateway serves, and how.
#[derive(Debug)]
pub struct Target<'d> {
    /// As a JSON pointer.
    pub place: String,
    pub value: &'d Json,
    pub name: Option<String>,
    pub wanted: Wanted,
    pub server: Option<String>,
    /// Ahead of the names of its tools.
    pub prefix: Option<String>,
    pub headers: Vec<(String, String)>,
    /// The ids of the operations that may be called; `None`: all of them.
    pub operations: Option<Vec<String>>,
}

/// Where the OpenAPI document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    Text(String),
    /// As the configuration names it.
    File(String),
    Url(String),
}

/// Finds the targets of a configuration.
pub type Reader = for<'d> fn(&Ledger<'d>, &'d Json) -> Result<Vec<Target<'d>>, Foreign>;

/// Imports the documents of the targets, one for each.
pub fn import<'d>(
    source: &Source<'_>,
    format: &str,
    mut ledger: Ledger<'d>,
    targets: &[Target<'d>],
    documents: &'d [Json],
) -> Imported<'d> {
    let (mut specs, mut refused) = (Vec::new(), 0);
    for (number, (target, document)) in targets.iter().zip(documents).enumerate() {
        let label = target.name.clone().unwrap_or_else(|| format!("document {}", number + 1));
        if target.operations.as_ref().is_some_and(Vec::is_empty) {
            ledger.note(&target.place, Fate::LeftOut, &codes::NOT_SELECTED, "the rules allow no tool of it");
            continue;
        }
        let options = Options {
            name: target.name.clone(),
            stem: source.stem.map(str::to_owned),
            source: source.name.to_owned(),
            prefix: target.prefix.clone(),
            server: target.server.clone(),
            selection: Selection {
                operations: target.operations.clone().unwrap_or_default(),
                internal: true,
                ..Selection::default()
            },
            ..Options::default()
        };
        let imported = match openapi::import(document, &options) {
            Ok(imported) => imported,
            Err(why) => {
                ledger.refuse(target.value, &DOCUMENT_REFUSED, why);
                refused += 1;
                continue;
            }
        };
        let label = format!("{label}#");
        refused += imported.refused;
        for mut spec in imported.specs {
            let base = spec_name(&spec.name).unwrap_or_else(|| "api".to_owned());
            let taken = specs.iter().any(|known: &crate::import::draft::DraftSpec| known.name == base);
            spec.name = if taken { format!("{base}_{}", number + 1) } else { base };
            spec.comments = source.comments(format);
            for tool in &mut spec.tools {
                tool.place = format!("{label}{}", tool.place);
                for example in tool.examples.iter_mut().filter(|example| !example.place.is_empty()) {
                    example.place = format!("{label}{}", example.place);
                }
            }
            for upstream in &mut spec.upstreams {
                let known = &mut upstream.headers;
                for (name, value) in &target.headers {
                    known.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
                    known.push((name.clone(), value.clone()));
                }
            }
            specs.push(spec);
        }
        ledger.absorb(&label, imported.ledger);
    }
    Imported { specs, ledger, refused }
}

/// What is true of all calls through such a gateway.
pub fn note(ledger: &Ledger<'_>, place: &str, flattened: &str, result: &str) {
    ledger.note(place, Fate::Changed, &ARGUMENTS_FLATTENED, flattened);
    ledger.note(place, Fate::Changed, &RESULT_CHANGED, result);
}

/// Fixed headers of a configuration. `$name` and `${name}` are variables of the gateway, and become those of the place.
pub fn headers<'d>(
    ledger: &Ledger<'d>,
    members: &'d [(String, Json)],
    target: &str,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, value) in members {
        let Some(text) = value.as_str() else {
            ledger.refuse_kind(value, "a text");
            continue;
        };
        let variable = names::variable(&[target, name], "API_KEY");
        let text = match text.contains('$') {
            true => Some(with_variables(text, &variable)),
            false => without_secret(name, text, &variable),
        }
        .map_or_else(
            || {
                ledger.keep(value);
                literal(text)
            },
            |replaced| {
                let why = format!("`{name}` is `{replaced}` now; set its variables where the edge runs");
                ledger.change(value, &codes::SECRET_REPLACED, why);
                replaced
            },
        );
        headers.push((name.clone(), text));
    }
    headers
}

/// A text with `${NAME}` for `${name}` and `$name`; a `$` alone becomes the fallback.
fn with_variables(text: &str, fallback: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, after) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, after)) => (name, after),
            None => after
                .split_at_checked(after.find(|c| !is_word(c)).unwrap_or(after.len()))
                .unwrap_or((after, "")),
        };
        out.push_str(&format!("${{{}}}", names::variable(&[name], fallback)));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
