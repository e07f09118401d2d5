//! What stands before each upstream: its breaker and its places. They go on over bundles, as long as one of them is served.

use super::breaker::{Breaker, BreakerState};
use super::places::UpstreamPlaces;
use super::shared::SharedLimits;
use mcp_bundle::plan::{BreakerPlan, PlacesPlan, UpstreamLimits};
use mcp_bundle::wire_enums::WhenAway;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An upstream as limits know it: its name and its origin.
pub type GateKey = (String, String);

/// All gates. Only asked when a bundle is activated, and by metrics.
#[derive(Debug, Default)]
pub struct Gates {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    breakers: BTreeMap<GateKey, Weak<Breaker>>,
    /// Another number of places is another gate: calls that began before end at theirs.
    places: BTreeMap<(GateKey, u32, Option<WhenAway>), Weak<UpstreamPlaces>>,
}

/// What it takes to share the places of an upstream.
#[derive(Debug)]
pub struct SharedGate {
    pub when_away: WhenAway,
    pub limits: SharedLimits,
}

/// What stands before an upstream of a bundle.
#[derive(Debug)]
pub struct Gate {
    /// `None` if the spec switches it off.
    pub breaker: Option<(Arc<Breaker>, BreakerPlan)>,
    /// `None` if there is no limit.
    pub places: Option<(Arc<UpstreamPlaces>, PlacesPlan)>,
}

/// What metrics say about the upstreams of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateStats {
    pub name: String,
    pub state: BreakerState,
    pub waiting: usize,
}

impl Gates {
    /// The gate of an upstream; `limits` is what its spec says.
    pub fn gate(&self, key: &GateKey, limits: Option<&UpstreamLimits>, shared: Option<SharedGate>) -> Gate {
        let mut known = self.lock();
        known.breakers.retain(|_, breaker| breaker.strong_count() > 0);
        known.places.retain(|_, places| places.strong_count() > 0);
        let plan = limits.and_then(|limits| limits.breaker).unwrap_or(BreakerPlan::DEFAULT);
        let breaker = plan.enabled.then(|| {
            let breaker = known.breakers.get(key).and_then(Weak::upgrade).unwrap_or_default();
            known.breakers.insert(key.clone(), Arc::downgrade(&breaker));
            (breaker, plan)
        });
        let places = limits.and_then(|limits| limits.places).map(|plan| {
            let name = &key.0;
            let key = (key.clone(), plan.in_flight, shared.as_ref().map(|shared| shared.when_away));
            let places = known.places.get(&key).and_then(Weak::upgrade);
            let new = || match shared {
                None => UpstreamPlaces::new(plan.in_flight),
                Some(SharedGate { when_away, limits }) => {
                    UpstreamPlaces::shared(name, plan.in_flight, when_away, limits)
                }
            };
            let places = places.unwrap_or_else(|| Arc::new(new()));
            known.places.insert(key, Arc::downgrade(&places));
            (places, plan)
        });
        Gate { breaker, places }
    }

    /// By name; the worst state of all that have it.
    pub fn stats(&self) -> Vec<GateStats> {
        let known = self.lock();
        let mut all: BTreeMap<&str, (BreakerState, usize)> = BTreeMap::new();
        for ((name, _), breaker) in &known.breakers {
            let Some(breaker) = breaker.upgrade() else { continue };
            let entry = all.entry(name).or_insert((BreakerState::Closed, 0));
            entry.0 = entry.0.max(breaker.state());
        }
        for (((name, _), _, _), places) in &known.places {
            let Some(places) = places.upgrade() else { continue };
            all.entry(name).or_insert((BreakerState::Closed, 0)).1 += places.waiting();
        }
        let stats = |(name, (state, waiting)): (&str, _)| GateStats { name: name.to_owned(), state, waiting };
        all.into_iter().map(stats).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_go_on_while_somebody_holds_them() {
        let gates = Gates::default();
        let key = ("api".to_owned(), "https://a".to_owned());
        let places = PlacesPlan { in_flight: 2, queue: 0, queue_timeout_ms: 0 };
        let limits = UpstreamLimits { upstream: 0, places: Some(places), breaker: None };
        let first = gates.gate(&key, Some(&limits), None);
        let again = gates.gate(&key, Some(&limits), None);
        let (breaker, _) = first.breaker.as_ref().expect("a breaker");
        assert!(Arc::ptr_eq(breaker, &again.breaker.as_ref().expect("a breaker").0));
        let places = |gate: &Gate| Arc::as_ptr(&gate.places.as_ref().expect("places").0);
        assert_eq!(places(&first), places(&again));
        let more = PlacesPlan { in_flight: 3, queue: 0, queue_timeout_ms: 0 };
        let more = gates.gate(&key, Some(&UpstreamLimits { places: Some(more), ..limits }), None);
        assert_ne!(places(&first), places(&more));
        assert_eq!(gates.stats().len(), 1);
        drop((first, again, more));
        assert_eq!(gates.stats(), []);
        let off = BreakerPlan { enabled: false, ..BreakerPlan::DEFAULT };
        let off = UpstreamLimits { upstream: 0, places: None, breaker: Some(off) };
        assert!(gates.gate(&key, Some(&off), None).breaker.is_none());
    }
}
