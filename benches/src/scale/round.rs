//! One round: connections that ask for some time, one request at a time on each.

use super::client::Client;
use super::figures::quantile;
use super::process::Process;
use crate::AnyError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// What is asked in turn, and the length of every answer.
#[derive(Debug)]
pub struct Questions {
    requests: Vec<Vec<u8>>,
    length: usize,
    next: Cell<usize>,
}

/// What a round showed.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Answers in a second.
    pub rate: f64,
    /// Microseconds from the request's first byte to the answer's last.
    pub p50: f64,
    pub p99: f64,
    /// CPU microseconds of the server for one answer.
    pub cpu: f64,
}

/// What the connections of a round share. They run on one thread.
#[derive(Debug)]
struct Shared {
    counts: Cell<bool>,
    ends: Cell<bool>,
    in_flight: Semaphore,
    nanoseconds: RefCell<Vec<u64>>,
}

impl Questions {
    /// Asks the first one to learn the length of the answers, which must all be as long.
    pub async fn learn(client: &mut Client, requests: Vec<Vec<u8>>) -> Result<Rc<Questions>, AnyError> {
        let first = requests.first().ok_or("there is nothing to ask")?;
        let length = client.ask_first(first).await?;
        Ok(Rc::new(Questions { requests, length, next: Cell::new(0) }))
    }

    pub async fn ask(&self, client: &mut Client) -> Result<(), AnyError> {
        let index = self.next.get();
        self.next.set((index + 1) % self.requests.len());
        client.ask(self.requests.get(index).ok_or("there is nothing to ask")?, self.length).await
    }
}

/// Asks for `time` over all of `clients`, with at most `in_flight` requests at once. Must run on a `LocalSet`.
pub async fn run(
    clients: &mut Vec<Client>,
    questions: &Rc<Questions>,
    server: &Process,
    in_flight: usize,
    time: Duration,
) -> Result<Measured, AnyError> {
    let shared = Rc::new(Shared {
        counts: Cell::new(false),
        ends: Cell::new(false),
        in_flight: Semaphore::new(in_flight.max(1)),
        nanoseconds: RefCell::default(),
    });
    let mut tasks = JoinSet::new();
    for client in clients.drain(..) {
        tasks.spawn_local(ask_on(client, Rc::clone(questions), Rc::clone(&shared)));
    }
    // Before anything is counted, pools are filled.
    wait(&mut tasks, time / 4).await?;
    let (cpu, begin) = (server.cpu_seconds()?, Instant::now());
    shared.counts.set(true);
    wait(&mut tasks, time).await?;
    shared.counts.set(false);
    let (cpu, elapsed) = (server.cpu_seconds()? - cpu, begin.elapsed());
    shared.ends.set(true);
    while let Some(ended) = tasks.join_next().await {
        clients.push(ended??);
    }
    let mut nanoseconds = shared.nanoseconds.take();
    nanoseconds.sort_unstable();
    if nanoseconds.is_empty() {
        return Err("nothing was answered in a round".into());
    }
    let answers = nanoseconds.len() as f64;
    Ok(Measured {
        rate: answers / elapsed.as_secs_f64(),
        p50: quantile(&nanoseconds, 0.50) / 1e3,
        p99: quantile(&nanoseconds, 0.99) / 1e3,
        cpu: cpu * 1e6 / answers,
    })
}

/// Opens connections until there are this many; each makes one call, some at a time. Must run on a `LocalSet`.
pub async fn open(
    clients: &mut Vec<Client>,
    address: std::net::SocketAddr,
    questions: &Rc<Questions>,
    wanted: usize,
) -> Result<(), AnyError> {
    /// Few enough that the calls leave no pile of connections to the upstream.
    const AT_ONCE: usize = 16;
    while clients.len() < wanted {
        let mut tasks = JoinSet::new();
        for _ in 0..AT_ONCE.min(wanted - clients.len()) {
            let questions = Rc::clone(questions);
            tasks.spawn_local(async move {
                let mut client = Client::open(address).await?;
                questions.ask(&mut client).await?;
                Ok::<Client, AnyError>(client)
            });
        }
        while let Some(opened) = tasks.join_next().await {
            clients.push(opened??);
        }
    }
    Ok(())
}

/// Lets the connections work; ends early if one of them fails.
async fn wait(tasks: &mut JoinSet<Result<Client, AnyError>>, time: Duration) -> Result<(), AnyError> {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        Some(ended) = tasks.join_next() => {
            ended??;
            Err("a connection ended before its round".into())
        }
    }
}

async fn ask_on(
    mut client: Client,
    questions: Rc<Questions>,
    shared: Rc<Shared>,
) -> Result<Client, AnyError> {
    while !shared.ends.get() {
        let _turn = shared.in_flight.acquire().await?;
        let begin = Instant::now();
        questions.ask(&mut client).await?;
        if shared.counts.get() {
            let taken = u64::try_from(begin.elapsed().as_nanos())?;
            shared.nanoseconds.borrow_mut().push(taken);
        }
    }
    Ok(client)
}
