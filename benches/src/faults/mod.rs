//! What becomes of calls while something is disturbed: the process is asked to leave, the next one takes over, the upstream
//! is reloaded.
//!
//! Whoever loses a call cannot know whether it was made. So nothing may be lost that the edge can save, and the counts here
//! are high enough to see rare races.

mod callers;
mod place;
mod report;

use crate::AnyError;
use callers::{AfterLast, Callers, Seen};
use place::Place;
use rustix::process::Signal;

/// What is done, while all callers call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Fault {
    /// SIGTERM to `mcp-edge`
    Sigterm,
    /// A new `mcp-edge` takes over the listeners
    Upgrade,
    /// The upstream, nginx, reads its configuration again and replaces its workers
    Reload,
}

/// What was seen.
#[derive(Debug)]
pub struct Outcome {
    fault: Fault,
    times: u16,
    seen: Seen,
}

/// Calls between two disturbances.
const BETWEEN: u64 = 3_000;

impl Fault {
    pub const ALL: [Fault; 3] = [Fault::Sigterm, Fault::Upgrade, Fault::Reload];

    const fn name(self) -> &'static str {
        match self {
            Fault::Sigterm => "SIGTERM",
            Fault::Upgrade => "upgrade",
            Fault::Reload => "reload of the upstream",
        }
    }

    const fn times(self, quick: bool) -> u16 {
        match self {
            _ if quick => 3,
            Fault::Sigterm => 30,
            Fault::Upgrade => 40,
            Fault::Reload => 22,
        }
    }

    /// How many calls may get no answer, or another one. A request and the end of its connection may cross on the wire: that
    /// is what an upstream that closes connections costs.
    const fn most_lost(self) -> u64 {
        match self {
            Fault::Sigterm | Fault::Upgrade => 0,
            Fault::Reload => 20,
        }
    }

    async fn cause(self, place: &Place, times: u16) -> Result<Seen, AnyError> {
        match self {
            Fault::Sigterm => sigterm(place, times).await,
            Fault::Upgrade => upgrade(place, times).await,
            Fault::Reload => reload(place, times).await,
        }
    }
}

/// Causes these faults and gives a report. Must run on a `LocalSet`.
pub async fn run(faults: &[Fault], quick: bool) -> Result<String, AnyError> {
    let place = Place::new().await?;
    let mut outcomes = Vec::new();
    for fault in faults {
        let times = fault.times(quick);
        let seen = fault.cause(&place, times).await.map_err(|error| format!("{}: {error}", fault.name()))?;
        outcomes.push(Outcome { fault: *fault, times, seen });
    }
    Ok(report::text(&outcomes))
}

/// A caller that is told that its connection closes, or finds it closed, leaves: nobody listens any more.
async fn sigterm(place: &Place, times: u16) -> Result<Seen, AnyError> {
    let mut seen = Seen::default();
    for _ in 0..times {
        let edge = place.edge(None).await?;
        let callers = Callers::start(place.question(edge.address).await?, AfterLast::Leave);
        callers.answered(BETWEEN).await?;
        edge.signal(Signal::TERM)?;
        edge.exit().await?;
        seen.add(callers.left().await?);
    }
    Ok(seen)
}

async fn upgrade(place: &Place, times: u16) -> Result<Seen, AnyError> {
    let mut old = place.edge(None).await?;
    let callers = Callers::start(place.question(old.address).await?, AfterLast::Reconnect);
    for _ in 0..times {
        callers.answered(BETWEEN).await?;
        callers.disturb(true);
        let new = place.edge(Some(old.address)).await?;
        place.waits_for_listeners().await?;
        old.signal(Signal::QUIT)?;
        old.exit().await?;
        callers.disturb(false);
        old = new;
    }
    callers.answered(BETWEEN).await?;
    callers.stop().await
}

async fn reload(place: &Place, times: u16) -> Result<Seen, AnyError> {
    let edge = place.edge(None).await?;
    let callers = Callers::start(place.question(edge.address).await?, AfterLast::Reconnect);
    for _ in 0..times {
        callers.answered(BETWEEN).await?;
        callers.disturb(true);
        place.reload_upstream().await?;
        callers.disturb(false);
    }
    callers.answered(BETWEEN).await?;
    callers.stop().await
}
