//! Where answers are kept: bounded by their bytes, with one flight for each key.

use super::{CacheKey, CacheRules};
use crate::upstream::Received;
use mcp_bundle::shape::Answer;
use quick_cache::sync::{Cache, EntryAction, EntryResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What an answer costs beside its texts.
const OVERHEAD: usize = 256;
/// Few, so that one may hold a large answer: an answer above the part of one shard is not kept.
const SHARDS: usize = 4;
/// While an upstream fails, it is asked again for the same thing at most this often.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// An upstream's answer that made a good result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeptAnswer {
    pub status: u16,
    pub content_type: Option<Box<str>>,
    pub content_location: Option<Box<str>>,
    pub body: Box<[u8]>,
    pub message: Option<u64>,
    /// When the upstream gave it.
    pub since: Instant,
}

/// What metrics say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CacheStats {
    pub hits: u64,
    pub misses: u64,
    /// Answers that were older than they should be, because the upstream failed.
    pub stale: u64,
    /// Answers that gave way to others.
    pub evicted: u64,
    /// At this moment.
    pub bytes: u64,
}

/// What stands in the cache under a key.
#[derive(Debug, Clone)]
enum Kept {
    Answer {
        answer: Arc<KeptAnswer>,
        /// The upstream failed at this time, and the answer served instead.
        failed: Option<Instant>,
    },
    /// There was no answer to keep. Those who waited for it ask for themselves.
    Nothing { since: Instant },
}

/// What a call finds.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// An answer, and whether it is older than it should be.
    Hit { answer: Arc<KeptAnswer>, stale: bool },
    /// Ask the upstream, for all that wait.
    Flight(Box<Flight<'a>>),
    /// Ask the upstream, for this call alone.
    Alone,
}

type Guard<'a> = PlaceholderGuard<'a, CacheKey, Kept, Weights, DefaultHashBuilder, Evictions>;

/// A call that asks for all that have the same key. If it is dropped, another one takes over.
pub(crate) struct Flight<'a> {
    cache: &'a AnswerCache,
    guard: Guard<'a>,
    /// What serves if the upstream fails.
    stale: Option<Arc<KeptAnswer>>,
}

/// The answers of all tools.
pub(crate) struct AnswerCache {
    kept: Cache<CacheKey, Kept, Weights, DefaultHashBuilder, Evictions>,
    hits: AtomicU64,
    misses: AtomicU64,
    stale: AtomicU64,
    evicted: Arc<AtomicU64>,
}

#[derive(Debug, Clone)]
struct Weights;

impl Weighter<CacheKey, Kept> for Weights {
    fn weight(&self, _key: &CacheKey, kept: &Kept) -> u64 {
        match kept {
            Kept::Answer { answer, .. } => answer.weight() as u64,
            Kept::Nothing { .. } => OVERHEAD as u64,
        }
    }
}

#[derive(Debug, Clone)]
struct Evictions(Arc<AtomicU64>);

impl Lifecycle<CacheKey, Kept> for Evictions {
    /// Dropped after the lock of the shard.
    type RequestState = Vec<Kept>;

    fn on_evict(&self, state: &mut Vec<Kept>, _key: CacheKey, kept: Kept) {
        if matches!(kept, Kept::Answer { .. }) {
            self.0.fetch_add(1, Relaxed);
        }
        state.push(kept);
    }
}

impl AnswerCache {
    /// Keeps answers of so many bytes; with none, it keeps nothing.
    pub(crate) fn new(bytes: usize) -> AnswerCache {
        let evicted = Arc::<AtomicU64>::default();
        let mut options = OptionsBuilder::new();
        options.shards(SHARDS).estimated_items_capacity(1024).weight_capacity(bytes as u64);
        let lifecycle = Evictions(Arc::clone(&evicted));
        let kept = match options.build() {
            Ok(options) => Cache::with_options(options, Weights, DefaultHashBuilder::default(), lifecycle),
            Err(_) => Cache::with(1024, bytes as u64, Weights, DefaultHashBuilder::default(), lifecycle),
        };
        AnswerCache {
            kept,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            stale: AtomicU64::new(0),
            evicted,
        }
    }

    /// Answers may take this much from now on.
    pub(crate) fn set_bytes(&self, bytes: usize) {
        if self.kept.capacity() != bytes as u64 {
            self.kept.set_capacity(bytes as u64);
        }
    }

    /// What is there for a key, after a wait if somebody else is asking for it.
    pub(crate) async fn find(&self, key: &CacheKey, rules: &CacheRules) -> Found<'_> {
        let arrived = Instant::now();
        let look = |_: &CacheKey, kept: &mut Kept| kept.look(rules, arrived, Instant::now());
        let found = match self.kept.entry_async(key, look).await {
            EntryResult::Retained(Some((answer, stale))) => Found::Hit { answer, stale },
            EntryResult::Retained(None) | EntryResult::Removed(..) | EntryResult::Timeout => Found::Alone,
            EntryResult::Vacant(guard) => Found::Flight(Box::new(Flight { cache: self, guard, stale: None })),
            EntryResult::Replaced(guard, before) => {
                let stale = before.serves_if_error(rules, Instant::now());
                Found::Flight(Box::new(Flight { cache: self, guard, stale }))
            }
        };
        let counter = match &found {
            Found::Hit { stale: false, .. } => &self.hits,
            Found::Hit { stale: true, .. } => &self.stale,
            Found::Flight(_) | Found::Alone => &self.misses,
        };
        counter.fetch_add(1, Relaxed);
        found
    }

    pub(crate) fn stats(&self) -> CacheStats {
        CacheStats {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            stale: self.stale.load(Relaxed),
            evicted: self.evicted.load(Relaxed),
            bytes: self.kept.weight(),
        }
    }
}

/// An answer and whether it is stale; `None` if the call is to ask for itself.
type Look = Option<(Arc<KeptAnswer>, bool)>;

impl Kept {
    fn look(&self, rules: &CacheRules, arrived: Instant, now: Instant) -> EntryAction<Look> {
        match self {
            Kept::Answer { answer, .. } if answer.age(now) < rules.fresh => {
                EntryAction::Retain(Some((Arc::clone(answer), false)))
            }
            // The upstream has just failed.
            Kept::Answer { answer, failed: Some(failed) }
                if now.saturating_duration_since(*failed) < AFTER_FAILURE.min(rules.fresh)
                    && self.serves_if_error(rules, now).is_some() =>
            {
                EntryAction::Retain(Some((Arc::clone(answer), true)))
            }
            Kept::Nothing { since } if arrived <= *since => EntryAction::Retain(None),
            Kept::Answer { .. } | Kept::Nothing { .. } => EntryAction::ReplaceWithGuard,
        }
    }

    fn serves_if_error(&self, rules: &CacheRules, now: Instant) -> Option<Arc<KeptAnswer>> {
        match self {
            Kept::Answer { answer, .. } if answer.age(now) < rules.fresh + rules.stale_if_error => {
                Some(Arc::clone(answer))
            }
            _ => None,
        }
    }
}

impl KeptAnswer {
    pub(crate) fn of(received: &Received, since: Instant) -> KeptAnswer {
        KeptAnswer {
            status: received.status,
            content_type: received.content_type.as_deref().map(Box::from),
            content_location: received.content_location.as_deref().map(Box::from),
            body: received.body.as_slice().into(),
            message: received.message,
            since,
        }
    }

    pub(crate) fn answer(&self) -> Answer<'_> {
        Answer {
            status: self.status,
            content_type: self.content_type.as_deref(),
            content_location: self.content_location.as_deref(),
            body: &self.body,
            message: self.message,
        }
    }

    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }

    fn weight(&self) -> usize {
        let text = |text: &Option<Box<str>>| text.as_deref().map_or(0, str::len);
        OVERHEAD + self.body.len() + text(&self.content_type) + text(&self.content_location)
    }
}

impl Flight<'_> {
    /// Keeps the answer, for those who wait and those who come.
    pub(crate) fn keep(self, answer: KeptAnswer) {
        // One that finds no room would leave those who wait to ask one after the other.
        if answer.weight() as u64 > self.cache.kept.shard_capacity() {
            return self.keep_nothing();
        }
        let _ = self.guard.insert(Kept::Answer { answer: Arc::new(answer), failed: None });
    }

    /// The upstream failed: an answer of before, if one may serve.
    pub(crate) fn stale(self) -> Result<Arc<KeptAnswer>, Self> {
        let Some(answer) = self.stale.clone() else { return Err(self) };
        self.cache.stale.fetch_add(1, Relaxed);
        let _ = self.guard.insert(Kept::Answer { answer: Arc::clone(&answer), failed: Some(Instant::now()) });
        Ok(answer)
    }

    /// There is no answer that others can use.
    pub(crate) fn keep_nothing(self) {
        let _ = self.guard.insert(Kept::Nothing { since: Instant::now() });
    }
}

impl fmt::Debug for Flight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").field("stale", &self.stale.is_some()).finish_non_exhaustive()
    }
}

impl fmt::Debug for AnswerCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerCache").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
