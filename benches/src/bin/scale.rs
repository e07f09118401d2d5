//! CPU time and memory of `check`, `build` and loading as the number of tools grows.
//!
//! Each size runs in a process of its own, so that its peak memory is its own. Linux only: it reads `/proc`.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use mcp_bundle::format::{self, Trust};
use mcpc::check::check_files;
use mcpc_benches::{Failure, cpu_ms};
use std::hint::black_box;
use std::process::Command;

// As the commands have it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const ROUNDS: usize = 3;
/// Tools that are checked in one measurement.
const WORK: usize = 10_000;

fn main() -> Result<(), Failure> {
    if let Some(size) = std::env::args().nth(1) {
        return measure(size.parse()?);
    }
    println!("best of {ROUNDS} rounds, CPU time of one thread");
    println!(
        "{:>7}  {:>10}  {:>12}  {:>10}  {:>9}  {:>10}  {:>9}",
        "tools", "check ms", "µs per tool", "build ms", "load ms", "bundle KiB", "peak MiB"
    );
    for size in SIZES {
        let output = Command::new(std::env::current_exe()?).arg(size.to_string()).output()?;
        print!("{}", String::from_utf8(output.stdout)?);
    }
    Ok(())
}

fn measure(tools: usize) -> Result<(), Failure> {
    let specs = mcpc_benches::specs(tools);
    // The kernel counts CPU time in ticks of some milliseconds, so small sizes run often enough to show.
    let repeats = (WORK / tools).max(1);
    let (mut check, mut build, mut load) = (f64::MAX, f64::MAX, f64::MAX);
    let mut size = 0;
    for _ in 0..ROUNDS {
        check = check.min(timed(repeats, || {
            black_box(check_files(&specs));
            Ok(())
        })?);
        build = build.min(timed(repeats, || {
            let contents = check_files(&specs).contents.ok_or("the synthetic specs are clean")?;
            size = format::write(&contents)?.len();
            Ok(())
        })?);
        let contents = check_files(&specs).contents.ok_or("the synthetic specs are clean")?;
        let bytes = format::write(&contents)?;
        load = load.min(timed(repeats * 10, || {
            black_box(format::read(&bytes, &Trust::Any)?);
            Ok(())
        })?);
    }
    let per_tool = check * 1000.0 / tools as f64;
    println!(
        "{tools:>7}  {check:>10.2}  {per_tool:>12.1}  {build:>10.2}  {load:>9.2}  {:>10}  {:>9.1}",
        size / 1024,
        peak_mib()?
    );
    Ok(())
}

/// CPU milliseconds of one run.
fn timed(repeats: usize, mut run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let start = cpu_ms()?;
    for _ in 0..repeats {
        run()?;
    }
    Ok((cpu_ms()? - start) / repeats as f64)
}

fn peak_mib() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kib / 1024.0)
}
