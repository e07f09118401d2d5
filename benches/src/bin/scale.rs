//! How compiler and proxy scale: prints a Markdown report, part by part. `just scale` builds what it needs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

use clap::{Parser, Subcommand};
use mcpc_benches::AnyError;
use mcpc_benches::load::mcp_server;
use mcpc_benches::scale::place::Place;
use mcpc_benches::scale::{Part, bundles, compile, lookup, machine, upstream};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

// As the commands have it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure how mcpc and mcp-edge scale with tools, answers, connections and threads
#[derive(Debug, Parser)]
struct Options {
    /// Only see that everything works: one short round each, at most 1,000 tools and connections
    #[arg(long)]
    quick: bool,
    /// Measure only this part; may be repeated
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(subcommand)]
    step: Option<Step>,
}

/// What the program lets other processes of itself do.
#[derive(Debug, Subcommand)]
enum Step {
    #[command(hide = true)]
    Upstream { address: SocketAddr },
    /// `what` is a number of tools or `answers`
    #[command(hide = true)]
    Bundle { what: String, url: String, file: PathBuf },
    #[command(hide = true)]
    Compile { tools: usize, rounds: usize },
    /// An MCP server over standard input and output
    #[command(hide = true)]
    Program,
    #[command(hide = true)]
    Lookup { rounds: usize, bundles: Vec<PathBuf> },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.step {
        Some(step) => step.run(),
        None => run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

impl Step {
    fn run(&self) -> Result<(), AnyError> {
        match self {
            Step::Upstream { address } => upstream::serve(*address)?,
            Step::Bundle { what, url, file } => {
                let bytes = if what == "answers" {
                    bundles::answers(url)
                } else {
                    bundles::tools(what.parse()?, url)
                };
                bundles::save(&bytes?, file)?;
            }
            Step::Compile { tools, rounds } => println!("{}", compile::measure(*tools, *rounds)?),
            Step::Program => mcp_server::Results::new().serve_lines()?,
            Step::Lookup { rounds, bundles } => print!("{}", lookup::measure(*rounds, bundles)?),
        }
        Ok(())
    }
}

fn run(options: &Options) -> Result<(), AnyError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            // What it has started is stopped when it is dropped.
            done = measure(options) => done,
            _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
            _ = terminated.recv() => Err("terminated".into()),
        }
    }))
}

async fn measure(options: &Options) -> Result<(), AnyError> {
    let place = Place::new(options.quick).await?;
    let mut report = format!("# Scale\n\nWritten by `just scale`. {}\n", machine::description());
    print!("{report}");
    for part in Part::ALL {
        if !options.only.is_empty() && !options.only.contains(&part) {
            continue;
        }
        let text = part.run(&place).await.map_err(|error| format!("{part:?}: {error}"))?;
        println!("\n{}", text.trim_end());
        report += &format!("\n{}\n", text.trim_end());
    }
    if let Some(path) = &options.output {
        std::fs::write(path, report)
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    }
    Ok(())
}
