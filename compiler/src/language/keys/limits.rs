//! How much: rates, calls at once, breakers and caches.

use super::{SECONDS, key};
use mcp_diagnostics::keys::{Key, Shape, Table};

/// Calls in a time, at once, or in a queue.
pub(super) const CALLS: Shape = Shape::Integer { min: 1, max: 1_000_000 };
/// The longest that an answer is kept, one year.
pub(super) const KEPT_SECONDS: Shape = Shape::Integer { min: 0, max: 31_536_000 };

pub const RATES_BY: &[&str] = &["tenant", "all"];
pub const AWAY: &[&str] = &["share", "refuse"];

pub static BREAKER: Table = Table {
    name: "a breaker",
    doc: "When an upstream that fails is left alone for a while.",
    keys: &[
        key("failures", CALLS, "Failures in a row; default 10."),
        key(
            "error_rate",
            Shape::Number,
            "Part of at least 20 calls within 10 seconds that failed; default 0.5.",
        ),
        key(
            "seconds",
            SECONDS,
            "How long it is left alone the first time; twice as long each further time, up to 60 (or this, if it is more); default 5.",
        ),
        key(
            "probes",
            Shape::Integer { min: 1, max: 1000 },
            "Calls that must do well before all are let through again; default 1.",
        ),
    ],
};

pub static RATE: Table = Table {
    name: "a rate",
    doc: "So many calls in so much time.",
    keys: &[
        key("calls", CALLS, "Calls in the time.").required(),
        key("seconds", SECONDS, "The time; default 60."),
        key("burst", CALLS, "Calls that may come at once; default: as many as `calls`."),
        key(
            "by",
            Shape::Word(RATES_BY),
            "`tenant` (default): each tenant has this rate; `all`: all callers share it.",
        ),
        SHARED,
        WHEN_AWAY,
    ],
};

/// A number of calls, or more about it.
pub(super) const PLACES_SHAPE: Shape = Shape::IntegerOrTable { min: 1, max: 1_000_000, table: &PLACES };

pub static PLACES: Table = Table {
    name: "`max_in_flight`",
    doc: "How many calls an upstream gets at once.",
    keys: &[key("calls", CALLS, "Calls at once.").required(), SHARED, WHEN_AWAY],
};

const SHARED: Key = key(
    "shared",
    Shape::Boolean,
    "Holds for all edges of a place together, which agree over a store; default: each edge counts for itself.",
);

const WHEN_AWAY: Key = key(
    "when_away",
    Shape::Word(AWAY),
    "What an edge does with a shared limit while the store does not answer. `share` (default): it goes on with its part of the limit; `refuse`: it refuses the calls.",
);

pub static CACHE: Table = Table {
    name: "a cache",
    doc: "How answers are kept and used again.",
    keys: &[
        key("seconds", KEPT_SECONDS, "How long an answer may be reused.").required().elsewhere(&["ttl"]),
        key("shared", Shape::Boolean, "All tenants get the same answers; default: each tenant has its own."),
        key(
            "stale_if_error_seconds",
            KEPT_SECONDS,
            "How much longer an answer serves if the upstream fails; default 0.",
        ),
    ],
};
