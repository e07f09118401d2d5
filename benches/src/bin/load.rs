//! Compares `mcp-edge` under load with its upstream alone, nginx and a bare Pingora pass-through.
//!
//! Starts all of them on loopback, lets them take turns and prints a table. Linux only: it reads `/proc`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

use clap::Parser;
use mcpc_benches::Failure;
use mcpc_benches::load::contender::Contender;
use mcpc_benches::load::process::Cores;
use mcpc_benches::load::round;
use mcpc_benches::load::servers::Servers;
use mcpc_benches::load::size::Size;
use mcpc_benches::load::table::{Row, table};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Compare mcp-edge under load with nginx and a bare Pingora pass-through
#[derive(Debug, Parser)]
struct Options {
    /// Keep-alive connections, each with one request at a time
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,
    /// Length of a contender's turn
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Turns of each contender
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Length of the upstream's answer
    #[arg(long, default_value = "300")]
    size: Size,
    /// Threads of each server
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Measure only this contender; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<Contender>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let (tested, others) = Cores::split(usize::from(options.threads));
    others.bind_this_process()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            // What it has started is stopped when it is dropped.
            done = compare(options, &tested, &others) => done,
            _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
            _ = terminated.recv() => Err("terminated".into()),
        }
    }))
}

async fn compare(options: &Options, tested: &Cores, others: &Cores) -> Result<(), Failure> {
    let Options { connections, seconds, rounds, size, threads, only } = options;
    let servers = Servers::start(usize::from(*threads), tested, others).await?;
    if servers.nginx.is_none() {
        println!("nginx is not installed and left out");
    }
    let mut asked = Vec::new();
    for contender in Contender::ALL {
        if !only.is_empty() && !only.contains(&contender) {
            continue;
        }
        let Some(server) = contender.server(&servers) else { continue };
        if let Some(question) = contender.question(&servers, *size).await? {
            asked.push((server, Rc::new(question), Row { contender, rounds: Vec::new() }));
        }
    }
    println!(
        "{connections} connections, answers of {} bytes, {threads} thread(s) each, {rounds} interleaved rounds of \
         {seconds} s; cores: servers under test {tested}, generator and upstream {others}\n",
        size.case().body.len()
    );
    let time = Duration::from_secs(*seconds);
    for _ in 0..*rounds {
        for (server, question, row) in &mut asked {
            let measured = round::run(question, server, usize::from(*connections), time).await;
            row.rounds.push(measured.map_err(|error| format!("{}: {error}", row.contender.name()))?);
        }
    }
    let rows: Vec<Row> = asked.into_iter().map(|(_, _, row)| row).collect();
    print!("{}", table(&rows));
    Ok(())
}
