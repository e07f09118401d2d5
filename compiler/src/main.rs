//! The `mcpc` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpc::cli::main()
}
