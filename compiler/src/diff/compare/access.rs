//! Who may call a tool, how often and for how long.

use super::Side;
use crate::diff::rules::access::{
    BREAKER_CHANGED, CACHE_NARROWED, CACHE_WIDENED, PLACES_LOWERED, PLACES_RAISED, RATE_LOWERED, RATE_RAISED,
    RETRIES_CHANGED, SCOPE_ADDED, SCOPE_REMOVED, SHARED_LIMIT_CHANGED, SIZE_LIMIT_LOWERED, SIZE_LIMIT_RAISED,
    TIMEOUT_LENGTHENED, TIMEOUT_SHORTENED,
};
use crate::diff::{ChangeRule, Changes};
use crate::publish::limits_view::{self, UpstreamView};
use mcp_bundle::plan::{Contents, RatePlan};
use mcp_bundle::wire_enums::WhenAway;
use std::collections::{BTreeMap, BTreeSet};

const TIMEOUTS: [&ChangeRule; 2] = [&TIMEOUT_SHORTENED, &TIMEOUT_LENGTHENED];

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    scopes(old, new, changes);
    rate(old, new, changes);
    let (was, now) = (old.policy, new.policy);
    changes.moved((was.timeout_ms, now.timeout_ms), TIMEOUTS, || {
        format!("a call has {}, had {}", seconds(now.timeout_ms), seconds(was.timeout_ms))
    });
    // Without one of its own, an attempt has the time of the call.
    let attempts = [was, now].map(|policy| policy.attempt_timeout_ms.unwrap_or(policy.timeout_ms));
    if was.attempt_timeout_ms != now.attempt_timeout_ms {
        changes.moved(attempts.into(), TIMEOUTS, || {
            format!("an attempt has {}, had {}", seconds(attempts[1]), seconds(attempts[0]))
        });
    }
    if was.retry_count != now.retry_count {
        let message =
            format!("a failed call is repeated {}, was {}", times(now.retry_count), times(was.retry_count));
        changes.add(&RETRIES_CHANGED, message);
    } else if was.idempotent != now.idempotent && now.retry_count > 0 {
        changes.add(
            &RETRIES_CHANGED,
            if now.idempotent { "may be repeated" } else { "is not repeated any more" },
        );
    }
    cache(old, new, changes);
    let limits = [
        ("max_response_bytes", was.max_response_bytes, now.max_response_bytes),
        ("max_text_bytes", was.max_text_bytes, now.max_text_bytes),
        ("max_results", was.max_results, now.max_results),
    ];
    for (name, was, now) in limits {
        let most = |limit: Option<u32>| limit.unwrap_or(u32::MAX);
        changes.moved((most(was), most(now)), [&SIZE_LIMIT_LOWERED, &SIZE_LIMIT_RAISED], || {
            let said = |limit: Option<u32>| limit.map_or("not set".to_owned(), |limit| limit.to_string());
            format!("`{name}` is {}, was {}", said(now), said(was))
        });
    }
}

fn scopes(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let [was, now] = [old, new]
        .map(|side| side.policy.scopes.iter().map(|scope| side.text(*scope)).collect::<BTreeSet<_>>());
    for scope in now.difference(&was) {
        changes.add(&SCOPE_ADDED, format!("needs scope `{scope}`"));
    }
    for scope in was.difference(&now) {
        changes.add(&SCOPE_REMOVED, format!("does not need scope `{scope}` any more"));
    }
}

fn rate(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let [was, now] =
        [old, new].map(|side| side.contents.tool_limits(side.index).and_then(|limits| limits.rate));
    if was == now {
        // A rate that comes or goes is more than one that is shared.
        let [was, now] = [old, new].map(|side| side.contents.shared_rate(side.index));
        if was != now {
            changes.add(&SHARED_LIMIT_CHANGED, {
                let [was, now] = [was, now].map(|shared| edges(shared.map(WhenAway::as_str)));
                format!("its rate holds {now}, held {was}")
            });
        }
        return;
    }
    let said = |side: &Side<'_>| {
        limits_view::rate(side.contents, side.index).map_or("no limit".to_owned(), |rate| rate.to_string())
    };
    let rule = match (was, now) {
        (Some(was), Some(now)) if !is_lower(was, now) => &RATE_RAISED,
        (Some(_), None) => &RATE_RAISED,
        _ => &RATE_LOWERED,
    };
    changes.add(rule, format!("its rate is {}, was {}", said(new), said(old)));
}

/// Whether some caller may make fewer calls.
fn is_lower(was: RatePlan, now: RatePlan) -> bool {
    let per_hour = |rate: RatePlan| u64::from(rate.calls) * 3_600 / u64::from(rate.seconds.max(1));
    per_hour(now) < per_hour(was) || now.burst < was.burst || (was.by_tenant && !now.by_tenant)
}

fn cache(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let view = |side: &Side<'_>| limits_view::cache(side.contents, side.index, side.policy);
    let (was, now) = (view(old), view(new));
    if was == now {
        return;
    }
    let said = |cache: &Option<limits_view::CacheView>| {
        cache.as_ref().map_or("nothing".to_owned(), |cache| cache.to_string())
    };
    let is_wider = match (&was, &now) {
        (None, _) => true,
        (_, None) => false,
        (Some(was), Some(now)) => {
            now.seconds > was.seconds
                || (now.shared && !was.shared)
                || now.stale_if_error_seconds > was.stale_if_error_seconds
        }
    };
    let rule = if is_wider { &CACHE_WIDENED } else { &CACHE_NARROWED };
    changes.add(rule, format!("its cache keeps responses for {}, was {}", said(&now), said(&was)));
}

/// Upstreams of both bundles, by name.
pub fn upstreams(old: &Contents, new: &Contents, changes: &mut Changes) {
    let named = |contents: &'_ Contents| -> BTreeMap<String, (u32, String)> {
        let connects = contents.upstreams.iter().map(|upstream| {
            let name = contents.strings.get(upstream.name).to_owned();
            (name, (upstream.connect_timeout_ms, contents.origin_text(upstream)))
        });
        connects.collect()
    };
    let (before, after) = (named(old), named(new));
    let (were, are) = (limits_view::upstreams(old), limits_view::upstreams(new));
    for now in &are {
        let Some(was) = were.iter().find(|was| was.name == now.name) else { continue };
        if let (Some((was, _)), Some((is, _))) = (before.get(was.name), after.get(now.name)) {
            changes.moved((*was, *is), TIMEOUTS, || {
                format!("connecting to upstream `{}` has {}, had {}", now.name, seconds(*is), seconds(*was))
            });
        }
        places(was, now, changes);
        if was.breaker != now.breaker {
            let message = format!("the breaker of upstream `{}` is another one", now.name);
            changes.add(&BREAKER_CHANGED, message).note(format!("now: {now}")).note(format!("before: {was}"));
        }
    }
}

fn places(was: &UpstreamView<'_>, now: &UpstreamView<'_>, changes: &mut Changes) {
    if was.places == now.places {
        return;
    }
    let most = |view: &UpstreamView<'_>| {
        view.places.as_ref().map_or((u32::MAX, u32::MAX, u32::MAX), |places| {
            (places.max_in_flight, places.queue, places.queue_timeout_ms)
        })
    };
    if most(was) == most(now) {
        let shared = |view: &UpstreamView<'_>| view.places.as_ref().and_then(|places| places.shared);
        let name = now.name;
        let message = format!(
            "the places of upstream `{name}` hold {}, held {}",
            edges(shared(now)),
            edges(shared(was))
        );
        changes.add(&SHARED_LIMIT_CHANGED, message);
        return;
    }
    let ((in_flight, queue, time), (then_in_flight, then_queue, then_time)) = (most(now), most(was));
    let is_lower = in_flight < then_in_flight || queue < then_queue || time < then_time;
    let rule = if is_lower { &PLACES_LOWERED } else { &PLACES_RAISED };
    let message = format!("upstream `{}` takes another number of calls at once", now.name);
    changes.add(rule, message).note(format!("now: {now}")).note(format!("before: {was}"));
}

/// Whom a limit holds for; of a shared one, with what happens while edges cannot agree.
fn edges(shared: Option<&str>) -> String {
    match shared {
        None => "for each edge alone".to_owned(),
        Some(when_away) => format!("for all edges together (otherwise `{when_away}`)"),
    }
}

fn seconds(millis: u32) -> String {
    format!("{} s", f64::from(millis) / 1000.0)
}

fn times(count: u8) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
