//! A hundred MCP servers, alone and beside a hundred that are down: what the calls of the first cost.

use super::bundles::{LIVE, live_tool, shuffled};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, quartiles, ratios};
use super::place::Place;
use super::turns::{self, Asked, HOW, Turns};
use crate::AnyError;
use std::rc::Rc;

/// The base comes first.
const DOWN: [usize; 2] = [0, 100];
const ORDER: usize = 4_096;
const BAR: f64 = 1.02;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let mut all = DOWN.map(|_| Turns::default());
    for _ in 0..place.rounds(turns::STARTS) {
        let mut asked = Vec::new();
        for down in DOWN {
            asked.push(start(place, down).await?);
        }
        turns::take(all.iter_mut(), &mut asked, place.rounds(turns::ROUNDS)).await?;
    }
    let [base, beside] = &all;
    let mut table =
        Table::new(&["live", "down", "CPU µs a call", "CPU ÷ alone", "p50 µs", "p50 ÷ alone", "RPS"]);
    for (down, turns) in DOWN.into_iter().zip(&all) {
        table.row([
            count(LIVE),
            count(down),
            quartiles(&turns.cpu, 1),
            quartiles(&ratios(&turns.cpu, &base.cpu), 3),
            quartiles(&turns.p50, 0),
            quartiles(&ratios(&turns.p50, &base.p50), 3),
            quartiles(&turns.rate, 0),
        ]);
    }
    let bar = |what: &str, seen: &[f64], base: &[f64]| {
        let what = format!("{what} of a call, beside {} servers that are down ÷ alone", count(LIVE));
        bar(&what, "", median(&ratios(seen, base)), BAR)
    };
    Ok(format!(
        "## MCP servers that are down\n\n\
         `tools/call` of the tools of {LIVE} servers over Streamable HTTP in a random order, {HOW} Nobody listens where the \
         others are: they are connected to again and again, each at most every 30 s.\n\n{table}\n{}\n{}",
        bar("CPU", &beside.cpu, &base.cpu),
        bar("p50", &beside.p50, &base.p50),
    ))
}

async fn start(place: &Place, down: usize) -> Result<Asked, AnyError> {
    let bundle = place.servers(down)?;
    let settings = Settings { bundle: &bundle, threads: Some(1), tables: "", cores: Some(&place.tested) };
    let (edge, mut client) = Edge::start(place, settings).await?;
    let order = shuffled(ORDER, LIVE);
    let requests = order.map(|index| call(&live_tool(index), r#"{"id":"user 42"}"#)).collect();
    Asked::new(&Rc::new(edge), &mut client, requests).await
}
