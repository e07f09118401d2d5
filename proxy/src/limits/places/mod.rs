//! Places for calls of each tenant and of each upstream. Those of everyone are in `serving/in_flight.rs`.

use super::shared::{PlacesLease, SharedLimits, SharedPlace};
use super::{bucket, nanoseconds};
use crate::runtime::deadline::{Elapsed, within};
use mcp_bundle::wire_enums::WhenAway;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bits of a tenant's word that count its calls; the others say whose it is.
const COUNT_BITS: u32 = 24;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
const WORDS: usize = 1 << 16;
/// Words that a tenant may have its place in.
const NEAR: usize = 32;

/// The calls in flight of each tenant: a table of words, 512 KiB once a tenant has a limit. A word whose count is 0 is free.
#[derive(Default)]
pub struct TenantPlaces {
    words: OnceLock<Box<[AtomicU64]>>,
}

/// A call of a tenant; its place is free again when it is dropped.
#[derive(Debug)]
pub struct TenantPermit<'a>(&'a AtomicU64);

impl TenantPlaces {
    /// A place for one more call of a tenant, named by its [`bucket`](super::bucket); `None` if `limit` of them run.
    ///
    /// Two calls that come at once may take two words for one tenant, so its calls are counted over all of them, after the
    /// call has entered: the last one to enter sees all others. Two that meet at the limit may both be refused.
    pub fn enter(&self, tenant: u64, limit: u32) -> Option<TenantPermit<'_>> {
        let words = self.words.get_or_init(|| (0..WORDS).map(|_| AtomicU64::new(0)).collect());
        let limit = u64::from(limit).min(COUNT);
        let tag = tenant >> COUNT_BITS << COUNT_BITS;
        let start = (tenant ^ (tenant >> 32)) as usize % (WORDS - NEAR);
        let near = words.get(start..start + NEAR)?;
        let permit = loop {
            // Its own word may stand behind one that has become free since.
            let own = near.iter().find(|word| is_of(word.load(SeqCst), tag));
            let word = own.or_else(|| near.iter().find(|word| word.load(SeqCst) & COUNT == 0))?;
            let found = word.load(SeqCst);
            let count = found & COUNT;
            if count > 0 && !is_of(found, tag) {
                continue;
            }
            if count >= limit {
                return None;
            }
            if word.compare_exchange_weak(found, tag | (count + 1), SeqCst, Relaxed).is_ok() {
                break TenantPermit(word);
            }
        };
        let counts = near.iter().map(|word| word.load(SeqCst)).filter(|word| is_of(*word, tag));
        (counts.map(|word| word & COUNT).sum::<u64>() <= limit).then_some(permit)
    }
}

/// Whether a word in use is that of a tenant.
const fn is_of(word: u64, tag: u64) -> bool {
    word & COUNT > 0 && word & !COUNT == tag
}

impl Drop for TenantPermit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl fmt::Debug for TenantPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenantPlaces").field("used", &self.words.get().is_some()).finish()
    }
}

/// The calls that an upstream gets at once, and those that wait for that.
#[derive(Debug)]
pub struct UpstreamPlaces {
    free: Free,
    waiting: AtomicUsize,
}

/// Where free places are.
#[derive(Debug)]
enum Free {
    Own(Semaphore),
    /// Edges share them. Without a lease there are as many as are this edge's part.
    Shared {
        limits: SharedLimits,
        lease: Arc<PlacesLease>,
        most: u32,
        when_away: WhenAway,
    },
}

/// A place of a call; it is free again when this is dropped.
#[derive(Debug)]
pub enum UpstreamPlace<'a> {
    Own { _permit: SemaphorePermit<'a> },
    Shared { _place: SharedPlace },
}

/// One that waits; it is counted until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl UpstreamPlaces {
    pub fn new(in_flight: u32) -> UpstreamPlaces {
        let free = Free::Own(Semaphore::new(in_flight as usize));
        UpstreamPlaces { free, waiting: AtomicUsize::new(0) }
    }

    /// The same for all edges together.
    pub fn shared(name: &str, most: u32, when_away: WhenAway, limits: SharedLimits) -> UpstreamPlaces {
        let name = format!("places/upstream/{name}");
        let free = match limits.places(bucket(&name), || name.clone()) {
            Some(lease) => Free::Shared { limits, lease, most, when_away },
            None => Free::Own(Semaphore::new(limits.own_places(most) as usize)),
        };
        UpstreamPlaces { free, waiting: AtomicUsize::new(0) }
    }

    /// A place at once, if there is one and nobody waits for it.
    pub fn enter(&self) -> Option<UpstreamPlace<'_>> {
        match &self.free {
            Free::Own(free) => free.try_acquire().ok().map(|permit| UpstreamPlace::Own { _permit: permit }),
            Free::Shared { limits, lease, most, when_away } => {
                let place = limits.enter(lease, *most, *when_away, nanoseconds(Instant::now()));
                place.map(|place| UpstreamPlace::Shared { _place: place })
            }
        }
    }

    /// A place, as soon as there is one; `None` if `queue` calls wait already, or if none is free in time. Whoever is dropped
    /// meanwhile leaves the queue.
    pub async fn wait(&self, queue: u32, time: Duration) -> Option<UpstreamPlace<'_>> {
        let before = self.waiting.fetch_add(1, Acquire);
        let _waiting = Waiting(&self.waiting);
        if before >= queue as usize {
            return None;
        }
        within(time, pin!(self.next())).await.unwrap_or_else(|Elapsed| None)
    }

    async fn next(&self) -> Option<UpstreamPlace<'_>> {
        match &self.free {
            Free::Own(free) => free.acquire().await.ok().map(|permit| UpstreamPlace::Own { _permit: permit }),
            Free::Shared { lease, .. } => loop {
                if let Some(place) = self.enter() {
                    return Some(place);
                }
                lease.freed().await;
            },
        }
    }

    /// Whether calls are refused because edges cannot agree.
    pub fn is_away(&self) -> bool {
        match &self.free {
            Free::Own(_) => false,
            Free::Shared { lease, limits, when_away, .. } => {
                *when_away == WhenAway::Refuse && (limits.is_away() || lease.is_refused())
            }
        }
    }

    /// Calls that wait at this moment.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Release);
    }
}

#[cfg(test)]
mod tests;
