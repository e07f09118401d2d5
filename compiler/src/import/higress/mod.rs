//! Higress: files of its MCP server plugin, alone or wrapped for Kubernetes.

mod arguments;
pub mod codes;
mod documents;
mod security;
mod server;
#[cfg(test)]
mod tests;
mod tool;

use super::document::{self, DocumentError};
use super::{Imported, Ledger};
use crate::language::json::Json;

/// Reads the documents of a file.
pub fn read(bytes: &[u8]) -> Result<Vec<Json>, DocumentError> {
    let mut all = document::read_all(bytes)?;
    all.iter_mut().for_each(documents::canonical);
    Ok(all)
}

/// Makes specs of the servers in a file. `stem` names one that has no name of its own, `source` is what comments say.
pub fn import<'d>(documents: &'d [Json], source: &str, stem: Option<&str>) -> Result<Imported<'d>, String> {
    let Some((first, others)) = documents.split_first() else { return Err("it is empty".to_owned()) };
    let mut ledger = Ledger::new(first);
    for (at, other) in others.iter().enumerate() {
        ledger.add(&documents::label(at + 1), other);
    }
    let servers = documents::servers(documents, &ledger)?;
    let mut specs = Vec::new();
    let mut refused = 0;
    let count = servers.len();
    for (at, (place, config)) in servers.into_iter().enumerate() {
        let stem = stem.map(|stem| if count > 1 { format!("{stem}_{}", at + 1) } else { stem.to_owned() });
        let mut server = server::Server::new(&ledger, config, place, stem.as_deref());
        specs.push(server.import(source)?);
        refused += server.refused;
    }
    documents::distinct_names(&mut specs);
    Ok(Imported { specs, ledger, refused })
}
