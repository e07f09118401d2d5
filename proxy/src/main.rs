//! The `mcp-edge` command.

use std::process::ExitCode;

/// Loading a bundle of many tools takes half the CPU time that it takes with glibc's allocator
/// (`docs/BENCHMARKS.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mcp_edge::cli::main()
}
