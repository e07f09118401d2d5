//! Tokens of an issuer that the tests run: what gets in, what does not, and how often the issuer is asked.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_edge::activation::Activation;
use mcp_edge::config::Config;
use mcp_edge::jwt::{Algorithm, ClaimSource, IssuerConfig, IssuerStats, Issuers, KeySource};
use mcp_edge::request::failure::Failure;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::{Authenticator, Caller, Peer, Verdict};
use mcp_edge::tenants::{self, Directory, Mode};
use mcp_edge::upstream::Network;
use mcpc_tests::{Client, Script, Upstream, build, json as json_answer, mcp_edge, modern, raw, spec};
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

const AUDIENCE: &str = "https://tools.example/mcp";

const TENANTS: &str = "[tenant.acme]\ntoolsets = [\"*\"]\n";

/// A key of the issuer.
enum Signer {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Signer {
    fn ed25519() -> Signer {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Signer::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap())
    }

    fn p256() -> Signer {
        let (random, kind) = (SystemRandom::new(), &signature::ECDSA_P256_SHA256_FIXED_SIGNING);
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Signer::P256(EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).unwrap())
    }

    /// `ring` makes no RSA keys, so this one is kept.
    fn rsa() -> Signer {
        Signer::Rsa(RsaKeyPair::from_pkcs8(include_bytes!("../fixtures/token-signer.pk8")).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Signer::Ed25519(_) => "EdDSA",
            Signer::P256(_) => "ES256",
            Signer::Rsa(_) => "RS256",
        }
    }

    fn jwk(&self, id: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Signer::Ed25519(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "use": "sig", "x": text(pair.public_key().as_ref())})
            }
            Signer::P256(pair) => {
                let (x, y) = pair.public_key().as_ref().get(1..).unwrap().split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": id, "alg": "ES256", "x": text(x), "y": text(y)})
            }
            Signer::Rsa(pair) => {
                // The DER of 2048 bits: lengths, modulus, three bytes of exponent.
                let der: &[u8] = pair.public().as_ref();
                let (n, e) = (der.get(9..265).unwrap(), der.get(der.len() - 3..).unwrap());
                json!({"kty": "RSA", "kid": id, "key_ops": ["verify"], "n": text(n), "e": text(e)})
            }
        }
    }

    fn token(&self, header: Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(claims));
        let signature = match self {
            Signer::Ed25519(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
            Signer::P256(pair) => {
                pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref().to_vec()
            }
            Signer::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding = &signature::RSA_PKCS1_SHA256;
                pair.sign(padding, &SystemRandom::new(), message.as_bytes(), &mut signature).unwrap();
                signature
            }
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A token with this key's id.
    fn signed(&self, id: &str, claims: &Value) -> String {
        self.token(json!({"alg": self.algorithm(), "kid": id, "typ": "at+jwt"}), claims)
    }
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

fn issuer_url(server: &Upstream) -> String {
    format!("http://{}", server.address)
}

fn claims(server: &Upstream) -> Value {
    json!({
        "iss": issuer_url(server), "aud": AUDIENCE, "sub": "ann", "exp": now() + 300, "org": "acme",
        "scope": "orders:read orders:write",
    })
}

/// Claims, changed.
fn with(server: &Upstream, name: &str, value: Value) -> Value {
    let mut claims = claims(server);
    *claims.pointer_mut(&format!("/{name}")).unwrap_or(&mut Value::Null) = value.clone();
    if let Some(object) = claims.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
    claims
}

fn keys(signers: &[(&Signer, &str)]) -> Script {
    let keys: Vec<Value> = signers.iter().map(|(signer, id)| signer.jwk(id)).collect();
    json_answer(json!({"keys": keys}).to_string())
}

/// A directory that accepts the issuer's tokens, with a runtime to wait in.
struct Door {
    directory: Arc<Directory>,
    runtime: tokio::runtime::Runtime,
}

impl Door {
    fn new(server: &Upstream, keys: KeySource) -> Door {
        let config = IssuerConfig {
            issuer: issuer_url(server),
            audience: vec![AUDIENCE.to_owned()],
            keys,
            algorithms: vec![Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa],
            tenant: ClaimSource::Claim("org".to_owned()),
            scopes: ClaimSource::Claim("scope".to_owned()),
        };
        let network = Network::new(None).unwrap();
        let issuers = Issuers::new(&[config], Some(&network), &Issuers::default());
        let file = tenants::parse(TENANTS, "tenants.toml").unwrap_or_else(|problems| panic!("{problems}"));
        let directory = Arc::new(Directory::new(Mode::Required, None, file, issuers));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Door { directory, runtime }
    }

    fn url(server: &Upstream) -> Door {
        Door::new(server, KeySource::Url(format!("http://{}/jwks", server.address)))
    }

    fn ask(&self, token: &str) -> Result<Caller, Failure> {
        self.runtime.block_on(authenticate(&self.directory, token))
    }

    /// Why a token is refused.
    fn refusal(&self, token: &str) -> String {
        match self.ask(token) {
            Err(Failure::Unauthenticated { reason, challenge }) => {
                assert!(challenge.contains("invalid_token") && !challenge.contains(token), "{challenge}");
                reason.to_owned()
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn authenticate(directory: &Directory, token: &str) -> Result<Caller, Failure> {
    let mut head = Head::default();
    head.headers.append("authorization", format!("Bearer {token}").as_bytes());
    match directory.authenticate(&head, &Peer::default()) {
        Verdict::Ready(caller) => caller,
        Verdict::Pending(caller) => caller.await,
    }
}

#[test]
fn good_tokens_of_every_kind_get_in() {
    let (server, signers) = (Upstream::start(), [Signer::ed25519(), Signer::p256(), Signer::rsa()]);
    let named: Vec<(&Signer, &str)> = signers.iter().zip(["a", "b", "c"]).collect();
    server.always_answers(keys(&named));
    let door = Door::url(&server);
    for (signer, id) in &named {
        let caller = door.ask(&signer.signed(id, &claims(&server))).unwrap();
        let identity = caller.identity().unwrap();
        assert_eq!((caller.tenant(), caller.principal()), (Some("acme"), Some("ann")));
        assert_eq!(identity.scopes, ["orders:read", "orders:write"]);
        assert!(!format!("{caller:?}").contains("eyJ"), "a token is never printed");
    }
    // Without the id of a key, each that fits is tried.
    let anonymous = signers.last().unwrap().token(json!({"alg": "RS256"}), &claims(&server));
    assert!(door.ask(&anonymous).is_ok());
    assert_eq!(server.count(), 1, "one fetch of the keys");
}

#[test]
fn tokens_that_are_wrong_in_any_way_stay_out() {
    let (server, signer, other) = (Upstream::start(), Signer::ed25519(), Signer::ed25519());
    server.always_answers(keys(&[(&signer, "a")]));
    let door = Door::url(&server);
    let signed = |claims: &Value| signer.signed("a", claims);
    let header = |header: Value| signer.token(header, &claims(&server));
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = format!("{}.{}.", part(json!({"alg": "none"})), part(claims(&server)));
    let good = signed(&claims(&server));
    let forged = format!("{}A.{}", good.get(..good.len() / 2).unwrap(), good.rsplit('.').next().unwrap());
    for (token, reason) in [
        (other.signed("a", &claims(&server)), "signature"),
        (unsigned, "algorithm"),
        (header(json!({"alg": "HS256", "kid": "a"})), "algorithm"),
        (header(json!({"alg": "PS256", "kid": "a"})), "algorithm"),
        (header(json!({"alg": "ES256", "kid": "a"})), "key that signed"),
        (header(json!({"alg": "EdDSA", "kid": "a", "crit": ["exp"]})), "kind"),
        (header(json!({"alg": "EdDSA", "kid": "a", "typ": "id+jwt"})), "kind"),
        (signed(&with(&server, "exp", json!(now() - 61))), "expired"),
        (signed(&with(&server, "exp", json!("soon"))), "lacks a claim"),
        (signed(&with(&server, "exp", Value::Null)), "lacks a claim"),
        (signed(&with(&server, "nbf", json!(now() + 120))), "not valid yet"),
        (signed(&with(&server, "aud", json!("https://other.example/mcp"))), "audience"),
        (signed(&with(&server, "aud", json!([]))), "audience"),
        (signed(&with(&server, "iss", json!("https://evil.example"))), "issuer"),
        (signed(&with(&server, "org", json!(7))), "tenant"),
        (forged, ""),
        ("a.b.c".to_owned(), "not a JWT"),
        (format!("{good}.x"), ""),
        ("x".repeat(10 << 10), "not a JWT"),
    ] {
        let refusal = door.refusal(&token);
        assert!(refusal.contains(reason), "{refusal}: {reason}");
    }
    // Clocks differ by a minute.
    assert!(door.ask(&signed(&with(&server, "exp", json!(now() - 30)))).is_ok());
    assert!(door.ask(&signed(&with(&server, "nbf", json!(now() + 30)))).is_ok());
    // Who is not a tenant here may be one elsewhere: another token would not help.
    let unknown = door.ask(&signed(&with(&server, "org", json!("nobody"))));
    assert!(matches!(unknown, Err(Failure::Forbidden { .. })), "{unknown:?}");
    // A long token that is good.
    let long = signed(&with(&server, "padding", json!("x".repeat(7 << 10))));
    assert!(long.len() > 9 << 10 && door.ask(&long).is_ok());
}

#[test]
fn new_keys_are_found_and_old_ones_forgotten() {
    let (server, first, second) = (Upstream::start(), Signer::ed25519(), Signer::p256());
    server.answers(keys(&[(&first, "a")]));
    server.always_answers(keys(&[(&second, "b")]));
    let door = Door::url(&server);
    assert!(door.ask(&first.signed("a", &claims(&server))).is_ok());
    assert!(door.ask(&second.signed("b", &claims(&server))).is_ok());
    assert_eq!(server.count(), 2);
    // What was verified before stays good until it expires; a new token by the old key does not get in.
    let claims = with(&server, "jti", json!("new"));
    assert!(door.refusal(&first.signed("a", &claims)).contains("key that signed"));
    // An invented key id asks the issuer once in a while, not once a token.
    let count = server.count();
    for id in ["x", "y", "z"] {
        door.refusal(&first.signed(id, &claims));
    }
    assert_eq!(server.count(), count);
}

#[test]
fn an_issuer_that_is_away_keeps_its_keys() {
    let (server, signer) = (Upstream::start(), Signer::ed25519());
    server.answers(raw("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"));
    let door = Door::url(&server);
    // The token may be good: no challenge, which would make a client throw it away.
    assert_eq!(door.ask(&signer.signed("a", &claims(&server))), Err(Failure::IssuerUnavailable));

    let server = Upstream::start();
    server.answers(keys(&[(&signer, "a")]));
    server.always_answers(raw("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"));
    let door = Door::url(&server);
    assert!(door.ask(&signer.signed("a", &claims(&server))).is_ok());
    assert!(door.refusal(&signer.signed("b", &claims(&server))).contains("key that signed"));
    assert!(door.ask(&signer.signed("a", &with(&server, "jti", json!("2")))).is_ok());
    let issuer = issuer_url(&server);
    let stats = door.directory.issuers().stats();
    assert_eq!(stats, [IssuerStats { issuer, fetched: 1, failed: 1 }]);
}

#[test]
fn what_is_not_a_key_set_is_none() {
    for text in
        ["", "[]", "{\"keys\":{}}", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"}]}", "<html>"]
    {
        let (server, signer) = (Upstream::start(), Signer::ed25519());
        server.always_answers(json_answer(text));
        let door = Door::url(&server);
        let asked = door.ask(&signer.signed("a", &claims(&server)));
        assert_eq!(asked, Err(Failure::IssuerUnavailable), "{text}");
    }
}

#[test]
fn many_callers_with_the_same_new_key_ask_the_issuer_once() {
    const CALLERS: usize = 500;
    let (server, old, new) = (Upstream::start(), Signer::ed25519(), Signer::ed25519());
    server.answers(keys(&[(&old, "a")]));
    server.always_answers(keys(&[(&old, "a"), (&new, "b")]));
    let door = Door::url(&server);
    assert!(door.ask(&old.signed("a", &claims(&server))).is_ok());
    assert_eq!(server.count(), 1);
    let tokens: Vec<String> =
        (0..CALLERS).map(|number| new.signed("b", &with(&server, "jti", json!(number)))).collect();
    // All begin at once, on threads of their own.
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(8).enable_all().build().unwrap();
    let start = Arc::new(tokio::sync::Barrier::new(CALLERS));
    let callers: Vec<_> = tokens
        .into_iter()
        .map(|token| {
            let (directory, start) = (Arc::clone(&door.directory), Arc::clone(&start));
            threads.spawn(async move {
                start.wait().await;
                authenticate(&directory, &token).await
            })
        })
        .collect();
    let callers = threads.block_on(futures::future::join_all(callers));
    assert_eq!(callers.iter().filter(|caller| caller.as_ref().is_ok_and(Result::is_ok)).count(), CALLERS);
    assert_eq!(server.count(), 2, "one more fetch for all of them");
}

#[test]
fn a_file_of_keys_is_followed() {
    let (server, first, second) = (Upstream::start(), Signer::ed25519(), Signer::p256());
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let put = |signer: &Signer, id: &str| {
        std::fs::write(at("keys.json"), json!({"keys": [signer.jwk(id)]}).to_string()).unwrap();
    };
    build(
        &spec(&[("one", "respond = \"Hello.\"")]).replace("UPSTREAM", "https://api.example"),
        &at("api.mcpk"),
    );
    std::fs::write(at("tenants.toml"), TENANTS).unwrap();
    let config = format!(
        "bundle = \"api.mcpk\"\n[auth]\ntenants = \"tenants.toml\"\n[[auth.jwt]]\nissuer = \"{}\"\n\
         audience = [\"{AUDIENCE}\"]\njwks = \"keys.json\"\ntenant = {{ claim = \"org\" }}\n",
        issuer_url(&server)
    );
    std::fs::write(at("edge.toml"), config).unwrap();
    put(&first, "a");
    let path = at("edge.toml");
    let activation = Activation::start(move || Config::load(&path)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let is_in = |signer: &Signer, id: &str| {
        let directory = Arc::clone(&activation.edge().serving().directory);
        runtime.block_on(authenticate(&directory, &signer.signed(id, &claims(&server)))).is_ok()
    };
    assert_eq!((is_in(&first, "a"), is_in(&second, "b")), (true, false));
    put(&second, "b");
    assert!(activation.poll().unwrap().is_some_and(|reloaded| reloaded.is_new));
    assert_eq!((is_in(&first, "a"), is_in(&second, "b")), (false, true));
    std::fs::write(at("keys.json"), "<html>").unwrap();
    let error = activation.poll().unwrap_err().to_string();
    assert!(error.contains("keys.json") && error.contains("not a JSON Web Key Set"), "{error}");
    assert!(is_in(&second, "b"), "what was served stays");
}

#[test]
fn keys_are_discovered_by_the_issuers_metadata() {
    let (server, signer) = (Upstream::start(), Signer::ed25519());
    let url = issuer_url(&server);
    server.answers(raw("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
    server.answers(json_answer(json!({"issuer": url, "jwks_uri": format!("{url}/keys")}).to_string()));
    server.always_answers(keys(&[(&signer, "a")]));
    let door = Door::new(&server, KeySource::Discover);
    assert!(door.ask(&signer.signed("a", &claims(&server))).is_ok());
    let lines: Vec<String> = (0..3).map(|number| server.request(number).line()).collect();
    let expected = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/keys"];
    assert_eq!(lines, expected.map(|path| format!("GET {path} HTTP/1.1")));
    // Metadata of somebody else lead nowhere.
    let server = Upstream::start();
    let metadata =
        json!({"issuer": "https://evil.example", "jwks_uri": format!("{}/keys", issuer_url(&server))});
    server.always_answers(json_answer(metadata.to_string()));
    let door = Door::new(&server, KeySource::Discover);
    assert_eq!(door.ask(&signer.signed("a", &claims(&server))), Err(Failure::IssuerUnavailable));
}

#[test]
fn a_process_asks_for_tokens_and_follows_its_file_of_tenants() {
    let (server, api, signer) = (Upstream::start(), Upstream::start(), Signer::ed25519());
    server.always_answers(keys(&[(&signer, "a")]));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tools = spec(&[("read", "method = \"GET\"\nendpoint = \"/read\"\nscopes = [\"orders:admin\"]")]);
    build(&tools.replace("UPSTREAM", &format!("http://{}", api.address)), &at("api.mcpk"));
    std::fs::write(at("tenants.toml"), TENANTS).unwrap();
    let url = issuer_url(&server);
    let config = format!(
        "bundle = \"api.mcpk\"\n[auth]\ntenants = \"tenants.toml\"\n\
         [auth.resource]\nurl = \"{AUDIENCE}\"\nauthorization_servers = [\"{url}\"]\n\
         [[auth.jwt]]\nissuer = \"{url}\"\njwks = \"{url}/jwks\"\ntenant = {{ claim = \"org\" }}\n"
    );
    std::fs::write(at("edge.toml"), config).unwrap();
    let config = at("edge.toml").display().to_string();
    let edge = mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let ask = |token: &str| {
        let request = String::from_utf8(modern("tools/call", json!({"name": "read"}))).unwrap();
        let request = request.replacen("\r\n", &format!("\r\nauthorization: Bearer {token}\r\n"), 1);
        Client::connect(edge.address()).ask(request)
    };
    let refused = Client::connect(edge.address()).ask(modern("tools/list", json!({})));
    let challenge = refused.header("www-authenticate").unwrap().to_owned();
    assert!(refused.status == 401 && challenge.contains("resource_metadata="), "{challenge}");
    let refused = ask(&signer.signed("a", &claims(&server)));
    let challenge = refused.header("www-authenticate").unwrap().to_owned();
    assert_eq!(refused.status, 403);
    assert!(
        challenge.contains("insufficient_scope") && challenge.contains("scope=\"orders:admin\""),
        "{challenge}"
    );
    let token = signer.signed("a", &with(&server, "scope", json!(["orders:admin"])));
    assert_eq!(ask(&token).text(), "{}");
    assert!(api.request(0).header("authorization").is_empty(), "the caller's token stays here");
    // The tenant goes; a wrong file changes nothing.
    std::fs::write(at("tenants.toml"), "[tenant.acme]\ntoolset = 1\n").unwrap();
    let answer = edge.ask_admin(mcpc_tests::post("/reload", &[], ""));
    assert_ne!(answer.status, 200, "{}", answer.body);
    assert_eq!(ask(&token).status, 200);
    std::fs::write(at("tenants.toml"), "[tenant.other]\ntoolsets = [\"*\"]\n").unwrap();
    assert_eq!(edge.ask_admin(mcpc_tests::post("/reload", &[], "")).status, 200);
    assert_eq!(ask(&token).status, 403);
    assert!(!edge.log().contains(&token), "tokens are never logged");
}

#[tokio::test]
async fn rmcp_gets_in_with_an_api_key_and_not_without() {
    use rmcp::ServiceExt;
    use rmcp::model::ClientConfig;
    use rmcp::transport::StreamableHttpClientTransport;
    use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tools = spec(&[("one", "respond = \"Hello.\""), ("two", "respond = \"Bye.\"")]);
    build(&tools.replace("UPSTREAM", "https://api.example"), &at("api.mcpk"));
    let key = tenants::api_key::generate().unwrap();
    let digest = tenants::api_key::KeyDigest::of(key.as_bytes());
    let file = format!(
        "[tenant.acme]\ntoolsets = [\"*\"]\ndeny = [\"two\"]\n[[tenant.acme.keys]]\nid = \"k\"\ndigest = \"{digest}\"\n"
    );
    std::fs::write(at("tenants.toml"), file).unwrap();
    std::fs::write(at("edge.toml"), "bundle = \"api.mcpk\"\n[auth]\ntenants = \"tenants.toml\"\n").unwrap();
    let config = at("edge.toml").display().to_string();
    let edge = mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let url = format!("http://{}/mcp", edge.address());
    let transport = StreamableHttpClientTransport::from_uri(url.as_str());
    assert!(ClientConfig::default().serve(transport).await.is_err());
    let with_key = StreamableHttpClientTransportConfig::with_uri(url).auth_header(key);
    let client =
        ClientConfig::default().serve(StreamableHttpClientTransport::from_config(with_key)).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["one"]);
    client.cancel().await.unwrap();
}
