//! The servers that a command line names.

use super::servers::Options;
use crate::files::disk;
use crate::servers::{self, PRESETS, Preset, Programs, Reach, ServerKey, ServerSource};
use anyhow::Context;
use mcp_bundle::wire_enums::Transport;
use mcp_diagnostics::mcp_servers::{Entry, McpServer, McpServerKind, Remote};
use mcp_diagnostics::{EnvFile, Problems, suggest};
use std::path::{Path, PathBuf};

/// One server: its URL, a preset, or a program of a file
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("server").required(true).args(["url", "preset", "stdio"])))]
pub struct One {
    /// URL of the server, `https://mcp.example.com/mcp`; its host may be `${NAME}`
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// A well-known server: `modelscope/fetch` or `modelscope/search`
    #[arg(long, value_name = "ID")]
    preset: Option<String>,
    /// The program of this name in `--mcp-servers`; it is started for the time of the import
    #[arg(long, value_name = "NAME", requires = "mcp_servers")]
    stdio: Option<String>,
    /// A `mcpServers` file, as clients have it
    #[arg(long, value_name = "FILE", requires = "stdio")]
    mcp_servers: Option<PathBuf>,
    /// How the server is spoken to: Streamable HTTP, or the older HTTP+SSE
    #[arg(long, value_enum, default_value_t = ByUrl::Http, conflicts_with = "stdio")]
    transport: ByUrl,
    /// A header of every request, with a value from the environment: `x-api-key=${WIKI_KEY}`;
    /// repeatable
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "stdio")]
    header: Vec<String>,
    /// The variable with the server's bearer token
    #[arg(long, value_name = "NAME", conflicts_with = "stdio")]
    bearer_env: Option<String>,
    /// What the spec calls the server [default: what it calls itself]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    pub options: Options,
}

/// The servers of a `mcpServers` file, as clients have it
#[derive(Debug, clap::Args)]
pub struct File {
    /// The file; its programs are started for the time of the import
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only this server; repeatable
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ByUrl {
    Http,
    Sse,
}

/// The servers, and what it takes to connect to them.
pub struct Found {
    pub sources: Vec<ServerSource>,
    pub variables: EnvFile,
    pub programs: Programs,
    /// What is taken if the command line does not say.
    pub usual: &'static [&'static str],
    /// Variables that the specs have in place of texts of a file.
    pub new_variables: Vec<String>,
    /// Servers that cannot be listed, and why. They stop no other.
    pub not_ready: Vec<(String, anyhow::Error)>,
}

pub fn one(arguments: &One, variables: EnvFile) -> anyhow::Result<Found> {
    let name = arguments.name.as_deref().map(server_name).transpose()?;
    let mut found = Found {
        sources: Vec::new(),
        variables,
        programs: Programs::default(),
        usual: &[],
        new_variables: Vec::new(),
        not_ready: Vec::new(),
    };
    let mut source = ServerSource { name, title: None, reach: Reach::Program(String::new()) };
    if let (Some(program), Some(file)) = (&arguments.stdio, &arguments.mcp_servers) {
        let all = read(file)?;
        let meant = named(&all, program, file)?.as_ref().map_err(|why| anyhow::anyhow!("{why}"))?;
        anyhow::ensure!(
            matches!(meant.kind, McpServerKind::Program(_)),
            "`{program}` has a `url` in `{}`; import it with `mcpc import mcp-servers`",
            disk::display(file)
        );
        found.programs = programs(file, &all);
        source.name = source.name.or_else(|| servers::server_name(program));
        source.reach = Reach::Program(program.clone());
    } else {
        let preset = arguments.preset.as_deref().map(preset).transpose()?;
        let url = arguments.url.as_deref().or(preset.map(|preset| preset.url)).unwrap_or_default();
        let url = servers::http_url(url)?;
        if let Some(preset) = preset {
            found.usual = preset.tools;
            source.name = source.name.or_else(|| Some(preset.name().to_owned()));
            source.title = Some(preset.title.to_owned());
        }
        if let Some(name) = &arguments.bearer_env {
            servers::variable(name)?;
        }
        source.reach = Reach::Url {
            transport: match arguments.transport {
                ByUrl::Http => Transport::Http,
                ByUrl::Sse => Transport::Sse,
            },
            url,
            headers: arguments.header.iter().map(|text| servers::header(text)).collect::<Result<_, _>>()?,
            auth: arguments.bearer_env.clone().map(|variable| ServerKey::Bearer { variable }),
            timeout_ms: None,
        };
    }
    found.sources.push(source);
    Ok(found)
}

pub fn file(arguments: &File, variables: EnvFile) -> anyhow::Result<Found> {
    let all = read(&arguments.file)?;
    for name in &arguments.server {
        named(&all, name, &arguments.file)?;
    }
    let mut found = Found {
        sources: Vec::new(),
        variables,
        programs: programs(&arguments.file, &all),
        usual: &[],
        new_variables: Vec::new(),
        not_ready: Vec::new(),
    };
    let is_wanted = |(name, server): &&Entry| match (arguments.server.is_empty(), server) {
        (true, Ok(server)) => !server.disabled,
        (true, Err(_)) => true,
        (false, _) => arguments.server.contains(name),
    };
    let mut names: Vec<(String, &str)> = Vec::new();
    for (written, server) in all.iter().filter(is_wanted) {
        match found.source(written, server, &names) {
            Ok((name, source)) => {
                found.sources.push(source);
                names.push((name, written));
            }
            Err(why) => {
                found.not_ready.push((servers::server_name(written).unwrap_or(written.clone()), why));
            }
        }
    }
    anyhow::ensure!(
        !found.sources.is_empty() || !found.not_ready.is_empty(),
        "`{}` has no server that is switched on",
        disk::display(&arguments.file)
    );
    Ok(found)
}

impl Found {
    /// A server of a file, with the name that it gets in specs.
    fn source(
        &mut self,
        written: &str,
        server: &Result<McpServer, Problems>,
        taken: &[(String, &str)],
    ) -> anyhow::Result<(String, ServerSource)> {
        let server = server.as_ref().map_err(|why| anyhow::anyhow!("{why}"))?;
        let name = servers::server_name(written)
            .context("the name has no letter or digit; give the server another name")?;
        if let Some((_, other)) = taken.iter().find(|(taken, _)| *taken == name) {
            anyhow::bail!(
                "`{other}` and `{written}` would both be `{name}` in specs; give one of them another name"
            );
        }
        let reach = match &server.kind {
            McpServerKind::Program(_) => Reach::Program(written.to_owned()),
            McpServerKind::Remote(remote) => self.remote(&name, remote)?,
        };
        Ok((name.clone(), ServerSource { name: Some(name), title: None, reach }))
    }

    /// Values that a file states may be secret: the spec has variables in their place.
    fn remote(&mut self, server: &str, remote: &Remote) -> anyhow::Result<Reach> {
        let url = servers::http_url(&remote.url.value)?;
        let mut headers = Vec::new();
        for (name, value) in &remote.headers {
            let name = name.to_ascii_lowercase();
            if servers::has_variable(value) {
                headers.push((name, value.clone()));
                continue;
            }
            let variable = servers::variable_name(server, &name);
            let value = servers::expanded(value, &self.variables)?;
            // What is set in the environment wins.
            self.variables.extend(EnvFile::from_iter([(variable.clone(), value)]));
            headers.push((name, format!("${{{variable}}}")));
            self.new_variables.push(variable);
        }
        let transport = if remote.is_sse { Transport::Sse } else { Transport::Http };
        Ok(Reach::Url { transport, url, headers, auth: None, timeout_ms: None })
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<Entry>> {
    Ok(mcp_diagnostics::mcp_servers::parse_each(file)?)
}

fn programs(file: &Path, all: &[Entry]) -> Programs {
    Programs::of(file, all.iter().filter_map(|(_, server)| server.as_ref().ok()))
}

fn named<'s>(all: &'s [Entry], name: &str, file: &Path) -> anyhow::Result<&'s Result<McpServer, Problems>> {
    let names = || all.iter().map(|(name, _)| name.as_str());
    let meant = all.iter().find(|(written, _)| written == name).map(|(_, server)| server);
    meant.with_context(|| {
        let meant = suggest::did_you_mean(name, names()).unwrap_or_else(|| match names().next() {
            Some(_) => format!("it has {}", suggest::one_of(names())),
            None => "it has none at all".to_owned(),
        });
        format!("`{}` has no server `{name}`; {meant}", disk::display(file))
    })
}

fn preset(id: &str) -> anyhow::Result<&'static Preset> {
    Preset::find(id).with_context(|| {
        let ids = || PRESETS.iter().map(|preset| preset.id);
        let meant =
            suggest::did_you_mean(id, ids()).unwrap_or_else(|| format!("write {}", suggest::one_of(ids())));
        format!("there is no preset `{id}`; {meant}")
    })
}

/// The name that a person gave, which must be one already.
fn server_name(name: &str) -> anyhow::Result<String> {
    match servers::server_name(name) {
        Some(fitting) if fitting == name => Ok(fitting),
        Some(fitting) => anyhow::bail!("`{name}` cannot be the name of a server; write `{fitting}`"),
        None => anyhow::bail!("a server's name has 1 to 32 letters, digits, `_` and `-`"),
    }
}
