//! Limits of tools and upstreams. What is as the edge has it anyway is left out.

use crate::checked::CheckedTool;
use crate::spec::{BreakerSpec, UpstreamSpec};
use mcp_bundle::plan::{
    BreakerPlan, CachePlan, PlacesPlan, RatePlan, SharedLimit, ToolLimits, UpstreamLimits,
};
use mcp_bundle::wire_enums::WhenAway;

/// The limits of the tool with this index.
pub fn of_tool(tool: u32, spec: &CheckedTool) -> Option<ToolLimits> {
    let rate = spec.rate.map(|rate| RatePlan {
        calls: rate.calls,
        seconds: rate.seconds,
        burst: rate.burst,
        by_tenant: rate.by_tenant,
    });
    let is_cached = spec.cache_seconds.as_ref().is_some_and(|seconds| seconds.value > 0);
    let cache = spec.cache.as_ref().filter(|_| is_cached).map(|cache| CachePlan {
        shared: cache.shared.as_ref().is_some_and(|shared| shared.value),
        stale_if_error_seconds: cache.stale_if_error_seconds,
    });
    let cache = cache.filter(|cache| *cache != CachePlan { shared: false, stale_if_error_seconds: 0 });
    (rate.is_some() || cache.is_some()).then_some(ToolLimits { tool, rate, cache })
}

/// Whether edges share the rate of the tool with this index.
pub fn shared_rate(tool: u32, spec: &CheckedTool) -> Option<SharedLimit> {
    let when_away = spec.rate?.shared?;
    Some(SharedLimit { of: tool, when_away })
}

/// Whether edges share the places of an upstream.
pub fn shared_places(spec: &UpstreamSpec) -> Option<WhenAway> {
    spec.places?.shared
}

/// The limits of an upstream, whose index is filled in later.
pub fn of_upstream(spec: Option<&UpstreamSpec>) -> Option<UpstreamLimits> {
    let spec = spec?;
    let places = spec.places.map(|places| PlacesPlan {
        in_flight: places.in_flight,
        queue: places.queue,
        queue_timeout_ms: places.queue_timeout_seconds.saturating_mul(1000),
    });
    let breaker = spec.breaker.map(breaker).filter(|plan| *plan != BreakerPlan::DEFAULT);
    (places.is_some() || breaker.is_some()).then_some(UpstreamLimits { upstream: 0, places, breaker })
}

fn breaker(spec: BreakerSpec) -> BreakerPlan {
    let default = BreakerPlan::DEFAULT;
    match spec {
        BreakerSpec::Off => BreakerPlan { enabled: false, ..default },
        BreakerSpec::On { failures, error_per_mille, seconds, probes } => BreakerPlan {
            enabled: true,
            failures: failures.unwrap_or(default.failures),
            error_per_mille: error_per_mille.unwrap_or(default.error_per_mille),
            seconds: seconds.unwrap_or(default.seconds),
            probes: probes.unwrap_or(default.probes),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use mcp_bundle::format;
    use mcp_bundle::plan::{Contents, LimitsPlan};

    fn spec(upstream: &str, tool: &str) -> String {
        format!(
            "[upstream.api]\nurl = \"https://api.example.com\"\n{upstream}\n[[tool]]\nname = \"t\"\n\
             description = \"Does what the test asks for.\"\nupstream = \"api\"\nmethod = \"GET\"\n\
             endpoint = \"/x\"\n{tool}\n"
        )
    }

    fn contents(upstream: &str, tool: &str) -> Contents {
        let report = check_files(&MemoryFiles::one("spec.toml", &spec(upstream, tool)));
        report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics))
    }

    fn messages(upstream: &str, tool: &str) -> Vec<String> {
        let report = check_files(&MemoryFiles::one("spec.toml", &spec(upstream, tool)));
        let errors = report.diagnostics.iter().filter(|found| found.message.contains('`'));
        errors.map(|found| found.message.clone()).filter(|text| !text.contains("example")).collect()
    }

    #[test]
    fn what_a_spec_says_is_planned() {
        let upstream = "max_in_flight = 20\nqueue = 100\nbreaker = { failures = 3, error_rate = 0.25 }";
        let tool = "rate = { calls = 60, by = \"all\" }\ncache = { seconds = 5, shared = true }";
        let contents = contents(upstream, tool);
        let rate = RatePlan { calls: 60, seconds: 60, burst: 60, by_tenant: false };
        let cache = CachePlan { shared: true, stale_if_error_seconds: 0 };
        let places = PlacesPlan { in_flight: 20, queue: 100, queue_timeout_ms: 5000 };
        let breaker = BreakerPlan { failures: 3, error_per_mille: 250, ..BreakerPlan::DEFAULT };
        let expected = LimitsPlan {
            tools: vec![ToolLimits { tool: 0, rate: Some(rate), cache: Some(cache) }],
            upstreams: vec![UpstreamLimits { upstream: 0, places: Some(places), breaker: Some(breaker) }],
        };
        assert_eq!(contents.limits, expected);
        assert_eq!(contents.policies[0].cache_seconds, 5);
        assert!(format::write(&contents).is_ok());
        let off = self::contents("breaker = false", "").limits.upstreams[0].breaker.unwrap();
        assert!(!off.enabled);
    }

    #[test]
    fn limits_can_be_shared() {
        let tool = "rate = { calls = 60, shared = true }";
        let upstream = "max_in_flight = { calls = 20, shared = true, when_away = \"refuse\" }\nqueue = 3";
        let shared = contents(upstream, tool);
        assert_eq!(shared.shared_rate(0), Some(WhenAway::Share));
        assert_eq!(shared.shared_places(0), Some(WhenAway::Refuse));
        let places = PlacesPlan { in_flight: 20, queue: 3, queue_timeout_ms: 5000 };
        assert_eq!(shared.limits.upstreams[0].places, Some(places));
        let own = contents("max_in_flight = { calls = 20 }", "rate = { calls = 60, shared = false }");
        assert_eq!(
            format::write(&own).unwrap(),
            format::write(&contents("max_in_flight = 20", "rate = { calls = 60 }")).unwrap(),
            "what is not shared costs nothing"
        );
    }

    #[test]
    fn defaults_cost_nothing() {
        let bytes = |upstream, tool| format::write(&contents(upstream, tool)).unwrap();
        let plain = bytes("", "cache_seconds = 5");
        let written = "breaker = { failures = 10, error_rate = 0.5, seconds = 5, probes = 1 }";
        assert_eq!(bytes(written, "cache = { seconds = 5, shared = false }"), plain);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (upstream, tool, expected) in [
            ("queue = 5", "", "`queue` has no effect without `max_in_flight`"),
            ("breaker = { error_rate = 50 }", "", "`error_rate` must be between 0.001 and 1"),
            ("breaker = { error_rate = 0 }", "", "`error_rate` must be between 0.001 and 1"),
            ("breaker = true", "", "`breaker` must be a table or `false`, not a boolean"),
            ("", "cache_seconds = 5\ncache = { seconds = 5 }", "`cache` and `cache_seconds` say the same"),
            ("", "rate = { seconds = 5 }", "a rate needs `calls`"),
            ("", "rate = { calls = 5, by = \"key\" }", "`by` must be `tenant` or `all`, not `key`"),
            (
                "",
                "rate = { calls = 5, when_away = \"share\" }",
                "`when_away` has no effect without `shared = true`",
            ),
            (
                "max_in_flight = { calls = 5, shared = true, when_away = \"wait\" }",
                "",
                "`wait` is not a value of `when_away`",
            ),
            ("max_in_flight = { shared = true }", "", "`max_in_flight` needs `calls`"),
            (
                "max_in_flight = true",
                "",
                "`max_in_flight` must be an integer or a table with `calls`, `shared` or `when_away`, not a boolean",
            ),
            ("", "cache = 5", "`cache` must be a table, not an integer"),
        ] {
            assert_eq!(messages(upstream, tool), [expected], "{upstream}{tool}");
        }
    }
}
