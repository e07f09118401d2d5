//! Many open connections.

use super::bundles::{ARGUMENTS, called_tool};
use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, count, slope};
use super::place::Place;
use super::process::open_files_limit;
use super::round::{self, Questions};
use crate::AnyError;

const SIZES: [usize; 5] = [1, 10, 100, 1_000, 10_000];
const TOOLS: usize = 10;
/// Connections to the upstream are kept, too, or each call would open one when thousands are in flight.
const TABLES: &str = "[limits]\nconnections = 20000\ncalls_in_flight = 20000\n\
    [timeouts]\nidle_seconds = 600\n[pool]\nidle_connections = 20000\n";
/// Files that a process has open beside its connections.
const OTHER_FILES: usize = 200;
const BAR_KIB: f64 = 24.0;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let bundle = place.tools(TOOLS).await?;
    let limit = open_files_limit()?;
    let mut table = Table::new(&[
        "connections",
        "MiB idle",
        "KiB per connection",
        "RPS",
        "p50 ms",
        "p99 ms",
        "CPU µs a call",
        "in flight",
        "MiB idle again",
        "KiB per connection and upstream connection",
    ]);
    let (mut notes, mut per_connection) = (String::new(), 0.0);
    for size in place.sizes(&SIZES) {
        let Some(in_flight) = room(limit, size) else {
            notes +=
                &format!("\n{} connections need a higher limit of open files than {limit}.\n", count(size));
            continue;
        };
        let settings =
            Settings { bundle: &bundle, threads: Some(1), tables: TABLES, cores: Some(&place.tested) };
        let (edge, mut first) = Edge::start(place, settings).await?;
        let questions = Questions::learn(&mut first, vec![call(&called_tool(0), ARGUMENTS)]).await?;
        let mut clients = vec![first];
        let one = edge.process.memory()?.resident_kib;
        round::open(&mut clients, edge.address, &questions, size).await?;
        let idle = edge.process.memory()?.resident_kib;
        // Each connection must be answered several times.
        let time = place.round_time() * u32::try_from(size / 2_000)?.max(1);
        let measured = round::run(&mut clients, &questions, &edge.process, in_flight, time).await?;
        let after = edge.process.memory()?.resident_kib;
        let each = |kib: f64| {
            if size == 1 { "–".to_owned() } else { format!("{:.1}", slope((1, one), (size, kib))) }
        };
        per_connection = slope((1, one), (size, idle));
        table.row([
            count(size),
            format!("{:.1}", idle / 1024.0),
            each(idle),
            format!("{:.0}", measured.rate),
            format!("{:.2}", measured.p50 / 1e3),
            format!("{:.2}", measured.p99 / 1e3),
            format!("{:.1}", measured.cpu),
            count(in_flight),
            format!("{:.1}", after / 1024.0),
            each(after),
        ]);
    }
    Ok(format!(
        "## Connections\n\n\
         Keep-alive connections to one fresh `mcp-edge` with one thread. Idle memory is read when each of them has made one \
         call, 16 at a time; a connection's share is the slope from one connection, without the kernel's socket buffers. Then all of \
         them call as fast as they are answered, and memory is read again: now as many connections to the upstream are kept, \
         too. Calls in flight are limited only where the limit of open files ({limit}) leaves no room for a connection to the \
         upstream for each.\n\n{table}{notes}\n{}",
        bar("memory of an idle connection, most connections,", " KiB", per_connection, BAR_KIB)
    ))
}

/// How many calls can be in flight over this many connections, each with a connection to the upstream.
fn room(open_files: usize, connections: usize) -> Option<usize> {
    let left = open_files.checked_sub(connections + OTHER_FILES)?;
    if left == 0 { None } else { Some(left.min(connections)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_flight_fit_the_open_files() {
        assert_eq!(room(20_000, 1_000), Some(1_000));
        assert_eq!(room(20_000, 10_000), Some(9_800));
        assert_eq!(room(1_024, 1_000), None);
        assert_eq!(room(1_200, 1_000), None);
        assert_eq!(room(usize::MAX, 10), Some(10));
    }
}
