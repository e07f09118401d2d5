//! `mcp-edge init`: a configuration to start from, for a place that others can reach.

use super::{CommandError, key};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

const EDGE: &str = include_str!("edge.toml");
const TENANTS: &str = include_str!("tenants.toml");

/// The tenant that the files begin with.
const TENANT: &str = "demo";

/// Writes both files and says what is next. Nothing is overwritten.
pub fn run(folder: &Path) -> Result<String, CommandError> {
    let key = key::make(TENANT, "first")?;
    let tenants = format!("{TENANTS}\n{}", key.lines);
    let files = [("edge.toml", EDGE), ("tenants.toml", tenants.as_str())];
    // Both or none: a file that is there stays as it is.
    for (name, _) in files {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(CommandError::cannot_run(format!("`{}` exists already", path.display()))
                .help("move it away, or name another folder: `mcp-edge init FOLDER`"));
        }
    }
    let mut out = String::new();
    for (name, text) in files {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(folder).and_then(|()| write_new(&path, text));
        written.map_err(|error| {
            let failure =
                CommandError::cannot_run(format!("`{}` cannot be written: {error}", path.display()));
            match error.kind() {
                ErrorKind::PermissionDenied => failure.help("name a folder that you may write to"),
                _ => failure,
            }
        })?;
        out.push_str(&format!("wrote {}\n", path.display()));
    }
    let config = folder.join("edge.toml");
    out.push_str(&format!(
        "\nThe first API key, of the tenant `{TENANT}`. It is shown only now:\n\n  {}\n\n\
         Put the bundle, the certificate and its key where edge.toml says. Then check the place, and serve:\n\n  \
         mcp-edge check {config}\n  mcp-edge --config {config}\n",
        key.text,
        config = config.display(),
    ));
    Ok(out)
}

/// What a place says of its callers is nobody else's business.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o640);
    options.open(path)?.write_all(text.as_bytes())
}
