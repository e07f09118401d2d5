//! Facts for programs, in the `_meta` of a result: what failed, which its content says in words, and whether an upstream was
//! asked at all.

use super::Done;
use crate::protocol::MODERN;
use mcp_bundle::bind::BindError;
use mcp_bundle::json::write_string;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::time::Duration;

/// The entry's name in `_meta`.
pub(crate) const ERROR_KEY: &str = "mcp-edge/error";
const CACHE_KEY: &str = "mcp-edge/cache";

/// Adds the entry to the result whose members begin at `start` of `out`.
#[cold]
pub(super) fn add(
    done: &Done,
    arguments: Option<&BindError>,
    protocol: Option<ProtocolVersion>,
    start: usize,
    out: &mut Vec<u8>,
) {
    let mut entry = Vec::new();
    write_string(ERROR_KEY, &mut entry);
    entry.push(b':');
    write_error(done, arguments, &mut entry);
    insert(entry, protocol, start, out);
}

/// Adds that the answer is one that was kept.
#[cold]
pub(super) fn add_cache(
    age: Duration,
    stale: bool,
    protocol: Option<ProtocolVersion>,
    start: usize,
    out: &mut Vec<u8>,
) {
    let mut entry = Vec::new();
    write_string(CACHE_KEY, &mut entry);
    entry.extend_from_slice(b":{\"hit\":true,\"age_seconds\":");
    entry.extend_from_slice(itoa::Buffer::new().format(age.as_secs()).as_bytes());
    entry.extend_from_slice(if stale { b",\"stale\":true}" } else { b"}" });
    insert(entry, protocol, start, out);
}

/// Adds an entry to the `_meta` of the result whose members begin at `start` of `out`.
fn insert(mut entry: Vec<u8>, protocol: Option<ProtocolVersion>, start: usize, out: &mut Vec<u8>) {
    // A result of the stateless revision has a `_meta` already, right before its members.
    const END: &[u8] = b"},";
    let opened = out.get(..start).is_some_and(|before| before.ends_with(END));
    // A server's own, see `insert_first`.
    const FIRST: &[u8] = b"\"_meta\":{";
    let has_first = out.get(start..).is_some_and(|members| members.starts_with(FIRST));
    if has_first {
        entry.push(b',');
        let at = start + FIRST.len();
        out.splice(at..at, entry);
    } else if protocol == Some(MODERN) && opened {
        let at = start - END.len();
        entry.insert(0, b',');
        out.splice(at..at, entry);
    } else {
        out.extend_from_slice(b",\"_meta\":{");
        out.extend_from_slice(&entry);
        out.push(b'}');
    }
}

/// Adds members to the `_meta` of a result before all others. Gives where the result's members begin then.
pub(super) fn insert_first(
    mut members: Vec<u8>,
    protocol: Option<ProtocolVersion>,
    start: usize,
    out: &mut Vec<u8>,
) -> usize {
    if protocol == Some(MODERN) {
        let before = out.len();
        insert(members, protocol, start, out);
        return start + (out.len() - before);
    }
    members.splice(..0, *b"\"_meta\":{");
    members.extend_from_slice(b"},");
    out.splice(start..start, members);
    start
}

/// `{"reason":"…","upstream_status":…,"retry_after_seconds":…,"problems":[{"kind":"…","parameter":"…","message":"…"}],"omitted":…}`
fn write_error(done: &Done, arguments: Option<&BindError>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"reason\":");
    write_string(done.reason.unwrap_or(done.outcome.as_str()), out);
    if let Some(code) = done.mcp {
        out.extend_from_slice(b",\"code\":");
        write_string(code.as_str(), out);
        out.extend_from_slice(b",\"advice\":");
        write_string(code.advice(), out);
    }
    if let Some(status) = done.upstream_status {
        out.extend_from_slice(b",\"upstream_status\":");
        out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
    }
    if let Some(seconds) = done.retry_after_seconds {
        out.extend_from_slice(b",\"retry_after_seconds\":");
        out.extend_from_slice(itoa::Buffer::new().format(seconds).as_bytes());
    }
    if let Some(error) = arguments {
        out.extend_from_slice(b",\"problems\":[");
        for (number, problem) in error.problems.iter().enumerate() {
            out.extend_from_slice(if number == 0 { b"{\"kind\":" } else { b",{\"kind\":" });
            write_string(problem.kind.as_str(), out);
            out.extend_from_slice(b",\"parameter\":");
            write_string(&problem.argument, out);
            out.extend_from_slice(b",\"message\":");
            write_string(&problem.message, out);
            out.push(b'}');
        }
        out.push(b']');
        if error.omitted > 0 {
            out.extend_from_slice(b",\"omitted\":");
            out.extend_from_slice(itoa::Buffer::new().format(error.omitted).as_bytes());
        }
    }
    out.push(b'}');
}
