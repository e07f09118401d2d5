//! What specs pin, beside what their server lists now.

use super::listed::{ListedTool, Unusable};
use crate::language::json::Json;
use mcp_bundle::plan::Contents;

/// The parts of a definition that are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Description,
    InputSchema,
    OutputSchema,
}

/// A part that changed: texts for people, JSON with a line for each value. `None`: there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub part: Part,
    pub old: Option<String>,
    pub new: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Same,
    Changed(Vec<Change>, Box<ListedTool>),
    /// The server lists it no more.
    Gone,
    /// What the server lists cannot be used, and why.
    Unusable(String),
}

/// A tool of the specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub tool: String,
    pub mcp_tool: String,
    pub state: State,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// In the order of the bundle.
    pub tools: Vec<Finding>,
    /// Names of tools that no spec has.
    pub new: Vec<String>,
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Description, Part::InputSchema, Part::OutputSchema];

    /// Its key in a spec.
    pub fn key(self) -> &'static str {
        match self {
            Part::Description => "description",
            Part::InputSchema => "input_schema",
            Part::OutputSchema => "output_schema",
        }
    }

    fn member(self) -> &'static str {
        match self {
            Part::Description => "description",
            Part::InputSchema => "inputSchema",
            Part::OutputSchema => "outputSchema",
        }
    }
}

/// Compares the tools of a server with its list; `server` is an index of [`Contents::servers`].
pub fn compare(
    contents: &Contents,
    server: usize,
    listed: &[ListedTool],
    unusable: &[Unusable],
) -> Comparison {
    let mut comparison = Comparison::default();
    let mut known = Vec::new();
    for tool in &contents.tools {
        let Some(plan) = tool.mcp().filter(|plan| plan.server as usize == server) else { continue };
        let mcp_tool = contents.strings.get(plan.name);
        known.push(mcp_tool);
        // The lists are sorted by name.
        let found = listed.binary_search_by(|tool| tool.name.as_str().cmp(mcp_tool));
        let state = match found.ok().and_then(|index| listed.get(index)) {
            Some(live) => state(contents.strings.get(plan.definition), live),
            None => match unusable.iter().find(|tool| tool.name == super::listed::shown(mcp_tool)) {
                Some(unusable) => State::Unusable(unusable.why.clone()),
                None => State::Gone,
            },
        };
        let tool = contents.strings.get(tool.name).to_owned();
        comparison.tools.push(Finding { tool, mcp_tool: mcp_tool.to_owned(), state });
    }
    known.sort_unstable();
    let is_new = |tool: &&ListedTool| known.binary_search(&tool.name.as_str()).is_err();
    comparison.new = listed.iter().filter(is_new).map(|tool| tool.name.clone()).collect();
    comparison
}

fn state(pinned: &str, live: &ListedTool) -> State {
    if pinned == live.canonical {
        return State::Same;
    }
    // Canonical texts are JSON, with sorted members: order is no change.
    let (old, new) = (Json::parse(pinned), Json::parse(&live.canonical));
    let text = |json: &Option<Json>, part: Part| {
        Some(match json.as_ref()?.get(part.member())? {
            Json::String(text) => text.clone(),
            schema => schema.to_pretty(),
        })
    };
    let changes = Part::ALL.into_iter().filter_map(|part| {
        let (old, new) = (text(&old, part), text(&new, part));
        (old != new).then_some(Change { part, old, new })
    });
    State::Changed(changes.collect(), Box::new(live.clone()))
}
