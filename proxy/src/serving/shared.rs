//! Everything that all requests share, whatever interface they came by.

use super::in_flight::InFlight;
use super::{Activated, Loaded, Serving};
use crate::cache::AnswerCache;
use crate::catalog::Catalog;
use crate::limits::Limiter;
use crate::observe::record::Refusal;
use crate::observe::{Observer, Observers};
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::settings::Settings;
use crate::upstream::Upstream;
use arc_swap::ArcSwap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::sync::watch;

/// One for each edge.
#[derive(Debug)]
pub struct Shared {
    pub upstream: Upstream,
    pub observers: Observers,
    pub in_flight: Arc<InFlight>,
    /// Event streams that are open.
    pub streams: Arc<AtomicUsize>,
    /// Who has asked how much, over all bundles.
    pub(crate) limits: Arc<Limiter>,
    /// Upstreams' answers that are used again.
    pub(crate) cache: Arc<AnswerCache>,
    serving: ArcSwap<Serving>,
    /// Counts the swaps that changed the list of tools.
    changes: watch::Sender<u64>,
}

/// One of the event streams that may be open at once; given back when dropped.
#[derive(Debug)]
pub struct StreamSlot(Arc<AtomicUsize>);

impl Shared {
    pub fn new(settings: Settings, upstream: Upstream, observers: Observers) -> Shared {
        let limits = Arc::<Limiter>::default();
        limits.budget.set_most(settings.limits.answer_bytes);
        Shared {
            limits,
            cache: Arc::new(AnswerCache::new(settings.cache.bytes)),
            upstream,
            observers,
            in_flight: Arc::default(),
            streams: Arc::default(),
            serving: ArcSwap::from_pointee(Serving {
                settings: Arc::new(settings),
                directory: Arc::default(),
                catalog: None,
            }),
            changes: watch::channel(0).0,
        }
    }

    /// What requests that begin now are served with.
    pub fn serving(&self) -> Loaded {
        self.serving.load()
    }

    /// What is served now.
    pub fn catalog(&self) -> Option<Arc<Catalog>> {
        self.serving.load().catalog.clone()
    }

    /// From now on requests are served from `catalog` and with its settings; those that began before keep theirs.
    pub fn activate(&self, catalog: Catalog) -> Activated {
        let catalog = Arc::new(catalog);
        catalog.mcp.activate();
        self.limits.budget.set_most(catalog.settings.limits.answer_bytes);
        self.limits.shared.follow(catalog.store.as_ref());
        self.cache.set_bytes(catalog.settings.cache.bytes);
        let serving = Serving {
            settings: Arc::clone(&catalog.settings),
            directory: Arc::clone(&catalog.directory),
            catalog: Some(Arc::clone(&catalog)),
        };
        let before = self.serving.swap(Arc::new(serving));
        let list_changed = before.catalog.as_ref().is_none_or(|before| catalog.lists_differ(before));
        if list_changed {
            self.changes.send_modify(|count| *count += 1);
        }
        Activated { list_changed }
    }

    /// Tells of each swap that changed the list of tools.
    pub fn swaps(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Room for one more event stream.
    pub fn stream_slot(&self) -> Option<StreamSlot> {
        let most = self.serving().settings.limits.streams;
        self.streams.fetch_update(Relaxed, Relaxed, |open| (open < most).then_some(open + 1)).ok()?;
        Some(StreamSlot(Arc::clone(&self.streams)))
    }

    /// A request was refused.
    pub fn refused(&self, head: &Head, request: RequestFacts<'_>, failure: &Failure, status: u16) {
        self.observers.refused(&Refusal { request, head, failure, status });
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
