//! What the supervisor has to know of a connection and has not been told yet.

use super::{Event, McpFailure};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Of one connection.
#[derive(Debug, Default)]
pub(super) struct News {
    untold: Mutex<Untold>,
    told: Notify,
}

#[derive(Debug, Default)]
struct Untold {
    tools_changed: bool,
    closed: Option<McpFailure>,
}

impl News {
    pub fn tools_changed(&self) {
        self.lock().tools_changed = true;
        self.told.notify_one();
    }

    /// The connection is over. The first failure counts.
    pub fn close(&self, failure: &McpFailure) {
        self.lock().closed.get_or_insert_with(|| failure.clone());
        self.told.notify_one();
    }

    pub fn check_open(&self) -> Result<(), McpFailure> {
        self.lock().closed.clone().map_or(Ok(()), Err)
    }

    /// Only one waits. Safe to cancel.
    pub async fn next_event(&self) -> Event {
        loop {
            {
                let mut untold = self.lock();
                if std::mem::take(&mut untold.tools_changed) {
                    return Event::ToolsChanged;
                }
                if let Some(failure) = &untold.closed {
                    return Event::Closed(failure.clone());
                }
            }
            self.told.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Untold> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
