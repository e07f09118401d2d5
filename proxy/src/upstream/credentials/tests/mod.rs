//! Credentials against a token server and an API that the tests run.

mod exchange;
mod failing;
mod server;
mod tokens;

use super::*;
use crate::settings::PoolSettings;
use mcp_bundle::bind::Request;
use mcp_bundle::origin::Origin as Place;

/// The secrets of all tests: none of them may show anywhere.
const SECRET: &str = "hunter2-secret";

/// An API whose credential comes from a token server, as an edge has it.
struct Setup {
    network: Network,
    contents: Contents,
    credentials: Credentials,
    api: u16,
}

fn oauth2(server: u16) -> String {
    format!(
        "kind = \"oauth2\"\ntoken_url = \"http://127.0.0.1:{server}/token\"\nclient_id = \"edge\"\n\
         client_secret = \"${{SECRET}}\"\nscopes = [\"a\", \"b\"]\n"
    )
}

fn contents(api: u16, auth: &str) -> Contents {
    let spec = format!(
        "[upstream.crm]\nurl = \"http://127.0.0.1:{api}\"\n[upstream.crm.auth]\n{auth}\n[[tool]]\nname = \"a\"\n\
         description = \"Reads a thing of the API.\"\nupstream = \"crm\"\nmethod = \"GET\"\nendpoint = \"/a\"\n"
    );
    let report = mcpc::check::check_files(&mcpc::files::MemoryFiles::one("spec.toml", &spec));
    let messages: Vec<_> = report.diagnostics.iter().map(|found| &found.message).collect();
    report.contents.unwrap_or_else(|| panic!("{messages:?}"))
}

impl Setup {
    fn new(api: u16, auth: &str) -> Setup {
        let network = Network::new(None).unwrap();
        let contents = contents(api, auth);
        let credentials = build(&contents, &network).unwrap();
        Setup { network, contents, credentials, api }
    }

    /// How often tokens were asked for, by outcome.
    fn fetches(&self) -> Vec<(String, &'static str, u64)> {
        let mut all = Vec::new();
        let _ = self.network.token_fetches().each(|upstream, outcome, count| {
            all.push((upstream.to_owned(), outcome, count));
            Ok::<_, ()>(())
        });
        all
    }

    fn credential(&self) -> &Arc<Credential> {
        let upstream = self.contents.tools[0].http().unwrap().upstream;
        self.credentials.get(upstream).unwrap()
    }

    fn ask<'a>(&'a self, caller: Option<&'a Arc<str>>) -> Ask<'a> {
        Ask { credential: self.credential(), values: None, caller }
    }

    /// The token for a call at a time from now on.
    async fn token_at(&self, now: Instant) -> Result<Arc<Token>, CredentialError> {
        let ask = self.ask(None);
        ask.credential.token(&ask, now, now + Duration::from_secs(20)).await
    }

    /// A call, with its status and attempts.
    async fn call(&self, caller: Option<&Arc<str>>) -> Result<(u16, u8), UpstreamError> {
        self.call_with(self.ask(caller)).await
    }

    async fn call_with(&self, ask: Ask<'_>) -> Result<(u16, u8), UpstreamError> {
        let origin = Place::parse(&format!("http://127.0.0.1:{}", self.api)).unwrap();
        let key = OriginKey { scheme: origin.scheme, host: origin.host.clone(), port: origin.port };
        let start = Instant::now();
        let request = Request::form("/a", &[], b"x=1".to_vec());
        let exchange = Exchange {
            tool: "a",
            origin: &self.network.origin(&key),
            authority: &origin.authority,
            request: &request,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(20),
            attempt_timeout: None,
            start,
            deadline: start + Duration::from_secs(20),
            retries: 0,
            // The upstream said that it did nothing: that is enough.
            idempotent: false,
            max_response: 1 << 20,
            pool: &PoolSettings::default(),
            credential: Some(ask),
            budget: &Arc::default(),
            authorization: None,
            envelope: None,
        };
        let shown = format!("{exchange:?}");
        assert!(!shown.contains(SECRET), "{shown}");
        let mut received = Received::default();
        let called = self.network.call(&exchange, &mut received).await;
        if let Err(error) = &called {
            let said = format!("{error} {error:?}");
            assert!(!said.contains("hunter2"), "{said}");
        }
        called.map(|()| (received.status, received.attempts))
    }
}

fn build(contents: &Contents, network: &Network) -> Result<Credentials, BadUserName> {
    let values: Vec<Box<str>> = contents.variable_names().map(value_of).collect();
    Credentials::build(contents, &values, &Upstream::Network(network.clone()))
}

fn value_of(name: &str) -> Box<str> {
    if name == "NAME" { "us:er".into() } else { SECRET.into() }
}

/// The values of the header `authorization`.
fn authorizations(requests: &[String]) -> Vec<String> {
    let header = |request: &String| {
        let mut lines = request.lines().filter_map(|line| line.strip_prefix("authorization: "));
        let found = lines.next().unwrap_or_default().to_owned();
        assert_eq!(lines.next(), None, "one header: {request}");
        found
    };
    requests.iter().map(header).collect()
}
