//! A run: the servers of each case are started afresh, take turns and are stopped.

use super::closed::{self, Measured};
use super::connection::{Question, ask_once};
use super::contender::Contender;
use super::open;
use super::plan::{CONNECTIONS, Case};
use super::process::Server;
use super::results::{Group, PacedGroup, Row};
use super::schedule::Schedule;
use super::servers::{Role, Servers, Setup};
use super::size::Size;
use super::stats::Spread;
use crate::AnyError;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

/// How often metrics are scraped, for the first time halfway through this interval.
const SCRAPE: Duration = Duration::from_secs(1);

/// How long is measured.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Turns of each contender.
    pub rounds: u16,
    /// Length of a turn.
    pub time: Duration,
}

/// Measures a case in the closed loop. Must run on a `LocalSet`.
pub async fn case(case: &Case, setup: &Setup, effort: Effort) -> Result<Group, AnyError> {
    let (servers, questions) = start(&case.contenders, case.size, setup).await?;
    let mut rows: Vec<_> =
        case.contenders.iter().map(|it| Row { contender: *it, turns: Vec::new() }).collect();
    for round in 0..effort.rounds {
        for (row, question) in in_turn(round, &mut rows, &questions) {
            let server = servers.get(row.contender.role())?;
            let turn = turn(server, question, case.connections, effort.time).await;
            row.turns.push(turn.map_err(|error| format!("{}: {error}", row.contender.name()))?);
        }
    }
    Ok(Group { case: case.clone(), rows })
}

/// Measures small answers at fixed rates: these percents of `most` requests a second. Must run on a `LocalSet`.
pub async fn paced(
    contenders: &[Contender],
    shares: &[u16],
    most: f64,
    setup: &Setup,
    effort: Effort,
) -> Result<Vec<PacedGroup>, AnyError> {
    let (_servers, questions) = start(contenders, Size::Small, setup).await?;
    let mut groups = Vec::new();
    for share in shares {
        let rate = (most * f64::from(*share) / 100.0).max(1.0);
        let mut rows: Vec<_> =
            contenders.iter().map(|it| Row { contender: *it, turns: Vec::new() }).collect();
        for round in 0..effort.rounds {
            for (row, question) in in_turn(round, &mut rows, &questions) {
                let turn = open::run(question, CONNECTIONS, Schedule::new(rate, effort.time)).await;
                row.turns.push(turn.map_err(|error| format!("{}: {error}", row.contender.name()))?);
            }
        }
        groups.push(PacedGroup { share: *share, rate, rows });
    }
    Ok(groups)
}

/// Forth and back: then a machine that gets slower is as slow for the one as for the other.
fn in_turn<'a, T>(
    round: u16,
    rows: &'a mut [Row<T>],
    questions: &'a [Rc<Question>],
) -> Vec<(&'a mut Row<T>, &'a Rc<Question>)> {
    let mut turns: Vec<_> = rows.iter_mut().zip(questions).collect();
    if round % 2 == 1 {
        turns.reverse();
    }
    turns
}

/// What `mcp-edge` reaches in the closed loop, the measure of fixed rates.
pub fn most(group: &Group) -> Option<f64> {
    let row = group.row(Contender::Call)?;
    Spread::of(row.turns.iter().map(|turn| turn.rate)).map(|spread| spread.median)
}

async fn start(
    contenders: &[Contender],
    size: Size,
    setup: &Setup,
) -> Result<(Servers, Vec<Rc<Question>>), AnyError> {
    // The file that nginx serves is the edge's list.
    let list = contenders.contains(&Contender::NginxFile).then_some(Role::Edge);
    let roles = contenders.iter().map(|contender| contender.role()).chain(list).collect();
    let servers = Servers::start(&roles, setup).await?;
    let mut questions = Vec::new();
    for contender in contenders {
        questions.push(Rc::new(contender.question(&servers, size).await?));
    }
    Ok((servers, questions))
}

async fn turn(
    server: &Server,
    question: &Rc<Question>,
    connections: u16,
    time: Duration,
) -> Result<Measured, AnyError> {
    let turn = closed::run(question, || server.usage(), connections, time);
    let Some(address) = server.metrics else { return turn.await };
    let measured = tokio::select! {
        measured = turn => measured,
        failure = scrape(address) => Err(failure),
    };
    server.empty_logs()?;
    measured
}

/// Reads metrics until that fails.
async fn scrape(address: SocketAddr) -> AnyError {
    tokio::time::sleep(SCRAPE / 2).await;
    loop {
        match ask_once(address, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await {
            Ok((200, body)) if !body.is_empty() => tokio::time::sleep(SCRAPE).await,
            Ok((status, _)) => return format!("`/metrics` answered {status}").into(),
            Err(failure) => return failure,
        }
    }
}
