//! What was seen, as Markdown.

use super::Outcome;
use crate::scale::figures::{Table, count, median};
use crate::scale::machine;
use std::fmt::Write;

/// How long a new connection may wait in an upgrade.
const MOST_MS: f64 = 50.0;

pub(super) fn text(outcomes: &[Outcome]) -> String {
    let mut calls = Table::new(&["what happens", "times", "calls", "lost or failed", "bar", ""]);
    let mut connections = Table::new(&["new connections", "", "median ms", "slowest ms", "bar", ""]);
    let mut failures = String::new();
    for Outcome { fault, times, seen } in outcomes {
        let (lost, most) = (seen.lost(), fault.most_lost());
        let shown = |count_of: u64| count(usize::try_from(count_of).unwrap_or(usize::MAX));
        calls.row([
            fault.name().to_owned(),
            times.to_string(),
            shown(seen.answered + lost),
            shown(lost),
            if most == 0 { "0".to_owned() } else { format!("≤ {most}") },
            verdict(lost <= most).to_owned(),
        ]);
        for (when, taken, has_bar) in [
            (fault.name(), &seen.disturbed, *fault == super::Fault::Upgrade),
            ("before and after", &seen.calm, false),
        ] {
            let slowest = taken.iter().copied().fold(0.0, f64::max);
            if !taken.is_empty() {
                connections.row([
                    when.to_owned(),
                    count(taken.len()),
                    format!("{:.1}", median(taken)),
                    format!("{slowest:.1}"),
                    if has_bar { format!("≤ {MOST_MS}") } else { String::new() },
                    if has_bar { verdict(slowest <= MOST_MS) } else { "" }.to_owned(),
                ]);
            }
        }
        for (what, times) in &seen.failed {
            // Writing to a string cannot fail.
            let _ = writeln!(failures, "- {}, {times} times: {what}", fault.name());
        }
    }
    if !failures.is_empty() {
        failures.insert_str(0, "\nFailures:\n\n");
    }
    format!(
        "# Faults\n\nWritten by `just faults`. {}\n\n\
         64 connections call a tool, a POST, which must not be sent twice, rest for 10 ms and call again. `mcp-edge` and its \
         upstream, nginx, run as they come. Another client opens a connection, calls once, and opens the next; its time is from connecting to \
         the end of the answer. A call is lost or failed if it has no answer, or another one. At SIGTERM, clients leave when \
         they are told that their connection closes. An upgrade lasts from the start of the new process to the end of the old \
         one, a reload until all workers of nginx are new.\n\n{calls}\n{connections}{failures}",
        machine::description()
    )
}

const fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**not met**" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{Fault, Seen};

    #[test]
    fn a_report_says_what_was_lost_and_how() {
        let seen = |lost: u64| Seen {
            answered: 1_000,
            failed: (lost > 0).then(|| ("nobody answered".to_owned(), lost)).into_iter().collect(),
            disturbed: vec![1.0, 51.0],
            calm: vec![2.0],
        };
        let outcome = |fault, lost| Outcome { fault, times: 3, seen: seen(lost) };
        let text = text(&[outcome(Fault::Upgrade, 0), outcome(Fault::Reload, 21)]);
        for line in [
            "| upgrade | 3 | 1,000 | 0 | 0 | met |",
            "| reload of the upstream | 3 | 1,021 | 21 | ≤ 20 | **not met** |",
            "| upgrade | 2 | 51.0 | 51.0 | ≤ 50 | **not met** |",
            "| before and after | 1 | 2.0 | 2.0 |  |  |",
            "- reload of the upstream, 21 times: nobody answered",
        ] {
            assert!(text.lines().any(|seen| seen == line), "no `{line}` in {text}");
        }
    }
}
