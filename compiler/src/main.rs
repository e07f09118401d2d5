//! The `mcpc` command.

use std::process::ExitCode;

/// Specs and bundles are many small allocations: checking takes about a fifth less CPU time than
/// with glibc's allocator, loading half (`docs/BENCHMARKS.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mcpc::cli::main()
}
