//! The keys of `edge.toml` that are numbers. Each is one row with its range and its field.

use super::keys::{Field, LIMITS_RATE_TABLE, Row};
use mcp_diagnostics::Shape;
use std::time::Duration;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const DAY: i64 = 24 * 60 * 60;
/// The deepest nesting that the JSON scanner can follow.
const DEPTH: i64 = mcp_bundle::json::MAX_DEPTH as i64;

/// A row; the last path is the field of [`Settings`](crate::settings::Settings).
macro_rules! number {
    ($name:literal, Seconds, $min:expr, $max:expr, $doc:literal, $($path:ident).+) => {
        Row::new($name, Shape::Integer { min: $min, max: $max }, "", $doc).field(Field {
            get: |settings| settings.$($path).+.as_secs(),
            set: |settings, value| settings.$($path).+ = Duration::from_secs(value),
        })
    };
    ($name:literal, Count, $min:expr, $max:expr, $doc:literal, $($path:ident).+ $(, $($more:ident).+)*) => {
        number!(@ $name, Shape::Integer { min: $min, max: $max }, $doc, $($path).+ $(, $($more).+)*)
    };
    ($name:literal, Bytes, $min:expr, $max:expr, $doc:literal, $($path:ident).+ $(, $($more:ident).+)*) => {
        number!(@ $name, Shape::Size { min: $min, max: $max }, $doc, $($path).+ $(, $($more).+)*)
    };
    (@ $name:literal, $shape:expr, $doc:literal, $($path:ident).+ $(, $($more:ident).+)*) => {
        Row::new($name, $shape, "", $doc).field(Field {
            get: |settings| settings.$($path).+ as u64,
            set: |settings, value| {
                settings.$($path).+ = value as _;
                $(settings.$($more).+ = value as _;)*
            },
        })
    };
}

#[rustfmt::skip]
pub static LIMITS: [Row; 24] = [
    number!("request_body", Bytes, KIB, 256 * MIB, "the body of a client's request", limits.request_body),
    number!("json_depth", Count, 8, DEPTH, "nesting of a client's request", limits.json_depth),
    number!("batch", Count, 1, 1000, "requests in a batch", limits.batch),
    number!("response_body", Bytes, KIB, GIB, "an upstream's response, decompressed; also the upper bound of a tool's `max_response_bytes`", limits.response_body),
    number!("connections", Count, 1, 1_000_000, "client connections at once; further ones are closed without an answer", limits.connections),
    number!("calls_in_flight", Count, 1, 1_000_000, "calls waiting for an upstream at once", limits.calls_in_flight),
    number!("answer_bytes", Bytes, MIB, 1024 * GIB, "bodies of all calls at once: requests, responses and results that are not sent yet; a body waits 5 seconds for room", limits.answer_bytes),
    Row::new("rate", Shape::Table(&LIMITS_RATE_TABLE), "", "written `[limits.rate]`: how often anyone may ask"),
    number!("streams", Count, 0, 1_000_000, "event streams open at once", limits.streams),
    number!("metric_tenants", Count, 0, 10_000, "tenants with labels of their own in `/metrics`, in the order of their first calls; all others are counted as `other`; 0 leaves tenants out", limits.metric_tenants),
    number!("arguments", Count, 1, 10_000, "arguments of a call", limits.bind.arguments),
    number!("arguments_depth", Count, 1, DEPTH, "nesting of the arguments", limits.bind.depth),
    number!("path_value", Bytes, 1, MIB, "one argument in a path", limits.bind.path_value),
    number!("header_value", Bytes, 1, MIB, "one header of the upstream request", limits.bind.header_value),
    number!("target", Bytes, 256, MIB, "path and query of the upstream request", limits.bind.target),
    number!("upstream_body", Bytes, 1, 256 * MIB, "the body of the upstream request", limits.bind.body),
    number!("result_text", Bytes, KIB, 256 * MIB, "the text of a result; a tool's `max_text_bytes` can only lower it", limits.shape.text),
    number!("answer_depth", Count, 1, DEPTH, "nesting of an upstream's response", limits.shape.depth),
    number!("template_steps", Count, 1000, 1_000_000_000, "steps of one template", limits.shape.template.steps, limits.bind.template.steps),
    number!("template_iterations", Count, 1, 100_000_000, "iterations of all loops of one template", limits.shape.template.iterations, limits.bind.template.iterations),
    number!("template_output", Bytes, KIB, 256 * MIB, "output of one template", limits.shape.template.output, limits.bind.template.output),
    number!("template_values", Count, 1000, 100_000_000, "values of a response that one template keeps", limits.shape.template.values, limits.bind.template.values),
    number!("template_text", Bytes, KIB, GIB, "text that one template computes and keeps", limits.shape.template.text, limits.bind.template.text),
    number!("template_depth", Count, 1, DEPTH, "nesting of the data of a template", limits.shape.template.depth, limits.bind.template.depth),
];

#[rustfmt::skip]
pub static TIMEOUTS: [Row; 6] = [
    number!("handshake_seconds", Seconds, 1, 600, "how long a client's TLS handshake may take", timeouts.handshake),
    number!("idle_seconds", Seconds, 1, DAY, "how long a client connection may be idle", timeouts.idle),
    number!("body_seconds", Seconds, 1, DAY, "from a request's head to the end of its body", timeouts.body),
    number!("write_seconds", Seconds, 1, DAY, "each write of a response", timeouts.write),
    number!("keep_alive_seconds", Seconds, 1, 3600, "silence on an event stream before a comment is sent", timeouts.keep_alive),
    number!("grace_seconds", Seconds, 0, 3600, "how long calls in flight may take when the process is asked to shut down", timeouts.grace),
];

#[rustfmt::skip]
pub static POOL: [Row; 3] = [
    number!("idle_connections", Count, 0, 100_000, "idle connections to keep, per upstream and thread", pool.idle_connections),
    number!("idle_seconds", Seconds, 1, DAY, "how long to keep an idle connection", pool.idle),
    number!("dns_seconds", Seconds, 0, DAY, "how long to use the addresses of a name", pool.dns),
];

#[rustfmt::skip]
pub static CACHE: [Row; 1] = [
    number!("bytes", Bytes, 0, 1024 * GIB, "responses kept for tools with `cache_seconds`; one of more than a quarter of it is not kept; `\"0B\"` keeps none", cache.bytes),
];

#[rustfmt::skip]
pub static DRIFT: [Row; 1] = [
    number!("poll_seconds", Seconds, 1, DAY, "how often tools of MCP servers are compared with their pins, beside when a server says that they changed", mcp.poll),
];

#[rustfmt::skip]
pub static LIST: [Row; 2] = [
    number!("page", Count, 1, 1_000_000, "tools on a page of `tools/list`", list.page),
    number!("ttl_seconds", Seconds, 0, DAY, "how long clients may cache a list", list.ttl),
];

/// Beside the texts of the table, see `keys.rs`.
pub const AUDIT_FLUSH: Row = number!(
    "flush_seconds",
    Seconds,
    1,
    3600,
    "how long a line may wait before it is written; a crash of the process loses no older one",
    audit.flush
);
pub const AUDIT_QUEUE: Row =
    number!("queue", Bytes, 4 * KIB, GIB, "lines that may wait to be written", audit.queue);
