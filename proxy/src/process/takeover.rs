//! The listeners of the process that runs now, handed over by it at a Unix socket.

use super::{BindError, Bound};
use nix::unistd::{AccessFlags, access};
use pingora_core::server::Fds;
use std::fs::FileType;
use std::io::ErrorKind;
use std::os::fd::RawFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::SocketAddr;
use std::path::Path;

/// Pingora waits 6 seconds, which cannot be configured.
const ROUNDS: usize = 10;

/// Whether listeners can be handed over at this path: its folder is there, and nothing else than a socket is at it.
/// Pingora removes what it finds there.
pub fn check_upgrade_socket(path: &Path) -> Result<(), String> {
    let name = path.display();
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(format!("`upgrade_socket` `{name}`: there is no folder `{}`", folder.display()));
    }
    match std::fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
        Ok(kind) if !kind.is_socket() => Err(format!(
            "`upgrade_socket` `{name}` is {}, not a socket; name a path that is free",
            kind_name(kind)
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("`upgrade_socket` `{name}` cannot be used: {error}"))
        }
        _ => Ok(()),
    }
}

/// Waits for the running process to hand its listeners over, and keeps those that are wanted.
pub(super) fn take_over(path: &Path, bound: &Bound) -> Result<Vec<(String, RawFd)>, BindError> {
    check_place(path).map_err(BindError::UpgradeSocket)?;
    tracing::info!("waiting for the listeners of the running process; send it SIGQUIT");
    let name = path.display().to_string();
    let mut fds = Fds::new();
    // Between two rounds the running process finds no socket, and tries again.
    let received = (0..ROUNDS).any(|_| fds.get_from_sock(name.as_str()).is_ok());
    if !received {
        return Err(BindError::NotHandedOver { socket: name });
    }
    let missing = bound.inherited.iter().find(|address| fds.get(address).is_none());
    if let Some(address) = missing {
        return Err(BindError::OfNobody { address: address.clone() });
    }
    // Connections to a listener that nobody serves would wait for ever.
    let wanted = bound.inherited.iter().cloned().collect();
    for address in fds.close_unclaimed(&wanted) {
        tracing::warn!(address, "no longer listened on");
    }
    let (names, numbers) = fds.serialize();
    tracing::info!("the listeners were taken over");
    Ok(names.into_iter().zip(numbers).collect())
}

/// Pingora panics where it cannot make the socket. Making one here to find out would be seen by the running process, which
/// may be looking for it already, and would find nobody there.
fn check_place(path: &Path) -> Result<(), String> {
    check_upgrade_socket(path)?;
    let failed =
        |error: std::io::Error| format!("`upgrade_socket` `{}` cannot be used: {error}", path.display());
    SocketAddr::from_pathname(path).map_err(failed)?;
    access(folder_of(path), AccessFlags::W_OK | AccessFlags::X_OK).map_err(|error| failed(error.into()))?;
    if path.exists() {
        std::fs::remove_file(path).map_err(failed)?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else {
        "a file"
    }
}
