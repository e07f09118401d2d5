//! Tables with bars, for people.

use super::{Shown, toolsets};
use crate::cli::{counted, grouped};
use crate::stats::{PARTS, Part, Size, ToolStats};
use std::io::{Result, Write};

/// Characters of the longest bar.
const BAR: usize = 24;

pub fn write(shown: &Shown, out: &mut dyn Write) -> Result<()> {
    let widest = shown.tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0).max("tool".len());
    let most = shown.tools.iter().map(|tool| tool.tokens).max().unwrap_or(0);
    let total: usize = shown.tools.iter().map(|tool| tool.tokens).sum();
    for (name, tools) in toolsets(&shown.tools) {
        let tokens: usize = tools.iter().map(|tool| tool.tokens).sum();
        writeln!(out, "toolset {name}: {}, {} tokens", counted(tools.len(), "tool"), grouped(tokens))?;
        write!(out, "  {:<widest$}  {:>7}", "tool", "tokens")?;
        if shown.before.is_some() {
            write!(out, "  {:>7}", "change")?;
        }
        for part in PARTS.iter().filter(|part| **part != Part::Other) {
            write!(out, "  {:>11}", part.word())?;
        }
        writeln!(out)?;
        for tool in tools {
            write!(out, "  {:<widest$}  {:>7}", tool.name, grouped(tool.tokens))?;
            if shown.before.is_some() {
                write!(out, "  {:>7}", change(shown, tool))?;
            }
            for (_, tokens) in PARTS.iter().zip(tool.parts).filter(|(part, _)| **part != Part::Other) {
                write!(out, "  {:>11}", grouped(tokens))?;
            }
            writeln!(out, "  {}", bar(tool.tokens, most))?;
        }
        writeln!(out)?;
    }
    answers(&shown.tools, widest, out)?;
    writeln!(out, "longest results")?;
    for tool in &shown.tools {
        let bytes = grouped(usize::try_from(tool.worst.bytes()).unwrap_or(usize::MAX));
        let structured = if tool.worst.structured > 0 { ", and structured content" } else { "" };
        writeln!(out, "  {:<widest$}  {bytes:>12} bytes: {}{structured}", tool.name, tool.worst.because)?;
    }
    let how = if shown.tokenizer == "estimate" {
        "tokens are estimated".to_owned()
    } else {
        format!("tokens are those of {}", shown.tokenizer)
    };
    write!(out, "\n{}, {} tokens", counted(shown.tools.len(), "tool"), grouped(total))?;
    if let Some(before) = &shown.before {
        write!(out, ", {} before", grouped(before.values().sum()))?;
        let gone: Vec<&str> = before
            .keys()
            .map(String::as_str)
            .filter(|name| shown.tools.iter().all(|tool| tool.name != **name))
            .collect();
        if !gone.is_empty() {
            write!(out, " (gone: {})", gone.join(", "))?;
        }
    }
    writeln!(out, "; {how}")
}

/// Responses of examples before and after shaping.
fn answers(tools: &[ToolStats], widest: usize, out: &mut dyn Write) -> Result<()> {
    if tools.iter().all(|tool| tool.answers.is_empty()) {
        return Ok(());
    }
    let size = |size: Size| format!("{} bytes, {} tokens", grouped(size.bytes), grouped(size.tokens));
    writeln!(out, "responses of examples, and what a model gets of them")?;
    for tool in tools {
        for answer in &tool.answers {
            let share = answer.shown.tokens * 100 / answer.raw.tokens.max(1);
            writeln!(
                out,
                "  {:<widest$}  #{:<2}  {:>28}  ->  {:>28}  {share:>3} %",
                tool.name,
                answer.example,
                size(answer.raw),
                size(answer.shown)
            )?;
        }
    }
    writeln!(out)
}

fn change(shown: &Shown, tool: &ToolStats) -> String {
    let before = shown.before.as_ref().and_then(|before| before.get(&tool.name));
    match before {
        None => "new".to_owned(),
        Some(before) if *before == tool.tokens => "=".to_owned(),
        Some(before) if *before < tool.tokens => format!("+{}", grouped(tool.tokens - before)),
        Some(before) => format!("-{}", grouped(before - tool.tokens)),
    }
}

/// A bar as long as its share of the greatest; none that is there is empty.
fn bar(tokens: usize, most: usize) -> String {
    let length = (tokens * BAR).div_ceil(most.max(1)).min(BAR);
    "█".repeat(length)
}
