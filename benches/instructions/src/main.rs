//! Runs one case of the pure part of a tool call so that callgrind can count its instructions, and compares such counts.
//!
//! `benches/instructions/run` does the rest. What is counted is what [`measured`] calls, after warm-up runs that are not.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

mod calls;
mod cases;
mod compare;

use calls::Calls;
use cases::Case;
use mcp_bundle::format::{self, Trust};
use std::process::ExitCode;
use std::time::Instant;

/// Why nothing can be measured.
type AnyError = Box<dyn std::error::Error>;

/// Runs before the one that counts.
const WARM_UP: usize = 3;
/// Rounds of `time`, in which all cases take turns; the best counts.
const ROUNDS: usize = 15;
/// How long a case runs in a round.
const ROUND_MS: u128 = 20;

const USAGE: &str = "usage: instructions list | instructions run BUNDLE CASE | instructions time BUNDLE [PART OF A CASE'S NAME] | \
                     instructions compare BASELINE COUNTED";

fn main() -> Result<ExitCode, AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["list"] => {
            for case in cases::all() {
                println!("{}", case.name);
            }
        }
        ["run", bundle, name] => {
            let case = cases::all().into_iter().find(|case| case.name == *name).ok_or("no such case")?;
            let bytes = std::fs::read(bundle)?;
            let mut calls = calls(&bytes)?;
            for _ in 0..WARM_UP {
                case.run(&mut calls)?;
            }
            measured(&mut || case.run(&mut calls))?;
        }
        ["time", bundle] => time(bundle, "")?,
        ["time", bundle, part] => time(bundle, part)?,
        ["compare", baseline, counted] => {
            let (baseline, counted) = (std::fs::read_to_string(baseline)?, std::fs::read_to_string(counted)?);
            let comparison = compare::compare(&baseline, &counted)?;
            print!("{comparison}");
            return Ok(if comparison.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        _ => return Err(USAGE.into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// callgrind counts from here on, and only here: `run` names this function.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> Result<(), AnyError>) -> Result<(), AnyError> {
    work()
}

fn calls(bundle: &[u8]) -> Result<Calls, AnyError> {
    Ok(Calls::new(format::read(bundle, &Trust::Any)?.contents))
}

/// Nanoseconds of one run of each case.
fn time(bundle: &str, part: &str) -> Result<(), AnyError> {
    let bytes = std::fs::read(bundle)?;
    let cases: Vec<Case> = cases::all().into_iter().filter(|case| case.name.contains(part)).collect();
    let mut calls = calls(&bytes)?;
    let mut best = vec![f64::MAX; cases.len()];
    for _ in 0..ROUNDS {
        for (case, best) in cases.iter().zip(&mut best) {
            let (mut runs, started) = (0, Instant::now());
            while started.elapsed().as_millis() < ROUND_MS {
                for _ in 0..8 {
                    case.run(&mut calls)?;
                }
                runs += 8;
            }
            *best = best.min(started.elapsed().as_secs_f64() * 1e9 / f64::from(runs));
        }
    }
    for (case, best) in cases.iter().zip(&best) {
        println!("{:<40} {best:>12.0} ns", case.name);
    }
    Ok(())
}
