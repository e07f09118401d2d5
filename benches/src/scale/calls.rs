//! `tools/call` through `mcp-edge` with few tools and with many.

use super::bundles::{ARGUMENTS, called_tool, called_tools, shuffled};
use super::client::{Client, call};
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, quartiles, ratios};
use super::place::Place;
use super::round::{self, Questions};
use crate::AnyError;
use std::rc::Rc;
use std::time::Duration;

const SIZES: [usize; 3] = [10, 1_000, 100_000];
const CONNECTIONS: usize = 64;
/// Requests of the round that calls many tools.
const ORDER: usize = 16_384;
const BAR: f64 = 1.05;
/// How often all processes are restarted: which pages a process gets decides what its caches
/// contain.
const STARTS: usize = 5;
/// Many short rounds are better than few long ones: a disturbance lasts longer than a round, so
/// both sides have it.
const ROUNDS: usize = 60;
const TIME: Duration = Duration::from_millis(125);
/// In the order of what [`start`] gives.
const WAYS: [&str; 2] = ["one", "many"];

/// One bundle, asked in one way.
struct Series {
    tools: usize,
    way: &'static str,
    cpu: Vec<f64>,
    rate: Vec<f64>,
}

/// A process that serves the bundle of a series, and those who ask it.
struct Asked {
    edge: Rc<Edge>,
    questions: Rc<Questions>,
    clients: Vec<Client>,
}

pub async fn run(place: &Place) -> Result<String, AnyError> {
    // What is compared follows each other.
    let mut all = Vec::new();
    for way in WAYS {
        for tools in place.sizes(&SIZES) {
            all.push(Series { tools, way, cpu: Vec::new(), rate: Vec::new() });
        }
    }
    for _ in 0..place.rounds(STARTS) {
        let (mut asked, mut asked_many) = (Vec::new(), Vec::new());
        for tools in place.sizes(&SIZES) {
            let [one, many] = start(place, tools).await?;
            asked.push(one);
            asked_many.push(many);
        }
        asked.append(&mut asked_many);
        for round in 0..place.rounds(ROUNDS) {
            let mut turns: Vec<_> = all.iter_mut().zip(&mut asked).collect();
            // What changes from turn to turn is for the one as often as for the other.
            if round % 2 == 1 {
                turns.reverse();
            }
            for (series, Asked { edge, questions, clients }) in turns {
                let measured = round::run(clients, questions, &edge.process, CONNECTIONS, TIME).await?;
                series.cpu.push(measured.cpu);
                series.rate.push(measured.rate);
            }
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
            quartiles(&series.cpu, 1),
            quartiles(&against, 3),
            quartiles(&series.rate, 0),
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
         there are two, {CONNECTIONS} connections. All processes run at once and take turns of an eighth of a second, {ROUNDS} times, \
         and all that {STARTS} times with new processes; ratios are taken round by round. Median and quartiles. `one` calls \
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

impl Asked {
    async fn new(edge: &Rc<Edge>, client: &mut Client, requests: Vec<Vec<u8>>) -> Result<Asked, AnyError> {
        let questions = Questions::learn(client, requests).await?;
        let mut clients = Vec::new();
        round::open(&mut clients, edge.address, &questions, CONNECTIONS).await?;
        Ok(Asked { edge: Rc::clone(edge), questions, clients })
    }
}
