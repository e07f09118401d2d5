//! Whether certificates and keys can be used, without listening.

use crate::config::FileProblem;
use crate::process::TlsFiles;
use pingora_core::tls;
use std::path::Path;

/// Every problem with a listener's files.
pub fn check_files(files: &TlsFiles) -> Vec<FileProblem> {
    let unreadable = [readable(&files.certificate, "certificate"), readable(&files.key, "key")];
    let problems: Vec<FileProblem> = unreadable.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        return problems;
    }
    check_pair(files).err().into_iter().collect()
}

fn check_pair(files: &TlsFiles) -> Result<(), FileProblem> {
    let certificate = files.certificate.display().to_string();
    let key = files.key.display().to_string();
    let wrong = |message: String| FileProblem::new(&files.certificate, message);
    let loaded = tls::load_certs_and_key_files(&certificate, &key)
        .map_err(|_| wrong(format!("`{certificate}` or `{key}` is not a PEM file")))?;
    let Some((chain, private)) = loaded else {
        return Err(wrong(format!("`{certificate}` has no certificate, or `{key}` has no private key")));
    };
    tls::install_default_crypto_provider();
    let config = tls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, private);
    config.map(|_| ()).map_err(|error| {
        FileProblem::new(&files.key, format!("`{key}` does not match `{certificate}`: {error}"))
    })
}

pub fn check_ca(file: &Path) -> Result<(), FileProblem> {
    readable(file, "CA file")?;
    let mut store = tls::RootCertStore::empty();
    let name = file.display();
    let wrong = |reason: &str| FileProblem::new(file, format!("CA file `{name}` {reason}"));
    tls::load_ca_file_into_store(file, &mut store)
        .map_err(|_| wrong("has something other than PEM certificates"))?;
    if store.is_empty() { Err(wrong("has no certificate")) } else { Ok(()) }
}

fn readable(file: &Path, what: &str) -> Result<(), FileProblem> {
    std::fs::File::open(file).map(|_| ()).map_err(|error| {
        FileProblem::new(file, format!("{what} `{}` cannot be read: {error}", file.display()))
    })
}
