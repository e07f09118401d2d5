//! Keeps thousands of equal findings from burying the others.

use mcp_diagnostics::Diagnostic;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Findings of one rule that people get to see.
const PER_RULE: usize = 20;

/// The first findings of each rule, and a line for each rule that has more.
pub fn limited(diagnostics: &[Diagnostic]) -> (Cow<'_, [Diagnostic]>, Vec<String>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let is_shown = |diagnostic: &&Diagnostic| {
        let count = counts.entry(diagnostic.code()).or_default();
        *count += 1;
        *count <= PER_RULE
    };
    let shown: Vec<&Diagnostic> = diagnostics.iter().filter(is_shown).collect();
    if shown.len() == diagnostics.len() {
        return (diagnostics.into(), Vec::new());
    }
    let shown: Vec<Diagnostic> = shown.into_iter().cloned().collect();
    let more = counts.into_iter().filter(|(_, count)| *count > PER_RULE);
    let more = more.map(|(code, count)| {
        format!("… and {} more {code}; `mcpc check --all` shows them", super::grouped(count - PER_RULE))
    });
    let more = more.collect();
    (shown.into(), more)
}
