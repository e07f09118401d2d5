//! Whether a call may begin, and go on to its upstream. Cheap questions come first:
//!
//! ```text
//! rates     of the address, the key, the tenant, the tool      one word each, and nothing where none is set
//! places    of everyone, of the tenant                          at once or `overloaded`
//!           (here the arguments are bound and the cache is asked)
//! breaker   of the upstream                                     at once or `upstream_unavailable`
//! places    of the upstream                                     perhaps after a wait in its queue
//! bytes     of all bodies, while the answer arrives             (`limits/budget.rs`)
//! ```
//!
//! A call that one limit refuses has counted for those that were asked before.

#[cfg(test)]
mod tests;

use crate::call::ToolCall;
use crate::call::failure::CallFailure;
use crate::limits::breaker::Pass;
use crate::limits::gates::Gate;
use crate::limits::{Limit, Limiter, Rate, Refused, TenantPlace, UpstreamPlace, nanoseconds};
use crate::request::failure::Failure;
use crate::request::identity::{Caller, Peer};
use crate::request::route::RoutedRequest;
use crate::serving::context::Context;
use crate::serving::in_flight::Permit;
use crate::serving::shared::Shared;
use crate::settings::Settings;
use crate::upstream::UpstreamError;
use crate::upstream::mcp::McpCode;
use mcp_bundle::wire_enums::WhenAway;
use std::cell::LazyCell;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The places of a call, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Places<'a> {
    _all: Permit<'a>,
    _tenant: Option<TenantPlace<'a>>,
}

/// What a call may send its request with.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pass: Option<Pass<'a>>,
    /// Free again when it is dropped.
    _place: Option<UpstreamPlace<'a>>,
}

/// Whether a call of a tool may begin.
#[inline]
pub(super) fn admit<'a>(
    context: &Context<'a>,
    call: &ToolCall<'a, '_>,
    now: Instant,
) -> Result<Places<'a>, CallFailure> {
    let caller = &context.request.caller;
    let limiter = &context.shared.limits;
    // Worked out once, and only where a limit asks.
    let now = LazyCell::new(|| nanoseconds(now));
    let asks = Asks { limiter, address_rate: context.settings.limits.address_rate, now: &now };
    let admitted = asks.rates(caller, &context.request.peer);
    admitted.map_err(|(limit, wait)| CallFailure::RateLimited { limit, wait })?;
    if let Some(rate) = context.view.catalog().tool_rate(call.tool.index()) {
        let who = if rate.by_tenant { caller.tenant_bucket().unwrap_or(0) } else { 0 };
        let name = || match caller.tenant().filter(|_| rate.by_tenant) {
            Some(tenant) => format!("rate/tool/{}/{tenant}", call.tool.name()),
            None => format!("rate/tool/{}", call.tool.name()),
        };
        let taken = limiter.take(rate.bucket, who, rate.rate, *now, name);
        taken.map_err(|refused| {
            let (limit, wait) = met(Limit::ToolRate, refused);
            limiter.hit(limit);
            CallFailure::RateLimited { limit, wait }
        })?;
    }
    let full = |limit| {
        limiter.hit(limit);
        CallFailure::Overloaded(limit)
    };
    let all = context.shared.in_flight.enter(context.settings.limits.calls_in_flight);
    let all = all.ok_or_else(|| full(Limit::CallsInFlight))?;
    let tenant = match caller.limits().calls_in_flight {
        None => None,
        Some(most) => {
            let shared = caller.limits().calls_in_flight_shared;
            let who = (caller.tenant().unwrap_or_default(), caller.tenant_bucket().unwrap_or(0));
            let place = limiter.enter(who, most, shared, *now);
            Some(place.ok_or_else(|| {
                let is_away = shared == Some(WhenAway::Refuse) && limiter.shared.is_away();
                full(if is_away { Limit::SharedAway } else { Limit::TenantInFlight })
            })?)
        }
    };
    Ok(Places { _all: all, _tenant: tenant })
}

/// Whether a message that calls no tool may be answered: it counts like a call, but no tool's rate is asked.
pub(crate) fn admit_message(context: &Context<'_>) -> Result<(), Failure> {
    admit_request(context.shared, context.settings, context.request)
}

/// The same for a request of which no more is known than who sent it.
pub(crate) fn admit_request(
    shared: &Shared,
    settings: &Settings,
    request: &RoutedRequest,
) -> Result<(), Failure> {
    let now = LazyCell::new(|| nanoseconds(Instant::now()));
    let address_rate = settings.limits.address_rate;
    let asks = Asks { limiter: &shared.limits, address_rate, now: &now };
    asks.rates(&request.caller, &request.peer).map_err(too_many)
}

/// Whether a request may be answered whose caller is not known.
pub(crate) fn admit_stranger(shared: &Shared, settings: &Settings, peer: &Peer) -> Result<(), Failure> {
    let now = LazyCell::new(|| nanoseconds(Instant::now()));
    let address_rate = settings.limits.address_rate;
    Asks { limiter: &shared.limits, address_rate, now: &now }.address(peer).map_err(too_many)
}

/// Why a message is refused that was not admitted yet. It counts like any other, or wrong messages would have no limit.
#[cold]
pub(crate) fn counted(context: &Context<'_>, failure: Failure) -> Failure {
    admit_message(context).err().unwrap_or(failure)
}

fn too_many((_, wait): (Limit, Duration)) -> Failure {
    Failure::TooManyRequests { retry_after_seconds: whole_seconds(wait).into() }
}

/// The names of limits in the table of buckets; those of tools are made of the tools' names.
const ADDRESS: u64 = 1;
const KEY: u64 = 2;
const TENANT: u64 = 3;

/// The rates of who asks, whatever it asks for.
struct Asks<'a, Now: FnOnce() -> u64> {
    limiter: &'a Limiter,
    address_rate: Option<Rate>,
    now: &'a LazyCell<u64, Now>,
}

impl<Now: FnOnce() -> u64> Asks<'_, Now> {
    #[inline]
    fn rates(&self, caller: &Caller, peer: &Peer) -> Result<(), (Limit, Duration)> {
        self.address(peer)?;
        let limits = caller.limits();
        if let Some(rate) = limits.key_rate {
            self.take(Limit::KeyRate, KEY, limits.key, rate, caller)?;
        }
        match (limits.rate, caller.tenant_bucket()) {
            (Some(rate), Some(tenant)) => self.take(Limit::TenantRate, TENANT, tenant, rate, caller),
            _ => Ok(()),
        }
    }

    #[inline]
    fn address(&self, peer: &Peer) -> Result<(), (Limit, Duration)> {
        match (self.address_rate, peer.address) {
            (Some(rate), Some(address)) => {
                let who = bucket_of(address.ip());
                self.take(Limit::AddressRate, ADDRESS, who, rate, &Caller::Anonymous)
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn take(
        &self,
        limit: Limit,
        name: u64,
        who: u64,
        rate: Rate,
        caller: &Caller,
    ) -> Result<(), (Limit, Duration)> {
        let taken = self.limiter.take(name, who, rate, **self.now, || shared_name(limit, caller));
        taken.map_err(|refused| {
            let (limit, wait) = met(limit, refused);
            self.limiter.hit(limit);
            (limit, wait)
        })
    }
}

/// What edges call the rate of a caller.
fn shared_name(limit: Limit, caller: &Caller) -> String {
    let tenant = caller.tenant().unwrap_or_default();
    match caller.key().filter(|_| limit == Limit::KeyRate) {
        Some(key) => format!("rate/key/{tenant}/{key}"),
        None => format!("rate/tenant/{tenant}"),
    }
}

/// When to try again where edges cannot agree.
const AWAY: Duration = Duration::from_secs(5);

/// Which limit was met, and how long to wait.
fn met(limit: Limit, refused: Refused) -> (Limit, Duration) {
    match refused {
        Refused::For(wait) => (limit, wait),
        Refused::StoreAway => (Limit::SharedAway, AWAY),
    }
}

/// A network of IPv6 is one: a host with one address of it has all of them.
fn bucket_of(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64 | 1 << 63,
    }
}

/// Whether a request may be sent to its upstream now, perhaps after a wait: then `now` is later.
#[inline]
pub(super) async fn enter<'a>(
    context: &Context<'a>,
    gate: Option<&'a Gate>,
    now: &mut Instant,
    deadline: Instant,
) -> Result<Entry<'a>, CallFailure> {
    let Some(gate) = gate else { return Ok(Entry { pass: None, _place: None }) };
    let limiter = &context.shared.limits;
    let pass = match &gate.breaker {
        None => None,
        Some((breaker, plan)) => Some(breaker.enter(plan, *now).map_err(|wait| {
            limiter.hit(Limit::Breaker);
            CallFailure::Unavailable { wait }
        })?),
    };
    let Some((places, plan)) = &gate.places else { return Ok(Entry { pass, _place: None }) };
    let place = match places.enter() {
        Some(place) => Some(place),
        None => {
            let time = Duration::from_millis(plan.queue_timeout_ms.into());
            let time = time.min(deadline.saturating_duration_since(*now));
            // Boxed, as all that is rare.
            let place = Box::pin(places.wait(plan.queue, time)).await;
            *now = Instant::now();
            place
        }
    };
    if place.is_none() {
        let limit = if places.is_away() { Limit::SharedAway } else { Limit::UpstreamInFlight };
        limiter.hit(limit);
        return Err(CallFailure::Overloaded(limit));
    }
    Ok(Entry { pass, _place: place })
}

impl Entry<'_> {
    /// Tells the breaker how the exchange ended, and leaves the place.
    pub(super) fn end(self, ended: &Result<(), UpstreamError>, status: u16, now: Instant) {
        let Some(pass) = self.pass else { return };
        // Otherwise it was let through for nothing.
        if let Some(failed) = is_failure(ended, status) {
            pass.end(failed, now);
        }
    }
}

/// Whether an exchange shows that an upstream cannot be used: there was no answer, or a gateway says so. An answer that is too
/// large or damaged is one. `None` if it says nothing about the upstream: there was no room for the answer here, or a
/// connection ended that was kept.
fn is_failure(ended: &Result<(), UpstreamError>, status: u16) -> Option<bool> {
    match ended {
        Ok(()) => Some(matches!(status, 502..=504)),
        Err(UpstreamError::Mcp(failure)) => {
            Some(matches!(failure.code, McpCode::Unreachable | McpCode::Timeout))
        }
        Err(UpstreamError::NoRoom | UpstreamError::KeptClosed) => None,
        Err(UpstreamError::TooLarge { .. } | UpstreamError::Encoding(_)) => Some(false),
        Err(_) => Some(true),
    }
}

/// For a client, which is told whole seconds: never too few.
pub(crate) fn whole_seconds(wait: Duration) -> u32 {
    let more = u64::from(wait.subsec_nanos() > 0);
    u32::try_from(wait.as_secs() + more).unwrap_or(u32::MAX).max(1)
}
