//! Rates, places, breakers and caches, as specs say them.

use super::lower::Lowering;
use crate::language::keys;
use crate::language::rules::INVALID_VALUE;
use mcp_bundle::wire_enums::WhenAway;
use mcp_diagnostics::{Diagnostic, Fields, Spanned};

/// `rate` of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateSpec {
    pub calls: u32,
    pub seconds: u32,
    pub burst: u32,
    pub by_tenant: bool,
    /// All edges share it.
    pub shared: Option<WhenAway>,
}

/// What `cache` of a tool says beside the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSpec {
    pub shared: Option<Spanned<bool>>,
    pub stale_if_error_seconds: u32,
}

/// `max_in_flight`, `queue` and `queue_timeout_seconds` of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacesSpec {
    pub in_flight: u32,
    pub queue: u32,
    pub queue_timeout_seconds: u32,
    /// All edges share the places.
    pub shared: Option<WhenAway>,
}

/// `breaker` of an upstream; what it leaves out has its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerSpec {
    Off,
    On { failures: Option<u32>, error_per_mille: Option<u16>, seconds: Option<u32>, probes: Option<u32> },
}

/// A rate without a time is one for each minute.
const RATE_SECONDS: u32 = 60;
/// How long a call waits for a place, unless the spec says so.
const QUEUE_SECONDS: u32 = 5;

impl Lowering<'_> {
    pub(super) fn rate(&mut self, fields: &Fields<'_, '_>) -> Option<RateSpec> {
        let (table, span) = fields.table("rate")?;
        let fields = self.toml.fields(&keys::RATE, table, span);
        let calls = fields.integer("calls")?.value;
        let by = fields.text("by");
        if let Some(by) = by.as_ref().filter(|by| !keys::RATES_BY.contains(&by.value.as_str())) {
            let message = format!("`by` must be `tenant` or `all`, not `{}`", by.value);
            self.toml.report(Diagnostic::new(&INVALID_VALUE, by.span, message));
        }
        Some(RateSpec {
            calls,
            seconds: fields.integer("seconds").map_or(RATE_SECONDS, |seconds| seconds.value),
            burst: fields.integer("burst").map_or(calls, |burst| burst.value),
            by_tenant: by.is_none_or(|by| by.value != "all"),
            shared: self.shared(&fields),
        })
    }

    /// Whether a limit is shared, and what happens while the store is away.
    fn shared(&mut self, fields: &Fields<'_, '_>) -> Option<WhenAway> {
        let shared = fields.boolean("shared").is_some_and(|shared| shared.value);
        if let Some(value) = fields.value("when_away").filter(|_| !shared) {
            let problem = Diagnostic::new(
                &INVALID_VALUE,
                fields.at(value),
                "`when_away` has no effect without `shared = true`",
            );
            self.toml.report(problem.help("write `shared = true`, or remove `when_away`"));
        }
        let word = self.toml.word(fields, "when_away", WhenAway::from_word, Some(&INVALID_VALUE));
        shared.then(|| word.map_or(WhenAway::Share, |word| word.value))
    }

    /// How long answers are kept, from either key, and what else `cache` says.
    pub(super) fn cache(&mut self, fields: &Fields<'_, '_>) -> (Option<Spanned<u32>>, Option<CacheSpec>) {
        let seconds = fields.integer("cache_seconds");
        let Some((table, span)) = fields.table("cache") else { return (seconds, None) };
        if let Some(seconds) = &seconds {
            let problem = Diagnostic::new(&INVALID_VALUE, span, "`cache` and `cache_seconds` say the same");
            self.toml.report(
                problem.related(seconds.span, "also given here").help("keep `cache`, with its `seconds`"),
            );
        }
        let fields = self.toml.fields(&keys::CACHE, table, span);
        let stale = fields.integer("stale_if_error_seconds").map_or(0, |seconds| seconds.value);
        let cache = CacheSpec { shared: fields.boolean("shared"), stale_if_error_seconds: stale };
        (fields.integer("seconds"), Some(cache))
    }

    pub(super) fn places(&mut self, fields: &Fields<'_, '_>) -> Option<PlacesSpec> {
        if !fields.is_written("max_in_flight") {
            for key in ["queue", "queue_timeout_seconds"] {
                if let Some(value) = fields.value(key) {
                    let message = format!("`{key}` has no effect without `max_in_flight`");
                    let problem = Diagnostic::new(&INVALID_VALUE, fields.at(value), message);
                    self.toml.report(problem.help("say how many calls the upstream takes at once"));
                }
            }
        }
        let (in_flight, shared) = match fields.table("max_in_flight") {
            None => (fields.integer("max_in_flight")?.value, None),
            Some((table, span)) => {
                let places = self.toml.fields(&keys::PLACES, table, span);
                let shared = self.shared(&places);
                (places.integer("calls")?.value, shared)
            }
        };
        Some(PlacesSpec {
            in_flight,
            shared,
            queue: fields.integer("queue").map_or(0, |queue| queue.value),
            queue_timeout_seconds: fields
                .integer("queue_timeout_seconds")
                .map_or(QUEUE_SECONDS, |seconds| seconds.value),
        })
    }

    pub(super) fn breaker(&mut self, fields: &Fields<'_, '_>) -> Option<BreakerSpec> {
        if fields.boolean("breaker").is_some() {
            return Some(BreakerSpec::Off);
        }
        let (table, span) = fields.table("breaker")?;
        let fields = self.toml.fields(&keys::BREAKER, table, span);
        Some(BreakerSpec::On {
            failures: fields.integer("failures").map(|failures| failures.value),
            error_per_mille: self.error_rate(&fields),
            seconds: fields.integer("seconds").map(|seconds| seconds.value),
            probes: fields.integer("probes").map(|probes| probes.value),
        })
    }

    /// A part of all calls, in thousandths.
    fn error_rate(&mut self, fields: &Fields<'_, '_>) -> Option<u16> {
        let value = fields.value("error_rate")?;
        let written = fields.source.get(value.span()).unwrap_or_default().replace('_', "");
        let thousandths = written.parse::<f64>().map_or(0.0, |rate| (rate * 1000.0).round());
        if (1.0..=1000.0).contains(&thousandths) {
            return Some(thousandths as u16);
        }
        let message = "`error_rate` must be between 0.001 and 1";
        let problem = Diagnostic::new(&INVALID_VALUE, fields.at(value), message);
        self.toml.report(problem.help("write the part of all calls that may fail: half of them is `0.5`"));
        None
    }
}
