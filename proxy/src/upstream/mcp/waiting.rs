//! Requests that wait for their answers on a connection that carries many: who gets what a server sends.

use super::incoming::{self, Incoming, NoMessage, Notification};
use super::{McpCode, McpFailure, Notices};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// Notifications that wait for a caller's thread to take them; more are dropped.
const MOST_NOTICES: usize = 64;

/// The requests of one connection.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    requests: BTreeMap<u64, Waiter>,
    /// Why there will be no more answers.
    closed: Option<McpFailure>,
}

#[derive(Debug)]
struct Waiter {
    answer: oneshot::Sender<Result<Vec<u8>, McpFailure>>,
    notices: Option<mpsc::Sender<Vec<u8>>>,
}

/// A request that waits. Dropping it gives up its place: an answer that comes later is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    waiting: Arc<Waiting>,
    id: u64,
    answer: oneshot::Receiver<Result<Vec<u8>, McpFailure>>,
    notices: Option<mpsc::Receiver<Vec<u8>>>,
}

/// What a message from a server leads to, beside the answers that it brings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    Nothing,
    /// This is to be sent back.
    Reply(Vec<u8>),
    ToolsChanged,
    /// It answers no request that waits: one that was cancelled, or one that was answered before.
    Stray,
}

impl Waiting {
    /// A place for a request, before it is sent. The connection may be over already.
    pub fn register(self: &Arc<Waiting>, id: u64, wants_notices: bool) -> Result<Ticket, McpFailure> {
        let (answer, receiver) = oneshot::channel();
        let (notices, taken) = match wants_notices.then(|| mpsc::channel(MOST_NOTICES)) {
            Some((sender, receiver)) => (Some(sender), Some(receiver)),
            None => (None, None),
        };
        let mut table = self.lock();
        if let Some(failure) = &table.closed {
            return Err(failure.clone());
        }
        table.requests.insert(id, Waiter { answer, notices });
        Ok(Ticket { waiting: Arc::clone(self), id, answer: receiver, notices: taken })
    }

    /// Hands a message from the server to who waits for it.
    pub fn receive(&self, message: Vec<u8>) -> Result<Reaction, NoMessage> {
        match Incoming::read(&message)? {
            Incoming::Response { id } => {
                let waiter = id.and_then(|id| self.lock().requests.remove(&id));
                let taken = waiter.map(|waiter| waiter.answer.send(Ok(message)));
                Ok(if matches!(taken, Some(Ok(()))) { Reaction::Nothing } else { Reaction::Stray })
            }
            Incoming::Request { id, method } => Ok(Reaction::Reply(incoming::reply(id, method))),
            Incoming::Notification(Notification::ToolsChanged) => Ok(Reaction::ToolsChanged),
            Incoming::Notification(Notification::Progress { token }) => {
                let table = self.lock();
                let waiter = token.and_then(|token| table.requests.get(&token));
                if let Some(notices) = waiter.and_then(|waiter| waiter.notices.as_ref()) {
                    let _ = notices.try_send(message);
                }
                Ok(Reaction::Nothing)
            }
            Incoming::Notification(Notification::Log) => {
                self.log(message);
                Ok(Reaction::Nothing)
            }
            Incoming::Notification(Notification::Other) => Ok(Reaction::Nothing),
        }
    }

    /// A line of a server's log names no request, so it is only for a caller who is alone.
    fn log(&self, message: Vec<u8>) {
        let table = self.lock();
        if let (1, Some((_, Waiter { notices: Some(notices), .. }))) =
            (table.requests.len(), table.requests.first_key_value())
        {
            let _ = notices.try_send(message);
        }
    }

    /// The connection is over: everyone who waits is told, and everyone who comes.
    pub fn close(&self, failure: &McpFailure) {
        self.lock().closed.get_or_insert_with(|| failure.clone());
        self.fail_all(failure);
    }

    /// Everyone who waits is told. Who comes later may get an answer.
    pub fn fail_all(&self, failure: &McpFailure) {
        let requests = std::mem::take(&mut self.lock().requests);
        for waiter in requests.into_values() {
            let _ = waiter.answer.send(Err(failure.clone()));
        }
    }

    /// Requests that wait.
    pub fn count(&self) -> usize {
        self.lock().requests.len()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits for the answer, and hands out what comes before it. Safe to cancel.
    pub async fn answer(&mut self, notices: Option<&dyn Notices>) -> Result<Vec<u8>, McpFailure> {
        loop {
            let notice = async {
                match &mut self.notices {
                    Some(receiver) => receiver.recv().await,
                    None => None,
                }
            };
            tokio::select! {
                biased;
                Some(message) = notice => notices.into_iter().for_each(|notices| notices.notice(&message)),
                answer = &mut self.answer => {
                    return answer.unwrap_or_else(|_| {
                        Err(McpFailure::new(McpCode::ProtocolError, "the server used the request's id again"))
                    });
                }
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiting.lock().requests.remove(&self.id);
    }
}
