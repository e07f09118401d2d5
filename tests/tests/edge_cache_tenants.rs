//! Answers that are used again, and whose they are.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcp_bundle::format::{self, Trust};
use mcp_edge::edge::Hooks;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::{Authenticator, Caller, Identity, Peer, Verdict};
use mcp_edge::tenants::api_key::{KeyDigest, generate};
use mcpc::check::{MemoryFiles, check_files};
use mcpc_tests::{Client, Process, Upstream, World, build, call, json, mcp_edge};
use serde_json::json;
use std::sync::Arc;

/// `one` and `two` belong to `acme`, `three` to `beta`, and `own` to a tenant with a password of its own.
const CALLERS: [(&str, &str); 4] = [("one", "acme"), ("two", "acme"), ("three", "beta"), ("own", "gamma")];

/// A process in front of an upstream, with tenants and their keys.
struct Place {
    upstream: Upstream,
    edge: Process,
    keys: Vec<(&'static str, String)>,
    _folder: tempfile::TempDir,
}

impl Place {
    fn start(spec: &str) -> Place {
        let (upstream, folder) = (Upstream::start(), tempfile::tempdir().unwrap());
        let at = |name: &str| folder.path().join(name);
        build(&spec.replace("UPSTREAM", &format!("http://{}", upstream.address)), &at("api.mcpk"));
        let mut tenants = String::new();
        for name in ["acme", "beta", "gamma"] {
            tenants.push_str(&format!("[tenant.{name}]\ntoolsets = [\"*\"]\n"));
            if name == "gamma" {
                tenants.push_str("variables = { TOKEN = \"${GAMMA}\" }\n");
            }
        }
        let mut keys = Vec::new();
        for (id, tenant) in CALLERS {
            let key = generate().unwrap();
            let digest = KeyDigest::of(key.as_bytes());
            tenants.push_str(&format!("[[tenant.{tenant}.keys]]\nid = \"{id}\"\ndigest = \"{digest}\"\n"));
            keys.push((id, key));
        }
        std::fs::write(at("tenants.toml"), tenants).unwrap();
        mcpc_tests::write_private(&at("secrets.env"), "GAMMA=its-own\n");
        let config = "bundle = \"api.mcpk\"\nsecrets = \"secrets.env\"\n[auth]\ntenants = \"tenants.toml\"\n";
        std::fs::write(at("edge.toml"), config).unwrap();
        let config = at("edge.toml").display().to_string();
        let edge = mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
        upstream.always_answers(json(r#"{"a":1}"#));
        Place { upstream, edge, keys, _folder: folder }
    }

    /// Whether a caller's call asked the upstream.
    fn asks(&self, id: &str, tool: &str) -> bool {
        let key = self.keys.iter().find(|(known, _)| *known == id).map(|(_, key)| key.clone()).unwrap();
        let before = self.upstream.count();
        let request = String::from_utf8(call(tool, json!({}))).unwrap();
        let request = request.replacen("\r\n", &format!("\r\nx-api-key: {key}\r\n"), 1);
        let said = Client::connect(self.edge.address()).ask(request);
        assert!(!said.is_error(), "{}", said.body);
        let asked = self.upstream.count() - before;
        let is_hit = said.body.contains("\"hit\":true");
        assert!(asked == usize::from(!is_hit), "{asked} {}", said.body);
        asked == 1
    }
}

fn spec(upstream: &str, tools: &[(&str, &str)]) -> String {
    let mut text = format!("[upstream.api]\nurl = \"UPSTREAM\"\n{upstream}\n");
    for (name, rest) in tools {
        text.push_str(&format!(
            "[[tool]]\nname = \"{name}\"\ndescription = \"Does what the test asks for.\"\nupstream = \"api\"\n\
             method = \"GET\"\nendpoint = \"/{name}\"\n{rest}\n"
        ));
    }
    text
}

#[test]
fn tenants_share_an_answer_only_if_the_spec_says_so_and_never_with_one_that_has_its_own_variables() {
    let shared = ("shared", "cache = { seconds = 3600, shared = true }");
    let auth = "[upstream.api.auth]\nkind = \"basic\"\nusername = \"u\"\npassword = \"${TOKEN}\"";
    let place = Place::start(&spec(auth, &[shared, ("apart", "cache_seconds = 3600")]));
    let asks = |tool: &str| ["one", "two", "three", "own", "own", "one"].map(|id| place.asks(id, tool));
    assert_eq!(asks("shared"), [true, false, false, true, false, false]);
    assert_eq!(asks("apart"), [true, false, true, true, false, false]);
    let sent = |index: usize| place.upstream.request(index).header("authorization");
    assert_ne!(sent(0), sent(1), "the password of the tenant is its own");
}

#[test]
fn callers_of_one_tenant_share_no_answer_to_a_request_that_names_them() {
    let caller = "cache_seconds = 3600\nheaders = { x-caller = \"${principal.sub}\" }";
    let place = Place::start(&spec("headers = { x-token = \"${TOKEN}\" }", &[("mine", caller)]));
    let asks = ["one", "two", "one", "two"].map(|id| place.asks(id, "mine"));
    assert_eq!(asks, [true, true, false, false]);
}

/// Believes whatever token there is.
#[derive(Debug)]
struct Believing;

impl Authenticator for Believing {
    fn authenticate<'a>(&'a self, head: &'a Head, _: &'a Peer) -> Verdict<'a> {
        let token = head.headers.first("x-token").map(|token| String::from_utf8_lossy(token).into_owned());
        let mut identity = Identity::new(Some("acme".to_owned()), Some("ann".to_owned()));
        identity.token = token.map(Arc::from);
        Verdict::Ready(Ok(Caller::Known(Arc::new(identity))))
    }
}

#[test]
fn where_the_upstream_is_shown_a_callers_token_its_answer_is_for_that_token_alone() {
    let server = Upstream::start();
    server.always_answers(json(r#"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#));
    let auth = format!(
        "[upstream.api.auth]\nkind = \"exchange\"\ntoken_url = \"http://{}/token\"\nclient_id = \"edge\"\n\
         client_secret = \"${{TOKEN}}\"\n",
        server.address
    );
    let hooks = Hooks { authenticator: Some(Arc::new(Believing)), ..Hooks::default() };
    let world = World::with_hooks(&spec(&auth, &[("t", "")]), hooks);
    // The compiler lets no such tool be cached. The edge does not count on it.
    let text = world.spec_text(&spec(&auth, &[("t", "")]));
    let mut contents = check_files(&MemoryFiles::one("spec.toml", &text)).contents.unwrap();
    contents.policies.iter_mut().for_each(|policy| policy.cache_seconds = 3600);
    let bundle = format::read(&format::write(&contents).unwrap(), &Trust::Any).unwrap();
    let catalog = world.edge.prepare(bundle, &|_| Some("secret".to_owned())).unwrap();
    world.edge.activate(catalog);
    world.upstream.always_answers(json("{}"));
    // The tenant and the subject are the same, as they may be where two issuers speak of two people.
    let asked = ["first", "second", "first", "second"].map(|token| {
        let request = String::from_utf8(call("t", json!({}))).unwrap();
        let said = world.ask(request.replacen("\r\n", &format!("\r\nx-token: {token}\r\n"), 1));
        assert!(!said.is_error(), "{}", said.body);
        world.upstream.count()
    });
    assert_eq!(asked, [1, 2, 2, 2]);
}
