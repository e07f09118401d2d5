//! One line for each call that was served, from what the edge logs about it.

use std::fmt::{Debug, Write as _};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// What the edge logs finished calls under.
const TARGET: &str = "mcp_edge::call";

/// From now on calls are written with `write`, one line each. A process that logs already keeps its way.
pub fn show_calls(write: impl Fn(&str) + Send + Sync + 'static) {
    let calls = Calls { write }.with_filter(Targets::new().with_target(TARGET, LevelFilter::DEBUG));
    let _ = tracing_subscriber::registry().with(calls).try_init();
}

struct Calls<W> {
    write: W,
}

/// The fields of a call that people want to see.
#[derive(Debug, Default)]
struct Call {
    tool: String,
    outcome: String,
    /// Why an upstream could not be asked.
    error: Option<String>,
    status: Option<u64>,
    microseconds: u64,
}

impl<S: Subscriber, W: Fn(&str) + 'static> Layer<S> for Calls<W> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut call = Call::default();
        event.record(&mut call);
        (self.write)(&call.line());
    }
}

impl Call {
    fn line(&self) -> String {
        let mut line = format!("call {}: {}", self.tool, self.outcome);
        if let Some(status) = self.status {
            let _ = write!(line, ", status {status}");
        }
        if let Some(error) = &self.error {
            let _ = write!(line, " ({error})");
        }
        let _ = writeln!(line, ", {}.{} ms", self.microseconds / 1000, self.microseconds % 1000 / 100);
        line
    }
}

impl Visit for Call {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "tool" => self.tool = mcp_diagnostics::visible::one_line(value).into_owned(),
            "outcome" => self.outcome = value.to_owned(),
            "error" => self.error = Some(mcp_diagnostics::visible::one_line(value).into_owned()),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "upstream_status" => self.status = Some(value),
            "total_us" => self.microseconds = value,
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_call_is_one_line() {
        let lines = Arc::new(Mutex::new(String::new()));
        let into = lines.clone();
        let calls = Calls { write: move |line: &str| into.lock().unwrap().push_str(line) };
        let subscriber = tracing_subscriber::registry().with(calls);
        tracing::subscriber::with_default(subscriber, || {
            let status: Option<u16> = Some(200);
            tracing::debug!(target: TARGET, tool = "a\nb", outcome = "ok", upstream_status = status, total_us = 12_345_u64, "call");
            tracing::debug!(target: TARGET, tool = "c", outcome = "invalid_arguments", total_us = 40_u64, "call");
            let error = Some("it cannot be reached");
            tracing::warn!(target: TARGET, tool = "d", outcome = "upstream_failed", error, total_us = 1_100_u64, "call");
        });
        let lines = lines.lock().unwrap();
        assert_eq!(
            *lines,
            "call a b: ok, status 200, 12.3 ms\ncall c: invalid_arguments, 0.0 ms\n\
            call d: upstream_failed (it cannot be reached), 1.1 ms\n"
        );
    }
}
