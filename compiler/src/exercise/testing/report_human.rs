//! What failed, and a line of numbers at the end.

use super::diff::{self, Kind};
use super::{Results, Test};
use crate::check::Report;
use mcp_diagnostics::Span;
use mcp_diagnostics::visible::one_line;
use std::io::{Result, Write};

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// How many names of a list are shown.
const MAX_NAMES: usize = 20;

pub fn write(report: &Report, results: &Results, color: bool, out: &mut dyn Write) -> Result<()> {
    for test in results.tests.iter().filter(|test| !test.is_passed()) {
        failed(report, test, color, out)?;
    }
    for uncovered in &results.uncovered {
        let place = place(report, uncovered.span);
        writeln!(out, "{place}: {}: no example reaches {}", uncovered.tool, one_line(&uncovered.what))?;
    }
    if !results.untested.is_empty() {
        let count = results.untested.len();
        let mut names: Vec<&str> = results.untested.iter().take(MAX_NAMES).map(|u| u.tool.as_str()).collect();
        let more = format!("and {} more", count - names.len());
        if count > names.len() {
            names.push(&more);
        }
        let verb = if count == 1 { "has" } else { "have" };
        writeln!(out, "{} {verb} no example: {}", counted(count, "tool"), names.join(", "))?;
    }
    let (passed, failed) = (results.passed(), results.failed());
    let numbers = format!("{}, {}", counted(results.tools, "tool"), counted(results.tests.len(), "example"));
    writeln!(out, "{numbers}: {passed} passed, {failed} failed{}", denied(results))
}

/// Why a run fails although its examples pass.
fn denied(results: &Results) -> String {
    let untested = results.untested.len();
    let uncovered = results.uncovered.len();
    let mut reasons = Vec::new();
    if results.untested_fail && untested > 0 {
        reasons.push(format!("{} without an example (--deny untested)", counted(untested, "tool")));
    }
    if results.uncovered_fail && uncovered > 0 {
        let branches = if uncovered == 1 { "branch" } else { "branches" };
        reasons.push(format!("{uncovered} {branches} that no example reaches (--deny uncovered)"));
    }
    if reasons.is_empty() { String::new() } else { format!("; denied: {}", reasons.join(", ")) }
}

fn failed(report: &Report, test: &Test, color: bool, out: &mut dyn Write) -> Result<()> {
    let paint = |code: &'static str| if color { code } else { "" };
    let (bold, red, plain) = (paint(BOLD), paint(RED), paint(PLAIN));
    let (place, label) = (place(report, test.span), test.label());
    writeln!(out, "{bold}{place}: {}{plain} {red}failed{plain}", one_line(&label))?;
    for failure in &test.failures {
        let lines = diff::lines(failure);
        let is_diff = lines.iter().any(|line| line.text.starts_with(['-', '+']));
        let legend = if is_diff { " (- expected, + actual)" } else { "" };
        writeln!(out, "  {}{legend}", one_line(&failure.what))?;
        for line in lines {
            let start = match line.kind {
                Kind::Expected => paint(RED),
                Kind::Actual => paint(GREEN),
                Kind::Same | Kind::Note => "",
            };
            let end = if start.is_empty() { "" } else { plain };
            let text = format!("    {start}{}{end}", line.text.trim_end());
            writeln!(out, "{}", text.trim_end())?;
        }
    }
    writeln!(out)
}

fn place(report: &Report, span: Span) -> String {
    let file = report.sources.file(span.file);
    let start = file.location(span.start as usize);
    format!("{}:{}:{}", file.name, start.line, start.column)
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
