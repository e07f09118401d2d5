//! What becomes of calls while `mcp-edge` leaves, is replaced, or its upstream is reloaded: prints a Markdown report.
//! `just faults` builds what it needs. Linux only; it needs nginx.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its purpose")]

use clap::Parser;
use mcpc_benches::AnyError;
use mcpc_benches::faults::{self, Fault};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// Count the calls that are lost while mcp-edge leaves, is replaced, or its upstream is reloaded
#[derive(Debug, Parser)]
struct Options {
    /// Three times each: only shows that everything works
    #[arg(long)]
    quick: bool,
    /// Cause only this; may be repeated
    #[arg(long, value_name = "FAULT")]
    only: Vec<Fault>,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
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

fn run(options: &Options) -> Result<(), AnyError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    let report = runtime.block_on(local.run_until(async {
        let mut terminated = signal(SignalKind::terminate())?;
        let all = if options.only.is_empty() { &Fault::ALL[..] } else { &options.only };
        tokio::select! {
            // What it has started is stopped when it is dropped.
            report = faults::run(all, options.quick) => report,
            _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
            _ = terminated.recv() => Err("terminated".into()),
        }
    }))?;
    print!("{report}");
    if let Some(path) = &options.output {
        std::fs::write(path, report)
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    }
    Ok(())
}
