//! The closed loop: connections that ask one request after the other, as fast as they are answered.

use super::connection::{Connection, Question};
use super::histogram::Histogram;
use super::usage::Usage;
use crate::AnyError;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Before anything is counted: connections are opened, pools filled.
const WARM_UP: Duration = Duration::from_millis(300);
/// How much longer than asked for a turn may last for a slow server.
const LONGER: Duration = Duration::from_secs(20);

/// What a turn showed.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Answers in a second.
    pub rate: f64,
    /// Microseconds from the request's first byte to the answer's last.
    pub p50: f64,
    pub p99: f64,
    pub p999: f64,
    /// CPU microseconds of the server for one answer.
    pub cpu: f64,
    pub memory_mib: f64,
}

/// What the connections of a turn share. They run on one thread.
#[derive(Debug, Default)]
struct Shared {
    counts: Cell<bool>,
    ends: Cell<bool>,
    taken: RefCell<Histogram>,
    /// There are as many answers as connections.
    enough: Notify,
}

/// Asks over this many connections, for `time` and until there is an answer for each of them. Must run on a `LocalSet`.
pub async fn run(
    question: &Rc<Question>,
    used: impl Fn() -> Result<Usage, AnyError>,
    connections: u16,
    time: Duration,
) -> Result<Measured, AnyError> {
    let shared = Rc::new(Shared::default());
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        tasks.spawn_local(ask_on(Rc::clone(question), Rc::clone(&shared), connections));
    }
    until(sleep(WARM_UP), &mut tasks).await?;
    let (before, begin) = (used()?, Instant::now());
    shared.counts.set(true);
    until(sleep(time), &mut tasks).await?;
    let _ = until(timeout(LONGER, shared.enough.notified()), &mut tasks).await?;
    shared.counts.set(false);
    let (after, elapsed) = (used()?, begin.elapsed());
    shared.ends.set(true);
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    let taken = shared.taken.take();
    if taken.count() == 0 {
        return Err("nothing was answered in a turn; give it more `--seconds`".into());
    }
    let answers = taken.count() as f64;
    Ok(Measured {
        rate: answers / elapsed.as_secs_f64(),
        p50: taken.quantile(0.50) as f64 / 1e3,
        p99: taken.quantile(0.99) as f64 / 1e3,
        p999: taken.quantile(0.999) as f64 / 1e3,
        cpu: (after.cpu_nanoseconds - before.cpu_nanoseconds) / 1e3 / answers,
        memory_mib: after.memory_mib,
    })
}

/// Waits for an event while the connections work; ends early if one of them does.
pub async fn until<T>(
    event: impl Future<Output = T>,
    tasks: &mut JoinSet<Result<(), AnyError>>,
) -> Result<T, AnyError> {
    tokio::select! {
        value = event => Ok(value),
        Some(ended) = tasks.join_next() => {
            ended??;
            Err("a connection ended before its turn".into())
        }
    }
}

async fn ask_on(question: Rc<Question>, shared: Rc<Shared>, enough: u16) -> Result<(), AnyError> {
    let mut connection = Connection::open(question.address).await?;
    while !shared.ends.get() {
        let begin = Instant::now();
        connection.ask(&question).await?;
        if shared.counts.get() {
            let mut taken = shared.taken.borrow_mut();
            taken.record(u64::try_from(begin.elapsed().as_nanos())?);
            if taken.count() == u64::from(enough) {
                shared.enough.notify_one();
            }
        }
    }
    Ok(())
}
