//! One line for each call that was served.

use mcp_diagnostics::visible::one_line;
use mcp_edge::call::observe::Observer;
use mcp_edge::call::record::CallRecord;
use std::fmt::{self, Debug, Write as _};

/// Writes the lines.
pub struct CallLines<W>(pub W);

impl<W: Fn(&str) + Send + Sync> Observer for CallLines<W> {
    fn call(&self, record: &CallRecord<'_>) {
        (self.0)(&line(record));
    }
}

impl<W> Debug for CallLines<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallLines")
    }
}

/// What people want to see of a call.
fn line(record: &CallRecord<'_>) -> String {
    let mut line = format!("call {}: {}", one_line(record.tool), record.outcome.as_str());
    if let Some(status) = record.upstream_status {
        let _ = write!(line, ", status {status}");
    }
    if let Some(error) = record.error {
        let _ = write!(line, " ({})", one_line(error));
    }
    let microseconds = record.total.as_micros();
    let _ = writeln!(line, ", {}.{} ms", microseconds / 1000, microseconds % 1000 / 100);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::plan::Contents;
    use mcp_edge::call::record::{Outcome, RequestFacts};
    use mcp_edge::request::id::RequestId;
    use mcp_edge::request::identity::{Caller, Peer};
    use mcp_edge::telemetry::metrics::Metrics;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    #[test]
    fn a_call_is_one_line() {
        let lines = Arc::new(Mutex::new(String::new()));
        let into = lines.clone();
        let calls = CallLines(move |line: &str| into.lock().unwrap().push_str(line));
        let counts = &Metrics::default().tools(["a"].into_iter());
        let (request_id, caller, peer) = (&RequestId::Made(1), &Caller::Anonymous, &Peer::default());
        let record = CallRecord {
            request: RequestFacts { request_id, caller, peer, toolset: None, revision: None, protocol: None },
            tool: "a\nb",
            index: 0,
            contents: &Contents::default(),
            counts,
            outcome: Outcome::Ok,
            reason: None,
            problems: &[],
            error: None,
            upstream_host: None,
            upstream_status: Some(200),
            attempts: 1,
            total: Duration::from_micros(12_345),
            upstream: Duration::ZERO,
            request_bytes: 0,
            response_bytes: 0,
        };
        calls.call(&record);
        let failed = CallRecord { upstream_status: None, ..record };
        let (invalid, short) = (Outcome::InvalidArguments, Duration::from_micros(40));
        calls.call(&CallRecord { tool: "c", outcome: invalid, total: short, ..failed });
        let (error, outcome) = (Some("it cannot be reached"), Outcome::UpstreamFailed);
        let total = Duration::from_micros(1_100);
        calls.call(&CallRecord { tool: "d", outcome, error, total, ..failed });
        assert_eq!(
            *lines.lock().unwrap(),
            "call a b: ok, status 200, 12.3 ms\ncall c: invalid_arguments, 0.0 ms\n\
            call d: upstream_failed (it cannot be reached), 1.1 ms\n"
        );
    }
}
