//! The servers of this process: those that bundles share are the same ones.

use super::server::{Server, Way};
use super::supervisor::{Supervised, supervise};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// All that makes a server another one; secrets are in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServerKey {
    pub name: String,
    /// The transport, and where the server is, with everything that is sent along.
    pub parts: Vec<Vec<u8>>,
}

/// Only asked when a bundle is activated, and by status and metrics.
#[derive(Clone, Default)]
pub(crate) struct Servers {
    known: Arc<Mutex<BTreeMap<ServerKey, Weak<Supervised>>>>,
}

impl Servers {
    /// The server with this key, which goes on; or a new one, which begins to connect.
    pub fn get(&self, key: ServerKey, way: impl FnOnce() -> Way) -> Arc<Supervised> {
        let mut known = self.lock();
        if let Some(known) = known.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        known.retain(|_, server| server.strong_count() > 0);
        let server = Arc::new(supervise(Arc::new(Server::new(&key.name, way()))));
        known.insert(key, Arc::downgrade(&server));
        server
    }

    /// Those that are in use.
    pub fn all(&self) -> Vec<Arc<Supervised>> {
        self.lock().values().filter_map(Weak::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ServerKey, Weak<Supervised>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
