//! Clients that show certificates: to a listener that wants one or takes one, over HTTP/1 and HTTP/2.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcp_edge::activation::Activation;
use mcp_edge::config::Config;
use mcp_edge::process::{self, Options, Running};
use pingora_core::tls::{
    CertificateDer, ClientConfig, ClientTlsStream, PrivateKeyDer, RootCertStore, ServerName, TlsConnector,
    install_default_crypto_provider,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SPEC: &str = r#"
[toolset]
name = "shop"
[[tool]]
name = "hello"
description = "Says hello to whoever calls, without an upstream."
respond = "Hello."
"#;

const TENANTS: &str = "[tenant.acme]\ntoolsets = [\"shop\"]\n[tenant.public]\n";

const NAMES: &str = "[auth.mtls.names]\n\"robot.acme.example\" = \"acme\"\n\"spiffe://acme/ci\" = \"acme\"\n";

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

/// Who signs certificates of clients.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate of a client, with its key.
struct Own {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Authority {
    fn new() -> Authority {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        Authority { issuer: Issuer::new(parameters, key), pem }
    }

    fn signs(&self, name: &str) -> Own {
        self.signs_until(name, 4000)
    }

    fn signs_until(&self, name: &str, year: i32) -> Own {
        let mut parameters = CertificateParams::default();
        let name = name.to_owned().try_into().unwrap();
        let is_uri = |name: &rcgen::string::Ia5String| name.as_str().contains(':');
        parameters.subject_alt_names =
            vec![if is_uri(&name) { SanType::URI(name) } else { SanType::DnsName(name) }];
        parameters.not_before = rcgen::date_time_ymd(2000, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Own { certificate: certificate.der().clone(), key: key.serialize_der() }
    }
}

/// An edge whose listener asks for certificates.
struct Place {
    folder: tempfile::TempDir,
    activation: Arc<Activation>,
    address: SocketAddr,
    server: CertificateDer<'static>,
    _running: Running,
}

impl Place {
    fn start(authority: &Authority, client_auth: &str, mode: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edge.toml");
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", SPEC));
        let bundle = mcp_bundle::format::write(&report.contents.unwrap()).unwrap();
        write(folder.path(), "tools.mcpk", bundle);
        let server = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        write(folder.path(), "cert.pem", server.cert.pem());
        write(folder.path(), "key.pem", server.signing_key.serialize_pem());
        write(folder.path(), "clients.pem", &authority.pem);
        write(folder.path(), "tenants.toml", TENANTS);
        write(folder.path(), "edge.toml", configuration(client_auth, mode, NAMES));
        let listeners = Config::load(&path).unwrap().listeners;
        let activation = Activation::start(move || Config::load(&path)).unwrap();
        let bound = process::bind(&listeners).unwrap();
        let address = bound.addresses()[0];
        activation.show_certificates(bound.certificates());
        let running = process::start(Arc::clone(activation.edge()), bound, Options::default());
        Place { folder, activation, address, server: server.cert.der().clone(), _running: running }
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        write(self.folder.path(), name, text);
    }

    async fn connect(&self, own: Option<&Own>, protocol: &[u8]) -> Option<ClientTlsStream<TcpStream>> {
        install_default_crypto_provider();
        let mut roots = RootCertStore::empty();
        roots.add(self.server.clone()).unwrap();
        let config = ClientConfig::builder().with_root_certificates(roots);
        let mut config = match own {
            None => config.with_no_client_auth(),
            Some(own) => {
                let key = PrivateKeyDer::try_from(own.key.clone()).unwrap();
                config.with_client_auth_cert(vec![own.certificate.clone()], key).unwrap()
            }
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        let stream = TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()
    }

    /// Status and body of `GET /mcp/tools`, or `None` if the handshake failed.
    fn list(&self, own: Option<&Own>) -> Option<(u16, String)> {
        self.list_with(own, "")
    }

    fn list_with(&self, own: Option<&Own>, headers: &str) -> Option<(u16, String)> {
        run(async {
            let mut stream = self.connect(own, b"http/1.1").await?;
            let request =
                format!("GET /mcp/tools HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
            stream.write_all(request.as_bytes()).await.ok()?;
            let mut answer = String::new();
            // A refused certificate is an alert in TLS 1.3, after the client's own handshake.
            stream.read_to_string(&mut answer).await.ok()?;
            let (head, body) = answer.split_once("\r\n\r\n")?;
            Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
        })
    }

    /// The status of the same by HTTP/2.
    fn status_by_http2(&self, own: Option<&Own>) -> Option<u16> {
        run(async {
            let stream = self.connect(own, b"h2").await?;
            let (sender, connection) = h2::client::handshake(stream).await.ok()?;
            tokio::spawn(async move { drop(connection.await) });
            let request = http::Request::get("https://localhost/mcp/tools").body(()).unwrap();
            let (answer, _) = sender.ready().await.ok()?.send_request(request, true).ok()?;
            Some(answer.await.ok()?.status().as_u16())
        })
    }
}

fn configuration(client_auth: &str, mode: &str, names: &str) -> String {
    format!(
        "bundle = \"tools.mcpk\"\n\
         [[listen]]\naddress = \"127.0.0.1:0\"\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n\
         client_ca = \"clients.pem\"\nclient_auth = \"{client_auth}\"\n\
         [audit]\nfile = \"audit.jsonl\"\n[auth]\nmode = \"{mode}\"\ntenants = \"tenants.toml\"\n{names}"
    )
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn run<T>(client: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, client).await.unwrap() })
}

fn reason(answer: Option<(u16, String)>) -> String {
    let (status, body) = answer.unwrap();
    assert_eq!(status, 401, "{body}");
    body
}

#[test]
fn a_known_name_is_a_login_and_any_other_certificate_is_none() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let place = Place::start(&authority, "required", "required");
    for name in ["robot.acme.example", "spiffe://acme/ci"] {
        let own = authority.signs(name);
        let (status, body) = place.list(Some(&own)).unwrap();
        assert!(status == 200 && body.contains("\"hello\""), "{status} {body}");
        assert_eq!(place.status_by_http2(Some(&own)), Some(200));
    }
    let unknown = authority.signs("robot.beta.example");
    assert!(reason(place.list(Some(&unknown))).contains("the client certificate names no tenant"));
    assert_eq!(place.status_by_http2(Some(&unknown)), Some(401));

    let foreign = stranger.signs("robot.acme.example");
    let expired = authority.signs_until("robot.acme.example", 2020);
    for own in [Some(&foreign), Some(&expired), None] {
        assert_eq!(place.list(own), None);
        assert_eq!(place.status_by_http2(own), None);
    }
    place.activation.audit().unwrap().flush();
    let audit = std::fs::read_to_string(place.folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(
        audit.matches("\"reason\":\"unauthenticated\"").count(),
        2,
        "handshakes are not requests: {audit}"
    );
}

#[test]
fn where_certificates_are_optional_a_wrong_one_is_still_refused() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let place = Place::start(&authority, "optional", "required");
    assert_eq!(place.list(Some(&authority.signs("robot.acme.example"))).unwrap().0, 200);
    assert!(reason(place.list(None)).contains("this needs a credential"));
    assert_eq!(place.list(Some(&stranger.signs("robot.acme.example"))), None);
    assert_eq!(place.list(Some(&authority.signs_until("robot.acme.example", 2020))), None);
}

#[test]
fn callers_without_a_certificate_are_public_where_they_may_be() {
    let authority = Authority::new();
    let place = Place::start(&authority, "optional", "optional");
    let (status, body) = place.list(None).unwrap();
    assert!(status == 200 && !body.contains("\"hello\""), "{status} {body}");
    assert!(place.list(Some(&authority.signs("robot.acme.example"))).unwrap().1.contains("\"hello\""));
    // Whoever shows a certificate wants to be someone.
    assert!(reason(place.list(Some(&authority.signs("nobody.example")))).contains("names no tenant"));
}

#[test]
fn a_credential_in_the_head_goes_before_the_certificate() {
    let authority = Authority::new();
    let place = Place::start(&authority, "required", "required");
    let own = authority.signs("robot.acme.example");
    let answer = place.list_with(Some(&own), "x-api-key: mek_unknown\r\n");
    assert!(reason(answer).contains("the API key is not known"));
}

#[test]
fn a_call_is_recorded_with_the_name_of_its_certificate() {
    let authority = Authority::new();
    let place = Place::start(&authority, "required", "required");
    let own = authority.signs("spiffe://acme/ci");
    let status = run(async {
        let mut stream = place.connect(Some(&own), b"http/1.1").await.unwrap();
        let body = r#"{"tool_name":"hello","params":{}}"#;
        let head = format!(
            "POST /mcp/invoke HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    });
    assert_eq!(status, 200);
    place.activation.audit().unwrap().flush();
    let audit = std::fs::read_to_string(place.folder.path().join("audit.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
    assert_eq!((&line["tenant"], &line["principal"]), (&"acme".into(), &"spiffe://acme/ci".into()), "{line}");
}

#[test]
fn other_authorities_and_names_come_with_a_reload_and_wrong_ones_change_nothing() {
    let (one, two) = (Authority::new(), Authority::new());
    let place = Place::start(&one, "required", "required");
    let (old, new) = (one.signs("robot.acme.example"), two.signs("robot.acme.example"));

    place.write("clients.pem", "no PEM");
    let error = place.activation.poll().unwrap_err().to_string();
    assert!(error.contains("clients.pem` has no certificate"), "{error}");
    assert_eq!(place.list(Some(&old)).unwrap().0, 200);

    place.write("clients.pem", &two.pem);
    place.activation.poll().unwrap();
    assert_eq!((place.list(Some(&new)).unwrap().0, place.list(Some(&old))), (200, None));

    place.write("edge.toml", configuration("required", "required", &NAMES.replace("\"acme\"", "\"acne\"")));
    let error = place.activation.reload().unwrap_err().to_string();
    assert!(error.contains("there is no tenant `acne`"), "{error}");
    assert_eq!(place.list(Some(&new)).unwrap().0, 200);

    place.write(
        "edge.toml",
        configuration("optional", "required", "[auth.mtls.names]\n\"a.example\" = \"acme\"\n"),
    );
    assert_eq!(place.activation.reload().unwrap().needs_upgrade, Vec::<&str>::new());
    assert!(reason(place.list(Some(&new))).contains("names no tenant"));
    assert!(reason(place.list(None)).contains("this needs a credential"));
    assert_eq!(place.list(Some(&two.signs("A.example"))).unwrap().0, 200);
}
