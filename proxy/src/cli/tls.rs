//! Whether certificates and keys can be used, without listening.

use crate::config::FileProblem;
use crate::transport::{Certificate, TlsFiles};
use pingora_core::tls;
use std::path::Path;

/// Every problem with a listener's files.
pub fn check_files(files: &TlsFiles) -> Vec<FileProblem> {
    let problems = Certificate::read(files).err().unwrap_or_default();
    problems.into_iter().map(|problem| FileProblem::new(&problem.file, problem.message)).collect()
}

pub fn check_ca(file: &Path) -> Result<(), FileProblem> {
    readable(file)?;
    let mut store = tls::RootCertStore::empty();
    let name = file.display();
    let wrong = |reason: &str| FileProblem::new(file, format!("CA file `{name}` {reason}"));
    tls::load_ca_file_into_store(file, &mut store)
        .map_err(|_| wrong("has something other than PEM certificates"))?;
    if store.is_empty() { Err(wrong("has no certificate")) } else { Ok(()) }
}

fn readable(file: &Path) -> Result<(), FileProblem> {
    std::fs::File::open(file).map(|_| ()).map_err(|error| {
        FileProblem::new(file, format!("CA file `{}` cannot be read: {error}", file.display()))
    })
}
