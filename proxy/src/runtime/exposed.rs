//! Files with secrets that anyone on this machine could read.

use std::fs::{File, Metadata};
use std::path::Path;

/// Groups are fine: that is how mounted secrets are shared with a service's user. Of the opened file, not of its path: nobody
/// can swap it in between.
#[cfg(unix)]
pub fn is_exposed(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o007 != 0
}

#[cfg(not(unix))]
pub fn is_exposed(_metadata: &Metadata) -> bool {
    false
}

/// A file that only its owner can read.
#[cfg(test)]
pub fn write_private(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

/// Whether a private key can be read, and not by everyone: anyone who can read it can pose as its owner.
pub fn check_key(file: &Path) -> Result<(), String> {
    let name = file.display();
    let metadata = File::open(file).and_then(|file| file.metadata());
    let metadata = metadata.map_err(|error| format!("key `{name}` cannot be read: {error}"))?;
    if is_exposed(&metadata) {
        return Err(format!(
            "key `{name}` is readable by everyone on this machine; run `chmod o-rwx {name}`"
        ));
    }
    Ok(())
}
