//! How much may be asked for, as counters and gates that all threads share. What they are asked in which order is decided in
//! `call/admission`.
//!
//! A limit that nobody has set costs a call a look at an `Option`.

pub mod breaker;
mod buckets;
pub mod budget;
pub mod gates;
mod places;
mod rate;
pub mod shared;

pub use buckets::Buckets;
pub use places::{TenantPermit, TenantPlaces, UpstreamPlace, UpstreamPlaces};
pub use rate::{Rate, nanoseconds};
pub use shared::{Refused, SharedLimits, SharedPlace};

use buckets::mix;
use budget::Budget;
use gates::Gates;
use mcp_bundle::wire_enums::WhenAway;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// All that outlives a bundle: who has asked how much, and how upstreams are.
#[derive(Debug, Default)]
pub struct Limiter {
    pub buckets: Buckets,
    pub tenants: TenantPlaces,
    pub gates: Gates,
    pub budget: Arc<Budget>,
    pub shared: SharedLimits,
    hits: [AtomicU64; Limit::ALL.len()],
}

/// A limit that a call can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Calls of an address in a time.
    AddressRate,
    /// Calls with a key in a time.
    KeyRate,
    /// Calls of a tenant in a time.
    TenantRate,
    /// Calls of a tool in a time.
    ToolRate,
    /// Calls of everyone at once.
    CallsInFlight,
    /// Calls of a tenant at once.
    TenantInFlight,
    /// Calls of an upstream at once.
    UpstreamInFlight,
    /// An upstream that is left alone.
    Breaker,
    /// Bytes of bodies of all calls.
    AnswerBytes,
    /// A limit that edges share, while they cannot agree.
    SharedAway,
}

/// What one caller may do, as its authenticator knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallerLimits {
    /// Of the tenant, with all its keys.
    pub rate: Option<Rate>,
    /// Of the tenant, with all its keys.
    pub calls_in_flight: Option<u32>,
    /// All edges share those.
    pub calls_in_flight_shared: Option<WhenAway>,
    /// Of the key alone.
    pub key_rate: Option<Rate>,
    /// The [`bucket`] of the key, by a name that is unique among all keys.
    pub key: u64,
}

impl CallerLimits {
    /// Of a caller about whom nothing is said.
    pub const NONE: CallerLimits = CallerLimits {
        rate: None,
        calls_in_flight: None,
        calls_in_flight_shared: None,
        key_rate: None,
        key: 0,
    };
}

/// A place of a call; it is free again when this is dropped.
#[derive(Debug)]
pub enum TenantPlace<'a> {
    Own { _permit: TenantPermit<'a> },
    Shared { _place: SharedPlace },
}

/// The number that stands for a name in the tables of limits: the same in every process.
pub fn bucket(name: &str) -> u64 {
    // FNV-1a. Names are those of a configuration, not of a stranger.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Limiter {
    /// Counts a call of `who` under the limit `limit`. If all edges share it, `name` is what they call it.
    #[inline]
    pub fn take(
        &self,
        limit: u64,
        who: u64,
        rate: Rate,
        now: u64,
        name: impl FnOnce() -> String,
    ) -> Result<(), Refused> {
        let rate = match rate.shared {
            Some(when_away) if self.shared.is_on() => {
                match self.shared.take((limit, who), rate, when_away, now, name) {
                    Some(taken) => return taken,
                    None => self.shared.own_part(rate),
                }
            }
            _ => rate,
        };
        self.buckets.take(limit, who, rate, now).map_err(Refused::For)
    }

    /// A place for a call of a tenant, by its name and [`bucket`], among `most`; `None` if all are taken.
    #[inline]
    pub fn enter<'a>(
        &'a self,
        (tenant, who): (&str, u64),
        most: u32,
        shared: Option<WhenAway>,
        now: u64,
    ) -> Option<TenantPlace<'a>> {
        let most = match shared.filter(|_| self.shared.is_on()) {
            None => most,
            Some(when_away) => match self.shared.places(who, || format!("places/tenant/{tenant}")) {
                Some(lease) => {
                    let place = self.shared.enter(&lease, most, when_away, now);
                    return place.map(|place| TenantPlace::Shared { _place: place });
                }
                None => self.shared.own_places(most),
            },
        };
        self.tenants.enter(who, most).map(|permit| TenantPlace::Own { _permit: permit })
    }

    /// A limit was met.
    pub fn hit(&self, limit: Limit) {
        if let Some(count) = self.hits.get(limit as usize) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// How often a limit was met.
    pub fn hits(&self, limit: Limit) -> u64 {
        self.hits.get(limit as usize).map_or(0, |count| count.load(Relaxed))
    }
}

impl Limit {
    pub const ALL: [Limit; 10] = [
        Limit::AddressRate,
        Limit::KeyRate,
        Limit::TenantRate,
        Limit::ToolRate,
        Limit::CallsInFlight,
        Limit::TenantInFlight,
        Limit::UpstreamInFlight,
        Limit::Breaker,
        Limit::AnswerBytes,
        Limit::SharedAway,
    ];

    /// The label of metrics, and the reason in results and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Limit::AddressRate => "rate_of_address",
            Limit::KeyRate => "rate_of_key",
            Limit::TenantRate => "rate_of_tenant",
            Limit::ToolRate => "rate_of_tool",
            // As it was called when it was the only one.
            Limit::CallsInFlight => "overloaded",
            Limit::TenantInFlight => "tenant_in_flight",
            Limit::UpstreamInFlight => "upstream_in_flight",
            Limit::Breaker => "upstream_unavailable",
            Limit::AnswerBytes => "answer_bytes",
            Limit::SharedAway => "shared_limit_unavailable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_counted_apart() {
        let limiter = Limiter::default();
        for (times, limit) in Limit::ALL.into_iter().enumerate() {
            (0..times).for_each(|_| limiter.hit(limit));
        }
        for (times, limit) in Limit::ALL.into_iter().enumerate() {
            assert_eq!(limiter.hits(limit), times as u64, "{limit:?}");
        }
    }

    #[test]
    fn names_have_buckets_of_their_own() {
        assert_ne!(bucket("acme"), bucket("acmf"));
        assert_eq!(bucket("acme"), bucket("acme"));
        assert_ne!(bucket(""), 0, "no name is not the same as none");
    }
}
