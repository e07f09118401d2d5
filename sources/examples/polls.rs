//! The CPU time of asking for a bundle that has not changed, for each URL. `benches/polls` starts it with real servers.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use mcp_sources::{Location, Options, Patience, Variables, open};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;

const POLLS: u32 = 200;
/// The best of these counts: a machine that others use only makes it slower.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options {
        ca_file: None,
        variables: Variables::of_environment(),
        limit: 1 << 20,
        patience: Patience::default(),
    };
    println!("{:<40} {:>16} {:>16}", "source", "connected, ms", "new client, ms");
    for url in std::env::args().skip(1) {
        let location: Location = url.parse()?;
        let mut remote = open(&location, &options)?;
        let version = remote.newer(None)?.ok_or("there is no bundle")?.version;
        let mut again = || match remote.newer(Some(&version)) {
            Ok(None) => Ok(()),
            other => Err(format!("{location} has changed: {other:?}")),
        };
        let connected = cost(POLLS, &mut again)?;
        // With reading the certificates, resolving, connecting, a full handshake and credentials.
        let new = cost(POLLS / 10, &mut || match open(&location, &options)
            .and_then(|mut remote| remote.newer(Some(&version)))
        {
            Ok(None) => Ok(()),
            other => Err(format!("{location} has changed: {other:?}")),
        })?;
        println!("{:<40} {connected:>16.3} {new:>16.3}", location.to_string());
    }
    Ok(())
}

/// Milliseconds of this process for one.
fn cost<E: Into<Box<dyn Error>>>(
    times: u32,
    work: &mut dyn FnMut() -> Result<(), E>,
) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = cpu_seconds();
        for _ in 0..times {
            work().map_err(Into::into)?;
        }
        best = best.min((cpu_seconds() - begun) * 1000.0 / f64::from(times));
    }
    Ok(best)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
