//! A running `mcp-edge`.

use super::client::Client;
use super::place::{Place, connect};
use super::process::Process;
use crate::AnyError;
use crate::load::cores::Cores;
use crate::load::process::free_address;
use crate::load::spec::VARIABLE;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// As it comes but for what is said here, and without an admin listener, whose port is fixed.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    pub bundle: &'a Path,
    /// `None` is the default: one for each core.
    pub threads: Option<usize>,
    /// Tables of `edge.toml`.
    pub tables: &'a str,
    /// `None`: any.
    pub cores: Option<&'a Cores>,
}

/// Stopped when dropped.
#[derive(Debug)]
pub struct Edge {
    pub process: Process,
    pub address: SocketAddr,
    /// Just before the process was made.
    pub started: Instant,
}

impl Edge {
    /// Gives the first connection, too, opened as soon as that was possible.
    pub async fn start(place: &Place, settings: Settings<'_>) -> Result<(Edge, Client), AnyError> {
        let address = free_address()?;
        let config = place.folder().join(format!("edge-{}.toml", address.port()));
        std::fs::write(&config, config_text(address, settings))?;
        let program = Place::edge_program()?;
        let mut command =
            settings.cores.map_or_else(|| Command::new(&program), |cores| cores.command(&program));
        command.arg("--config").arg(&config).env(VARIABLE.0, VARIABLE.1);
        let log = config.with_extension("log");
        let started = Instant::now();
        let mut process = Process::start(&mut command, &log)?;
        let stream = connect(address, &mut process).await?;
        Ok((Edge { process, address, started }, Client::over(stream)?))
    }
}

fn config_text(address: SocketAddr, settings: Settings<'_>) -> String {
    let threads = settings.threads.map_or_else(String::new, |threads| format!("threads = {threads}\n"));
    format!(
        "bundle = '{}'\nadmin = \"off\"\n{threads}[[listen]]\naddress = \"{address}\"\n{}",
        settings.bundle.display(),
        settings.tables
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_has_its_tables_last() {
        let settings = Settings {
            bundle: Path::new("/x/a.mcpk"),
            threads: Some(2),
            tables: "[limits]\nbatch = 3\n",
            cores: None,
        };
        assert_eq!(
            config_text(SocketAddr::from(([127, 0, 0, 1], 9)), settings),
            "bundle = '/x/a.mcpk'\nadmin = \"off\"\nthreads = 2\n[[listen]]\naddress = \"127.0.0.1:9\"\n\
             [limits]\nbatch = 3\n"
        );
    }
}
