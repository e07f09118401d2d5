//! `mcpc try`

use super::check::outcome;
use super::{Outcome, Specs, Streams};
use crate::check::check;
use crate::exercise::placeholders::{self, Draft};
use crate::exercise::testing;
use crate::exercise::trial::{self, Mask, Trial};
use crate::files::MAX_FILE_BYTES;
use crate::files::disk::{self, Disk};
use crate::render::{self, render_limited};
use anyhow::Context;
use mcp_bundle::shape::Answer;
use mcp_bundle::template::Ambient;
use mcp_diagnostics::suggest;
use mcp_diagnostics::visible::{one_line, visible};
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Show the exact request of one call, or the result of a response
///
/// Nothing is sent without `--send`. Output shows secrets as `${NAME}`, never their values.
///
/// Exit codes: 0 done, 1 the arguments are refused or the result is an error, 2 could not run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The tool
    #[arg(value_name = "TOOL")]
    tool: String,
    #[command(flatten)]
    specs: Specs,
    /// Arguments of the call: JSON, `@FILE`, or `-` for standard input [default: {}]
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    args: Option<String>,
    /// Print a `curl` command for a POSIX shell; it reads `$NAME` from the environment for
    /// `${NAME}`, `$TENANT_ID` for `${tenant.id}` and `$PRINCIPAL_SUB` for `${principal.sub}`
    #[arg(long, conflicts_with_all = ["response", "format"])]
    curl: bool,
    /// Show the result of this response: a file with its body, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    response: Option<String>,
    /// Status of the response
    #[arg(long, value_name = "STATUS", requires = "response", default_value_t = 200,
        value_parser = clap::value_parser!(u16).range(100..600))]
    status: u16,
    /// Content type of the response [default: `application/json` for JSON]
    #[arg(long, value_name = "TYPE", requires = "response")]
    content_type: Option<String>,
    #[cfg(feature = "dev")]
    #[command(flatten)]
    sending: sending::Sending,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TrialFormat::Human)]
    format: TrialFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TrialFormat {
    /// Text, for people
    Human,
    /// One JSON document
    Json,
}

/// The outcome of a trial.
#[derive(Default)]
struct Shown {
    draft: Option<Draft>,
    /// Of the response that was received or given.
    status: Option<u16>,
    /// Of a redirect that was not followed.
    location: Option<String>,
    result: Option<testing::Outcome>,
    mask: Mask,
    is_request_printed: bool,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let input = arguments.specs.discover()?;
    let report = check(&input, &Disk);
    let checked = outcome(&report, false);
    if checked != Outcome::Clean {
        render_limited(render::Format::Human, &report, streams.err_color, &mut streams.err)?;
        return Ok(checked);
    }
    let contents = report.contents.as_ref().context("specs without errors have a plan")?;
    let Some((_, plan)) = contents.tool(&arguments.tool) else {
        let names = contents.tools.iter().map(|tool| contents.strings.get(tool.name));
        let meant = suggest::did_you_mean(&arguments.tool, names);
        let meant = meant.map(|meant| format!("; {meant}")).unwrap_or_default();
        anyhow::bail!("there is no tool `{}`{meant}", one_line(&arguments.tool));
    };
    let trial = Trial::new(contents, plan, now());
    if arguments.args.as_deref() == Some("-") && arguments.response.as_deref() == Some("-") {
        anyhow::bail!("`--args -` and `--response -` cannot both read standard input");
    }
    let call = arguments.args.as_deref().map(call_arguments).transpose()?;
    let mut shown = Shown::default();
    // A response can be looked at without arguments.
    if arguments.response.is_none() || call.is_some() {
        match trial.draft(call.as_deref().unwrap_or("{}")) {
            Ok(draft) => shown.draft = Some(draft),
            Err(error) => {
                writeln!(streams.err, "{}", visible(&error.to_string()))?;
                return Ok(Outcome::Failed);
            }
        }
    }
    if let Some(name) = &arguments.response {
        let body = if name == "-" { read_stdin()? } else { read_file(name)? };
        let is_json =
            std::str::from_utf8(&body).is_ok_and(|text| crate::language::json::Json::parse(text).is_some());
        let content_type = arguments.content_type.as_deref().or(is_json.then_some("application/json"));
        let content_type = content_type.map(str::to_owned);
        let (body, message) = trial.body_of_answer(body);
        let answer = Answer {
            status: arguments.status,
            content_type: content_type.as_deref(),
            content_location: None,
            message,
            body: &body,
        };
        shown.result = Some(trial.shape(&answer));
        shown.status = Some(arguments.status);
    } else if trial.upstream().is_none() {
        // Made of the arguments, or of nothing.
        let body = shown.draft.as_ref().and_then(|draft| draft.body.as_deref()).map(placeholders::shown);
        let own = Answer {
            status: 200,
            content_type: body.is_some().then_some("application/json"),
            content_location: None,
            message: None,
            body: body.as_deref().unwrap_or_default().as_bytes(),
        };
        shown.result = Some(trial.shape(&own));
    }
    #[cfg(feature = "dev")]
    if let Some(draft) = &shown.draft
        && arguments.sending.wanted(&trial)
    {
        let place = arguments.sending.place()?;
        let ready = arguments.sending.prepare(&trial, draft, call.as_deref().unwrap_or("{}"), &place)?;
        // Before the wait, so that a request which is never answered has been shown.
        if arguments.format == TrialFormat::Human {
            match trial.program() {
                Some(_) => trial::write_message(draft, &mut streams.out)?,
                None => trial::write_request(draft, &mut streams.out)?,
            }
            streams.out.flush()?;
        }
        let reply = match ready.send(&trial) {
            Ok(reply) => reply,
            Err(error) => {
                if arguments.format == TrialFormat::Json {
                    print(arguments, &trial, &shown, streams)?;
                }
                return Err(error.into());
            }
        };
        let answer = Answer {
            status: reply.status,
            content_type: reply.content_type.as_deref(),
            content_location: reply.content_location.as_deref(),
            message: reply.message,
            body: &reply.body,
        };
        shown.mask = trial.mask(&ready.secrets);
        shown.is_request_printed = true;
        let mut result = trial.shape(&answer);
        result.result = result.result.map(|result| shown.mask.json(&result));
        shown.result = Some(result);
        shown.status = Some(reply.status);
        shown.location = reply.location.as_deref().map(|location| shown.mask.text(location));
    }
    print(arguments, &trial, &shown, streams)?;
    let is_error = shown.result.as_ref().is_some_and(|result| result.shaped.is_error);
    let is_broken = shown.result.as_ref().is_some_and(|result| testing::broken(&result.shaped).is_some());
    Ok(if is_error || is_broken { Outcome::Failed } else { Outcome::Clean })
}

fn print(
    arguments: &Arguments,
    trial: &Trial<'_>,
    shown: &Shown,
    streams: &mut Streams,
) -> anyhow::Result<()> {
    let out = &mut streams.out;
    if let Some(failure) = shown.result.as_ref().and_then(|result| testing::broken(&result.shaped)) {
        let why = shown.mask.text(failure.actual.as_deref().unwrap_or_default());
        writeln!(streams.err, "warning: `{}` failed: {}", failure.what, one_line(&why))?;
    }
    if arguments.format == TrialFormat::Json {
        let Shown { draft, status, location, result, .. } = shown;
        let draft = draft.as_ref().filter(|_| trial.upstream().is_some());
        let (status, location) = (*status, location.as_deref());
        let request = draft.map(|draft| match trial.program() {
            Some(program) => trial::program_message(program, draft),
            None => trial::request(draft),
        });
        let document = trial::document(&arguments.tool, request, status, location, result.as_ref());
        writeln!(out, "{}", document.to_text())?;
        return Ok(());
    }
    let draft = shown.draft.as_ref().filter(|_| arguments.response.is_none());
    if let (Some(_), Some(note)) = (draft, trial.credential_note()) {
        writeln!(streams.err, "note: {note}")?;
    }
    if let (Some(_), Some(note)) = (draft, trial.session_note()) {
        writeln!(streams.err, "note: {note}")?;
    }
    match draft {
        _ if shown.is_request_printed => {}
        Some(_) if trial.upstream().is_none() => {
            writeln!(streams.err, "note: `{}` answers without a request: nothing is sent", arguments.tool)?;
        }
        Some(draft) if let Some(program) = trial.program() => {
            anyhow::ensure!(
                !arguments.curl,
                "`{}` is a tool of a program, which `curl` cannot ask",
                arguments.tool
            );
            trial::write_message(draft, out)?;
            let what = "the edge writes this line to the program that its `edge.toml` names";
            writeln!(streams.err, "note: {what} as `[stdio.{}]`", toml_key(program))?;
        }
        Some(draft) if arguments.curl => {
            writeln!(out, "{}", trial::command(draft))?;
            for variable in trial::unencoded_variables(draft) {
                let what = "is inserted unencoded; the edge encodes it for its position";
                writeln!(streams.err, "note: `{variable}` {what}")?;
            }
            return Ok(());
        }
        Some(draft) => trial::write_request(draft, out)?,
        None => {}
    }
    // A status that the user gave needs no repetition.
    if let Some(status) = shown.status.filter(|_| arguments.response.is_none()) {
        writeln!(out, "\nstatus: {status}")?;
        if let Some(location) = &shown.location {
            writeln!(out, "location: {}", one_line(location))?;
        }
        writeln!(out)?;
    }
    if let Some(result) = &shown.result {
        trial::write_result(result, out)?;
    }
    Ok(())
}

/// A name as a part of a TOML header.
fn toml_key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { format!("{name:?}") }
}

fn call_arguments(word: &str) -> anyhow::Result<String> {
    let bytes = match (word, word.strip_prefix('@')) {
        ("-", _) => read_stdin()?,
        (_, Some(name)) => read_file(name)?,
        (text, None) => return Ok(text.to_owned()),
    };
    let text = String::from_utf8(bytes).context("the arguments are not UTF-8 text")?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

pub(super) fn read_file(name: &str) -> anyhow::Result<Vec<u8>> {
    let path = Path::new(name);
    let context = || format!("`{}` cannot be read", disk::display(path));
    let file =
        std::fs::File::open(path).map_err(|e| anyhow::anyhow!(disk::plain(&e))).with_context(context)?;
    read(file).with_context(context)
}

fn read_stdin() -> anyhow::Result<Vec<u8>> {
    read(std::io::stdin().lock()).context("standard input cannot be read")
}

fn read(from: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|e| anyhow::anyhow!(disk::plain(&e)))?;
    anyhow::ensure!(bytes.len() as u64 <= MAX_FILE_BYTES, "it is larger than {} MiB", MAX_FILE_BYTES >> 20);
    Ok(bytes)
}

fn now() -> Ambient {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Ambient { now_ms, seed: getrandom::u64().unwrap_or_default() }
}

/// `--send`.
#[cfg(feature = "dev")]
mod sending {
    use crate::cli::environment;
    use crate::exercise::placeholders::Draft;
    use crate::exercise::trial::{Given, NotReady, Ready, Trial};
    use crate::language::variables::Variable;
    use crate::servers::Programs;
    use mcp_diagnostics::EnvFile;

    #[derive(Debug, clap::Args)]
    pub struct Sending {
        /// Send the request, once, and show the result; variables come from the environment
        #[arg(long, conflicts_with_all = ["response", "curl"])]
        send: bool,
        /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
        /// repeatable
        #[arg(long, value_name = "FILE", requires = "send")]
        env_file: Vec<String>,
        /// The `mcpServers` file with the program of a server over `stdio`, which is started for the call
        #[arg(long, value_name = "FILE", requires = "send")]
        mcp_servers: Option<std::path::PathBuf>,
        /// The value of `${tenant.id}`
        #[arg(long, value_name = "ID", requires = "send")]
        tenant: Option<String>,
        /// The value of `${principal.sub}`
        #[arg(long, value_name = "SUB", requires = "send")]
        principal: Option<String>,
    }

    /// What the command line gives to a call.
    pub struct Place {
        variables: EnvFile,
        programs: Programs,
    }

    impl Sending {
        pub fn wanted(&self, trial: &Trial<'_>) -> bool {
            self.send && trial.upstream().is_some()
        }

        pub fn place(&self) -> anyhow::Result<Place> {
            let variables = environment::read(&self.env_file)?;
            let programs = self.mcp_servers.as_deref().map(Programs::read).transpose()?.unwrap_or_default();
            Ok(Place { variables, programs })
        }

        /// Binds the request with the values of its variables.
        pub fn prepare<'p>(
            &'p self,
            trial: &Trial<'_>,
            draft: &Draft,
            arguments: &str,
            place: &'p Place,
        ) -> anyhow::Result<Ready<'p>> {
            let Place { variables, programs } = place;
            let (tenant, principal) = (self.tenant.as_deref(), self.principal.as_deref());
            let given = Given { variables, programs, tenant, principal };
            Ready::new(trial, draft, arguments, given).map_err(|error| match error {
                NotReady::Missing(missing) => anyhow::anyhow!(missing_values(&missing)),
                NotReady::Other(error) => error,
            })
        }
    }

    fn missing_values(missing: &[Variable]) -> String {
        let how = |variable: &Variable| match variable {
            Variable::Named(name) => format!("set `{name}` in the environment or in an `--env-file`"),
            Variable::TenantId => "give `--tenant`".to_owned(),
            Variable::PrincipalSub => "give `--principal`".to_owned(),
        };
        let names: Vec<String> = missing.iter().map(|variable| format!("`{variable}`")).collect();
        let verb = if missing.len() == 1 { "has" } else { "have" };
        let how: Vec<String> = missing.iter().map(how).collect();
        format!("{} {verb} no value: {}", names.join(", "), how.join(", "))
    }
}
