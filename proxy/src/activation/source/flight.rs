//! A question to a remote source on its way: on a thread of its own, so that nobody holds a lock while a network is slow.

use mcp_sources::{Fetched, Remote, TransferError, Version};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

pub type Opener = Arc<dyn Fn() -> Result<Box<dyn Remote>, TransferError> + Send + Sync>;

pub struct Flight {
    thread: Result<JoinHandle<Landed>, std::io::Error>,
    over: Arc<Over>,
}

/// What came of a question.
pub struct Landed {
    /// To ask with the next time.
    pub client: Option<Box<dyn Remote>>,
    pub answer: Result<Option<Fetched>, TransferError>,
}

/// Says when a question is over.
#[derive(Debug, Default)]
pub struct Over {
    is_over: Mutex<bool>,
    changed: Condvar,
}

/// Whatever happens to the thread, it ends.
struct Ends(Arc<Over>);

impl Flight {
    pub fn start(open: Opener, client: Option<Box<dyn Remote>>, known: Option<Version>) -> Flight {
        let over = Arc::new(Over::default());
        let ends = Ends(Arc::clone(&over));
        let work = move || {
            let _ends = ends;
            let mut client = match client.map_or_else(|| open(), Ok) {
                Ok(client) => client,
                Err(error) => return Landed::failed(error),
            };
            let answer = client.newer(known.as_ref());
            Landed { client: Some(client), answer }
        };
        Flight { thread: Builder::new().name("bundle-source".to_owned()).spawn(work), over }
    }

    pub fn over(&self) -> &Arc<Over> {
        &self.over
    }

    /// Waits for the end, if that has not come.
    pub fn landed(self) -> Landed {
        let failed = |reason: String| Landed::failed(TransferError::Setup(reason));
        match self.thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| failed("the transfer has panicked".to_owned())),
            Err(error) => failed(format!("no thread for a transfer: {error}")),
        }
    }
}

impl Landed {
    fn failed(error: TransferError) -> Landed {
        Landed { client: None, answer: Err(error) }
    }
}

impl Over {
    pub fn is_over(&self) -> bool {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For as long as that; `None`: until the end.
    pub fn wait(&self, most: Option<Duration>) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        // Either way, the caller looks whether it is over.
        match most {
            Some(most) => drop(self.changed.wait_timeout_while(is_over, most, |is_over| !*is_over)),
            None => drop(self.changed.wait_while(is_over, |is_over| !*is_over)),
        }
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}
