//! The open loop: requests are due at fixed times, and what they take is counted from then.
//!
//! A request that finds no free connection waits for one and keeps its time, so a server that stalls pays for all that
//! came meanwhile: there is no coordinated omission.

use super::closed::until;
use super::connection::{Connection, Question};
use super::histogram::Histogram;
use super::schedule::Schedule;
use super::timer::Timer;
use crate::AnyError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::{Barrier, Notify, Semaphore};
use tokio::task::JoinSet;

/// What a turn at a fixed rate showed.
#[derive(Debug, Clone, Copy)]
pub struct Paced {
    /// Requests in a second that were due.
    pub offered: f64,
    /// Answers in a second, until the last of them.
    pub achieved: f64,
    /// Microseconds from when a request was due to its answer's last byte.
    pub p50: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

/// What the connections of a turn share. They run on one thread.
#[derive(Debug)]
struct Shared {
    schedule: Schedule,
    begin: Cell<Instant>,
    /// All connections are open and warm.
    ready: Barrier,
    /// A permit for each request that is due and not sent.
    due: Semaphore,
    /// The first request that is not sent.
    next: Cell<u64>,
    taken: RefCell<Histogram>,
    last: Cell<Duration>,
    all: Notify,
}

/// Asks on schedule over this many connections. Must run on a `LocalSet`.
pub async fn run(question: &Rc<Question>, connections: u16, schedule: Schedule) -> Result<Paced, AnyError> {
    let shared = Rc::new(Shared {
        schedule,
        begin: Cell::new(Instant::now()),
        ready: Barrier::new(usize::from(connections) + 1),
        due: Semaphore::new(0),
        next: Cell::new(0),
        taken: RefCell::default(),
        last: Cell::default(),
        all: Notify::new(),
    });
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        tasks.spawn_local(ask_on(Rc::clone(question), Rc::clone(&shared)));
    }
    until(shared.ready.wait(), &mut tasks).await?;
    shared.begin.set(Instant::now());
    until(shared.release(), &mut tasks).await??;
    until(shared.all.notified(), &mut tasks).await?;
    shared.due.close();
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    let (taken, total) = (shared.taken.take(), schedule.total() as f64);
    Ok(Paced {
        offered: total / schedule.length().as_secs_f64(),
        achieved: total / shared.last.get().max(schedule.length()).as_secs_f64(),
        p50: taken.quantile(0.50) as f64 / 1e3,
        p99: taken.quantile(0.99) as f64 / 1e3,
        p999: taken.quantile(0.999) as f64 / 1e3,
        max: taken.max() as f64 / 1e3,
    })
}

impl Shared {
    /// Lets each request go when it is due.
    async fn release(&self) -> Result<(), AnyError> {
        let (timer, mut released) = (Timer::new()?, 0);
        while released < self.schedule.total() {
            let elapsed = self.begin.get().elapsed();
            let due = self.schedule.due_by(elapsed);
            self.due.add_permits(usize::try_from(due - released)?);
            released = due;
            if released < self.schedule.total() {
                timer.wait(self.schedule.due(released).saturating_sub(elapsed)).await?;
            }
        }
        Ok(())
    }
}

async fn ask_on(question: Rc<Question>, shared: Rc<Shared>) -> Result<(), AnyError> {
    let mut connection = Connection::open(question.address).await?;
    connection.ask(&question).await?;
    shared.ready.wait().await;
    // Closed after the last answer.
    while let Ok(permit) = shared.due.acquire().await {
        permit.forget();
        let index = shared.next.replace(shared.next.get() + 1);
        connection.ask(&question).await?;
        let elapsed = shared.begin.get().elapsed();
        let mut taken = shared.taken.borrow_mut();
        taken.record(u64::try_from(elapsed.saturating_sub(shared.schedule.due(index)).as_nanos())?);
        if taken.count() == shared.schedule.total() {
            shared.last.set(elapsed);
            shared.all.notify_one();
        }
    }
    Ok(())
}
