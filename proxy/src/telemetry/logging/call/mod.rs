//! The line of a finished call. At `debug` every call has one, so it is not made by `tracing`, which takes several times as
//! long; yet it is the very line that `tracing` would make.

use super::line::{Line, name};
use super::timestamp::Timestamps;
use super::{LogFormat, LogLevel, LogSettings, LogWriter, Short};
use crate::observe::record::{CallRecord, Outcome};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::SystemTime;

/// What calls are logged under.
const TARGET: &str = "mcp_edge::call";

/// Of this process.
static LOG: OnceLock<CallLog> = OnceLock::new();

/// Where the lines of calls go, and which.
#[derive(Debug)]
pub(super) struct CallLog {
    format: LogFormat,
    /// A [`LogLevel`]; a reload may change it.
    level: AtomicU8,
    writer: LogWriter,
}

/// What one line leaves to the next on the same thread.
#[derive(Debug)]
struct Scratch {
    line: Vec<u8>,
    timestamps: Timestamps,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// Logs a finished call: failures that need attention at `warn`, other failures at `info`,
/// successes at `debug`. Without [`super::start`] it is an event of `tracing`, for any subscriber.
pub(super) fn log(record: &CallRecord<'_>) {
    match LOG.get() {
        Some(log) => log.write(record),
        None => emit(record),
    }
}

/// The level from now on.
pub(super) fn set_level(level: LogLevel) {
    if let Some(log) = LOG.get() {
        log.level.store(level as u8, Relaxed);
    }
}

impl CallLog {
    pub(super) fn new(settings: LogSettings, writer: LogWriter) -> CallLog {
        CallLog { format: settings.format, level: AtomicU8::new(settings.level as u8), writer }
    }

    /// From now on calls are logged here.
    pub(super) fn start(self) {
        let _ = LOG.set(self);
    }

    pub(super) fn write(&self, record: &CallRecord<'_>) {
        let level = level(record.outcome);
        if level as u8 > self.level.load(Relaxed) {
            return;
        }
        let write = |Scratch { line, timestamps }: &mut Scratch| {
            line.clear();
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            write_line(record, level, timestamps.text(now), Line::new(self.format, line));
            self.writer.add(line);
        };
        // A thread that is ending has nothing left to use again.
        SCRATCH
            .try_with(|scratch| write(&mut scratch.borrow_mut()))
            .unwrap_or_else(|_| write(&mut Scratch::new()));
    }
}

impl Scratch {
    const fn new() -> Scratch {
        Scratch { line: Vec::new(), timestamps: Timestamps::new() }
    }
}

fn level(outcome: Outcome) -> LogLevel {
    match outcome {
        Outcome::Ok => LogLevel::Debug,
        Outcome::InvalidArguments | Outcome::Cancelled | Outcome::UpstreamStatus | Outcome::RateLimited => {
            LogLevel::Info
        }
        Outcome::UpstreamFailed
        | Outcome::UpstreamTimeout
        | Outcome::ResponseTooLarge
        | Outcome::Unusable
        | Outcome::Overloaded
        | Outcome::UpstreamUnavailable => LogLevel::Warn,
    }
}

fn write_line(record: &CallRecord<'_>, level: LogLevel, time: &[u8], mut line: Line<'_>) {
    line.begin(time, level, TARGET, "call");
    let request = &record.request;
    line.id(name!("request_id"), request.request_id);
    line.string(name!("tool"), record.tool);
    if let Some(version) = request.protocol {
        line.word(name!("protocol"), version.as_str());
    }
    line.word(name!("outcome"), record.outcome.as_str());
    if let Some(reason) = record.reason {
        line.string(name!("reason"), reason);
    }
    if let Some(error) = record.error {
        line.string(name!("error"), error);
    }
    if let Some(host) = record.upstream_host {
        line.string(name!("upstream"), host);
    }
    if let Some(status) = record.upstream_status {
        line.number(name!("upstream_status"), status.into());
    }
    line.number(name!("attempts"), record.attempts.into());
    line.number(name!("total_us"), record.total.as_micros() as u64);
    line.number(name!("upstream_us"), record.upstream.as_micros() as u64);
    line.number(name!("request_bytes"), record.request_bytes as u64);
    line.number(name!("response_bytes"), record.response_bytes as u64);
    if let Some(reasons) = reasons(record) {
        line.string(name!("reasons"), &reasons);
    }
    if let Some(tenant) = request.caller.tenant() {
        line.string(name!("tenant"), tenant);
    }
    if let Some(principal) = request.caller.principal() {
        line.string(name!("principal"), principal);
    }
    if let Some(address) = request.peer.address {
        line.plain(name!("peer"), address);
    }
    if let Some(toolset) = record.toolset() {
        line.string(name!("toolset"), toolset);
    }
    if let Some(revision) = request.revision {
        line.plain(name!("revision"), Short(revision));
    }
    line.end(TARGET);
}

/// All that is wrong with the arguments, where that is more than the reason.
fn reasons(record: &CallRecord<'_>) -> Option<String> {
    let kinds: Vec<&str> = record.problems.iter().map(|problem| problem.kind.as_str()).collect();
    (kinds.len() > 1).then(|| kinds.join(","))
}

/// The same for `tracing`.
pub(super) fn emit(record: &CallRecord<'_>) {
    let request = &record.request;
    macro_rules! event {
        ($level:ident) => {
            tracing::$level!(
                target: TARGET,
                request_id = tracing::field::display(request.request_id),
                tool = record.tool,
                protocol = request.protocol.map(ProtocolVersion::as_str),
                outcome = record.outcome.as_str(),
                reason = record.reason,
                error = record.error,
                upstream = record.upstream_host,
                upstream_status = record.upstream_status,
                attempts = record.attempts,
                total_us = record.total.as_micros() as u64,
                upstream_us = record.upstream.as_micros() as u64,
                request_bytes = record.request_bytes,
                response_bytes = record.response_bytes,
                reasons = reasons(record),
                tenant = request.caller.tenant(),
                principal = request.caller.principal(),
                peer = request.peer.address.map(tracing::field::display),
                toolset = record.toolset(),
                revision = request.revision.map(Short).map(tracing::field::display),
                "call"
            )
        };
    }
    match level(record.outcome) {
        LogLevel::Error => event!(error),
        LogLevel::Warn => event!(warn),
        LogLevel::Info => event!(info),
        LogLevel::Debug => event!(debug),
        LogLevel::Trace => event!(trace),
    }
}

#[cfg(test)]
mod tests;
