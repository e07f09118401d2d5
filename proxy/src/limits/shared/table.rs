//! Leases by the number of their limit. A table of fixed room: a limit that finds none counts for itself.

use super::lease::Lease;
use hashbrown::HashTable;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const SHARDS: usize = 64;
/// Leases in a shard; 65,536 in all.
const ROOM: usize = 1024;

#[derive(Debug)]
pub struct Table<L> {
    shards: Box<[RwLock<Shard<L>>]>,
}

type Shard<L> = HashTable<(u64, Arc<L>)>;

impl<L> Default for Table<L> {
    fn default() -> Table<L> {
        Table { shards: (0..SHARDS).map(|_| RwLock::default()).collect() }
    }
}

impl<L: Lease> Table<L> {
    /// Does something with the lease of a key, which `make` makes; `None` if there is no room.
    #[inline]
    pub fn with<T>(
        &self,
        key: u64,
        now: u64,
        make: impl FnOnce() -> L,
        then: impl FnOnce(&Arc<L>) -> T,
    ) -> Option<T> {
        let shard = self.shards.get(key as usize % SHARDS)?;
        if let Some((_, lease)) = read(shard).find(key, |(known, _)| *known == key) {
            return Some(then(lease));
        }
        let mut leases = write(shard);
        let known = leases.find(key, |(known, _)| *known == key).map(|(_, lease)| Arc::clone(lease));
        let lease = match known {
            Some(lease) => lease,
            None => {
                if leases.len() >= ROOM {
                    // One that somebody holds may be asked about later.
                    leases.retain(|(_, lease)| Arc::strong_count(lease) > 1 || !lease.is_free(now));
                }
                if leases.len() >= ROOM {
                    return None;
                }
                let lease = Arc::new(make());
                leases.insert_unique(key, (key, Arc::clone(&lease)), |(key, _)| *key);
                lease
            }
        };
        drop(leases);
        Some(then(&lease))
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<L>> {
        let leases = |shard: &RwLock<Shard<L>>| {
            read(shard).iter().map(|(_, lease)| Arc::clone(lease)).collect::<Vec<_>>()
        };
        self.shards.iter().flat_map(leases).collect()
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
