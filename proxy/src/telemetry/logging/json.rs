//! Events as JSON, one object a line: `timestamp`, `level`, the event's own members, `target`.
//!
//! The formatter of `tracing-subscriber` adds the source file and line of a library's event, which
//! do not belong in a log.

use mcp_bundle::json::write_string;
use std::fmt::{self, Debug};
use std::io::Write;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

pub(super) struct JsonLines;

struct Members {
    line: Vec<u8>,
    /// Of an event that came by the `log` crate; its own target says only that.
    target: Option<String>,
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let metadata = event.metadata();
        let mut members = Members { line: Vec::with_capacity(512), target: None };
        members.line.extend_from_slice(b"{\"timestamp\":");
        write_string(&time, &mut members.line);
        members.add("level", metadata.level().as_str());
        event.record(&mut members);
        let target = members.target.take();
        members.add("target", target.as_deref().unwrap_or(metadata.target()));
        members.line.extend_from_slice(b"}\n");
        writer.write_str(std::str::from_utf8(&members.line).map_err(|_| fmt::Error)?)
    }
}

impl Members {
    fn add(&mut self, name: &str, value: &str) {
        self.name(name);
        write_string(value, &mut self.line);
    }

    fn name(&mut self, name: &str) {
        self.line.push(b',');
        write_string(name, &mut self.line);
        self.line.push(b':');
    }

    fn bare(&mut self, field: &Field, value: impl fmt::Display) {
        self.name(field.name());
        // Writing to memory cannot fail.
        let _ = write!(self.line, "{value}");
    }
}

impl Visit for Members {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "log.target" => self.target = Some(value.to_owned()),
            name if name.starts_with("log.") => {}
            name => self.add(name, value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.bare(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.bare(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if !field.name().starts_with("log.") {
            self.bare(field, value);
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.bare(field, serde_json::Value::from(value));
    }
}
