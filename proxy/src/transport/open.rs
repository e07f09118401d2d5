//! Counts open connections, so that a server that is shutting down can wait for them.

use std::sync::Arc;
use tokio::sync::watch;

/// The connections that are being served.
#[derive(Debug, Clone, Default)]
pub(crate) struct Open(Arc<watch::Sender<usize>>);

/// One of them.
pub(crate) struct Entered(Open);

impl Open {
    /// `None` if there are `most` already.
    pub(crate) fn enter(&self, most: usize) -> Option<Entered> {
        let room = self.0.send_if_modified(|count| {
            let room = *count < most;
            *count += usize::from(room);
            room
        });
        room.then(|| Entered(self.clone()))
    }

    /// Waits until there are none.
    pub(crate) async fn none(&self) {
        // The sender lives as long as we do.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
