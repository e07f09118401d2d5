//! `mcp-edge check`

use super::{CommandError, files, has_toml_name, load_bundle, read_config, read_keys, read_place, variables};
use crate::activation::{self, TenantsError};
use crate::catalog::{self, invalid_variables};
use crate::config::{AuthConfig, BundlePlace, Config, FileProblem};
use crate::limits::shared::try_store;
use mcp_bundle::format::key_text;
use mcp_bundle::format::{Bundle, VerifyingKey};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::EnvFile;
use std::path::Path;
use std::sync::Arc;

pub fn run(file: &Path, keys: &[String]) -> Result<String, CommandError> {
    let keys = read_keys(keys)?;
    if has_toml_name(file) {
        return configuration(file, keys);
    }
    let config = Config { keys, ..Config::default() };
    let bundle = load_bundle(&config, &read_place(file)?)?;
    // The machine that builds a bundle need not have its secrets.
    Ok(facts(&bundle, &config.keys, Some(&EnvFile::default())))
}

fn configuration(file: &Path, keys: Vec<VerifyingKey>) -> Result<String, CommandError> {
    let mut config = read_config(Some(file))?;
    config.keys.extend(keys);
    let mut out = String::new();
    for listener in &config.listeners {
        out.push_str(&format!("listen     {}://{}/mcp\n", listener.scheme(), listener.address));
    }
    let admin = config.admin.map_or_else(|| "off".to_owned(), |address| format!("http://{address}/"));
    out.push_str(&format!("admin      {admin}\n"));
    let (secrets, mut problems) = files::inspect(&config);
    let mut variable_problems = Vec::new();
    let mut contents = None;
    match &config.bundle {
        None => out.push_str("bundle     none: name one on the command line\n"),
        Some(place) => match load_trusted(&config, place) {
            Err(failure) if problems.is_empty() => return Err(failure.located(&config, &place.path())),
            Err(failure) => problems.push(FileProblem::new(&place.path(), failure.message())),
            Ok(bundle) => {
                out.push_str(&facts(&bundle, &config.keys, secrets.as_ref()));
                let has_value = |name: &str| has_value(secrets.as_ref(), name);
                variable_problems = variables::missing(&bundle.contents, &has_value);
                variable_problems.extend(unsendable(&bundle.contents, secrets.as_ref(), &config));
                variable_problems.extend(programs(&bundle.contents, secrets.as_ref(), &config, &mut out));
                contents = Some(bundle.contents);
            }
        },
    }
    let auth = config.auth.clone().unwrap_or_default();
    let limits = &config.settings.limits.bind;
    let (directory, tenants) =
        match activation::read_tenants(&auth, contents.as_ref(), secrets.as_ref(), limits) {
            Ok(directory) => {
                out.push_str(&format!("auth       {}\n", directory.summary()));
                (Some(directory), String::new())
            }
            Err(error) => (None, tenants_problem(&error, &config, &auth)),
        };
    let directory_limits = contents.as_ref().map_or(0, |contents| {
        directory.as_ref().map_or(0, |directory| catalog::shared_store::count(contents, directory))
    });
    let has_value = |name: &str| secrets.as_ref().and_then(|secrets| secrets.get(name));
    match store(&config, directory_limits, &has_value) {
        Ok(line) => out.push_str(&line),
        Err(problem) => variable_problems.push(problem),
    }
    if problems.is_empty() && variable_problems.is_empty() && tenants.is_empty() {
        return Ok(out);
    }
    let mut failure = CommandError::of_files(&config, problems).and(&variable_problems);
    failure.text.push_str(&tenants);
    Err(failure)
}

/// Whether the store of shared limits answers. That it does not is no problem of the configuration: it may from elsewhere.
fn store(config: &Config, limits: usize, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let Some(shared) = &config.settings.shared else {
        let missing = format!("shared     {limits} {}\n", activation::NO_STORE);
        return Ok(if limits > 0 { missing } else { String::new() });
    };
    let address = shared.address(value, config.ca_file.as_deref().map(Arc::from));
    let address = address.map_err(|(name, key)| {
        format!("`${{{name}}}` has no value, and it is the `{key}` of `[shared]`: set it in the environment or in the secrets file")
    })?;
    Ok(match try_store(&address) {
        Ok(time) => format!("shared     {address} answers, in {} ms\n", time.as_millis()),
        Err(error) => format!("shared     {address} does not answer: {error}\n"),
    })
}

fn load_trusted(config: &Config, place: &BundlePlace) -> Result<Bundle, CommandError> {
    config.requires_a_signature()?;
    load_bundle(config, place)
}

/// In the lines of the file of tenants, or in that of the configuration that names it.
fn tenants_problem(error: &TenantsError, config: &Config, auth: &AuthConfig) -> String {
    match (error, &auth.tenants) {
        (TenantsError::Wrong(problems), _) => problems.render(super::wants_color()),
        (error, Some(path)) => CommandError::wrong(error).located(config, path).text,
        (error, None) => CommandError::wrong(error).text,
    }
}

/// Values that are there, but that no call could send.
fn unsendable(contents: &Contents, secrets: Option<&EnvFile>, config: &Config) -> Vec<String> {
    let Some(secrets) = secrets else { return Vec::new() };
    let values: Vec<Option<String>> = contents.variable_names().map(|name| secrets.get(name)).collect();
    let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
    let found = invalid_variables(contents, &values, &config.settings.limits.bind);
    found.iter().map(ToString::to_string).collect()
}

/// What keeps programs that are MCP servers from running. `out` says which there are.
fn programs(
    contents: &Contents,
    secrets: Option<&EnvFile>,
    config: &Config,
    out: &mut String,
) -> Vec<String> {
    let named = &config.settings.programs;
    let unused: Vec<&str> = catalog::programs::unused(contents, named).collect();
    let used: Vec<&str> = named.keys().map(String::as_str).filter(|name| !unused.contains(name)).collect();
    for (label, names) in [("programs  ", used), ("not used  ", unused)] {
        if !names.is_empty() {
            out.push_str(&format!("{label} {}\n", names.join(", ")));
        }
    }
    // Without the secrets nothing is known of values; that the file cannot be read is said already.
    let value = |name: &str| secrets.map_or_else(|| Some(String::new()), |secrets| secrets.get(name));
    catalog::programs::problems(contents, named, &value).iter().map(ToString::to_string).collect()
}

/// Without `secrets`, nothing is said about values.
fn facts(bundle: &Bundle, keys: &[VerifyingKey], secrets: Option<&EnvFile>) -> String {
    let contents = &bundle.contents;
    let mut out = format!("revision   {}\ntools      {}\n", bundle.revision, contents.tools.len());
    if bundle.signers.is_empty() {
        out.push_str("signed by  nobody\n");
    }
    for signer in &bundle.signers {
        let trusted = if keys.contains(signer) { " (trusted)" } else { "" };
        out.push_str(&format!("signed by  {}{trusted}\n", key_text::write_public(signer)));
    }
    let need = |name: &str| {
        let mark = if has_value(secrets, name) { "" } else { " (no value here)" };
        format!("{name}{mark}")
    };
    let needs: Vec<String> = contents.variable_names().map(need).collect();
    let needs = if needs.is_empty() { "no variables".to_owned() } else { needs.join(", ") };
    out.push_str(&format!("needs      {needs}\n"));
    out
}

fn has_value(secrets: Option<&EnvFile>, name: &str) -> bool {
    secrets.is_none_or(|secrets| secrets.get(name).is_some())
}
