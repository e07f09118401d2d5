//! `mcp-edge check`

use super::{Failure, has_toml_name, load_bundle, read_config, read_keys, tls, variables};
use mcp_bundle::format::{Bundle, VerifyingKey};
use std::path::Path;

pub fn run(file: &Path, keys: &[String]) -> Result<String, Failure> {
    let keys = read_keys(keys)?;
    if has_toml_name(file) {
        return configuration(file, keys);
    }
    let bundle = load_bundle(file, &keys)?;
    Ok(facts(&bundle))
}

fn configuration(file: &Path, keys: Vec<VerifyingKey>) -> Result<String, Failure> {
    let mut config = read_config(Some(file))?;
    config.keys.extend(keys);
    let mut out = String::new();
    let mut wrong = Vec::new();
    for listener in &config.listeners {
        out.push_str(&format!("listen     {}\n", listener.address));
        if let Some(files) = &listener.tls {
            wrong.extend(tls::check_files(files).err());
        }
    }
    wrong.extend(config.ca_file.as_deref().and_then(|file| tls::check_ca(file).err()));
    let admin = config.admin.map_or_else(|| "off".to_owned(), |address| address.to_string());
    out.push_str(&format!("admin      {admin}\n"));
    let secrets = match config.secrets.read() {
        Ok(secrets) => Some(secrets),
        Err(error) => {
            wrong.push(error.to_string());
            None
        }
    };
    match &config.bundle {
        None => out.push_str("bundle     none: it must be named on the command line\n"),
        Some(path) => match load_bundle(path, &config.keys) {
            Err(failure) if wrong.is_empty() => return Err(failure),
            Err(failure) => wrong.push(failure.text.trim_start_matches("error: ").trim_end().to_owned()),
            Ok(bundle) => {
                out.push_str(&facts(&bundle));
                let contents = &bundle.contents;
                let has_value =
                    |name: &str| secrets.as_ref().is_none_or(|secrets| secrets.get(name).is_some());
                wrong.extend(variables::missing(contents, &has_value));
            }
        },
    }
    out.push_str("auth       none\n");
    if wrong.is_empty() {
        return Ok(out);
    }
    let text = wrong.iter().map(|message| format!("error: {message}\n")).collect();
    Err(Failure { text, code: 1 })
}

fn facts(bundle: &Bundle) -> String {
    let contents = &bundle.contents;
    let variables: Vec<&str> = contents.variable_names().collect();
    let needs = if variables.is_empty() { "no variables".to_owned() } else { variables.join(", ") };
    format!("revision   {}\ntools      {}\nneeds      {needs}\n", bundle.revision, contents.tools.len())
}
