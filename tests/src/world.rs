//! An upstream and an edge in front of it.

use crate::{Answer, Client, Upstream, legacy, modern, post};
use mcp_bundle::format::{self, Trust};
use mcp_edge::Edge;
use mcp_edge::edge::Hooks;
use mcp_edge::process::{self, Listener, Options, Running};
use mcp_edge::settings::{Access, Settings};
use mcp_edge::upstream::Network;
use mcpc::check::{MemoryFiles, check_files};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The value of `${TOKEN}`.
pub const TOKEN: &str = "s3cr3t-T0k3n-value";

#[derive(Debug)]
pub struct World {
    /// Stopped before the upstream.
    _running: Running,
    pub edge: Arc<Edge>,
    pub address: SocketAddr,
    pub upstream: Upstream,
}

/// A spec of tools for the upstream; of each the name and the rest of its table.
pub fn spec(tools: &[(&str, &str)]) -> String {
    let mut text = "[upstream.api]\nurl = \"UPSTREAM\"\n".to_owned();
    for (name, rest) in tools {
        let upstream = if rest.contains("respond =") { "" } else { "upstream = \"api\"\n" };
        text.push_str(&format!(
            "\n[[tool]]\nname = \"{name}\"\ndescription = \"Does what the test asks for.\"\n{upstream}{rest}\n"
        ));
    }
    text
}

impl World {
    /// Serves a spec, in whose text `UPSTREAM` stands for the upstream's URL.
    pub fn new(spec: &str) -> World {
        World::with(spec, |_| {})
    }

    /// The same with other settings.
    pub fn with(spec: &str, change: impl FnOnce(&mut Settings)) -> World {
        let world = World::empty(None, change);
        world.activate(spec);
        world
    }

    /// The same with an authenticator or observers.
    pub fn with_hooks(spec: &str, hooks: Hooks) -> World {
        let world = World::empty_with_hooks(None, |_| {}, hooks);
        world.activate(spec);
        world
    }

    /// An edge without a bundle; on a port of its own, unless a listener is given.
    pub fn empty(listener: Option<Listener>, change: impl FnOnce(&mut Settings)) -> World {
        World::empty_with_hooks(listener, change, Hooks::default())
    }

    pub fn empty_with_hooks(
        listener: Option<Listener>,
        change: impl FnOnce(&mut Settings),
        hooks: Hooks,
    ) -> World {
        let access = Access { loopback: true, ..Access::default() };
        let mut settings = Settings { access, ..Settings::default() };
        // A test that failed with a call in flight is not waited for.
        settings.timeouts.grace = Duration::from_secs(2);
        change(&mut settings);
        let listener = listener.unwrap_or(Listener { address: "127.0.0.1:0".to_owned(), tls: None });
        let bound = process::bind(&[listener]).unwrap();
        let address = bound.addresses().first().copied().unwrap();
        let network = Network::new(None).unwrap();
        let edge = Arc::new(Edge::with(settings, mcp_edge::upstream::Upstream::Network(network), hooks));
        let running = process::start(Arc::clone(&edge), bound, Options::default());
        World { _running: running, edge, address, upstream: Upstream::start() }
    }

    /// Serves another spec from now on.
    pub fn activate(&self, spec: &str) {
        let text = self.spec_text(spec);
        let report = check_files(&MemoryFiles::one("world.toml", &text));
        let contents = report.contents.unwrap_or_else(|| panic!("{:?}\n{text}", report.diagnostics));
        let bundle = format::read(&format::write(&contents).unwrap(), &Trust::Any).unwrap();
        let variable = |name: &str| (name == "TOKEN").then(|| TOKEN.to_owned());
        self.edge.activate(self.edge.prepare(bundle, &variable).unwrap());
    }

    /// The spec with the upstream's URL.
    pub fn spec_text(&self, spec: &str) -> String {
        spec.replace("UPSTREAM", &format!("http://{}", self.upstream.address))
    }

    pub fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Sends a request on a connection of its own.
    pub fn ask(&self, request: impl AsRef<[u8]>) -> Answer {
        self.client().ask(request)
    }

    pub fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.ask(call(tool, arguments))
    }

    pub fn legacy_call(&self, tool: &str, arguments: Value) -> Answer {
        self.ask(legacy("tools/call", &json!({"name": tool, "arguments": arguments})))
    }

    /// Calls by the REST form.
    pub fn invoke(&self, tool: &str, arguments: Value) -> Answer {
        self.ask(post("/mcp/invoke", &[], json!({"tool_name": tool, "params": arguments}).to_string()))
    }

    /// The sample of a metric: its value, or 0 if there is none.
    pub fn metric(&self, sample: &str) -> u64 {
        let text = self.edge.metrics.encode();
        let value = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().unwrap())
    }
}

/// A `tools/call` of the stateless revision.
pub fn call(tool: &str, arguments: Value) -> Vec<u8> {
    modern("tools/call", json!({"name": tool, "arguments": arguments}))
}
