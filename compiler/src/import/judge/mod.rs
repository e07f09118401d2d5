//! Drafts, judged by the check that any spec passes.
//!
//! A tool that the check refuses is left out, with what it says as the reason, and the rest is checked again. So what is written
//! has no errors, and its examples pass.

use super::codes::{self, Code};
use super::draft::{DraftSpec, DraftTool};
use super::write::{SpecText, write};
use crate::check::{MemoryFiles, Report, check_files};
use crate::exercise::testing::{self, Selection};
use crate::lint::rules::INVALID_EXAMPLE;
use mcp_diagnostics::visible::one_line;
use mcp_diagnostics::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Reasons that are shown for one tool.
const SHOWN: usize = 3;

/// Specs without errors.
#[derive(Debug, Default)]
pub struct Judged {
    pub files: Vec<SpecFile>,
    pub left_out: Vec<LeftOut>,
    /// Examples that were left out, or lost their responses.
    pub examples: Vec<LeftOut>,
    /// How many warnings the check has, by the name of the rule.
    pub warnings: BTreeMap<&'static str, usize>,
}

/// A spec to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecFile {
    /// `NAME.toml`, without a folder.
    pub name: String,
    pub text: String,
    pub tools: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub tool: String,
    /// Where the source has it.
    pub place: String,
    pub code: &'static Code,
    pub why: String,
}

/// Where an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Culprit {
    /// Above the tools: no tool of the spec can be had.
    Spec(usize),
    /// No tool that is sent there can be had.
    Upstream(usize, usize),
    Tool(usize, usize),
    Example(usize, usize, usize),
}

pub fn judge(mut specs: Vec<DraftSpec>) -> Judged {
    let mut judged = Judged::default();
    // Each round takes something away, or is the last.
    loop {
        specs.retain(|spec| !spec.tools.is_empty());
        let texts: Vec<SpecText> = specs.iter().map(write).collect();
        let mut culprits = unwritable(&texts);
        let report = if culprits.is_empty() {
            let mut files = MemoryFiles::default();
            for (spec, text) in specs.iter().zip(&texts) {
                files.add(&file_name(spec), &text.text);
            }
            let report = check_files(&files);
            culprits = of_errors(&report, &specs, &texts);
            if culprits.is_empty() {
                culprits = of_tests(&report, &specs, &texts);
            }
            Some(report)
        } else {
            None
        };
        let Some(report) = report.filter(|_| culprits.is_empty()) else {
            remove(&mut specs, culprits, &mut judged);
            continue;
        };
        for finding in report.diagnostics.iter().filter(|finding| finding.severity == Severity::Warning) {
            *judged.warnings.entry(finding.name()).or_default() += 1;
        }
        judged.files = specs
            .iter()
            .zip(texts)
            .map(|(spec, text)| SpecFile { name: file_name(spec), text: text.text, tools: spec.tools.len() })
            .collect();
        return judged;
    }
}

fn file_name(spec: &DraftSpec) -> String {
    format!("{}.toml", spec.name)
}

type Culprits = BTreeMap<Culprit, (&'static Code, Vec<String>)>;

fn unwritable(texts: &[SpecText]) -> Culprits {
    let mut culprits = Culprits::new();
    for (spec, text) in texts.iter().enumerate() {
        for (tool, written) in text.tools.iter().enumerate() {
            for example in &written.unwritable_examples {
                let why = "TOML cannot write its arguments".to_owned();
                culprits.insert(Culprit::Example(spec, tool, *example), (&codes::NOT_IN_TOML, vec![why]));
            }
            if !written.unwritable.is_empty() {
                let keys: Vec<String> = written.unwritable.iter().map(|key| format!("`{key}`")).collect();
                let why = format!("TOML cannot write a value of {}", keys.join(", "));
                culprits.insert(Culprit::Tool(spec, tool), (&codes::NOT_IN_TOML, vec![why]));
            }
        }
    }
    culprits
}

fn of_errors(report: &Report, specs: &[DraftSpec], texts: &[SpecText]) -> Culprits {
    let mut culprits = Culprits::new();
    for error in report.diagnostics.iter().filter(|finding| finding.severity == Severity::Error) {
        let is_example = error.is(&INVALID_EXAMPLE);
        let culprit = culprit(report, error, specs, texts, is_example);
        let code = if is_example { &codes::EXAMPLE_REFUSED } else { &codes::REFUSED_BY_CHECK };
        let (_, reasons) = culprits.entry(culprit).or_insert((code, Vec::new()));
        let notes = error.notes.iter().take(if is_example { SHOWN } else { 0 });
        let said: Vec<&str> =
            std::iter::once(error.message.as_str()).chain(notes.map(String::as_str)).collect();
        let said = format!("{} ({})", one_line(&said.join(": ")), error.code());
        if !reasons.contains(&said) {
            reasons.push(said);
        }
    }
    culprits
}

/// Examples that do not give what they say.
fn of_tests(report: &Report, specs: &[DraftSpec], texts: &[SpecText]) -> Culprits {
    let mut culprits = Culprits::new();
    let Some(contents) = &report.contents else { return culprits };
    let results = testing::run(report, contents, &Selection::default());
    let places: BTreeMap<&str, (usize, usize)> = specs
        .iter()
        .enumerate()
        .flat_map(|(spec, draft)| {
            draft.tools.iter().enumerate().map(move |(tool, draft)| (draft.name.as_str(), (spec, tool)))
        })
        .collect();
    for test in results.tests.iter().filter(|test| !test.is_passed()) {
        let Some((spec, tool)) = places.get(test.tool.as_str()).copied() else { continue };
        let has_example = texts
            .get(spec)
            .and_then(|text| text.tools.get(tool))
            .is_some_and(|tool| test.number <= tool.examples.len());
        if !has_example {
            continue;
        }
        let reasons = test.failures.iter().map(|failure| {
            let actual = failure.actual.as_deref().unwrap_or("nothing");
            let short: String = one_line(actual).chars().take(160).collect();
            format!("{}: {short}", failure.what)
        });
        let culprit = Culprit::Example(spec, tool, test.number.saturating_sub(1));
        culprits.insert(culprit, (&codes::EXAMPLE_REFUSED, reasons.collect()));
    }
    culprits
}

fn culprit(
    report: &Report,
    error: &Diagnostic,
    specs: &[DraftSpec],
    texts: &[SpecText],
    is_example: bool,
) -> Culprit {
    let name = &report.sources.file(error.span.file).name;
    let spec = specs.iter().position(|spec| file_name(spec) == *name).unwrap_or_default();
    let at = error.span.start as usize;
    let tools = texts.get(spec).map(|text| text.tools.as_slice()).unwrap_or_default();
    let Some(tool) = tools.iter().position(|tool| tool.range.contains(&at)) else {
        let upstreams = texts.get(spec).map(|text| text.upstreams.as_slice()).unwrap_or_default();
        let upstream = upstreams.iter().position(|range| range.contains(&at));
        return upstream.map_or(Culprit::Spec(spec), |upstream| Culprit::Upstream(spec, upstream));
    };
    let examples = tools.get(tool).map(|tool| tool.examples.as_slice()).unwrap_or_default();
    match examples.iter().position(|range| range.contains(&at)) {
        Some(example) if is_example => Culprit::Example(spec, tool, example),
        _ => Culprit::Tool(spec, tool),
    }
}

/// Takes away what has errors; from the end, so that the numbers of the others stay.
fn remove(specs: &mut [DraftSpec], culprits: Culprits, judged: &mut Judged) {
    let whole: BTreeSet<usize> = culprits
        .keys()
        .filter_map(|culprit| if let Culprit::Spec(spec) = culprit { Some(*spec) } else { None })
        .collect();
    for (culprit, (code, reasons)) in culprits.into_iter().rev() {
        let why = joined(reasons);
        let left_out =
            |tool: DraftTool| LeftOut { tool: tool.name, place: tool.place, code, why: why.clone() };
        match culprit {
            Culprit::Spec(spec) => {
                if let Some(spec) = specs.get_mut(spec) {
                    judged.left_out.extend(spec.tools.drain(..).map(left_out));
                }
            }
            Culprit::Upstream(spec, _) | Culprit::Tool(spec, _) | Culprit::Example(spec, ..)
                if whole.contains(&spec) => {}
            Culprit::Upstream(spec, upstream) => {
                if let Some(spec) = specs.get_mut(spec) {
                    judged.left_out.extend(sent_to(spec, upstream).into_iter().map(left_out));
                }
            }
            Culprit::Tool(spec, tool) => {
                if let Some(spec) = specs.get_mut(spec).filter(|spec| tool < spec.tools.len()) {
                    judged.left_out.push(left_out(spec.tools.remove(tool)));
                }
            }
            Culprit::Example(spec, tool, number) => {
                let Some(tool) = specs.get_mut(spec).and_then(|spec| spec.tools.get_mut(tool)) else {
                    continue;
                };
                if number < tool.examples.len() {
                    let example = tool.examples.remove(number);
                    judged.examples.push(LeftOut {
                        tool: tool.name.clone(),
                        place: if example.place.is_empty() { tool.place.clone() } else { example.place },
                        code,
                        why,
                    });
                }
            }
        }
    }
}

/// Takes an upstream away, and gives the tools that are sent there.
fn sent_to(spec: &mut DraftSpec, upstream: usize) -> Vec<DraftTool> {
    if upstream >= spec.upstreams.len() {
        return Vec::new();
    }
    // A tool that names none is sent to the only one.
    let is_only = spec.upstreams.len() == 1;
    let name = spec.upstreams.remove(upstream).name;
    let is_sent = |tool: &DraftTool| tool.upstream.as_ref().map_or(is_only, |own| *own == name);
    let (sent, others) = std::mem::take(&mut spec.tools).into_iter().partition(is_sent);
    spec.tools = others;
    sent
}

fn joined(mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(SHOWN);
    reasons.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", reasons.join("; "))
}

#[cfg(test)]
mod tests;
