//! Tokens that were asked for. That is rare, so a lock does no harm.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Names of upstreams come from bundles, so there is an end to those that are kept apart.
const MAX_UPSTREAMS: usize = 1000;
const OTHER: &str = "other";

/// How often, by upstream and outcome. A clone is the same one.
#[derive(Debug, Clone, Default)]
pub struct TokenFetches(Arc<Mutex<Counts>>);

type Counts = BTreeMap<(String, &'static str), u64>;

impl TokenFetches {
    pub(crate) fn add(&self, upstream: &str, outcome: &'static str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (upstream.to_owned(), outcome);
        let is_known = counts.len() < MAX_UPSTREAMS || counts.contains_key(&key);
        let key = if is_known { key } else { (OTHER.to_owned(), outcome) };
        *counts.entry(key).or_default() += 1;
    }

    /// Upstream, outcome and count of all that has happened.
    pub fn each<E>(&self, mut see: impl FnMut(&str, &'static str, u64) -> Result<(), E>) -> Result<(), E> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().try_for_each(|((upstream, outcome), count)| see(upstream, outcome, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_end_are_counted_together() {
        let counts = TokenFetches::default();
        (0..MAX_UPSTREAMS + 7).for_each(|number| counts.add(&format!("u{number}"), "ok"));
        counts.add("u1", "ok");
        let mut seen = BTreeMap::new();
        let _ = counts.each(|upstream, _, count| {
            seen.insert(upstream.to_owned(), count);
            Ok::<_, ()>(())
        });
        assert_eq!((seen["u1"], seen["other"], seen.len()), (2, 7, MAX_UPSTREAMS + 1));
    }
}
