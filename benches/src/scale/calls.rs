//! `tools/call` through `mcp-edge` with few tools and with many.

use super::bundles::{ARGUMENTS, called_tool, called_tools, shuffled};
use super::client::{Client, call};
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, ranged, ratios};
use super::place::Place;
use super::round::{self, Questions};
use crate::Failure;
use std::rc::Rc;

const SIZES: [usize; 3] = [10, 1_000, 100_000];
const CONNECTIONS: usize = 64;
/// Requests of the round that calls many tools.
const ORDER: usize = 16_384;
const BAR: f64 = 1.05;

/// One bundle, asked in one way.
struct Series {
    tools: usize,
    way: &'static str,
    edge: Rc<Edge>,
    questions: Rc<Questions>,
    cpu: Vec<f64>,
    rate: Vec<f64>,
}

pub async fn run(place: &Place) -> Result<String, Failure> {
    let mut all = Vec::new();
    for tools in place.sizes(&SIZES) {
        all.extend(series(place, tools).await?);
    }
    for _ in 0..place.rounds(15) {
        for series in &mut all {
            let Series { edge, questions, .. } = series;
            let mut clients = Vec::new();
            round::open(&mut clients, edge.address, questions, CONNECTIONS).await?;
            let measured =
                round::run(&mut clients, questions, &edge.process, CONNECTIONS, place.round_time()).await?;
            series.cpu.push(measured.cpu);
            series.rate.push(measured.rate);
        }
    }
    let mut table = Table::new(&["tools", "called", "CPU µs a call", "CPU ÷ 10 tools", "RPS"]);
    let mut bars = String::new();
    for series in &all {
        let base = all.iter().find(|other| other.way == series.way).unwrap_or(series);
        let against = ratios(&series.cpu, &base.cpu);
        table.row([
            count(series.tools),
            series.way.to_owned(),
            ranged(&series.cpu, 1),
            ranged(&against, 3),
            ranged(&series.rate, 0),
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
         CPU time of `mcp-edge` for one `tools/call` (bind, upstream, Go template), one thread on a core of its own where \
         there are two, {CONNECTIONS} connections. All processes run at once and take turns; ratios are taken round by \
         round. `one` calls the same tool all the time; `many` calls tools in a random order, of 10 the 3 and of 100,000 the \
         25,000 that have the same shape: what it costs more than `one` are cache misses.\n\n{table}\n{bars}"
    ))
}

async fn series(place: &Place, tools: usize) -> Result<[Series; 2], Failure> {
    let bundle = place.tools(tools).await?;
    let settings = Settings { bundle: &bundle, threads: Some(1), tables: "", cores: Some(&place.tested) };
    let (edge, mut client) = Edge::start(place, settings).await?;
    let edge = Rc::new(edge);
    let one = vec![call(&called_tool(0), ARGUMENTS)];
    let order = shuffled(ORDER, called_tools(tools));
    let many = order.map(|index| call(&called_tool(index), ARGUMENTS)).collect();
    Ok([
        Series::new(tools, "one", &edge, &mut client, one).await?,
        Series::new(tools, "many", &edge, &mut client, many).await?,
    ])
}

impl Series {
    async fn new(
        tools: usize,
        way: &'static str,
        edge: &Rc<Edge>,
        client: &mut Client,
        requests: Vec<Vec<u8>>,
    ) -> Result<Series, Failure> {
        let questions = Questions::learn(client, requests).await?;
        Ok(Series { tools, way, edge: Rc::clone(edge), questions, cpu: Vec::new(), rate: Vec::new() })
    }
}
