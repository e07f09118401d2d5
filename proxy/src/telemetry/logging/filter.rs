//! Which events are logged. Our own, at the configured level. From the libraries, only those that
//! cannot contain part of a request: Pingora logs whole heads that it cannot parse.

use std::fmt::{self, Debug};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Drops events that anyone can cause by connecting. It is not a filter of the subscriber, because
/// filters see the message too late.
pub(super) struct WithoutProbes<F>(pub(super) F);

#[derive(Default)]
struct IsProbe(bool);

pub(super) fn targets(level: LevelFilter) -> Targets {
    Targets::new()
        .with_target("mcp_edge", level)
        .with_target("pingora_core::server", LevelFilter::ERROR)
        .with_target("pingora_core::services", LevelFilter::ERROR)
        // It calls waiting an error; the take-over says itself what it waits for.
        .with_target("pingora_core::server::transfer_fd", LevelFilter::OFF)
}

impl<F, S, N> FormatEvent<S, N> for WithoutProbes<F>
where
    F: FormatEvent<S, N>,
    S: Subscriber + for<'s> LookupSpan<'s>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut probe = IsProbe::default();
        if !event.metadata().target().starts_with("mcp_edge") {
            event.record(&mut probe);
        }
        if probe.0 { Ok(()) } else { self.0.format_event(context, to, event) }
    }
}

impl Visit for IsProbe {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 |= field.name() == "message" && format!("{value:?}").starts_with("Downstream handshake");
    }
}
