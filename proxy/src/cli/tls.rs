//! Whether certificates and keys can be used, without listening.

use crate::process::TlsFiles;
use pingora_core::tls;
use std::path::Path;

pub fn check_files(files: &TlsFiles) -> Result<(), String> {
    let certificate = files.certificate.display().to_string();
    let key = files.key.display().to_string();
    readable(&files.certificate, "certificate")?;
    readable(&files.key, "key")?;
    let loaded = tls::load_certs_and_key_files(&certificate, &key)
        .map_err(|_| format!("`{certificate}` or `{key}` is not a PEM file"))?;
    let Some((chain, private)) = loaded else {
        return Err(format!("`{certificate}` has no certificate, or `{key}` no private key"));
    };
    tls::install_default_crypto_provider();
    let config = tls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, private);
    config.map(|_| ()).map_err(|error| format!("`{key}` does not go with `{certificate}`: {error}"))
}

pub fn check_ca(file: &Path) -> Result<(), String> {
    readable(file, "CA file")?;
    let mut store = tls::RootCertStore::empty();
    let name = file.display();
    tls::load_ca_file_into_store(file, &mut store)
        .map_err(|_| format!("CA file `{name}` holds something else than PEM certificates"))?;
    if store.is_empty() {
        return Err(format!("CA file `{name}` has no certificate"));
    }
    Ok(())
}

fn readable(file: &Path, what: &str) -> Result<(), String> {
    std::fs::File::open(file)
        .map(|_| ())
        .map_err(|error| format!("{what} `{}` cannot be read: {error}", file.display()))
}
