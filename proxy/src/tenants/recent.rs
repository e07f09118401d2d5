//! Credentials that were good a moment ago. Each thread remembers its own, so a hot caller costs one keyed hash and one
//! comparison, without a lock and without a digest or a signature.
//!
//! Only good credentials are remembered, so nobody can push out those of others by guessing. The hash has a random key, so
//! nobody can choose credentials that collide.

use crate::request::identity::Caller;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// Credentials that a thread remembers, at most.
const SLOTS: usize = 4096;

/// The key of the hash; the same for all threads.
static HASHER: LazyLock<hashbrown::DefaultHashBuilder> = LazyLock::new(Default::default);

thread_local! {
    static SLOTS_OF_THREAD: RefCell<Vec<Option<Box<Entry>>>> = const { RefCell::new(Vec::new()) };
}

struct Entry {
    credential: Box<[u8]>,
    /// Of the directory that found it good.
    generation: u64,
    /// Seconds since 1970; [`FOREVER`] asks no clock.
    until: i64,
    caller: Caller,
}

/// The end of a credential that does not expire.
pub(super) const FOREVER: i64 = i64::MAX;

/// Whose credential it is, if this thread knows. `now` is in seconds since 1970.
pub(super) fn find(credential: &[u8], generation: u64, now: impl FnOnce() -> i64) -> Option<Caller> {
    let slot = slot(credential);
    let found = SLOTS_OF_THREAD.try_with(|slots| {
        let slots = slots.borrow();
        let entry = slots.get(slot)?.as_ref()?;
        let is_it = entry.generation == generation
            && *entry.credential == *credential
            && (entry.until == FOREVER || now() < entry.until);
        is_it.then(|| entry.caller.clone())
    });
    found.ok().flatten()
}

/// Remembers a good credential until it expires, or another one needs its place.
pub(super) fn remember(credential: &[u8], generation: u64, until: i64, caller: &Caller) {
    let slot = slot(credential);
    let entry = Entry { credential: credential.into(), generation, until, caller: caller.clone() };
    // A thread that is ending has nobody to remember.
    let _ = SLOTS_OF_THREAD.try_with(|slots| {
        let mut slots = slots.borrow_mut();
        if slots.is_empty() {
            slots.resize_with(SLOTS, || None);
        }
        if let Some(place) = slots.get_mut(slot) {
            *place = Some(Box::new(entry));
        }
    });
}

fn slot(credential: &[u8]) -> usize {
    // The remainder is less than `SLOTS`, so the conversion keeps it.
    (HASHER.hash_one(credential) % SLOTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_credential_of_the_same_directory_is_found_and_only_in_time() {
        remember(b"mek_a", 7, 100, &Caller::Anonymous);
        assert_eq!(find(b"mek_a", 7, || 99), Some(Caller::Anonymous));
        assert_eq!(find(b"mek_a", 7, || 100), None);
        assert_eq!(find(b"mek_a", 8, || 99), None);
        assert_eq!(find(b"mek_b", 7, || 99), None);
        remember(b"mek_c", 7, FOREVER, &Caller::Anonymous);
        assert_eq!(find(b"mek_c", 7, || panic!("nobody needs the time")), Some(Caller::Anonymous));
        // Another thread has its own.
        assert_eq!(std::thread::spawn(|| find(b"mek_a", 7, || 99)).join().unwrap(), None);
    }
}
