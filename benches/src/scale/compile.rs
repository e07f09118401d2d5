//! CPU time and memory of `check`, `build` and loading as the number of tools grows.

use super::figures::{Table, count};
use super::place::{Place, own_step};
use super::process::{output, own_memory};
use crate::{AnyError, cpu_ms};
use mcp_bundle::format::{self, Trust};
use mcpc::check::check_files;
use std::hint::black_box;

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];
/// Tools that are checked in one measurement.
const WORK: usize = 10_000;

/// Each size runs in a process of its own, so that its peak memory is its own.
pub async fn run(place: &Place) -> Result<String, AnyError> {
    let mut table = Table::new(&[
        "tools",
        "check ms",
        "µs per tool",
        "build ms",
        "bundle bytes",
        "bytes per tool",
        "load ms",
        "load µs per tool",
        "peak MiB",
    ]);
    for size in place.sizes(&SIZES) {
        // Long measurements are steadier, and time is limited.
        let rounds = if size > WORK { 1 } else { place.rounds(3) };
        let row = output(own_step().args(["compile", &size.to_string(), &rounds.to_string()])).await?;
        table.row(row.trim().split('\t').map(str::to_owned));
    }
    Ok(format!(
        "## Compiling and loading\n\n\
         CPU time of one thread, the best of three rounds (one for 100,000 tools). `build` does all that `check` does and \
         writes the bundle; loading reads and verifies it. Memory is the peak of a process that does all of it, specs \
         included.\n\n{table}"
    ))
}

/// One row, its cells with tabs between them.
pub fn measure(tools: usize, rounds: usize) -> Result<String, AnyError> {
    let specs = crate::specs(tools);
    // The kernel counts CPU time in ticks of some milliseconds, so small sizes run often enough to show.
    let repeats = (WORK / tools).max(1);
    let (mut check, mut build, mut load) = (f64::MAX, f64::MAX, f64::MAX);
    let mut bytes = Vec::new();
    for _ in 0..rounds {
        check = check.min(timed(repeats, || {
            black_box(check_files(&specs));
            Ok(())
        })?);
        build = build.min(timed(repeats, || {
            let contents = check_files(&specs).contents.ok_or("the synthetic specs are not clean")?;
            bytes = format::write(&contents)?;
            Ok(())
        })?);
        load = load.min(timed((repeats * 10).min(100_000 / tools).max(3), || {
            black_box(format::read(&bytes, &Trust::Any)?);
            Ok(())
        })?);
    }
    let each = |ms: f64| ms * 1000.0 / tools as f64;
    let cells = [
        count(tools),
        format!("{check:.2}"),
        format!("{:.1}", each(check)),
        format!("{build:.2}"),
        count(bytes.len()),
        format!("{:.0}", bytes.len() as f64 / tools as f64),
        format!("{load:.3}"),
        format!("{:.2}", each(load)),
        format!("{:.1}", own_memory()?.peak_kib / 1024.0),
    ];
    Ok(cells.join("\t"))
}

/// CPU milliseconds of one run.
fn timed(repeats: usize, mut run: impl FnMut() -> Result<(), AnyError>) -> Result<f64, AnyError> {
    let start = cpu_ms()?;
    for _ in 0..repeats {
        run()?;
    }
    Ok((cpu_ms()? - start) / repeats as f64)
}
