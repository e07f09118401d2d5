//! Differences as people read them.

use super::TestFailure;
use mcp_diagnostics::visible::shown;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Longer differences are cut: nobody reads them.
const MAX_LINES: usize = 200;
/// Characters of a line that are shown, and how many of them come before the first difference.
const WIDTH: usize = 100;
const BEFORE: usize = 40;
/// Finding the least difference of two long texts that share nothing could take minutes.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: Kind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Same,
    Expected,
    Actual,
    Note,
}

/// A failure, line by line.
pub fn lines(failure: &TestFailure) -> Vec<Line> {
    let note = |text: &str| Line { kind: Kind::Note, text: text.to_owned() };
    match (&failure.expected, &failure.actual) {
        (None, message) => message.iter().flat_map(|m| m.split('\n')).map(|l| note(&printable(l))).collect(),
        (Some(expected), None) => {
            let expected = expected
                .split('\n')
                .map(|line| Line { kind: Kind::Expected, text: format!("- {}", printable(line)) });
            expected.chain([note("but there is none")]).collect()
        }
        (Some(expected), Some(actual)) if expected.contains('\n') || actual.contains('\n') => {
            between(expected, actual)
        }
        (Some(expected), Some(actual)) => beside(expected, actual),
    }
}

/// Two lines, one under the other, and a mark under their first difference.
fn beside(expected: &str, actual: &str) -> Vec<Line> {
    let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
    let length = expected.chars().count().max(actual.chars().count());
    let start = if length > WIDTH { same.saturating_sub(BEFORE) } else { 0 };
    let part = |text: &str| {
        if text.is_empty() {
            return "(empty)".to_owned();
        }
        let mut part: String = text.chars().skip(start).take(WIDTH).map(printable_character).collect();
        if text.chars().count() > start + WIDTH {
            part.push('…');
        }
        if start > 0 { format!("…{part}") } else { part }
    };
    let column = same - start + usize::from(start > 0);
    vec![
        Line { kind: Kind::Expected, text: format!("expected  {}", part(expected)) },
        Line { kind: Kind::Actual, text: format!("actual    {}", part(actual)) },
        Line { kind: Kind::Note, text: format!("          {}^", " ".repeat(column)) },
    ]
}

fn between(expected: &str, actual: &str) -> Vec<Line> {
    // Split here, so that a line break at the end is a line of its own and seen.
    let (expected, actual): (Vec<&str>, Vec<&str>) =
        (expected.split('\n').collect(), actual.split('\n').collect());
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&expected, &actual);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        let skipped = group.first().is_some_and(|op| op.old_range().start > 0);
        if index > 0 || skipped {
            lines.push(Line { kind: Kind::Note, text: "…".to_owned() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = change.value();
            lines.push(match change.tag() {
                ChangeTag::Equal => Line { kind: Kind::Same, text: format!("  {}", printable(text)) },
                ChangeTag::Delete => Line { kind: Kind::Expected, text: format!("- {}", marked(text)) },
                ChangeTag::Insert => Line { kind: Kind::Actual, text: format!("+ {}", marked(text)) },
            });
        }
    }
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(Line { kind: Kind::Note, text: format!("… and {more} more lines") });
    }
    lines
}

/// A changed line: spaces at its end may be the change.
fn marked(line: &str) -> String {
    let trimmed = line.trim_end_matches(' ');
    format!("{}{}", printable(trimmed), "·".repeat(line.len() - trimmed.len()))
}

fn printable(line: &str) -> String {
    line.chars().map(printable_character).collect()
}

/// One character for one, so that columns stay.
fn printable_character(c: char) -> char {
    match c {
        '\t' => '␉',
        '\n' => '␊',
        c => shown(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(expected: &str, actual: &str) -> String {
        let failure =
            TestFailure { what: "text".into(), expected: Some(expected.into()), actual: Some(actual.into()) };
        lines(&failure).into_iter().map(|line| line.text + "\n").collect()
    }

    #[test]
    fn one_line_texts_are_shown_under_each_other() {
        assert_eq!(
            text("Order 42: paid", "Order 42: sent"),
            "expected  Order 42: paid\nactual    Order 42: sent\n                    ^\n"
        );
        assert_eq!(text("ab", "abc"), "expected  ab\nactual    abc\n            ^\n");
        assert_eq!(text("", "a\u{1b}"), "expected  (empty)\nactual    a␛\n          ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_difference() {
        let long = "x".repeat(300);
        let shown = text(&format!("{long}a{long}"), &format!("{long}b{long}"));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0].chars().count(), 10 + WIDTH + 2);
        let mark = lines[2].chars().count() - 1;
        assert_eq!((lines[0].chars().nth(mark), lines[1].chars().nth(mark)), (Some('a'), Some('b')));
    }

    #[test]
    fn several_lines_become_a_diff() {
        assert_eq!(text("a\nb\nc", "a\nB \nc"), "  a\n- b\n+ B·\n  c\n");
        assert_eq!(text("a\n", "a"), "  a\n- \n");
        let many: String = (0..20).map(|n| format!("{n}\n")).collect();
        assert_eq!(
            text(&many, &many.replace("15", "x")),
            "…\n  12\n  13\n  14\n- 15\n+ x\n  16\n  17\n  18\n"
        );
    }
}
