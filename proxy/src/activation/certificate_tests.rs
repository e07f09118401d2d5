//! Certificates that are renewed while they are shown.

use super::*;
use crate::process::{self, Options, Running};
use pingora_core::tls::{
    CertificateDer, ClientConfig, RootCertStore, ServerName, TlsConnector, install_default_crypto_provider,
};
use std::net::SocketAddr;

/// An edge with TLS on a free port.
struct Secure {
    folder: tempfile::TempDir,
    activation: Arc<Activation>,
    address: SocketAddr,
    _running: Running,
}

struct Pair {
    certificate: rcgen::Certificate,
    key: rcgen::KeyPair,
}

fn pair_until(year: i32) -> Pair {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
    Pair { certificate: parameters.self_signed(&key).unwrap(), key }
}

impl Secure {
    fn start(first: &Pair) -> Secure {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edge.toml");
        let mut builder = mcp_bundle::strings::PoolBuilder::new();
        let mut contents = mcp_bundle::plan::Contents::default();
        contents.manifest.name = builder.intern("one");
        contents.strings = builder.finish();
        let bundle = mcp_bundle::format::write(&contents).unwrap();
        std::fs::write(folder.path().join("tools.mcpk"), bundle).unwrap();
        write(&folder, "cert.pem", &first.certificate.pem());
        write(&folder, "key.pem", &first.key.serialize_pem());
        configure(&folder, "cert.pem");
        let config = Config::load(&path).unwrap();
        let activation =
            Activation::configured(config.clone(), Box::new(move || Config::load(&path))).unwrap();
        let activation = Arc::new(activation);
        activation.poll().unwrap();
        let bound = process::bind(&config.listeners).unwrap();
        let address = bound.addresses()[0];
        activation.show_certificates(bound.certificates());
        let running = process::start(Arc::clone(activation.edge()), bound, Options::default());
        Secure { folder, activation, address, _running: running }
    }

    /// Whether a client that trusts only this certificate can connect.
    fn shows(&self, pair: &Pair) -> bool {
        install_default_crypto_provider();
        let mut roots = RootCertStore::empty();
        let certificate: CertificateDer<'static> = pair.certificate.der().clone();
        roots.add(certificate).unwrap();
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
            let name = ServerName::try_from("localhost").unwrap();
            TlsConnector::from(Arc::new(config)).connect(name, stream).await.is_ok()
        })
    }
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    crate::runtime::exposed::write_private(&folder.path().join(name), text);
}

fn configure(folder: &tempfile::TempDir, certificate: &str) {
    let listen = format!(
        "[[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"{certificate}\"\nkey = \"key.pem\"\n"
    );
    write(folder, "edge.toml", &format!("bundle = \"tools.mcpk\"\n{listen}"));
}

#[test]
fn a_renewed_certificate_is_shown_when_both_files_are_there() {
    let (one, two) = (pair_until(4000), pair_until(4000));
    let edge = Secure::start(&one);
    assert!(edge.shows(&one) && !edge.shows(&two));

    write(&edge.folder, "cert.pem", &two.certificate.pem());
    let error = edge.activation.poll().unwrap_err().to_string();
    assert!(error.contains("key.pem` does not match"), "{error}");
    assert_eq!(edge.activation.status().last_error.unwrap().message, error);
    assert!(edge.shows(&one), "half of a pair changes nothing");

    write(&edge.folder, "key.pem", &two.key.serialize_pem());
    assert!(edge.activation.poll().unwrap().is_some());
    assert!(edge.shows(&two) && !edge.shows(&one));
    assert!(edge.activation.status().last_error.is_none());
    let (files, _) = edge.activation.watched();
    for name in ["cert.pem", "key.pem"] {
        assert!(files.contains(&edge.folder.path().join(name)), "{files:?}");
    }
}

#[test]
fn a_reload_takes_other_files_and_no_expired_certificate() {
    let (one, two) = (pair_until(4000), pair_until(4000));
    let edge = Secure::start(&one);
    let old = pair_until(2020);
    write(&edge.folder, "cert.pem", &old.certificate.pem());
    write(&edge.folder, "key.pem", &old.key.serialize_pem());
    let error = edge.activation.reload().unwrap_err().to_string();
    assert!(error.contains("cert.pem` expired at 2020-01-01T00:00:00Z"), "{error}");
    assert!(edge.shows(&one));

    write(&edge.folder, "other.pem", &two.certificate.pem());
    write(&edge.folder, "key.pem", &two.key.serialize_pem());
    configure(&edge.folder, "other.pem");
    assert_eq!(edge.activation.reload().unwrap().needs_upgrade, Vec::<&str>::new());
    assert!(edge.shows(&two));
}

#[cfg(unix)]
#[test]
fn a_key_that_everyone_can_read_is_refused_and_the_old_one_stays() {
    use std::os::unix::fs::PermissionsExt;
    let (one, two) = (pair_until(4000), pair_until(4000));
    let edge = Secure::start(&one);
    write(&edge.folder, "cert.pem", &two.certificate.pem());
    write(&edge.folder, "key.pem", &two.key.serialize_pem());
    let key = edge.folder.path().join("key.pem");
    let allow = |mode| std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(0o644);
    let error = edge.activation.poll().unwrap_err().to_string();
    assert!(error.contains("key.pem` is readable by everyone on this machine; run `chmod o-rwx"), "{error}");
    assert!(edge.shows(&one) && !edge.shows(&two));
    // Groups are fine.
    allow(0o640);
    edge.activation.reload().unwrap();
    assert!(edge.shows(&two));
}
