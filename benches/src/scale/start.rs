//! Cold start: from making the process to its first answered call.

use super::bundles::{ARGUMENTS, called_tool};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, ranged};
use super::place::Place;
use crate::AnyError;

const SIZES: [usize; 4] = [10, 1_000, 10_000, 100_000];
const BAR_TOOLS: usize = 1_000;
const BAR_MS: f64 = 100.0;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let mut table = Table::new(&["tools", "ms to the first connection", "ms to the first answer", "runs"]);
    let request = call(&called_tool(0), ARGUMENTS);
    let mut seen = 0.0;
    for size in place.sizes(&SIZES) {
        let bundle = place.tools(size).await?;
        let runs = place.rounds(if size > 10_000 { 5 } else { 15 });
        let (mut connected, mut answered) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let settings = Settings { bundle: &bundle, threads: None, tables: "", cores: None };
            let (edge, mut client) = Edge::start(place, settings).await?;
            connected.push(edge.started.elapsed().as_secs_f64() * 1e3);
            client.ask_first(&request).await?;
            answered.push(edge.started.elapsed().as_secs_f64() * 1e3);
        }
        if size == BAR_TOOLS {
            seen = median(&answered);
        }
        table.row([count(size), ranged(&connected, 1), ranged(&answered, 1), runs.to_string()]);
    }
    Ok(format!(
        "## Cold start\n\n\
         Wall-clock time from just before `mcp-edge` is executed until a connection is accepted, and until the first \
         `tools/call` over it is answered; its first connection to the upstream is part of that. Connecting is tried \
         again and again without a pause. Program and bundle are in the page cache. Median and range.\n\n{table}\n{}",
        bar("1,000 tools to the first answered call", " ms", seen, BAR_MS)
    ))
}
