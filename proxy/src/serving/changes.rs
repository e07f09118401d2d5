//! Notices of changes to the list of tools.

use super::context::Context;
use super::shared::Shared;
use crate::request::identity::Caller;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::watch;

/// Notices about the list of tools, for one caller at one endpoint: only of changes that the caller can see.
#[derive(Debug)]
pub struct Changes {
    shared: Arc<Shared>,
    swaps: watch::Receiver<u64>,
    caller: Caller,
    toolset: Option<String>,
    /// The list that the caller knows of.
    known: Option<u64>,
    /// What is sent.
    event: Bytes,
}

impl Changes {
    /// From now on.
    pub(crate) fn of(context: &Context<'_>, event: Vec<u8>) -> Changes {
        Changes {
            shared: Arc::clone(context.shared),
            swaps: context.shared.swaps(),
            caller: context.request.caller.clone(),
            toolset: context.view.toolset().map(str::to_owned),
            known: Some(context.view.fingerprint()),
            event: event.into(),
        }
    }

    /// Waits for the next notice; `None` ends the stream. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            // Looked at first: a swap may have come before this began to wait.
            let catalog = self.shared.catalog();
            let toolset = self.toolset.as_deref();
            // Someone whose key is gone sees nothing any more.
            if catalog.as_ref().is_some_and(|catalog| !catalog.knows(&self.caller)) {
                return None;
            }
            let view = catalog.as_ref().and_then(|catalog| catalog.view(&self.caller, toolset));
            let seen = view.map(|view| view.fingerprint());
            if seen != self.known {
                self.known = seen;
                return Some(self.event.clone());
            }
            self.swaps.changed().await.ok()?;
        }
    }
}
