//! `mcpc inspect`

use super::{Outcome, Streams, counted, grouped, read_bundle, shown};
use crate::publish::bundle_view::{BundleView, ToolView};
use crate::publish::secrets_view::SecretsView;
use mcp_bundle::format::{self, Trust};
use mcp_diagnostics::suggest;
use std::io::Write;
use std::path::PathBuf;

/// Show the contents of a bundle
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The bundle: a file, or `https://…`, `oci://…`, `s3://…`, `gs://…` or `az://…`
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Show only this tool, in detail
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Show which variable is sent to which host instead
    #[arg(long, conflicts_with = "tool")]
    secrets: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = InspectFormat::Human)]
    format: InspectFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum InspectFormat {
    Human,
    Json,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let bytes = read_bundle(&arguments.bundle)?;
    let name = shown(&arguments.bundle);
    let bundle = match format::read(&bytes, &Trust::Any) {
        Ok(bundle) => bundle,
        Err(error) => {
            writeln!(streams.err, "error: `{name}`: {error}")?;
            return Ok(Outcome::Failed);
        }
    };
    let out = &mut streams.out;
    if arguments.secrets {
        let view = SecretsView::new(&bundle.contents);
        match arguments.format {
            InspectFormat::Json => json(out, &view)?,
            InspectFormat::Human => print_secrets(out, &view)?,
        }
        return Ok(Outcome::Clean);
    }
    let view = BundleView::new(&bundle, bytes.len());
    let Some(wanted) = &arguments.tool else {
        match arguments.format {
            InspectFormat::Json => json(out, &view)?,
            InspectFormat::Human => print_bundle(out, &view)?,
        }
        return Ok(Outcome::Clean);
    };
    let Some(tool) = view.tools.iter().find(|tool| tool.name == *wanted) else {
        let meant = suggest::did_you_mean(wanted, view.tools.iter().map(|tool| tool.name));
        let meant = meant.map(|meant| format!("; {meant}")).unwrap_or_default();
        writeln!(streams.err, "error: `{name}` has no tool `{wanted}`{meant}")?;
        return Ok(Outcome::Failed);
    };
    match arguments.format {
        InspectFormat::Json => json(out, tool)?,
        InspectFormat::Human => print_tool(out, tool, &view)?,
    }
    Ok(Outcome::Clean)
}

fn json(out: &mut dyn Write, value: &impl serde::Serialize) -> anyhow::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}

fn print_bundle(out: &mut dyn Write, view: &BundleView<'_>) -> std::io::Result<()> {
    writeln!(out, "bundle     {}", view.name)?;
    writeln!(out, "revision   {}", view.revision)?;
    if let Some(version) = view.release {
        writeln!(out, "version    {version}")?;
    }
    writeln!(out, "format     {} {}", view.format_version, list_or(&view.features, "no features"))?;
    writeln!(out, "bytes      {}", grouped(view.bytes))?;
    writeln!(out, "tokens     about {} for the whole list", grouped(view.tokens))?;
    writeln!(out, "signed by  {}", list_or(&view.signers, "no one"))?;
    writeln!(out, "needs      {}", list_or(&view.variables, "no variables"))?;
    for toolset in &view.toolsets {
        let count = view.tools.iter().filter(|tool| tool.toolset == toolset.name).count();
        writeln!(out, "\n{}: {}", toolset.name, counted(count, "tool"))?;
        for tool in view.tools.iter().filter(|tool| tool.toolset == toolset.name) {
            writeln!(out, "  {:<32}  {:<7} {}", tool.name, tool.method, tool.url)?;
        }
    }
    print_limits(out, view)
}

/// A row for each upstream, rate and cache that the specs limit.
fn print_limits(out: &mut dyn Write, view: &BundleView<'_>) -> std::io::Result<()> {
    let upstreams = view.upstreams.iter().filter(|upstream| upstream.is_limited);
    let upstreams = upstreams.map(|upstream| (upstream.name, "upstream", upstream.to_string()));
    let tools = view.tools.iter().flat_map(|tool| {
        let rate = tool.rate.as_ref().map(|rate| (tool.name, "rate", rate.to_string()));
        let cache = tool.cache.as_ref().map(|cache| (tool.name, "cache", cache.to_string()));
        rate.into_iter().chain(cache)
    });
    let rows: Vec<(&str, &str, String)> = upstreams.chain(tools).collect();
    if !rows.is_empty() {
        writeln!(out, "\nlimits")?;
    }
    rows.iter().try_for_each(|(name, kind, limit)| writeln!(out, "  {name:<32}  {kind:<8}  {limit}"))
}

/// A row for each variable; one that is only part of a URL goes nowhere.
fn print_secrets(out: &mut dyn Write, view: &SecretsView<'_>) -> std::io::Result<()> {
    if view.secrets.is_empty() {
        return writeln!(out, "the bundle needs no variables");
    }
    let rows = view.secrets.iter().map(|secret| {
        let uses = format!("{} ({})", secret.uses.join(", "), counted(secret.tools.len(), "tool"));
        (secret.name, list_or(&secret.hosts, "nowhere"), uses)
    });
    let rows: Vec<(&str, String, String)> =
        std::iter::once(("variable", "sent to".to_owned(), "as".to_owned())).chain(rows).collect();
    let widest = |text: fn(&(&str, String, String)) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let (first, second) = (widest(|row| row.0.len()), widest(|row| row.1.len()));
    rows.iter().try_for_each(|(name, host, uses)| writeln!(out, "{name:<first$}  {host:<second$}  {uses}"))
}

fn print_tool(out: &mut dyn Write, tool: &ToolView<'_>, view: &BundleView<'_>) -> std::io::Result<()> {
    writeln!(out, "tool       {} (toolset {})", tool.name, tool.toolset)?;
    writeln!(out, "request    {}", format!("{} {}", tool.method, tool.url).trim_start())?;
    for header in &tool.headers {
        writeln!(out, "           {header}")?;
    }
    if let Some(kind) = tool.credential {
        writeln!(out, "           authorization: (`auth` of kind `{kind}`)")?;
    }
    for cookie in &tool.cookies {
        writeln!(out, "           cookie: {cookie}")?;
    }
    if let Some(server) = &tool.server {
        writeln!(out, "server     {} ({}), its tool `{}`", server.name, server.transport, server.tool)?;
        writeln!(out, "pin        {} (on drift: {})", server.pin, server.on_drift)?;
    }
    writeln!(out, "{} {}", if tool.server.is_some() { "arguments " } else { "body      " }, tool.body)?;
    for member in &tool.body_members {
        writeln!(out, "           {member}")?;
    }
    if let Some(answer) = tool.respond {
        writeln!(out, "answer     {}", answer.escape_debug())?;
    }
    writeln!(out, "timeout    {} ms, {}", tool.timeout_ms, retries(tool.retry_count))?;
    if let Some(rate) = &tool.rate {
        writeln!(out, "rate       {rate}")?;
    }
    if let Some(cache) = &tool.cache {
        writeln!(out, "cache      {cache}")?;
    }
    if let Some(upstream) = view.upstreams.iter().find(|upstream| Some(upstream.name) == tool.upstream) {
        writeln!(out, "upstream   {}: {upstream}", upstream.name)?;
    }
    writeln!(out, "scopes     {}", list_or(&tool.scopes, "none"))?;
    writeln!(out, "tokens     about {}", grouped(tool.tokens))?;
    if let Some(dialect) = tool.response_template {
        writeln!(out, "template   {dialect}")?;
    }
    if let Some(dialect) = tool.error_template {
        writeln!(out, "on error   {dialect}")?;
    }
    if !tool.select.is_empty() {
        writeln!(out, "select     {}", tool.select.join(", "))?;
    }
    if tool.output_schema {
        writeln!(out, "schema     results are checked against `output_schema`")?;
    }
    if tool.lenient {
        writeln!(out, "lenient    also takes arguments that can be converted without loss")?;
    }
    writeln!(out, "\nparameters")?;
    for parameter in &tool.parameters {
        let required = if parameter.required { "required" } else { "optional" };
        let default = parameter.default.map(|d| format!(", default {d}")).unwrap_or_default();
        let kind = parameter.types.join(" or ");
        writeln!(out, "  {:<24}  {:<8} {kind}, {required}{default}", parameter.name, parameter.position)?;
    }
    writeln!(out, "\nentry      {}", tool.entry)?;
    Ok(())
}

fn list_or<T: std::fmt::Display>(items: &[T], otherwise: &str) -> String {
    if items.is_empty() {
        return otherwise.to_owned();
    }
    let items: Vec<String> = items.iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

fn retries(count: u8) -> String {
    match count {
        0 => "no retries".to_owned(),
        1 => "1 retry".to_owned(),
        count => format!("{count} retries"),
    }
}
