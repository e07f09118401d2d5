//! `mcpc import openapi`

use super::document::{self, Document};
use crate::cli::{Outcome, Streams};
use crate::import::openapi::{self, Options, Selection};
use crate::language::names::portable;

/// An OpenAPI document: 3.0, 3.1 or Swagger 2, JSON or YAML
///
/// Each operation becomes a tool. Schemas are complete, with shared parts in `$defs`. Of fat answers, `select` keeps what tells
/// things apart, and the output schema says what that is. Examples of the document become examples of the tools.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    document: Document,
    /// Name of the spec, of its upstream and of its variables [default: by the document's title]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What the names of the tools begin with [default: nothing]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Base URL of the API, instead of the document's servers
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The variable with a bearer token, instead of what the document says of security
    #[arg(long, value_name = "NAME")]
    bearer_env: Option<String>,
    /// Only operations with this tag; repeatable
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only paths that match, such as `/repos/**`; repeatable
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Only the operation with this id; repeatable
    #[arg(long, value_name = "ID")]
    operation: Vec<String>,
    /// Only operations with this method; repeatable
    #[arg(long, value_name = "METHOD")]
    method: Vec<String>,
    /// Only operations that change nothing: GET and HEAD
    #[arg(long)]
    read_only: bool,
    /// Leave out operations that are deprecated
    #[arg(long)]
    skip_deprecated: bool,
    /// Also take operations that are internal (`x-internal`)
    #[arg(long)]
    internal: bool,
    /// At most so many tools, the first of those that fit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tools: Option<u32>,
    /// Write a toolset for each tag
    #[arg(long)]
    by_tag: bool,
    /// Cut the list to about half: shorter descriptions, no output schemas, members of arguments without their own members
    #[arg(long)]
    compact: bool,
    /// Do not suggest `select`: answers stay whole
    #[arg(long)]
    no_select: bool,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let bytes = arguments.document.read()?;
    let json = document::parsed(&arguments.document, crate::import::document::read(&bytes))?;
    drop(bytes);
    let options = arguments.options()?;
    let imported = openapi::import(&json, &options)
        .map_err(|why| anyhow::anyhow!("`{}` cannot be imported: {why}", arguments.document.name()))?;
    document::write("openapi", imported, &arguments.document, streams)
}

impl Arguments {
    fn options(&self) -> anyhow::Result<Options> {
        if let Some(name) = &self.bearer_env {
            let is_name = !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            anyhow::ensure!(is_name, "`--bearer-env` takes the name of a variable, and not a token");
        }
        if let Some(url) = &self.server {
            let is_url = url.starts_with("https://") || url.starts_with("http://") || url.starts_with("${");
            anyhow::ensure!(is_url, "`--server` takes a URL, such as `https://api.example.com/v1`");
            anyhow::ensure!(
                openapi::is_usable(url),
                "`--server` takes a host with a path and no query, such as `https://api.example.com/v1`; a variable is `${{NAME}}`"
            );
        }
        for (option, text) in [("--name", &self.name), ("--prefix", &self.prefix)] {
            let is_name = text.as_ref().is_none_or(|text| !portable(text).is_empty());
            anyhow::ensure!(is_name, "`{option}` takes letters from a to z, digits, `_` and `-`");
        }
        Ok(Options {
            name: self.name.clone(),
            stem: self.document.stem(),
            source: self.document.name(),
            prefix: self.prefix.clone(),
            server: self.server.clone(),
            bearer_env: self.bearer_env.clone(),
            selection: Selection {
                tags: self.tag.clone(),
                paths: self.path.clone(),
                operations: self.operation.clone(),
                methods: self.method.clone(),
                read_only: self.read_only,
                skip_deprecated: self.skip_deprecated,
                internal: self.internal,
                max_tools: self.max_tools.map(|most| most as usize),
            },
            by_tag: self.by_tag,
            compact: self.compact,
            no_select: self.no_select,
        })
    }
}
