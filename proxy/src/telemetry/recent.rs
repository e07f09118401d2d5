//! The last calls, for people who look at a running edge. Off unless `recent_calls` is set: then each call takes a lock
//! and leaves a few short texts. Arguments and answers are never kept.

use crate::observe::Observer;
use crate::observe::record::CallRecord;
use crate::request::identity::Caller;
use crate::telemetry::logging::timestamp::Timestamps;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Longest text that is kept of a caller's own, in characters.
const MAX_TEXT: usize = 128;

/// The last calls, and how many of them are kept.
#[derive(Debug)]
pub struct RecentCalls {
    most: usize,
    /// The oldest first.
    calls: Mutex<VecDeque<Kept>>,
}

/// What is kept of a call.
#[derive(Debug)]
struct Kept {
    at: Duration,
    tool: String,
    toolset: Option<String>,
    outcome: &'static str,
    reason: Option<&'static str>,
    status: Option<u16>,
    total: Duration,
    upstream_time: Duration,
    upstream: Option<String>,
    attempts: u8,
    request_bytes: usize,
    response_bytes: usize,
    tenant: Option<String>,
    principal: Option<String>,
    request_id: String,
}

impl RecentCalls {
    pub fn new(most: usize) -> RecentCalls {
        RecentCalls { most, calls: Mutex::default() }
    }

    /// The newest first.
    pub fn json(&self) -> Value {
        let mut timestamps = Timestamps::new();
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let calls: Vec<Value> = calls.iter().rev().map(|call| call.json(&mut timestamps)).collect();
        json!({ "kept": self.most, "calls": calls })
    }
}

impl Observer for RecentCalls {
    fn call(&self, record: &CallRecord<'_>) {
        let kept = Kept::of(record);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= self.most {
            calls.pop_front();
        }
        calls.push_back(kept);
    }
}

impl Kept {
    fn of(record: &CallRecord<'_>) -> Kept {
        let short = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
        let (tenant, principal) = match record.request.caller {
            Caller::Anonymous => (None, None),
            Caller::Known(identity) => (identity.tenant.as_deref(), identity.principal.as_deref()),
        };
        Kept {
            at: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
            tool: record.tool.to_owned(),
            toolset: record.toolset().map(str::to_owned),
            outcome: record.outcome.as_str(),
            reason: record.reason,
            status: record.upstream_status,
            total: record.total,
            upstream_time: record.upstream,
            upstream: record.upstream_host.map(str::to_owned),
            attempts: record.attempts,
            request_bytes: record.request_bytes,
            response_bytes: record.response_bytes,
            tenant: tenant.map(short),
            principal: principal.map(short),
            request_id: record.request.request_id.to_string(),
        }
    }

    fn json(&self, timestamps: &mut Timestamps) -> Value {
        let milliseconds = |time: Duration| time.as_micros() as f64 / 1000.0;
        json!({
            "at": String::from_utf8_lossy(timestamps.text(self.at)),
            "tool": self.tool,
            "toolset": self.toolset,
            "outcome": self.outcome,
            "reason": self.reason,
            "status": self.status,
            "milliseconds": milliseconds(self.total),
            "upstreamMilliseconds": milliseconds(self.upstream_time),
            "upstream": self.upstream,
            "attempts": self.attempts,
            "requestBytes": self.request_bytes,
            "responseBytes": self.response_bytes,
            "tenant": self.tenant,
            "principal": self.principal,
            "requestId": self.request_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::record::Outcome;
    use crate::observe::record::tests::call_record;
    use crate::request::id::RequestId;

    #[test]
    fn only_the_last_calls_are_kept_and_nothing_of_their_arguments() {
        let recent = RecentCalls::new(2);
        for id in 1..=3 {
            let id = RequestId::Made(id);
            let record = call_record(&id, Outcome::UpstreamStatus);
            recent.call(&CallRecord { arguments: Some(r#"{"password":"hunter2"}"#), ..record });
        }
        let json = recent.json();
        assert_eq!((json["kept"].as_u64(), json["calls"].as_array().unwrap().len()), (Some(2), 2));
        assert_eq!(json["calls"][0]["requestId"], "0000000000000003", "the newest first");
        assert_eq!(json["calls"][1]["requestId"], "0000000000000002");
        assert_eq!(json["calls"][0]["outcome"], "upstream_status");
        assert!(!json.to_string().contains("hunter2"));
    }
}
