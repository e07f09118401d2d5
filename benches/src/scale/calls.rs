//! `tools/call` through `mcp-edge` with few tools and with many.

use super::bundles::{ARGUMENTS, called_tool, called_tools, shuffled};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, quartiles, ratios};
use super::place::Place;
use super::turns::{self, Asked, HOW, Turns};
use crate::AnyError;
use std::rc::Rc;

const SIZES: [usize; 3] = [10, 1_000, 100_000];
/// Requests of the round that calls many tools.
const ORDER: usize = 16_384;
const BAR: f64 = 1.15;
/// In the order of what [`start`] gives.
const WAYS: [&str; 2] = ["one", "many"];

/// One bundle, asked in one way.
struct Series {
    tools: usize,
    way: &'static str,
    turns: Turns,
}

pub async fn run(place: &Place) -> Result<String, AnyError> {
    // What is compared follows each other.
    let mut all = Vec::new();
    for way in WAYS {
        for tools in place.sizes(&SIZES) {
            all.push(Series { tools, way, turns: Turns::default() });
        }
    }
    for _ in 0..place.rounds(turns::STARTS) {
        let (mut asked, mut asked_many) = (Vec::new(), Vec::new());
        for tools in place.sizes(&SIZES) {
            let [one, many] = start(place, tools).await?;
            asked.push(one);
            asked_many.push(many);
        }
        asked.append(&mut asked_many);
        let turns = all.iter_mut().map(|series| &mut series.turns);
        turns::take(turns, &mut asked, place.rounds(turns::ROUNDS)).await?;
    }
    let mut table = Table::new(&["tools", "called", "CPU µs a call", "CPU ÷ 10 tools", "RPS"]);
    let mut bars = String::new();
    for series in &all {
        let base = all.iter().find(|other| other.way == series.way).unwrap_or(series);
        let against = ratios(&series.turns.cpu, &base.turns.cpu);
        table.row([
            count(series.tools),
            series.way.to_owned(),
            quartiles(&series.turns.cpu, 1),
            quartiles(&against, 3),
            quartiles(&series.turns.rate, 0),
        ]);
        if Some(&series.tools) == SIZES.last() {
            bars += &bar(
                &format!("CPU of a call, 100,000 ÷ 10 tools, {}", series.way),
                "",
                median(&against),
                BAR,
            );
            bars.push('\n');
        }
    }
    Ok(format!(
        "## Calls with few tools and with many\n\n\
         CPU time of `mcp-edge` for one `tools/call` (bind, upstream, Go template), {HOW} `one` calls \
         the same tool all the time; `many` calls tools in a random order, of 10 the 3 and of 100,000 the 25,000 that have the \
         same shape: what it costs more than `one` are cache misses.\n\n{table}\n{bars}"
    ))
}

/// A process, asked in each of the ways.
async fn start(place: &Place, tools: usize) -> Result<[Asked; 2], AnyError> {
    let bundle = place.tools(tools).await?;
    let settings = Settings { bundle: &bundle, threads: Some(1), tables: "", cores: Some(&place.tested) };
    let (edge, mut client) = Edge::start(place, settings).await?;
    let edge = Rc::new(edge);
    let one = vec![call(&called_tool(0), ARGUMENTS)];
    let order = shuffled(ORDER, called_tools(tools));
    let many = order.map(|index| call(&called_tool(index), ARGUMENTS)).collect();
    Ok([Asked::new(&edge, &mut client, one).await?, Asked::new(&edge, &mut client, many).await?])
}
