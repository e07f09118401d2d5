//! Whether the files that a configuration names can be used, apart from the bundle.

use super::tls;
use crate::config::{Config, FileProblem};
use crate::process;
use crate::telemetry::audit;
use mcp_diagnostics::EnvFile;
use std::path::Path;

/// The values of the secrets file, and every problem with any of the files.
pub fn inspect(config: &Config) -> (Option<EnvFile>, Vec<FileProblem>) {
    let files = config.listeners.iter().filter_map(|listener| listener.tls.as_ref());
    let mut problems: Vec<FileProblem> = files.flat_map(tls::check_files).collect();
    problems.extend(config.ca_file.as_deref().and_then(|file| tls::check_ca(file).err()));
    for (_, files) in &config.settings.client_certificates {
        problems.extend(tls::check_client_files(files).err());
    }
    if let Some(path) = config.upgrade_socket.as_deref()
        && let Err(message) = process::check_upgrade_socket(path)
    {
        problems.push(FileProblem::new(path, message));
    }
    if let Some(path) = config.bundle_copy.as_deref()
        && let Some(folder) = path.parent().filter(|folder| *folder != Path::new("") && !folder.is_dir())
    {
        let message =
            format!("the folder `{}` does not exist, so no copy can be kept there", folder.display());
        problems.push(FileProblem::new(path, message));
    }
    if let Some(path) = config.settings.audit.file.as_deref()
        && let Err(error) = audit::check(path)
    {
        problems.push(FileProblem::new(path, error));
    }
    let secrets = match config.secrets.read() {
        Ok(secrets) => Some(secrets),
        Err(error) => {
            problems.push(FileProblem::new(config.secrets.file().unwrap_or(Path::new("")), error));
            None
        }
    };
    (secrets, problems)
}
