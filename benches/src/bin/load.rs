//! Compares `mcp-edge` under load with nginx, a bare Pingora pass-through and other ways to serve the same MCP tool.
//!
//! Starts all of them on loopback, lets them take turns, prints tables and writes them to files, with charts. Linux only:
//! it reads `/proc`. `benches/run` builds and installs what it needs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

use clap::Parser;
use mcpc_benches::AnyError;
use mcpc_benches::load::contender::Contender;
use mcpc_benches::load::cores::Cores;
use mcpc_benches::load::plan::{self, CONNECTIONS, PACED};
use mcpc_benches::load::report::{self, About};
use mcpc_benches::load::results::Results;
use mcpc_benches::load::run::{self, Effort};
use mcpc_benches::load::servers::{Role, Setup};
use mcpc_benches::load::size::Size;
use mcpc_benches::load::{bars, machine, table};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Compare mcp-edge under load with nginx, a bare Pingora pass-through and other MCP servers
#[derive(Debug, Parser)]
#[command(name = "benches/run")]
struct Options {
    /// One short turn for each contender: shows that everything works, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Length of a contender's turn [default: 0.5, or 0.3 with --quick]
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,
    /// Turns of each contender [default: 20, or 1 with --quick]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Threads or processes of each server
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Keep-alive connections with 300-byte answers; other cases have their own number
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,64,512",
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: Vec<u16>,
    /// Lengths of the upstream's answers
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "300,4k,100k,1m")]
    sizes: Vec<Size>,
    /// Rates of the open loop, in percent of what mcp-edge reaches in the closed loop with 64 connections; 0 for none
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "25,50,75",
          value_parser = clap::value_parser!(u16).range(0..=1000))]
    rates: Vec<u16>,
    /// Measure only these contenders
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<Contender>,
    /// Folder of `results.md`, `throughput.svg` and `latency.svg` [default: docs/benchmarks, or target/bench/quick
    /// with --quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder of the installed Python and npm packages; `benches/run` sets it
    #[arg(long, value_name = "DIR", default_value = "target/bench", hide = true)]
    tools: PathBuf,
}

fn main() -> ExitCode {
    match start(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok().filter(|number| (0.1..=600.0).contains(number));
    number.map(Duration::from_secs_f64).ok_or_else(|| "a number from 0.1 to 600 is needed".to_owned())
}

fn start(options: &Options) -> Result<(), AnyError> {
    let (tested, others) = Cores::split(usize::from(options.threads));
    others.bind_this_process()?;
    let tools = std::path::absolute(&options.tools)?;
    let setup = Setup { threads: options.threads, tested, others, tools };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let mut terminated = signal(SignalKind::terminate())?;
        let mut left = signal(SignalKind::hangup())?;
        tokio::select! {
            // What it has started is stopped when it is dropped.
            done = compare(options, &setup) => done,
            _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
            _ = terminated.recv() => Err("terminated".into()),
            _ = left.recv() => Err("the terminal was closed".into()),
        }
    }))
}

async fn compare(options: &Options, setup: &Setup) -> Result<(), AnyError> {
    let effort = options.effort();
    let about = options.about(setup, effort);
    for line in &about.missing {
        println!("{line}\n");
    }
    let wanted = |it: Contender| {
        (options.only.is_empty() || options.only.contains(&it)) && it.role().is_installed(setup)
    };
    let cases = plan::cases(&options.sizes, &options.connections, wanted);
    let mut results = Results::default();
    for (number, case) in cases.iter().enumerate() {
        eprintln!("{} of {}: {}", number + 1, cases.len(), case.title);
        let group = run::case(case, setup, effort).await?;
        println!("## {}\n\n{}", case.title, table::closed(&group));
        results.groups.push(group);
    }
    let most = results.group(Size::Small, CONNECTIONS, &[Contender::Call]).and_then(run::most);
    let shares: Vec<u16> = options.rates.iter().copied().filter(|share| *share > 0).collect();
    match most {
        Some(most) if !shares.is_empty() => {
            eprintln!("fixed rates: {shares:?} % of {most:.0} requests a second");
            let contenders: Vec<_> = PACED.into_iter().filter(|it| wanted(*it)).collect();
            results.paced = run::paced(&contenders, &shares, most, setup, effort).await?;
            println!("## Fixed rates\n\n{}", table::paced(&results.paced));
        }
        None if !shares.is_empty() => {
            println!("no fixed rates: they need `call` at {CONNECTIONS} connections as their measure\n");
        }
        _ => {}
    }
    if let Some(bars) = bars::table(&results) {
        println!("## Bars\n\n{bars}");
    }
    let out = options.out();
    report::write(&out, &about, &results)?;
    eprintln!("written: `{}`", out.join("results.md").display());
    Ok(())
}

impl Options {
    fn effort(&self) -> Effort {
        let (rounds, milliseconds) = if self.quick { (1, 300) } else { (20, 500) };
        Effort {
            rounds: self.rounds.unwrap_or(rounds),
            time: self.seconds.unwrap_or(Duration::from_millis(milliseconds)),
        }
    }

    fn out(&self) -> PathBuf {
        let usual = if self.quick { "target/bench/quick" } else { "docs/benchmarks" };
        self.out.clone().unwrap_or_else(|| usual.into())
    }

    fn about(&self, setup: &Setup, effort: Effort) -> About {
        let mut facts = machine::describe();
        let mut missing = Vec::new();
        let optional = [
            (Role::Nginx, "nginx", machine::nginx()),
            (Role::FastMcp, "FastMCP", machine::fastmcp(&setup.python().display().to_string())),
            (Role::TypeScript, "TypeScript SDK", machine::typescript()),
        ];
        for (role, name, version) in optional {
            if role.is_installed(setup) {
                facts.push((name, version.unwrap_or_else(|| "unknown".to_owned())));
            } else {
                missing.push(format!("Left out: {name} is not installed."));
            }
        }
        let Setup { threads, tested, others, .. } = setup;
        let Effort { rounds, time } = effort;
        facts.push(("rounds", format!("{rounds} of {} s for each contender, in turn", time.as_secs_f64())));
        facts.push(("threads", format!("{threads} for each server")));
        facts.push(("on cores", format!("{tested} the servers under test, {others} generator and upstream")));
        About { facts, missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_help_of_the_script_has_all_options() {
        let script = include_str!("../../run");
        for option in Options::command().get_arguments().filter(|option| !option.is_hide_set()) {
            let name = option.get_long().expect("a long name");
            assert!(script.contains(&format!("\n      --{name} ")), "no `--{name}` in `benches/run`");
        }
    }
}
