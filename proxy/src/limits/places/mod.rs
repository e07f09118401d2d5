//! Places for calls of each tenant and of each upstream. Those of everyone are in `serving/in_flight.rs`.

use crate::runtime::deadline::{Elapsed, within};
use std::fmt;
use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::time::Duration;
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
    free: Semaphore,
    waiting: AtomicUsize,
}

/// One that waits; it is counted until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl UpstreamPlaces {
    pub fn new(in_flight: u32) -> UpstreamPlaces {
        UpstreamPlaces { free: Semaphore::new(in_flight as usize), waiting: AtomicUsize::new(0) }
    }

    /// A place at once, if there is one and nobody waits for it.
    pub fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.free.try_acquire().ok()
    }

    /// A place, as soon as there is one; `None` if `queue` calls wait already, or if none is free in time. Whoever is dropped
    /// meanwhile leaves the queue.
    pub async fn wait(&self, queue: u32, time: Duration) -> Option<SemaphorePermit<'_>> {
        let before = self.waiting.fetch_add(1, Acquire);
        let _waiting = Waiting(&self.waiting);
        if before >= queue as usize {
            return None;
        }
        match within(time, pin!(self.free.acquire())).await {
            Ok(place) => place.ok(),
            Err(Elapsed) => None,
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
