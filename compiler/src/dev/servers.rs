//! Lines about MCP servers: why one cannot be used, what its program writes to its log, tools that are not what was reviewed.
//! The edge says all of that in its log, which `mcpc dev` has none of.

use mcp_diagnostics::visible::one_line;
use std::fmt::{Debug, Write as _};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The modules that speak of MCP servers. Calls have lines of their own.
const TARGET: &str = "mcp_edge::upstream::mcp";

/// Writes a line for each warning, and with `verbose` for all that is told of a server.
#[derive(Debug)]
pub struct ServerLines<W> {
    pub write: W,
    pub verbose: bool,
}

impl<W: Fn(&str) + Send + Sync + 'static> ServerLines<W> {
    /// From now on, for the whole process.
    pub fn show(self) {
        // Somebody else who listens is there first in tests only.
        let _ = tracing::subscriber::set_global_default(self);
    }

    fn level(&self) -> LevelFilter {
        if self.verbose { LevelFilter::INFO } else { LevelFilter::WARN }
    }
}

impl<W: Fn(&str) + Send + Sync + 'static> Subscriber for ServerLines<W> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(TARGET) && *metadata.level() <= self.level()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level())
    }

    fn event(&self, event: &Event<'_>) {
        let mut said = Said::default();
        event.record(&mut said);
        let Said { server, message, rest } = said;
        (self.write)(&format!("{}\n", one_line(&format!("server {server}: {message}{rest}"))));
    }

    // Spans are of no interest here.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The fields of an event.
#[derive(Default)]
struct Said {
    server: String,
    message: String,
    rest: String,
}

impl Said {
    fn add(&mut self, field: &Field, value: &str) {
        match field.name() {
            "server" => self.server = value.to_owned(),
            "message" => self.message = value.to_owned(),
            name => {
                // Writing to memory cannot fail.
                let _ = write!(self.rest, "; {name}: {value}");
            }
        }
    }
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn lines(verbose: bool) -> String {
        let written = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&written);
        let write = move |line: &str| kept.lock().unwrap().push_str(line);
        tracing::subscriber::with_default(ServerLines { write, verbose }, || {
            tracing::info!(target: "mcp_edge::upstream::mcp::stdio", server = "wiki", line = "a\u{1b}b", "from the server");
            tracing::warn!(target: "mcp_edge::upstream::mcp::pin", server = "wiki", refused = true, "{} has drifted", 1);
            tracing::warn!(target: "mcp_edge::call", "not of a server");
            tracing::debug!(target: "mcp_edge::upstream::mcp::call", server = "wiki", "request");
        });
        written.lock().unwrap().clone()
    }

    #[test]
    fn warnings_are_shown_and_the_rest_when_it_is_wanted() {
        let warning = "server wiki: 1 has drifted; refused: true\n";
        assert_eq!(lines(false), warning);
        assert_eq!(lines(true), format!("server wiki: from the server; line: a␛b\n{warning}"));
    }
}
