//! The section `limits`.
#![cfg(test)]

use crate::rules::{accepted, refused};
use crate::support::{FEATURES, sample};
use mcp_bundle::format::{Features, Trust, read, write};
use mcp_bundle::plan::{BreakerPlan, LimitsPlan, SharedLimit, SharedLimits};
use mcp_bundle::wire_enums::WhenAway;

#[test]
fn limits_name_what_is_there_once_and_in_order() {
    refused("bundle: limits of tool 1: given twice, or not in order", |d| d.contents.limits.tools.swap(0, 1));
    refused("bundle: limits of tool 2: given twice, or not in order", |d| {
        d.contents.limits.tools[0].tool = 2;
    });
    refused("bundle: limits of tool 9: tool 9 does not exist, there are 6", |d| {
        d.contents.limits.tools[1].tool = 9;
    });
    refused("bundle: limits of upstream 0: given twice, or not in order", |d| {
        d.contents.limits.upstreams.swap(0, 1);
    });
    refused("bundle: limits of upstream 99: upstream 99 does not exist, there are 4", |d| {
        d.contents.limits.upstreams[1].upstream = 99;
    });
}

#[test]
fn limits_are_possible_ones() {
    for part in 0..3 {
        refused("bundle: limits of tool 1: a rate of nothing", |d| {
            let rate = d.contents.limits.tools[0].rate.as_mut().unwrap();
            *[&mut rate.calls, &mut rate.seconds, &mut rate.burst][part] = 0;
        });
    }
    refused("bundle: limits of tool 1: there are none", |d| d.contents.limits.tools[0].rate = None);
    refused("bundle: limits of tool 2: a cache without a time", |d| {
        d.contents.policies[0].cache_seconds = 0;
    });
    refused("bundle: limits of upstream 0: no call may be in flight", |d| {
        d.contents.limits.upstreams[0].places.as_mut().unwrap().in_flight = 0;
    });
    refused("bundle: limits of upstream 0: there are none", |d| {
        d.contents.limits.upstreams[0].places = None;
    });
    let default = BreakerPlan::DEFAULT;
    for wrong in [
        BreakerPlan { failures: 0, ..default },
        BreakerPlan { error_per_mille: 0, ..default },
        BreakerPlan { error_per_mille: 1001, ..default },
        BreakerPlan { seconds: 0, ..default },
        BreakerPlan { probes: 0, ..default },
    ] {
        refused("bundle: limits of upstream 1: a breaker that cannot work", |d| {
            d.contents.limits.upstreams[1].breaker = Some(wrong);
        });
    }
    accepted(|d| d.contents.limits.upstreams[1].breaker = Some(BreakerPlan { enabled: false, ..default }));
    accepted(|d| d.contents.limits.tools[0].tool = 0);
}

#[test]
fn only_a_limit_that_is_there_can_be_shared() {
    let limit = |of| SharedLimit { of, when_away: WhenAway::Share };
    refused("bundle: shared rate of tool 0: there is no such limit", |d| {
        d.contents.shared.rates.insert(0, limit(0));
    });
    refused("bundle: shared rate of tool 2: given twice, or not in order", |d| {
        d.contents.shared.rates.push(limit(2));
    });
    refused("bundle: shared places of upstream 1: there is no such limit", |d| {
        d.contents.shared.places.push(limit(1));
    });
    refused("bundle: shared places of upstream 9: there is no such limit", |d| {
        d.contents.shared.places.push(limit(9));
    });
    accepted(|d| d.contents.shared.rates.insert(0, limit(1)));
    accepted(|d| d.contents.shared = SharedLimits::default());
    let contents = sample().finish();
    let of_tools = [1, 2, 9].map(|tool| contents.shared_rate(tool));
    assert_eq!(of_tools, [None, Some(WhenAway::Refuse), None]);
    let of_upstreams = [0, 1].map(|upstream| contents.shared_places(upstream));
    assert_eq!(of_upstreams, [Some(WhenAway::Share), None]);
    // An edge that does not know the feature names it.
    let features = read(&write(&contents).unwrap(), &Trust::Any).unwrap().features;
    assert!(
        features.contains(Features::SHARED_LIMITS) && features.names().any(|name| name == "shared-limits")
    );
}

#[test]
fn a_bundle_without_limits_has_no_section_for_them() {
    let mut contents = sample().finish();
    let with = write(&contents).unwrap();
    let limits = std::mem::take(&mut contents.limits);
    let shared = std::mem::take(&mut contents.shared);
    let without = write(&contents).unwrap();
    assert!(without.len() < with.len());
    let features = |bytes: &[u8]| read(bytes, &Trust::Any).unwrap().features;
    assert_eq!(features(&with), Features(FEATURES));
    assert_eq!(
        features(&without),
        Features(FEATURES).without(Features::LIMITS).without(Features::SHARED_LIMITS)
    );
    assert_eq!(read(&without, &Trust::Any).unwrap().contents.limits, LimitsPlan::default());
    let read = read(&with, &Trust::Any).unwrap().contents;
    assert_eq!((&read.limits, &read.shared), (&limits, &shared));
    assert_eq!(read.tool_limits(2), limits.tools.get(1));
    assert_eq!((read.tool_limits(0), read.upstream_limits(7)), (None, None));
    assert_eq!(read.upstream_limits(1), limits.upstreams.get(1));
}

#[test]
fn lenient_tools_are_listed_in_order_and_exist() {
    refused("bundle: lenient tool 0: given twice, or not in order", |d| d.contents.lenient = vec![3, 0]);
    refused("bundle: lenient tool 3: given twice, or not in order", |d| d.contents.lenient = vec![3, 3]);
    refused("bundle: lenient tool 6 does not exist, there are 6", |d| d.contents.lenient = vec![6]);
}
