//! `GET /status`.

use super::servers_json;
use crate::activation::source::RemoteStatus;
use crate::activation::{NO_STORE, Status};
use crate::limits::shared::StoreStatus;
use crate::upstream::mcp::Supervised;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub fn of(
    status: &Status,
    uptime: Duration,
    servers: &[Arc<Supervised>],
    store: Option<StoreStatus>,
) -> Value {
    let active = status.active.as_ref().map(|active| {
        json!({
            "revision": active.revision.to_string(),
            "tools": active.tools,
            "activated_at": time(Some(active.since)),
        })
    });
    let error = status.last_error.as_ref();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "ready": active.is_some(),
        "uptime_seconds": uptime.as_secs(),
        "source": status.source,
        "remote": status.remote.as_ref().map(remote),
        "active": active,
        "last_attempt": time(status.last_attempt),
        "last_success": time(status.last_success),
        "needs_upgrade": status.needs_upgrade,
        "mcp_servers": servers_json::of(servers),
        "shared_limits": shared(status.active.as_ref().map_or(0, |active| active.shared_limits), store),
        "last_error": error.map(|error| json!({ "message": error.message, "at": time(Some(error.at)) })),
    })
}

/// Limits that edges share; `null` if there are none and no store for them.
fn shared(limits: usize, store: Option<StoreStatus>) -> Value {
    match store {
        None if limits == 0 => Value::Null,
        None => json!({ "limits": limits, "state": "off", "message": NO_STORE }),
        Some(store) => json!({
            "limits": limits,
            "state": if store.is_up { "up" } else { "away" },
            "store": store.place,
            "since": time(Some(store.since)),
            "edges": store.edges,
            "message": store.error,
        }),
    }
}

/// How it goes with a source behind a network.
fn remote(remote: &RemoteStatus) -> Value {
    let version = remote.version.clone().unwrap_or_default();
    json!({
        "etag": version.etag,
        "last_modified": version.last_modified,
        "digest": version.digest,
        "last_attempt": time(remote.last_attempt),
        "last_success": time(remote.last_success),
        "last_error": remote.last_error.as_ref().map(|(message, at)| json!({ "message": message, "at": time(Some(*at)) })),
        "failures": remote.failures,
        "from_copy": remote.from_copy,
        "copy_error": remote.copy_error,
    })
}

/// RFC 3339, in UTC, to the second.
pub(super) fn time(time: Option<SystemTime>) -> Option<String> {
    let since = time?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let timestamp = jiff::Timestamp::from_second(i64::try_from(since.as_secs()).ok()?).ok()?;
    Some(timestamp.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_900);
        assert_eq!(time(Some(at)).as_deref(), Some("2023-11-14T22:13:20Z"));
        assert_eq!(time(None), None);
    }
}
