//! `mcpc stats`

mod text;

use super::diff::operand::Loaded;
use super::{Outcome, Specs, Streams};
use crate::check::check;
use crate::files::disk::Disk;
use crate::publish::{exact_tokens, tokens};
use crate::render::{TextFormat, render_limited};
use crate::stats::{self, PARTS, Size, ToolStats};
use serde::Serialize;
use std::collections::BTreeMap;

/// Show what tools cost a model, in tokens and bytes
///
/// For each tool and toolset: the tokens of its entry in `tools/list` by part, those of the responses of its examples before
/// and after shaping, and the longest result. PATH may also be a bundle or `git:REV:PATH`; a bundle has no examples.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// What comes first
    #[arg(long, value_enum, default_value_t = Sort::Tokens)]
    sort: Sort,
    /// Compare with what this bundle, folder or `git:REV:PATH` costs
    #[arg(long, value_name = "OLD")]
    against: Option<String>,
    /// Estimate tokens as `check` does, instead of counting them
    #[arg(long)]
    estimate: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = StatsFormat::Text)]
    format: StatsFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sort {
    Name,
    /// Tokens of the entry
    Tokens,
    /// Tokens of the description
    Description,
    /// Tokens of the input schema
    Input,
    /// Tokens of the output schema
    Output,
    /// Tokens of the example responses, after shaping
    Answers,
    /// Bytes of the longest result
    Worst,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StatsFormat {
    /// A table with bars
    Text,
    /// One JSON document
    Json,
}

/// What is shown.
struct Shown {
    /// How tokens were counted.
    tokenizer: &'static str,
    tools: Vec<ToolStats>,
    /// Tokens of entries before, by tool; none without `--against`.
    before: Option<BTreeMap<String, usize>>,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let Some(loaded) = load(&arguments.specs, streams)? else { return Ok(Outcome::Incomplete) };
    let before = match &arguments.against {
        None => None,
        Some(old) => match Loaded::read(old, streams)? {
            Some(old) => Some(old),
            None => return Ok(Outcome::Incomplete),
        },
    };
    let count =
        |text: &str| if arguments.estimate { tokens::estimate(text) } else { exact_tokens::count(text) };
    let mut tools = stats::tools(&loaded.contents, loaded.report.as_ref(), &count);
    sort(&mut tools, arguments.sort);
    let before = before.map(|old| {
        stats::tools(&old.contents, None, &count).into_iter().map(|tool| (tool.name, tool.tokens)).collect()
    });
    let tokenizer = if arguments.estimate { "estimate" } else { exact_tokens::NAME };
    let shown = Shown { tokenizer, tools, before };
    match arguments.format {
        StatsFormat::Text => text::write(&shown, &mut streams.out)?,
        StatsFormat::Json => {
            serde_json::to_writer_pretty(&mut streams.out, &document(&shown))?;
            writeln!(streams.out)?;
        }
    }
    Ok(Outcome::Clean)
}

/// One path may be a bundle or a revision; several are specs of one set.
fn load(specs: &Specs, streams: &mut Streams) -> anyhow::Result<Option<Loaded>> {
    if let ([path], None) = (specs.paths.as_slice(), &specs.config)
        && let Some(text) = path.to_str()
    {
        return Loaded::read(text, streams);
    }
    let mut report = check(&specs.discover()?, &Disk);
    let Some(contents) = report.contents.take() else {
        render_limited(TextFormat::Human.into(), &report, streams.err_color, &mut streams.err)?;
        return Ok(None);
    };
    Ok(Some(Loaded { name: String::new(), contents, report: Some(report) }))
}

/// What costs most comes first.
fn sort(tools: &mut [ToolStats], by: Sort) {
    let part = |tool: &ToolStats, index: usize| tool.parts.get(index).copied().unwrap_or_default() as u64;
    let cost = |tool: &ToolStats| match by {
        Sort::Name => 0,
        Sort::Tokens => tool.tokens as u64,
        Sort::Description => part(tool, 1),
        Sort::Input => part(tool, 2),
        Sort::Output => part(tool, 3),
        Sort::Answers => tool.answers_in_all().1.tokens as u64,
        Sort::Worst => tool.worst.bytes(),
    };
    tools.sort_by(|a, b| cost(b).cmp(&cost(a)).then_with(|| a.name.cmp(&b.name)));
}

/// Scripts rely on its shape: a key is added with a reason and never removed.
#[derive(Serialize)]
struct Document<'s> {
    version: u32,
    tokenizer: &'static str,
    tokens: usize,
    bytes: usize,
    tokens_before: Option<usize>,
    toolsets: Vec<JsonToolset<'s>>,
    tools: Vec<JsonTool<'s>>,
}

#[derive(Serialize)]
struct JsonToolset<'s> {
    name: &'s str,
    tools: usize,
    tokens: usize,
    bytes: usize,
}

#[derive(Serialize)]
struct JsonTool<'s> {
    name: &'s str,
    toolset: &'s str,
    bytes: usize,
    tokens: usize,
    /// `null` for a new tool, and without `--against`.
    tokens_before: Option<usize>,
    parts: BTreeMap<&'static str, usize>,
    answers: Vec<JsonAnswer>,
    worst_result: JsonWorst,
}

#[derive(Serialize)]
struct JsonAnswer {
    example: usize,
    raw: JsonSize,
    shown: JsonSize,
}

#[derive(Serialize)]
struct JsonSize {
    bytes: usize,
    tokens: usize,
}

#[derive(Serialize)]
struct JsonWorst {
    bytes: u64,
    text_bytes: u64,
    structured_bytes: u64,
    because: &'static str,
}

fn document(shown: &Shown) -> Document<'_> {
    let before = |name: &str| shown.before.as_ref().and_then(|before| before.get(name).copied());
    let size = |size: Size| JsonSize { bytes: size.bytes, tokens: size.tokens };
    let tools = shown.tools.iter().map(|tool| JsonTool {
        name: &tool.name,
        toolset: &tool.toolset,
        bytes: tool.bytes,
        tokens: tool.tokens,
        tokens_before: before(&tool.name),
        parts: PARTS.iter().zip(tool.parts).map(|(part, tokens)| (part.word(), tokens)).collect(),
        answers: tool
            .answers
            .iter()
            .map(|answer| JsonAnswer {
                example: answer.example,
                raw: size(answer.raw),
                shown: size(answer.shown),
            })
            .collect(),
        worst_result: JsonWorst {
            bytes: tool.worst.bytes(),
            text_bytes: tool.worst.text,
            structured_bytes: tool.worst.structured,
            because: tool.worst.because,
        },
    });
    let toolsets = toolsets(&shown.tools).into_iter().map(|(name, tools)| JsonToolset {
        name,
        tools: tools.len(),
        tokens: tools.iter().map(|tool| tool.tokens).sum(),
        bytes: tools.iter().map(|tool| tool.bytes).sum(),
    });
    Document {
        version: 1,
        tokenizer: shown.tokenizer,
        tokens: shown.tools.iter().map(|tool| tool.tokens).sum(),
        bytes: shown.tools.iter().map(|tool| tool.bytes).sum(),
        tokens_before: shown.before.as_ref().map(|before| before.values().sum()),
        toolsets: toolsets.collect(),
        tools: tools.collect(),
    }
}

/// The tools of each toolset, in the order that they have.
fn toolsets(tools: &[ToolStats]) -> BTreeMap<&str, Vec<&ToolStats>> {
    let mut sets: BTreeMap<&str, Vec<&ToolStats>> = BTreeMap::new();
    for tool in tools {
        sets.entry(tool.toolset.as_str()).or_default().push(tool);
    }
    sets
}
