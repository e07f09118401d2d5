//! What a second thread gives.

use super::bundles::{ARGUMENTS, called_tool};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, median, ranged};
use super::place::Place;
use super::round::{self, Measured, Questions};
use crate::AnyError;

const THREADS: [usize; 2] = [1, 2];
const TOOLS: usize = 10;
const CONNECTIONS: usize = 64;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let bundle = place.tools(TOOLS).await?;
    let mut all = Vec::new();
    for threads in THREADS {
        // Nobody is bound to a core: with as many threads as cores there is none for the others.
        let settings = Settings { bundle: &bundle, threads: Some(threads), tables: "", cores: None };
        let (edge, mut client) = Edge::start(place, settings).await?;
        let questions = Questions::learn(&mut client, vec![call(&called_tool(0), ARGUMENTS)]).await?;
        all.push((threads, edge, questions, Vec::new()));
    }
    for _ in 0..place.rounds(7) {
        for (_, edge, questions, rounds) in &mut all {
            let mut clients = Vec::new();
            round::open(&mut clients, edge.address, questions, CONNECTIONS).await?;
            let time = place.round_time();
            rounds.push(round::run(&mut clients, questions, &edge.process, CONNECTIONS, time).await?);
        }
    }
    let mut table = Table::new(&["threads", "RPS", "p50 µs", "p99 µs", "CPU µs a call", "RPS by CPU time"]);
    for (threads, _, _, rounds) in &all {
        let of = |value: fn(&Measured) -> f64| rounds.iter().map(value).collect::<Vec<f64>>();
        let capacity: Vec<f64> = rounds.iter().map(|round| *threads as f64 * 1e6 / round.cpu).collect();
        table.row([
            threads.to_string(),
            ranged(&of(|round| round.rate), 0),
            format!("{:.0}", median(&of(|round| round.p50))),
            format!("{:.0}", median(&of(|round| round.p99))),
            ranged(&of(|round| round.cpu), 1),
            ranged(&capacity, 0),
        ]);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let shared = match cores {
        0..=3 => {
            "generator and upstream need cores of their own and share these with `mcp-edge`, so RPS says little here"
        }
        _ => "generator and upstream share them with `mcp-edge`",
    };
    Ok(format!(
        "## Threads\n\n\
         The same calls with `threads = 1` and `threads = 2`, {CONNECTIONS} connections, in turn. This machine has {cores} \
         cores: {shared}. The last column is what the threads could answer if each had a core for itself: threads ÷ CPU \
         time of a call.\n\n{table}"
    ))
}
