//! When a call is tried again, and how long it waits before that.

use super::answer::{ExchangeFailure, Hints};
use crate::runtime::random;
use crate::upstream::{Exchange, UpstreamError};
use std::time::{Duration, Instant, SystemTime};

/// The bounds of the waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    first: Duration,
    longest: Duration,
}

/// Of HTTP APIs.
const API: Schedule = Schedule { first: Duration::from_millis(100), longest: Duration::from_secs(2) };
/// Of MCP servers, which may have to start.
const MCP: Schedule = Schedule { first: Duration::from_secs(1), longest: Duration::from_secs(10) };

impl Schedule {
    pub fn of(call: &Exchange<'_>) -> Schedule {
        if call.envelope.is_some() { MCP } else { API }
    }
}

/// Whether another attempt may end better.
pub(super) fn is_worth_it(failure: &ExchangeFailure) -> bool {
    match failure.error {
        UpstreamError::Resolve | UpstreamError::Connect(_) | UpstreamError::ConnectTimeout(_) => true,
        // Of one attempt: that of the whole call ends it.
        UpstreamError::Timeout(_) => true,
        UpstreamError::Closed => !failure.answered,
        _ => false,
    }
}

/// Statuses that another attempt may change, and that can come with `Retry-After`.
pub(super) const fn is_temporary(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}

/// The wait before the retry of this number, from 0; `None` if it would end after the deadline.
pub(super) fn wait(schedule: Schedule, number: u8, hints: &Hints, deadline: Instant) -> Option<Duration> {
    let asked = hints.retry_after.as_deref().and_then(|value| retry_after(value, SystemTime::now()));
    let wait = asked.unwrap_or_else(|| backoff(schedule, number));
    (wait < deadline.saturating_duration_since(Instant::now())).then_some(wait)
}

/// Full jitter: anything up to a bound that doubles, so that callers who failed together do not return together.
fn backoff(Schedule { first, longest }: Schedule, number: u8) -> Duration {
    let bound = first.saturating_mul(1 << number.min(10)).min(longest);
    let bound = u64::try_from(bound.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(random::next() % bound.saturating_add(1))
}

/// Seconds, or a date.
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_stays_below_a_bound_that_doubles() {
        let api = [(0, 100), (1, 200), (3, 800), (5, 2000), (255, 2000)].map(|(n, bound)| (API, n, bound));
        let mcp = [(0, 1000), (1, 2000), (3, 8000), (4, 10_000)].map(|(n, bound)| (MCP, n, bound));
        for (schedule, number, bound) in api.into_iter().chain(mcp) {
            for _ in 0..100 {
                assert!(backoff(schedule, number) <= Duration::from_millis(bound));
            }
        }
    }

    #[test]
    fn property_8_transient_failures_of_a_server_are_tried_again_after_one_second_that_doubles_to_ten() {
        for number in 0..=u8::MAX {
            let bound = Duration::from_secs(1_u64 << number.min(10)).min(Duration::from_secs(10));
            assert!(backoff(MCP, number) <= bound, "{number}");
        }
        let failed = |error| is_worth_it(&ExchangeFailure::unanswered(error));
        for transient in [
            UpstreamError::Resolve,
            UpstreamError::Connect("refused".to_owned()),
            UpstreamError::ConnectTimeout(1),
            UpstreamError::Timeout(1),
            UpstreamError::Closed,
        ] {
            assert!(failed(transient.clone()), "{transient}");
        }
        for permanent in [UpstreamError::Protocol, UpstreamError::TooLarge { status: 200, limit: 1 }] {
            assert!(!failed(permanent.clone()), "{permanent}");
        }
        assert!([429, 502, 503, 504].into_iter().all(is_temporary));
        assert!(![200, 400, 401, 404, 500].into_iter().any(is_temporary));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let parsed = |value| retry_after(value, now);
        assert_eq!(parsed("120"), Some(Duration::from_secs(120)));
        assert_eq!(parsed("Sun, 06 Nov 1994 08:49:40 GMT"), Some(Duration::from_secs(3)));
        assert_eq!(parsed("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO), "in the past");
        for none in ["", "soon", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }

    #[test]
    fn a_wait_beyond_the_deadline_is_not_waited() {
        let hints = Hints { retry_after: Some("3600".to_owned()), ..Hints::default() };
        assert_eq!(wait(API, 0, &hints, Instant::now() + Duration::from_secs(60)), None);
        let hints = Hints { retry_after: Some("1".to_owned()), ..Hints::default() };
        assert_eq!(
            wait(API, 0, &hints, Instant::now() + Duration::from_secs(60)),
            Some(Duration::from_secs(1))
        );
    }
}
