//! Connections that call again and again, and one that is always new.

use crate::AnyError;
use crate::load::connection::{Connection, Goes, Question};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const CONNECTIONS: usize = 64;
/// Between two calls of a connection: most of the edge's connections to the upstream are idle at any moment, and those to
/// clients, too.
const REST: Duration = Duration::from_millis(10);
/// Between two new connections.
const PAUSE: Duration = Duration::from_millis(1);
/// Within which callers must get on.
const LONG: Duration = Duration::from_secs(60);

/// What a caller does when its connection has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterLast {
    Leave,
    Reconnect,
}

/// What became of all calls.
#[derive(Debug, Default)]
pub struct Seen {
    pub answered: u64,
    /// How often each failure was seen.
    pub failed: BTreeMap<String, u64>,
    /// Milliseconds of new connections, from connecting to the end of their only answer: while something was disturbed,
    /// and otherwise.
    pub disturbed: Vec<f64>,
    pub calm: Vec<f64>,
}

/// They call until they are stopped.
#[derive(Debug)]
pub struct Callers {
    shared: Rc<Shared>,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    question: Question,
    after: AfterLast,
    ends: Cell<bool>,
    is_disturbed: Cell<bool>,
    seen: RefCell<Seen>,
}

impl Seen {
    pub fn add(&mut self, other: Seen) {
        self.answered += other.answered;
        other.failed.into_iter().for_each(|(what, count)| *self.failed.entry(what).or_default() += count);
        self.disturbed.extend(other.disturbed);
        self.calm.extend(other.calm);
    }

    pub fn lost(&self) -> u64 {
        self.failed.values().sum()
    }
}

impl Callers {
    /// Those who leave make no new connections, since nobody would accept them.
    pub fn start(question: Question, after: AfterLast) -> Callers {
        let shared = Rc::new(Shared {
            question,
            after,
            ends: Cell::new(false),
            is_disturbed: Cell::new(false),
            seen: RefCell::default(),
        });
        let mut tasks = JoinSet::new();
        for _ in 0..CONNECTIONS {
            tasks.spawn_local(call_on(Rc::clone(&shared)));
        }
        if after == AfterLast::Reconnect {
            tasks.spawn_local(connect_anew(Rc::clone(&shared)));
        }
        Callers { shared, tasks }
    }

    /// Waits for so many more answers.
    pub async fn answered(&self, more: u64) -> Result<(), AnyError> {
        let answers = || self.shared.seen.borrow().answered;
        let enough = answers() + more;
        let waiting = async {
            while answers() < enough {
                sleep(PAUSE).await;
            }
        };
        timeout(LONG, waiting).await.map_err(|_| format!("the calls stopped: {:?}", self.shared.seen))?;
        Ok(())
    }

    pub fn disturb(&self, is_disturbed: bool) {
        self.shared.is_disturbed.set(is_disturbed);
    }

    pub async fn stop(self) -> Result<Seen, AnyError> {
        self.shared.ends.set(true);
        self.left().await
    }

    /// Waits until all have left.
    pub async fn left(mut self) -> Result<Seen, AnyError> {
        let leaving = async {
            while let Some(ended) = self.tasks.join_next().await {
                ended?;
            }
            Ok(self.shared.seen.take())
        };
        timeout(LONG, leaving).await.map_err(|_| "a call has no end")?
    }
}

impl Shared {
    fn ends(&self) -> bool {
        self.ends.get()
    }

    /// Calls, and says what becomes of the connection.
    async fn call(&self, connection: &mut Connection) -> Goes {
        let outcome = connection.ask_once_more(&self.question).await;
        if outcome.is_ok() {
            self.seen.borrow_mut().answered += 1;
        }
        outcome.unwrap_or_else(|error| self.failed(&error))
    }

    async fn connect(&self) -> Option<Connection> {
        match Connection::open(self.question.address).await {
            Ok(connection) => Some(connection),
            Err(error) => {
                self.failed(&error);
                None
            }
        }
    }

    /// `was_disturbed` when it began.
    fn connected(&self, milliseconds: f64, was_disturbed: bool) {
        let mut seen = self.seen.borrow_mut();
        let is_disturbed = was_disturbed || self.is_disturbed.get();
        if is_disturbed { &mut seen.disturbed } else { &mut seen.calm }.push(milliseconds);
    }

    fn failed(&self, error: &AnyError) -> Goes {
        *self.seen.borrow_mut().failed.entry(error.to_string()).or_default() += 1;
        Goes::Closes
    }
}

async fn call_on(shared: Rc<Shared>) {
    while !shared.ends() {
        match shared.connect().await {
            Some(mut connection) => {
                while !shared.ends() && shared.call(&mut connection).await == Goes::On {
                    sleep(REST).await;
                }
            }
            None => sleep(PAUSE).await,
        }
        if shared.after == AfterLast::Leave {
            return;
        }
    }
}

async fn connect_anew(shared: Rc<Shared>) {
    while !shared.ends() {
        let (begin, before) = (Instant::now(), shared.is_disturbed.get());
        if let Some(mut connection) = shared.connect().await {
            shared.call(&mut connection).await;
        }
        let taken = begin.elapsed().as_secs_f64() * 1e3;
        shared.connected(taken, before);
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::size::Size;
    use crate::load::upstream::{pages, serve};
    use std::net::{SocketAddr, TcpListener};

    fn question(address: SocketAddr, path: &str) -> Question {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes();
        Question { address, request, status: 200, length: Size::Small.case().body.len(), longer: 0 }
    }

    fn upstream() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || serve(listener, &pages()));
        address
    }

    #[tokio::test]
    async fn answers_and_new_connections_are_counted() {
        let local = tokio::task::LocalSet::new();
        let seen = local.run_until(async {
            let callers = Callers::start(question(upstream(), "/users/1"), AfterLast::Reconnect);
            callers.disturb(true);
            callers.answered(500).await.expect("answers");
            callers.stop().await.expect("an end")
        });
        let seen = seen.await;
        assert!(seen.answered >= 500 && !seen.disturbed.is_empty() && seen.calm.is_empty(), "{seen:?}");
        assert_eq!(seen.lost(), 0);
    }

    #[tokio::test]
    async fn an_answer_that_is_another_one_is_lost_and_the_caller_leaves() {
        let local = tokio::task::LocalSet::new();
        let seen = local.run_until(async {
            Callers::start(question(upstream(), "/nowhere"), AfterLast::Leave).left().await.expect("an end")
        });
        let seen = seen.await;
        assert_eq!((seen.answered, seen.lost(), seen.failed.len()), (0, CONNECTIONS as u64, 1));
    }
}
