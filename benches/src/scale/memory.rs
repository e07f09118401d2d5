//! Memory of `mcp-edge` as the number of tools grows.

use super::bundles::{ARGUMENTS, called_tool};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, median, slope};
use super::place::Place;
use crate::AnyError;

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
const BAR_TOOLS: usize = 1_000;
const BAR_MIB: f64 = 25.0;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let mut table = Table::new(&[
        "tools",
        "MiB when it listens",
        "MiB after the first call",
        "of it the program's files",
        "of it in huge pages",
        "KiB per tool",
        "peak MiB",
        "peak KiB per tool",
    ]);
    let mut first: Option<(usize, f64, f64)> = None;
    let mut idle = 0.0_f64;
    for size in place.sizes(&SIZES) {
        let bundle = place.tools(size).await?;
        let (mut started, mut called, mut peak) = (Vec::new(), Vec::new(), Vec::new());
        let (mut files, mut huge) = (Vec::new(), Vec::new());
        for _ in 0..place.rounds(3) {
            let settings = Settings { bundle: &bundle, threads: None, tables: "", cores: None };
            let (edge, mut client) = Edge::start(place, settings).await?;
            started.push(edge.process.memory()?.resident_kib);
            client.ask_first(&call(&called_tool(0), ARGUMENTS)).await?;
            let memory = edge.process.memory()?;
            called.push(memory.resident_kib);
            peak.push(memory.peak_kib);
            files.push(memory.resident_kib - memory.anonymous_kib);
            huge.extend(edge.process.huge_pages_kib());
        }
        let mib = |values: &[f64]| format!("{:.1}", median(values) / 1024.0);
        let after = median(&called);
        let (least, least_called, least_peak) = *first.get_or_insert((size, after, median(&peak)));
        if size == BAR_TOOLS {
            idle = median(&started).max(after) / 1024.0;
        }
        table.row([
            count(size),
            mib(&started),
            mib(&called),
            mib(&files),
            mib(&huge),
            format!("{:.2}", slope((least, least_called), (size, after))),
            mib(&peak),
            format!("{:.2}", slope((least, least_peak), (size, median(&peak)))),
        ]);
    }
    Ok(format!(
        "## Memory of a loaded bundle\n\n\
         Resident memory of `mcp-edge` with its default number of threads: when it listens (the bundle is loaded before \
         that), and after its first answered call. A tool's share is the slope from the first row. The peak is the most \
         that was resident at once: while loading, the file and what is made of it are both in memory. Huge pages are 2 MiB that are resident as a whole, however little of them is in use.\n\n{table}\n{}",
        bar("memory, idle with 1,000 tools,", " MiB", idle, BAR_MIB)
    ))
}
