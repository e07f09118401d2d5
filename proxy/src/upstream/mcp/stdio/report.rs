//! What a child writes that is no message goes to the log: by lines, and not more of them than somebody reads. The last lines
//! are kept, because they often say why it has ended.

use super::lines::{Line, Lines};
use mcp_diagnostics::visible::one_line;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Lines of one child in a second.
const MOST: u32 = 20;
const SECOND: Duration = Duration::from_secs(1);
/// Bytes of a line that are shown.
const SHOWN: usize = 1024;

/// Lines that are kept, so that the error is among them: programs print where it happened after it.
const KEPT: usize = 20;
/// Lines of those that are told, and characters of each.
const TOLD: usize = 3;
const TOLD_CHARACTERS: usize = 300;

/// The last lines that one child wrote to its standard error.
#[derive(Debug, Default)]
pub(super) struct LastWords(Mutex<VecDeque<Line>>);

/// Counts what one child has in the log.
#[derive(Debug)]
pub(super) struct Cap {
    since: Option<Instant>,
    lines: u32,
}

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Log,
    /// It is the first one after a second of too many: this many were left out.
    LogAfter(u32),
    Drop,
}

impl Cap {
    pub(super) const fn new() -> Cap {
        Cap { since: None, lines: 0 }
    }

    pub(super) fn line(&mut self, now: Instant) -> Verdict {
        let is_over = self.since.is_none_or(|since| now.saturating_duration_since(since) >= SECOND);
        let left_out = if is_over { self.lines.saturating_sub(MOST) } else { 0 };
        if is_over {
            (self.since, self.lines) = (Some(now), 0);
        }
        self.lines = self.lines.saturating_add(1);
        match left_out {
            0 if self.lines <= MOST => Verdict::Log,
            0 => Verdict::Drop,
            count => Verdict::LogAfter(count),
        }
    }
}

impl LastWords {
    fn add(&self, line: Line) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// A few of the lines as one: from the first that mentions an error, or else the last.
    pub(super) fn told(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = lines.iter().map(beginning).collect();
        let is_error = |line: &String| line.to_ascii_lowercase().contains("error");
        let start = lines.iter().position(is_error).unwrap_or(lines.len().saturating_sub(TOLD));
        let told = lines.iter().skip(start).take(TOLD).map(|line| {
            let line = line.trim();
            let short: String = line.chars().take(TOLD_CHARACTERS).collect();
            if short.len() < line.len() { format!("{short}…") } else { short }
        });
        Some(told.collect::<Vec<_>>().join(" | ")).filter(|told| !told.is_empty())
    }
}

/// Logs what a child writes to its standard error, until it writes no more.
pub(super) async fn log_errors(server: &str, mut stderr: impl AsyncRead + Unpin, last_words: &LastWords) {
    let mut lines = Lines::new(SHOWN);
    let mut cap = Cap::new();
    let mut bytes = vec![0; 4096];
    loop {
        let length = match stderr.read(&mut bytes).await {
            Ok(length) if length > 0 => length,
            _ => break,
        };
        let now = Instant::now();
        lines.feed(bytes.get(..length).unwrap_or_default(), |line| {
            log_line(server, &line, &mut cap, now);
            last_words.add(line);
        });
    }
    if let Some(line) = lines.end() {
        log_line(server, &line, &mut cap, Instant::now());
        last_words.add(line);
    }
}

fn log_line(server: &str, line: &Line, cap: &mut Cap, now: Instant) {
    let verdict = cap.line(now);
    if let Verdict::LogAfter(left_out) = verdict {
        tracing::warn!(server, left_out, "the server writes too much to its log: lines were left out");
    }
    if verdict != Verdict::Drop {
        tracing::info!(server, line = beginning(line), "from the server");
    }
}

/// As much of a line as is shown: nothing in it steers a terminal.
pub(super) fn beginning(line: &Line) -> String {
    let (bytes, rest) = match line {
        Line::Whole(bytes) => (bytes, ""),
        Line::TooLong { start, .. } => (start, "…"),
    };
    let (bytes, rest) = match bytes.split_at_checked(SHOWN) {
        Some((shown, more)) if !more.is_empty() => (shown, "…"),
        _ => (bytes.as_slice(), rest),
    };
    format!("{}{rest}", one_line(&String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_capped_and_counted() {
        let mut cap = Cap::new();
        let start = Instant::now();
        let logged = (0..500).filter(|_| cap.line(start) == Verdict::Log).count();
        assert_eq!(logged, MOST as usize);
        assert_eq!(cap.line(start + SECOND), Verdict::LogAfter(500 - MOST));
        assert_eq!(cap.line(start + SECOND), Verdict::Log);
        assert_eq!(cap.line(start + 3 * SECOND), Verdict::Log);
    }

    #[test]
    fn the_last_words_begin_with_the_error_and_are_few() {
        let told = |text: &str| {
            let words = LastWords::default();
            text.lines().for_each(|line| words.add(Line::Whole(line.as_bytes().to_vec())));
            words.told()
        };
        assert_eq!(told(""), None);
        assert_eq!(told("sh: 1: \u{1b}[1mx: not found").as_deref(), Some("sh: 1: ␛[1mx: not found"));
        assert_eq!(told("a\nb\nc\nd").as_deref(), Some("b | c | d"));
        let node = "loader:1228\n  throw err;\nError: Cannot find module 'x'\n    at a\n    at b\n    at c\nNode.js v22";
        assert_eq!(told(node).as_deref(), Some("Error: Cannot find module 'x' | at a | at b"));
        let long_ago = format!("an error of long ago\n{}end", "line\n".repeat(KEPT));
        assert_eq!(told(&long_ago).as_deref(), Some("line | line | end"));
        let told = told(&"x".repeat(9999)).unwrap();
        assert_eq!(told, format!("{}…", "x".repeat(TOLD_CHARACTERS)));
    }

    #[test]
    fn the_beginning_of_a_line_is_shown_and_steers_no_terminal() {
        let whole = |text: &str| beginning(&Line::Whole(text.as_bytes().to_vec()));
        assert_eq!(whole("a\u{1b}[31mb\tc"), "a␛[31mb c");
        assert_eq!(whole(&"x".repeat(SHOWN)).len(), SHOWN);
        assert_eq!(whole(&"x".repeat(SHOWN + 1)), format!("{}…", "x".repeat(SHOWN)));
        assert_eq!(beginning(&Line::TooLong { start: b"ab\xff".to_vec(), length: 9 }), "ab\u{fffd}…");
    }
}
