//! A spec for tools of a server, judged by the check that any spec passes.
//!
//! A tool that the check refuses is left out, with what it says as the reason, and the rest is checked again.

use super::listed::{ListedTool, Unusable, shown};
use super::names;
use super::server::ServerSource;
use super::write::{self, Origin};
use crate::check::{MemoryFiles, Report, check_files};
use crate::lint::rules::SECRET_IN_SPEC;
use mcp_bundle::definition;
use mcp_bundle::plan::Contents;
use mcp_diagnostics::{Diagnostic, Severity};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;

/// Name of the file that is checked.
const FILE: &str = "import.toml";

/// A spec that `mcpc check` has no error in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub text: String,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// Where each of them is in the text.
    pub places: Vec<Range<usize>>,
    pub left_out: Vec<Unusable>,
    pub warnings: usize,
}

/// Why there is no spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// The server itself cannot be written, whatever its tools.
    #[error("{0}")]
    Server(String),
    #[error("none of the tools can be imported")]
    NoTools(Vec<Unusable>),
}

/// The plan of a server without its tools, to connect with; the error is what the check says of the server.
pub fn check_server(source: &ServerSource, name: &str) -> Result<Contents, DraftError> {
    let tool =
        json!({"name": "any", "description": "Stands for the tools.", "inputSchema": {"type": "object"}});
    let (tools, _) = super::read_all([tool.to_string().as_str()]);
    let origin = Origin::default();
    let written = write::spec(source, name, &origin, tools.iter().map(|tool| ("any", tool)));
    let report = check_files(&MemoryFiles::one(FILE, &written.text));
    // Nothing secret goes over the network or into a file by mistake.
    let secret: Vec<&Diagnostic> =
        report.diagnostics.iter().filter(|finding| finding.is(&SECRET_IN_SPEC)).collect();
    if !secret.is_empty() {
        return Err(DraftError::Server(reasons(secret)));
    }
    match report.contents {
        Some(contents) => Ok(contents),
        None => Err(DraftError::Server(reasons(errors(&report)))),
    }
}

/// Writes the spec of these tools.
pub fn draft(
    source: &ServerSource,
    name: &str,
    prefix: &str,
    origin: &Origin,
    mut tools: Vec<ListedTool>,
) -> Result<Draft, DraftError> {
    let mut left_out = Vec::new();
    // Each round leaves a tool out, or is the last.
    loop {
        if tools.is_empty() {
            return Err(DraftError::NoTools(left_out));
        }
        let names = names::own_names(prefix, &tools);
        let written = write::spec(source, name, origin, names.iter().map(String::as_str).zip(&tools));
        let report = check_files(&MemoryFiles::one(FILE, &written.text));
        let mut refused: BTreeMap<usize, Vec<&Diagnostic>> = BTreeMap::new();
        for error in errors(&report) {
            let at = error.span.start as usize;
            // Tools come after the server, one after the other.
            let Some(index) = written.tools.partition_point(|range| range.start <= at).checked_sub(1) else {
                return Err(DraftError::Server(reasons([error])));
            };
            refused.entry(index).or_default().push(error);
        }
        if refused.is_empty() {
            let warnings = report.warnings();
            return match report
                .contents
                .as_ref()
                .and_then(|contents| other_definition(contents, &names, &tools))
            {
                None => {
                    Ok(Draft { text: written.text, tools: names, places: written.tools, left_out, warnings })
                }
                Some(name) => {
                    Err(DraftError::Server(format!("the definition of `{name}` does not come back")))
                }
            };
        }
        let mut index = 0;
        tools.retain(|tool| {
            let why = refused.get(&index).map(|errors| reasons(errors.iter().copied()));
            index += 1;
            let is_fine = why.is_none();
            left_out.extend(why.map(|why| Unusable { name: shown(&tool.name), why }));
            is_fine
        });
    }
}

/// A tool whose definition in the plan is not what the server listed. There is none: the pin says so, too.
fn other_definition<'n>(contents: &Contents, names: &'n [String], tools: &[ListedTool]) -> Option<&'n str> {
    let differs = |name: &str, tool: &ListedTool| {
        let plan = contents.tool(name).and_then(|(_, plan)| plan.mcp());
        let written = plan.map(|plan| contents.strings.get(plan.definition));
        written != Some(&tool.canonical) || !definition::is_canonical(&tool.canonical)
    };
    names.iter().zip(tools).find(|(name, tool)| differs(name, tool)).map(|(name, _)| name.as_str())
}

fn errors(report: &Report) -> impl Iterator<Item = &Diagnostic> {
    report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
}

/// What the check says, on one line.
fn reasons<'d>(errors: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let mut said: Vec<String> = Vec::new();
    for error in errors {
        let said_so = format!("{} ({})", super::listed::shown_text(&error.message), error.code());
        if !said.contains(&said_so) {
            said.push(said_so);
        }
    }
    const SHOWN: usize = 3;
    let more = said.len().saturating_sub(SHOWN);
    said.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", said.join("; "))
}
