//! Finding a tool and binding its arguments, without a network.

use super::bundles::{ARGUMENTS, called_tool, called_tools, shuffled};
use super::figures::{Table, bar, count, median, ranged, ratios};
use super::place::{Place, own_step};
use super::process::output;
use crate::{AnyError, cpu_ms};
use mcp_bundle::bind::{Arguments, Binder, Request, Scratch, Values};
use mcp_bundle::envelope::{self, Body};
use mcp_edge::Edge;
use mcp_edge::catalog::Catalog;
use mcp_edge::request::identity::Caller;
use mcp_edge::settings::Settings;
use mcp_edge::upstream::{Network, Upstream};
use std::hint::black_box;
use std::path::PathBuf;

const SIZES: [usize; 3] = [10, 1_000, 100_000];
/// Calls in a row. Each has a name of its own in memory, whether it differs from the others or not, so that reading
/// the names costs the same in every series.
const CALLS: usize = 65_536;
const BAR: f64 = 1.05;

/// Calls of one catalog.
struct Series {
    catalog: usize,
    way: &'static str,
    names: Vec<String>,
    find: Vec<f64>,
    find_and_bind: Vec<f64>,
}

/// In a process of its own, whose memory holds nothing else.
pub async fn run(place: &Place) -> Result<String, AnyError> {
    let mut step = own_step();
    step.args(["lookup", &place.rounds(9).to_string()]);
    for size in place.sizes(&SIZES) {
        step.arg(place.tools(size).await?);
    }
    output(&mut step).await
}

/// Measures these bundles in turn.
pub fn measure(rounds: usize, bundles: &[PathBuf]) -> Result<String, AnyError> {
    let settings = Settings::default();
    let edge = Edge::new(settings, Upstream::Network(Network::new(None)?));
    let mut catalogs = Vec::new();
    let mut all = Vec::new();
    for path in bundles {
        let catalog = edge.prepare(mcp_edge::load(path, &[])?, &|_| Some("secret".to_owned()))?;
        let called = called_tools(catalog.contents.tools.len());
        for (way, most) in [("one", 1), ("many", called)] {
            let names = shuffled(CALLS, most).map(called_tool).collect();
            all.push(Series {
                catalog: catalogs.len(),
                way,
                names,
                find: Vec::new(),
                find_and_bind: Vec::new(),
            });
        }
        catalogs.push(catalog);
    }
    for _ in 0..rounds {
        for series in &mut all {
            let catalog = catalogs.get(series.catalog).ok_or("a series has no catalog")?;
            series.find.push(each(|| find(catalog, &series.names))?);
            series.find_and_bind.push(each(|| find_and_bind(catalog, &series.names))?);
        }
    }
    report(&catalogs, &all)
}

fn report(catalogs: &[Catalog], all: &[Series]) -> Result<String, AnyError> {
    let mut table = Table::new(&["tools", "called", "lookup ns", "lookup + bind ns", "÷ 10 tools"]);
    let mut bars = String::new();
    for series in all {
        let catalog = catalogs.get(series.catalog).ok_or("a series has no catalog")?;
        let tools = catalog.contents.tools.len();
        let base = all.iter().find(|other| other.way == series.way).unwrap_or(series);
        let against = ratios(&series.find_and_bind, &base.find_and_bind);
        table.row([
            count(tools),
            series.way.to_owned(),
            ranged(&series.find, 0),
            ranged(&series.find_and_bind, 0),
            ranged(&against, 3),
        ]);
        if Some(&tools) == SIZES.last() {
            bars += &bar(
                &format!("lookup and bind, 100,000 ÷ 10 tools, {}", series.way),
                "",
                median(&against),
                BAR,
            );
            bars.push('\n');
        }
    }
    Ok(format!(
        "## Lookup and binding\n\n\
         CPU time of one thread for finding a tool by its name, and for that and binding its arguments (two in the path, one \
         in the query, a header with a secret). `one` calls the same tool all the time, so all it reads is in the cache: that is what the \
         algorithm costs. `many` calls tools of the same shape in a random order, 3 of 10 and 25,000 of 100,000: the code and \
         the number of its steps are the same, what it costs more are cache misses on slots, plans and texts. Series take \
         turns; ratios are taken round by round.\n\n{table}\n{bars}"
    ))
}

/// CPU nanoseconds of one call.
fn each(mut pass: impl FnMut() -> Result<(), AnyError>) -> Result<f64, AnyError> {
    // The kernel counts CPU time in ticks of some milliseconds.
    const PASSES: usize = 8;
    let start = cpu_ms()?;
    for _ in 0..PASSES {
        pass()?;
    }
    Ok((cpu_ms()? - start) * 1e6 / (PASSES * CALLS) as f64)
}

fn find(catalog: &Catalog, names: &[String]) -> Result<(), AnyError> {
    let view = catalog.view(&Caller::Anonymous, None).ok_or("a catalog without a view")?;
    for name in names {
        black_box(view.find(black_box(name)).ok_or("a tool is missing")?);
    }
    Ok(())
}

/// As a proxy does it with a message that it has read.
fn find_and_bind(catalog: &Catalog, names: &[String]) -> Result<(), AnyError> {
    let view = catalog.view(&Caller::Anonymous, None).ok_or("a catalog without a view")?;
    let settings = Settings::default();
    let limits = &settings.limits;
    let body = format!("{{\"params\":{{\"arguments\":{ARGUMENTS}}}}}");
    let mut place = None;
    let Body::One(message) = envelope::read(body.as_bytes(), limits.json_depth, 1, &mut place)? else {
        return Err("the measured message is none".into());
    };
    let arguments = Arguments::of_params(&message.params).ok_or("the measured message has no arguments")?;
    let (mut scratch, mut request) = (Scratch::default(), Request::default());
    for name in names {
        let tool = view.find(black_box(name)).ok_or("a tool is missing")?;
        let (contents, matchers) = (&catalog.contents, &catalog.matchers);
        let mut binder = Binder { contents, matchers, limits: &limits.bind, scratch: &mut scratch };
        let bound = binder.bind(tool, black_box(&arguments), &Values::default(), &mut request);
        bound.map_err(|error| error.to_string())?;
        black_box(&request);
    }
    Ok(())
}
