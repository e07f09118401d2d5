//! Whether the files that a configuration names can be used, beside the bundle.

use super::tls;
use crate::config::Config;
use crate::process;
use mcp_diagnostics::EnvFile;

/// The values of the secrets file, and everything that is wrong with any of the files.
pub fn look_at(config: &Config) -> (Option<EnvFile>, Vec<String>) {
    let files = config.listeners.iter().filter_map(|listener| listener.tls.as_ref());
    let mut wrong: Vec<String> = files.filter_map(|files| tls::check_files(files).err()).collect();
    wrong.extend(config.ca_file.as_deref().and_then(|file| tls::check_ca(file).err()));
    wrong.extend(config.upgrade_socket.as_deref().and_then(|path| process::check_upgrade_socket(path).err()));
    let secrets = config.secrets.read().map_err(|error| wrong.push(error.to_string())).ok();
    (secrets, wrong)
}
