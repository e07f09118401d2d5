//! `mcpc dev`: the edge inside the compiler. Specs without errors become the bytes of a bundle, and
//! the edge serves those: what runs here is what would be deployed.
//!
//! Specs that cannot be served change nothing: the last good version keeps serving.

mod calls;
mod servers;
mod signals;
mod variables;
mod watch;

pub use crate::exercise::mock::{ExampleAnswers, Mock};
pub use calls::CallLines;
pub use servers::ServerLines;
pub use signals::stop_on_signal;
pub use variables::{EnvironmentError, Needed, needed, read_environment};
pub use watch::{Event, Recorded, Seen, Wake, Watcher};

use crate::check::Report;
use crate::servers::Programs;
use mcp_bundle::format;
use mcp_bundle::origin::Origin;
use mcp_bundle::plan::{self, Backend, Contents, ToolPlan};
use mcp_bundle::wire_enums::{CredentialKind, PartKind, Scheme};
use mcp_diagnostics::EnvFile;
use mcp_edge::Edge;
use mcp_edge::activation::source::MemorySource;
use mcp_edge::activation::{Activation, ActivationError, Inputs};
use mcp_edge::config::SecretSource;
use mcp_edge::edge::Hooks;
use mcp_edge::observe::Observer;
use mcp_edge::settings::Settings;
use mcp_edge::upstream::{Network, NetworkError, Upstream};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long calls in flight may take once the command is stopped.
const GRACE: Duration = Duration::from_secs(2);

/// An edge whose tools come from specs.
#[derive(Debug)]
pub struct Dev {
    activation: Activation,
    /// Answers in place of the upstreams.
    mock: Option<Arc<Mock>>,
    /// Those that programs need.
    variables: Vec<String>,
}

/// What is served now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    pub tools: usize,
    pub toolsets: usize,
    /// Tools that a mock has no answer for.
    pub unanswered: Vec<String>,
    /// Tools that need the caller's identity, which is unknown here.
    pub unidentified: Vec<String>,
}

/// Why specs without errors are not served.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{}", missing(.0))]
    MissingVariables(Vec<Needed>),
    #[error("{0}")]
    Activation(#[from] Arc<ActivationError>),
    #[error("{0}")]
    Bundle(String),
}

impl Dev {
    /// An edge without tools, for a listener on that address. With a `mock` nothing is sent.
    /// It logs nothing; `calls` sees what it serves, and [`ServerLines`] shows how MCP servers are.
    pub fn new(
        address: SocketAddr,
        mock: Option<Mock>,
        programs: Programs,
        calls: Arc<dyn Observer>,
    ) -> Result<Dev, NetworkError> {
        let mut settings = Settings::default();
        // Specs change while clients look.
        settings.list.ttl = Duration::ZERO;
        settings.timeouts.grace = GRACE;
        settings.access.loopback = address.ip().is_loopback();
        let variables = programs.variable_names();
        settings.programs = programs.0;
        let mock = mock.map(Arc::new);
        let upstream = match &mock {
            Some(mock) => Upstream::Fixed(mock.clone()),
            None => Upstream::Network(Network::new(None)?),
        };
        let hooks = Hooks { observers: vec![calls], ..Hooks::default() };
        let edge = Arc::new(Edge::with(settings, upstream, hooks));
        Ok(Dev { activation: Activation::new(edge, None), mock, variables })
    }

    pub fn edge(&self) -> &Arc<Edge> {
        self.activation.edge()
    }

    /// Serves the tools of a report; `None` if it has errors.
    pub fn load(&self, report: &Report, variables: &EnvFile) -> Result<Option<Loaded>, LoadError> {
        let Some(contents) = report.contents.as_ref().filter(|_| !report.is_incomplete()) else {
            return Ok(None);
        };
        let located;
        let contents = if self.mock.is_some() {
            located = without_places(contents);
            &located
        } else {
            contents
        };
        let bytes = format::write(contents).map_err(|error| LoadError::Bundle(error.to_string()))?;
        if self.mock.is_none() {
            let missing = needed(contents).into_iter().filter(|need| variables.get(&need.name).is_none());
            let missing: Vec<Needed> = missing.collect();
            if !missing.is_empty() {
                return Err(LoadError::MissingVariables(missing));
            }
        }
        let mut names: Vec<String> = contents.variable_names().map(str::to_owned).collect();
        names.extend(contents.origin_variable_names());
        names.extend(self.variables.iter().cloned());
        let values = names.into_iter().filter_map(|name| {
            // A mocked request never leaves the process, so any value will do.
            let value = variables.get(&name).or_else(|| self.mock.is_some().then(|| name.clone()));
            Some((name, value?))
        });
        let secrets = SecretSource::Given(values.collect());
        let source = MemorySource { name: "specs".to_owned(), bytes };
        self.activation.replace(Inputs::new(source).with_secrets(secrets))?;
        let mut loaded = Loaded {
            tools: contents.tools.len(),
            toolsets: contents.manifest.toolsets.len(),
            unanswered: Vec::new(),
            unidentified: tools_where(contents, |tool| needs_identity(contents, tool)),
        };
        if let (Some(mock), Some(catalog)) = (&self.mock, self.edge().catalog()) {
            let limits = &catalog.settings.limits.bind;
            let answers =
                ExampleAnswers::of(&report.toolsets, &catalog.contents, &catalog.variables.0, limits);
            loaded.unanswered = tools_where(contents, |tool| {
                tool.request().is_some() && !answers.has(contents.strings.get(tool.name))
            });
            mock.replace(answers);
        }
        Ok(Some(loaded))
    }
}

/// The same contents, with a place that does not exist for each upstream whose URL has variables, or that is a program:
/// a mock sends nothing, starts nothing, and answers calls of MCP servers without a session.
fn without_places(contents: &Contents) -> Contents {
    let mut contents = contents.clone();
    contents.servers.clear();
    for tool in &mut contents.tools {
        if let Backend::Mcp(plan) = &tool.backend {
            tool.backend = Backend::Http(plan.request.clone());
        }
    }
    let nowhere = Origin::parse("https://upstream.invalid").ok();
    for index in 0..contents.upstreams.len() {
        let is_somewhere =
            |upstream: &plan::Upstream| upstream.url.is_none() && upstream.scheme != Scheme::Stdio;
        let is_nowhere = !contents.upstreams.get(index).is_some_and(is_somewhere);
        if let (true, Some(origin)) = (is_nowhere, &nowhere) {
            contents.locate(index, origin);
        }
    }
    contents
}

fn tools_where(contents: &Contents, wanted: impl Fn(&ToolPlan) -> bool) -> Vec<String> {
    let tools = contents.tools.iter().filter(|tool| wanted(tool));
    tools.map(|tool| contents.strings.get(tool.name).to_owned()).collect()
}

fn needs_identity(contents: &Contents, tool: &ToolPlan) -> bool {
    let upstream = tool.request().and_then(|http| contents.credential(http.upstream));
    upstream.is_some_and(|credential| credential.kind == CredentialKind::Exchange)
        || tool.variables(contents).any(|found| found.part.kind != PartKind::Variable)
}

fn missing(needed: &[Needed]) -> String {
    let each: Vec<String> = needed.iter().map(ToString::to_string).collect();
    let them = if needed.len() == 1 { "it" } else { "them" };
    format!(
        "{}; set {them} in the environment or in an `--env-file`, or use `--mock` to call no upstream",
        each.join(", ")
    )
}
