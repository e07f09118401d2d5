//! Who may call a tool, how often and for how long.

use super::changes;

changes! {
    /// A tool needs one more scope.
    ///
    /// Callers who lack it are refused. Give it to them first.
    SCOPE_ADDED = "MCD0501", "scope-added", Breaking;
    /// A tool no longer needs a scope.
    ///
    /// More callers may call it than before.
    SCOPE_REMOVED = "MCD0502", "scope-removed", Risky;
    /// A tool may be called less often, or all callers share what each tenant had.
    ///
    /// Some calls that were made are refused until later.
    RATE_LOWERED = "MCD0503", "rate-lowered", Risky;
    /// A tool may be called more often.
    ///
    /// Its API gets more calls.
    RATE_RAISED = "MCD0504", "rate-raised", Safe;
    /// A call, an attempt or a connection has less time.
    ///
    /// Slow calls that succeeded fail.
    TIMEOUT_SHORTENED = "MCD0505", "timeout-shortened", Risky;
    /// A call, an attempt or a connection has more time.
    ///
    /// Callers may wait longer.
    TIMEOUT_LENGTHENED = "MCD0506", "timeout-lengthened", Safe;
    /// Failed calls are repeated more or less often, or a call may be repeated that was not.
    ///
    /// An API that is not idempotent does twice what it should do once.
    RETRIES_CHANGED = "MCD0507", "retries-changed", Risky;
    /// Responses are used for longer, by all tenants together, or after a failure.
    ///
    /// Callers may get older data.
    CACHE_WIDENED = "MCD0508", "cache-widened", Risky;
    /// Responses are used for a shorter time, or by fewer callers.
    ///
    /// The API gets more calls.
    CACHE_NARROWED = "MCD0509", "cache-narrowed", Safe;
    /// A response, a text or a list may be less long: `max_response_bytes`, `max_text_bytes` or
    /// `max_results`.
    ///
    /// Results that were complete are cut or refused.
    SIZE_LIMIT_LOWERED = "MCD0510", "size-limit-lowered", Risky;
    /// A response, a text or a list may be longer.
    ///
    /// Results may cost a model more tokens; `mcpc stats` says how many.
    SIZE_LIMIT_RAISED = "MCD0511", "size-limit-raised", Safe;
    /// An upstream gets fewer calls at once, or fewer may wait.
    ///
    /// Calls are refused where they were made.
    PLACES_LOWERED = "MCD0512", "places-lowered", Risky;
    /// An upstream gets more calls at once, or more may wait.
    ///
    /// Its load may grow.
    PLACES_RAISED = "MCD0513", "places-raised", Safe;
    /// The breaker of an upstream is another one, or off.
    ///
    /// A failing upstream is left alone earlier, later or never.
    BREAKER_CHANGED = "MCD0514", "breaker-changed", Risky;
    /// A rate, or the calls at once, hold for all edges together instead of for each alone, or the
    /// other way round, or something else holds while edges cannot agree.
    ///
    /// With several edges, callers may make more or fewer calls than before.
    SHARED_LIMIT_CHANGED = "MCD0515", "shared-limit-changed", Risky;
}
