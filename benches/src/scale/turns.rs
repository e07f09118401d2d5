//! Calls of processes that take turns, so that what disturbs the machine disturbs all of them.

use super::client::Client;
use super::edge::Edge;
use super::round::{self, Questions};
use crate::AnyError;
use std::rc::Rc;
use std::time::Duration;

const CONNECTIONS: usize = 64;
/// How often all processes are restarted: which pages a process gets decides what its caches
/// contain.
pub const STARTS: usize = 5;
/// Many short turns are better than few long ones: a disturbance lasts longer than a turn, so
/// both sides have it.
pub const ROUNDS: usize = 60;
const TIME: Duration = Duration::from_millis(125);
/// What is done, for a report.
pub const HOW: &str = "one thread on a core of its own where there are two, 64 connections. All processes run at once and \
     take turns of an eighth of a second, 60 times, and all that 5 times with new processes; ratios are taken round by round. \
     Median and quartiles.";

/// One process, asked in one way: what its turns showed.
#[derive(Debug, Default)]
pub struct Turns {
    /// CPU microseconds of a call.
    pub cpu: Vec<f64>,
    /// Calls in a second.
    pub rate: Vec<f64>,
    /// Microseconds until the answer: the median of a turn.
    pub p50: Vec<f64>,
}

/// A process, and those who ask it.
#[derive(Debug)]
pub struct Asked {
    edge: Rc<Edge>,
    questions: Rc<Questions>,
    clients: Vec<Client>,
}

impl Asked {
    /// Opens the connections that make these requests one after the other.
    pub async fn new(
        edge: &Rc<Edge>,
        client: &mut Client,
        requests: Vec<Vec<u8>>,
    ) -> Result<Asked, AnyError> {
        let questions = Questions::learn(client, requests).await?;
        let mut clients = Vec::new();
        round::open(&mut clients, edge.address, &questions, CONNECTIONS).await?;
        Ok(Asked { edge: Rc::clone(edge), questions, clients })
    }
}

/// A turn of each in every round. What is compared is best beside each other.
pub async fn take<'t>(
    turns: impl Iterator<Item = &'t mut Turns>,
    asked: &mut [Asked],
    rounds: usize,
) -> Result<(), AnyError> {
    let mut all: Vec<_> = turns.zip(asked).collect();
    for _ in 0..rounds {
        for (turns, Asked { edge, questions, clients }) in &mut all {
            let measured = round::run(clients, questions, &edge.process, CONNECTIONS, TIME).await?;
            turns.cpu.push(measured.cpu);
            turns.rate.push(measured.rate);
            turns.p50.push(measured.p50);
        }
        // What changes from turn to turn is for the one as often as for the other.
        all.reverse();
    }
    Ok(())
}
