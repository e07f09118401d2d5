//! One tenant with one key, and ten thousand with a hundred thousand: loading them, and a call.

use super::bundles::{ARGUMENTS, called_tool, shuffled};
use super::client::{Client, call_as};
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, quartiles, ranged, ratios};
use super::place::Place;
use super::turns::{self, Asked, HOW, Turns};
use crate::{AnyError, credentials};
use std::path::PathBuf;
use std::rc::Rc;

const TOOLS: usize = 10;
const FEW: usize = 1;
const MANY: usize = 10_000;
const QUICK: usize = 100;
/// Of each of many tenants.
const KEYS: usize = 10;
/// Requests of the round in which many keys call.
const ORDER: usize = 16_384;
const BAR_LOAD_MS: f64 = 300.0;
const BAR_CALL: f64 = 1.02;
const STARTS: usize = 15;

/// A file of tenants.
struct Tenants {
    path: PathBuf,
    tenants: usize,
    keys: Vec<String>,
}

/// How an edge is started.
#[derive(Clone, Copy, PartialEq)]
enum For {
    /// With all threads.
    Loading,
    /// With one thread on a core of its own.
    Calls,
}

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let few = Tenants::new(place, FEW, 1)?;
    let many = Tenants::new(place, if place.quick { QUICK } else { MANY }, KEYS)?;
    let loading = load(place, &few, &many).await?;
    let calls = call(place, &few, &many).await?;
    Ok(format!("## Tenants\n\n{loading}\n{calls}"))
}

/// How long a start takes until it listens, and its CPU time until then.
async fn load(place: &Place, few: &Tenants, many: &Tenants) -> Result<String, AnyError> {
    let mut seen = [(few, Vec::new(), Vec::new()), (many, Vec::new(), Vec::new())];
    for _ in 0..place.rounds(STARTS) {
        for (tenants, wall, cpu) in &mut seen {
            let (edge, _) = tenants.start(place, For::Loading).await?;
            wall.push(edge.started.elapsed().as_secs_f64() * 1e3);
            cpu.push(edge.process.cpu_seconds()? * 1e3);
        }
    }
    let mut table = Table::new(&["tenants", "keys", "ms to the first connection", "CPU ms until then"]);
    for (tenants, wall, cpu) in &seen {
        let (tenants, keys) = (count(tenants.tenants), count(tenants.keys.len()));
        table.row([tenants, keys, ranged(wall, 1), ranged(cpu, 1)]);
    }
    let [(_, few, _), (_, many, _)] = &seen;
    let more: Vec<f64> = many.iter().zip(few).map(|(many, few)| many - few).collect();
    Ok(format!(
        "Loading is the difference of two starts in turn, {} times: from just before `mcp-edge` is executed until a connection is \
         accepted. Before that it reads the file, checks it against the bundle and prepares who sees what. Median and range.\n\n\
         {table}\n{}",
        place.rounds(STARTS),
        bar("loading the tenants", " ms", median(&more), BAR_LOAD_MS)
    ))
}

async fn call(place: &Place, few: &Tenants, many: &Tenants) -> Result<String, AnyError> {
    let mut all = [Turns::default(), Turns::default(), Turns::default()];
    for _ in 0..place.rounds(turns::STARTS) {
        let (edge, mut client) = few.start(place, For::Calls).await?;
        let only = few.one_calls(&edge, &mut client).await?;
        let (edge, mut client) = many.start(place, For::Calls).await?;
        let one = many.one_calls(&edge, &mut client).await?;
        let mut asked = [only, one, many.all_call(&edge, &mut client).await?];
        turns::take(all.iter_mut(), &mut asked, place.rounds(turns::ROUNDS)).await?;
    }
    let [only, one, _] = &all;
    let keys = count(many.keys.len());
    let names = ["the only one".to_owned(), format!("one of {keys}"), format!("{keys} in a random order")];
    let mut table = Table::new(&["keys that call", "CPU µs a call", "CPU ÷ the only one", "RPS"]);
    for (name, turns) in names.into_iter().zip(&all) {
        let against = quartiles(&ratios(&turns.cpu, &only.cpu), 3);
        table.row([name, quartiles(&turns.cpu, 1), against, quartiles(&turns.rate, 0)]);
    }
    Ok(format!(
        "CPU time of a call, {HOW} In a random order most calls come with a key that its thread has not seen lately, and make a \
         digest of it.\n\n{table}\n{}",
        bar(
            "CPU of a call, one of many keys ÷ the only one",
            "",
            median(&ratios(&one.cpu, &only.cpu)),
            BAR_CALL
        )
    ))
}

impl Tenants {
    fn new(place: &Place, tenants: usize, keys_each: usize) -> Result<Tenants, AnyError> {
        let path = place.folder().join(format!("{tenants}-tenants.toml"));
        let (text, keys) = credentials::tenants(tenants, keys_each)?;
        std::fs::write(&path, text)?;
        Ok(Tenants { path, tenants, keys })
    }

    async fn start(&self, place: &Place, what: For) -> Result<(Rc<Edge>, Client), AnyError> {
        let bundle = place.tools(TOOLS).await?;
        let tables = format!("[auth]\ntenants = '{}'\n", self.path.display());
        let (threads, cores) = match what {
            For::Loading => (None, None),
            For::Calls => (Some(1), Some(&place.tested)),
        };
        let settings = Settings { bundle: &bundle, threads, tables: &tables, cores };
        let (edge, client) = Edge::start(place, settings).await?;
        Ok((Rc::new(edge), client))
    }

    async fn one_calls(&self, edge: &Rc<Edge>, client: &mut Client) -> Result<Asked, AnyError> {
        let key = self.keys.get(self.keys.len() / 2).ok_or("there is no key")?;
        Asked::new(edge, client, vec![call_as(key, &called_tool(0), ARGUMENTS)]).await
    }

    async fn all_call(&self, edge: &Rc<Edge>, client: &mut Client) -> Result<Asked, AnyError> {
        let order = shuffled(ORDER, self.keys.len()).filter_map(|index| self.keys.get(index));
        let requests = order.map(|key| call_as(key, &called_tool(0), ARGUMENTS)).collect();
        Asked::new(edge, client, requests).await
    }
}
