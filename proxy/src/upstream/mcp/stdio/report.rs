//! What a child writes that is no message goes to the log: by lines, and not more of them than somebody reads.

use super::lines::{Line, Lines};
use mcp_diagnostics::visible::one_line;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Lines of one child in a second.
const MOST: u32 = 20;
const SECOND: Duration = Duration::from_secs(1);
/// Bytes of a line that are shown.
const SHOWN: usize = 1024;

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

/// Logs what a child writes to its standard error, until it writes no more.
pub(super) async fn log_errors(server: &str, mut stderr: impl AsyncRead + Unpin) {
    let mut lines = Lines::new(SHOWN);
    let mut cap = Cap::new();
    let mut bytes = vec![0; 4096];
    loop {
        let length = match stderr.read(&mut bytes).await {
            Ok(length) if length > 0 => length,
            _ => break,
        };
        let now = Instant::now();
        lines.feed(bytes.get(..length).unwrap_or_default(), |line| log_line(server, &line, &mut cap, now));
    }
    if let Some(line) = lines.end() {
        log_line(server, &line, &mut cap, Instant::now());
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
    fn the_beginning_of_a_line_is_shown_and_steers_no_terminal() {
        let whole = |text: &str| beginning(&Line::Whole(text.as_bytes().to_vec()));
        assert_eq!(whole("a\u{1b}[31mb\tc"), "a␛[31mb c");
        assert_eq!(whole(&"x".repeat(SHOWN)).len(), SHOWN);
        assert_eq!(whole(&"x".repeat(SHOWN + 1)), format!("{}…", "x".repeat(SHOWN)));
        assert_eq!(beginning(&Line::TooLong { start: b"ab\xff".to_vec(), length: 9 }), "ab\u{fffd}…");
    }
}
