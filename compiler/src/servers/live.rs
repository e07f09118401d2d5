//! What servers list now, through the client of the edge.

use anyhow::Context;
use mcp_bundle::origin::{self, Piece};
use mcp_bundle::plan::{Contents, McpServer, ToolPlan, VariableSite};
use mcp_bundle::shape::McpCode;
use mcp_bundle::wire_enums::PartKind;
use mcp_diagnostics::mcp_servers::{self, McpServerKind};
use mcp_diagnostics::{EnvFile, suggest};
use mcp_edge::programs::Program;
use mcp_edge::upstream::credentials::{BadUserName, Credentials};
pub use mcp_edge::upstream::mcp::McpFailure as Failure;
use mcp_edge::upstream::mcp::client::{Client, Reached};
use mcp_edge::upstream::{Network, Received, Upstream};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// A server to list.
#[derive(Debug)]
pub struct Task<C> {
    /// For messages.
    pub name: String,
    pub contents: C,
    /// Index in [`Contents::servers`].
    pub server: usize,
}

/// What a server says of itself and its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    pub name: Option<String>,
    pub version: Option<String>,
    /// The revision of MCP that was spoken.
    pub revision: String,
    /// The JSON text of what it says that it can do.
    pub capabilities: String,
    /// The JSON text of each tool.
    pub tools: Vec<String>,
}

/// Why a server was not listed. What one lacks stops no other.
#[derive(Debug, thiserror::Error)]
pub enum NotListed {
    /// Nothing was sent: a variable has no value, or a program is not there.
    #[error("{0:#}")]
    NotReady(anyhow::Error),
    #[error("{0}. {advice}", advice = listing_advice(.0.code))]
    Failed(Failure),
}

/// What to do about a server that was not listed. No key of a tool applies to that.
pub fn listing_advice(code: McpCode) -> &'static str {
    match code {
        McpCode::Timeout => {
            "Give it more time with `--timeout SECONDS`: some programs are downloaded before they start."
        }
        code => code.advice(),
    }
}

/// Programs that may be started, by the name that their file gives them: those of one `mcpServers` file, or none.
#[derive(Debug, Clone, Default)]
pub struct Programs(pub BTreeMap<String, Program>);

impl Programs {
    pub fn read(file: &Path) -> anyhow::Result<Programs> {
        Ok(Programs::of(file, &mcp_servers::parse(file)?))
    }

    /// Those among the servers of a file that are programs.
    pub fn of<'s>(file: &Path, servers: impl IntoIterator<Item = &'s mcp_servers::McpServer>) -> Programs {
        let folder = file.parent().unwrap_or(Path::new(""));
        let programs = servers.into_iter().filter_map(|server| match &server.kind {
            McpServerKind::Program(program) => {
                Some((server.name.value.clone(), Program::of_file(program.clone(), folder)))
            }
            McpServerKind::Remote(_) => None,
        });
        Programs(programs.collect())
    }

    /// The variables that arguments and environments have.
    pub fn variable_names(&self) -> Vec<String> {
        let texts = self.0.values().flat_map(|program| program.args.iter().chain(program.env.values()));
        let pieces = texts.flat_map(|text| origin::pieces(text).unwrap_or_default());
        let names = pieces.filter_map(|piece| match piece {
            Piece::Variable { name, .. } => Some(name.to_owned()),
            Piece::Literal(_) => None,
        });
        names.collect()
    }

    /// The program of a server with the values of its variables; `None` for a server with a URL.
    fn of_server(
        &self,
        contents: &Contents,
        server: usize,
        variables: &EnvFile,
    ) -> anyhow::Result<Option<Program>> {
        let Some(name) = contents.servers.get(server).and_then(|server| server.program) else {
            return Ok(None);
        };
        let name = contents.strings.get(name);
        let written = self.0.get(name).with_context(|| {
            let near = suggest::did_you_mean(name, self.0.keys().map(String::as_str));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            format!("the program `{name}` is not in `--mcp-servers FILE`, and nothing else is started{near}")
        })?;
        let program = written.resolve(&|name| variables.get(name)).map_err(NoValue)?;
        program.find().with_context(|| format!("the program `{name}` cannot be started"))?;
        Ok(Some(program))
    }
}

/// How long a server may take, from connecting to the end of its list: programs may be downloaded before they start.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Lists all servers at once; `done` hears of each when it has answered or failed.
pub fn list<C: Borrow<Contents>>(
    tasks: &[Task<C>],
    variables: &EnvFile,
    programs: &Programs,
    patience: Duration,
    done: &dyn Fn(&str),
) -> anyhow::Result<Vec<Result<Listed, NotListed>>> {
    let network = Network::new(None)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listing = tasks.iter().map(async |task| {
        let ready = Ready::of(task.contents.borrow(), task.server, variables, programs, &network);
        let listed = match ready {
            Ok(ready) => ready.list(task.server, &network, patience).await.map_err(NotListed::Failed),
            Err(why) => Err(NotListed::NotReady(why)),
        };
        done(&task.name);
        listed
    });
    Ok(runtime.block_on(futures::future::join_all(listing)))
}

/// A call of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// JSON.
    pub arguments: &'a [u8],
    /// From connecting to the answer.
    pub timeout: Duration,
    /// Bytes of the answer.
    pub max_response: usize,
}

/// Calls a tool of a server once, and waits for the message that answers it.
pub fn call(
    contents: &Contents,
    tool: &ToolPlan,
    call: &Call<'_>,
    variables: &EnvFile,
    programs: &Programs,
) -> anyhow::Result<Result<Received, Failure>> {
    let plan = tool.mcp().context("the tool has an MCP server")?;
    let server = plan.server as usize;
    let network = Network::new(None)?;
    let ready = Ready::of(contents, server, variables, programs, &network)?;
    let arguments = std::str::from_utf8(call.arguments).context("the arguments are JSON text")?;
    let name = contents.strings.get(plan.name);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answered = runtime.block_on(async {
        let deadline = Instant::now() + call.timeout;
        Client::connect(&ready.reached(&network), server, deadline)
            .await?
            .call(name, arguments, call.max_response)
            .await
    });
    Ok(answered.map(|(id, body)| {
        let mut received = Received::default();
        received.status = 200;
        received.content_type = Some("application/json".to_owned());
        received.message = Some(id);
        received.body = body;
        received
    }))
}

/// A server with the values of its variables.
struct Ready {
    contents: Contents,
    variables: Vec<Box<str>>,
    credentials: Credentials,
    program: Option<Program>,
}

impl Ready {
    /// Only what the server itself needs must have a value: nothing is called.
    fn of(
        contents: &Contents,
        server: usize,
        variables: &EnvFile,
        programs: &Programs,
        network: &Network,
    ) -> anyhow::Result<Ready> {
        let program = programs.of_server(contents, server, variables)?;
        let mut contents = contents.clone();
        let upstream = contents.servers.get(server).map(|server| server.request.upstream);
        let credential = upstream.and_then(|upstream| contents.credential(upstream)).map(|c| c.reaches());
        for index in upstream.into_iter().chain(credential).map(|index| index as usize) {
            let Some(url) = contents.upstreams.get(index).and_then(|upstream| upstream.url) else { continue };
            let text = contents.strings.get(url).to_owned();
            let origin = origin::resolve(&text, &|name| variables.get(name))
                .map_err(|error| anyhow::anyhow!("the URL `{text}` cannot be used: {error}"))?;
            contents.locate(index, &origin);
        }
        let needed = contents
            .servers
            .get(server)
            .map(|server| server_variables(&contents, server))
            .unwrap_or_default();
        let names: Vec<String> = contents.variable_names().map(str::to_owned).collect();
        let mut values = Vec::new();
        for (index, name) in names.into_iter().enumerate() {
            let value = variables.get(&name);
            if value.is_none() && needed.contains(&index) {
                return Err(NoValue(name).into());
            }
            values.push(value.unwrap_or_default().into_boxed_str());
        }
        let credentials = Credentials::build(&contents, &values, &Upstream::Network(network.clone()))
            .map_err(|BadUserName { upstream }| {
                anyhow::anyhow!("the user name of `[upstream.{upstream}.auth]` has a `:`")
            })?;
        Ok(Ready { contents, variables: values, credentials, program })
    }

    fn reached<'a>(&'a self, network: &'a Network) -> Reached<'a> {
        let Ready { contents, variables, credentials, program } = self;
        Reached { contents, variables, network, credentials, program: program.as_ref() }
    }

    async fn list(&self, server: usize, network: &Network, patience: Duration) -> Result<Listed, Failure> {
        let client = Client::connect(&self.reached(network), server, Instant::now() + patience).await?;
        let tools = client.list().await?;
        let about = client.opened();
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Ok(Listed {
            name: given(&about.name),
            version: given(&about.server_version),
            revision: about.version.to_string(),
            capabilities: about.capabilities.to_string(),
            tools: tools.into_iter().map(String::from).collect(),
        })
    }
}

/// The variables in the headers and in the credential of a server.
fn server_variables(contents: &Contents, server: &McpServer) -> BTreeSet<usize> {
    let upstream = server.request.upstream;
    let mut tools =
        contents.tools.iter().filter(|tool| tool.mcp().is_some_and(|plan| plan.request.upstream == upstream));
    let uses = tools.next().map(|tool| tool.variables(contents).collect::<Vec<_>>()).unwrap_or_default();
    let of_server = uses.into_iter().filter(|found| !matches!(found.site, VariableSite::Body));
    of_server
        .filter(|found| found.part.kind == PartKind::Variable)
        .map(|found| found.part.id as usize)
        .collect()
}

/// A failure with its code and what to do about it.
pub fn explained(failure: &Failure) -> String {
    format!("{failure}. {}", failure.code.advice())
}

/// A text of a `mcpServers` file with the values of its variables; the error names one that has none.
pub fn expanded(text: &str, variables: &EnvFile) -> Result<String, NoValue> {
    let mut out = String::new();
    for piece in origin::pieces(text).unwrap_or_else(|| vec![Piece::Literal(text)]) {
        match piece {
            Piece::Literal(text) => out.push_str(text),
            Piece::Variable { name, default } => {
                let value = variables.get(name).or_else(|| default.map(str::to_owned));
                out.push_str(&value.ok_or_else(|| NoValue(name.to_owned()))?);
            }
        }
    }
    Ok(out)
}

/// A variable without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` has no value: set it in the environment or in an `--env-file`")]
pub struct NoValue(String);

impl NoValue {
    pub fn name(&self) -> &str {
        &self.0
    }
}
