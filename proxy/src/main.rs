//! The `mcp-edge` command.

use std::process::ExitCode;

/// Loading a bundle of many tools takes half the CPU time that it takes with glibc's allocator
/// (`docs/BENCHMARKS.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The allocator asks for huge pages, and with them an idle edge holds twice the memory, at no gain in speed
    // (`docs/PERFORMANCE.md`). Large bundles are another matter: `runtime/allocator.rs`.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
    mcp_edge::cli::main()
}
