//! How `mcpc` and `mcp-edge` scale: with the number of tools, the length of answers, connections, threads, tenants and MCP
//! servers.
//!
//! Each part starts what it measures itself and stops it again. Linux only: CPU time and memory are read from `/proc`.
//!
//! To add a part: a file with `pub async fn run(place: &Place) -> Result<String, AnyError>` that gives Markdown, and its
//! lines in [`Part`].

pub mod answers;
pub mod bundles;
pub mod calls;
pub mod client;
pub mod compile;
pub mod connections;
pub mod edge;
pub mod figures;
pub mod lookup;
pub mod machine;
pub mod memory;
pub mod place;
pub mod process;
pub mod round;
pub mod servers;
pub mod start;
pub mod stdio;
pub mod tenants;
pub mod threads;
pub mod turns;
pub mod upstream;

use crate::AnyError;
use place::Place;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// `check`, `build` and loading, 10 to 100,000 tools
    Compile,
    /// Memory of `mcp-edge`, 10 to 100,000 tools
    Memory,
    /// Lookup and binding alone, 10 to 100,000 tools
    Lookup,
    /// `tools/call`, 10 and 100,000 tools
    Calls,
    /// Answers of 10 KiB to 10 MiB, 1 to 32 at once
    Answers,
    /// 1 to 10,000 connections
    Connections,
    /// One thread and two
    Threads,
    /// 1 tenant with 1 key, and 10,000 with 100,000
    Tenants,
    /// `tools/call` of 100 MCP servers, alone and beside 100 that are down
    Servers,
    /// `tools/call` of an MCP server that is a program, and the same over a pipe to it
    Stdio,
    /// From the start of the process to the first answer, 10 to 100,000 tools
    Start,
}

impl Part {
    pub const ALL: [Part; 11] = [
        Part::Compile,
        Part::Memory,
        Part::Lookup,
        Part::Calls,
        Part::Answers,
        Part::Connections,
        Part::Threads,
        Part::Tenants,
        Part::Servers,
        Part::Stdio,
        Part::Start,
    ];

    /// What it showed, as Markdown with a heading.
    pub async fn run(self, place: &Place) -> Result<String, AnyError> {
        if !self.has_core() {
            return self.measure(place).await;
        }
        place.others.bind_this_process()?;
        let measured = self.measure(place).await;
        // What is started later inherits what this process is bound to.
        place.unbind_this_process()?;
        measured
    }

    /// Whether the proxy has a core of its own, where there are two.
    const fn has_core(self) -> bool {
        matches!(self, Part::Calls | Part::Answers | Part::Connections | Part::Tenants | Part::Servers)
    }

    async fn measure(self, place: &Place) -> Result<String, AnyError> {
        match self {
            Part::Compile => compile::run(place).await,
            Part::Memory => memory::run(place).await,
            Part::Lookup => lookup::run(place).await,
            Part::Calls => calls::run(place).await,
            Part::Answers => answers::run(place).await,
            Part::Connections => connections::run(place).await,
            Part::Threads => threads::run(place).await,
            Part::Tenants => tenants::run(place).await,
            Part::Servers => servers::run(place).await,
            Part::Stdio => stdio::run(place).await,
            Part::Start => start::run(place).await,
        }
    }
}
