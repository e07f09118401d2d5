//! What tools cost a model: their entries in `tools/list`, the results of their examples, and the longest result.

use crate::check::Report;
use crate::exercise::testing::{self, Selection, body_of};
use crate::language::json::Json;
use crate::publish::result_size::{Bounds, Worst};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::collections::BTreeMap;

/// The parts of an entry, in the order in which they are shown.
pub const PARTS: [Part; 6] =
    [Part::Name, Part::Description, Part::Input, Part::Output, Part::Annotations, Part::Other];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Name,
    Description,
    Input,
    Output,
    Annotations,
    /// Title, tags, icons, and what is between the parts.
    Other,
}

#[derive(Debug)]
pub struct ToolStats {
    pub name: String,
    pub toolset: String,
    /// Of its whole entry.
    pub bytes: usize,
    pub tokens: usize,
    /// Tokens by part, in the order of [`PARTS`].
    pub parts: [usize; PARTS.len()],
    /// Of its examples with responses; none of a bundle, which has no examples.
    pub answers: Vec<AnswerStats>,
    pub worst: Worst,
}

/// An example's response, and the text of the result.
#[derive(Debug)]
pub struct AnswerStats {
    /// From 1.
    pub example: usize,
    pub raw: Size,
    pub shown: Size,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Size {
    pub bytes: usize,
    pub tokens: usize,
}

impl Part {
    pub const fn word(self) -> &'static str {
        match self {
            Part::Name => "name",
            Part::Description => "description",
            Part::Input => "input",
            Part::Output => "output",
            Part::Annotations => "annotations",
            Part::Other => "other",
        }
    }

    fn of_member(name: &str) -> Part {
        match name {
            "name" => Part::Name,
            "description" => Part::Description,
            "inputSchema" => Part::Input,
            "outputSchema" => Part::Output,
            "annotations" => Part::Annotations,
            _ => Part::Other,
        }
    }
}

/// The costs of all tools, sorted by name. `report` is that of the specs that the contents come from.
pub fn tools(contents: &Contents, report: Option<&Report>, count: &dyn Fn(&str) -> usize) -> Vec<ToolStats> {
    let mut answers = report.map(|report| answers(contents, report, count)).unwrap_or_default();
    let tools = contents.tools.iter().zip(&contents.list).map(|(plan, entry)| {
        let text = format!("{}}}", entry.open_form(&contents.strings, ProtocolVersion::V20260728));
        let name = contents.strings.get(plan.name).to_owned();
        let toolset = contents.manifest.toolsets.get(plan.toolset as usize);
        let tokens = count(&text);
        ToolStats {
            toolset: toolset.map(|set| contents.strings.get(set.name).to_owned()).unwrap_or_default(),
            bytes: text.len(),
            tokens,
            parts: parts(&text, tokens, count),
            answers: answers.remove(&name).unwrap_or_default(),
            worst: worst(contents, plan),
            name,
        }
    });
    tools.collect()
}

/// The tokens of each part. Those between the parts, and those that neighbours share, are among the others.
fn parts(entry: &str, tokens: usize, count: &dyn Fn(&str) -> usize) -> [usize; PARTS.len()] {
    let mut parts = [0; PARTS.len()];
    for (name, value) in Json::parse(entry).as_ref().and_then(Json::as_object).unwrap_or_default() {
        let part = Part::of_member(name);
        let slot = PARTS.iter().position(|one| *one == part).and_then(|at| parts.get_mut(at));
        if let (Some(slot), true) = (slot, part != Part::Other) {
            *slot += count(&value.to_text());
        }
    }
    let said: usize = parts.iter().sum();
    if let Some(other) = parts.last_mut() {
        *other = tokens.saturating_sub(said);
    }
    parts
}

/// The responses of examples before and after shaping, by tool.
fn answers(
    contents: &Contents,
    report: &Report,
    count: &dyn Fn(&str) -> usize,
) -> BTreeMap<String, Vec<AnswerStats>> {
    let size = |text: &str| Size { bytes: text.len(), tokens: count(text) };
    let results = testing::run(report, contents, &Selection::default());
    let mut shown: BTreeMap<(&str, usize), &str> = BTreeMap::new();
    for test in &results.tests {
        if let Some(result) = &test.actual.result {
            shown.insert((test.tool.as_str(), test.number), &result.text);
        }
    }
    let mut found: BTreeMap<String, Vec<AnswerStats>> = BTreeMap::new();
    for tool in report.toolsets.iter().flat_map(|toolset| &toolset.tools) {
        for (number, example) in (1..).zip(&tool.examples) {
            let (Some(response), Some(text)) = (&example.response, shown.get(&(tool.label(), number))) else {
                continue;
            };
            let raw = size(&String::from_utf8_lossy(&body_of(response)));
            let answer = AnswerStats { example: number, raw, shown: size(text) };
            found.entry(tool.label().to_owned()).or_default().push(answer);
        }
    }
    found
}

fn worst(contents: &Contents, plan: &ToolPlan) -> Worst {
    let policy = contents.policies.get(plan.policy as usize);
    let schema = plan.response.output_schema.and_then(|index| contents.manifest.schemas.get(index as usize));
    let schema = schema.and_then(|id| Json::parse(contents.strings.get(*id)));
    Worst::of(&Bounds {
        max_response_bytes: policy.and_then(|policy| policy.max_response_bytes),
        max_text_bytes: policy.and_then(|policy| policy.max_text_bytes),
        max_results: policy.and_then(|policy| policy.max_results),
        output_schema: schema.as_ref(),
        has_select: !plan.response.select.is_empty(),
        has_template: plan.response.template.is_some(),
        fixed: plan.fixed_answer().map(|id| contents.strings.get(id).len()),
    })
}

impl ToolStats {
    /// All its example responses together, before and after shaping.
    pub fn answers_in_all(&self) -> (Size, Size) {
        let add = |one: Size, other: Size| Size {
            bytes: one.bytes + other.bytes,
            tokens: one.tokens + other.tokens,
        };
        self.answers
            .iter()
            .fold(Default::default(), |(raw, shown), answer| (add(raw, answer.raw), add(shown, answer.shown)))
    }
}
