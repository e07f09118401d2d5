//! Listeners that go from the process that runs now to the next one, over a Unix socket.
//!
//! The old process sends its sockets and goes on accepting. The new one says one byte when it accepts, too. Only then does the
//! old one leave: at every moment somebody accepts, and if the new process dies before it has said so, nothing has changed.

use super::{BindError, Bound};
use nix::unistd::{AccessFlags, access};
use pingora_timeout::timeout;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::fs::{FileType, Permissions};
use std::io::{ErrorKind, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, Interest};

/// Sockets by the names that both processes have for them.
pub(super) type Sockets = Vec<(String, TcpListener)>;

/// How long the new process waits for the old one.
const WAIT: Duration = Duration::from_secs(60);
/// How long the old process looks for the new one.
const LOOK: Duration = Duration::from_secs(5);
/// Between two looks.
const AGAIN: Duration = Duration::from_millis(20);
/// How long the new process may take until it accepts.
const CONFIRM: Duration = Duration::from_secs(30);
/// Within which all that was sent arrives.
const ARRIVE: Duration = Duration::from_secs(5);
/// The most sockets of a process.
const MOST: usize = 128;
/// Their names, one on a line after the first.
const NAMES: usize = 16 << 10;
/// Tells this way of handing over from any other.
const FIRST_LINE: &str = "mcp-edge listeners 1";
/// What the new process says.
const ACCEPTING: u8 = b'+';

/// The new process's word to the old one.
#[derive(Debug)]
pub(super) struct Confirmation(UnixStream);

/// Whether listeners can be handed over at this path: its folder is there, and nothing else than a socket is at it.
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

/// Waits for the running process to send its listeners, and keeps those that are wanted.
pub(super) fn take_over(path: &Path, bound: &Bound) -> Result<(Sockets, Confirmation), BindError> {
    let failed = |error: std::io::Error| {
        BindError::UpgradeSocket(format!("`upgrade_socket` `{}` cannot be used: {error}", path.display()))
    };
    check_place(path).map_err(BindError::UpgradeSocket)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let taken = runtime.block_on(async {
        let listener = tokio::net::UnixListener::bind(path).map_err(failed)?;
        // Whoever can connect could send sockets of their own.
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        tracing::info!("waiting for the listeners of the running process; send it SIGQUIT");
        let accepted = timeout(WAIT, listener.accept()).await;
        let _ = std::fs::remove_file(path);
        let (stream, _) = accepted
            .map_err(|_| BindError::NotHandedOver { socket: path.display().to_string() })?
            .map_err(failed)?;
        stream.into_std().map_err(failed)
    })?;
    let mut sockets = receive(&taken).map_err(failed)?;
    let is_there = |address: &&String| sockets.iter().any(|(name, _)| name == *address);
    if let Some(address) = bound.inherited.iter().find(|address| !is_there(address)) {
        return Err(BindError::OfNobody { address: address.clone() });
    }
    // Connections to a listener that nobody serves would wait for ever.
    for (address, _) in sockets.extract_if(.., |(name, _)| !bound.inherited.contains(name)) {
        tracing::warn!(address, "no longer listened on");
    }
    tracing::info!("the listeners were taken over");
    Ok((sockets, Confirmation(taken)))
}

impl Confirmation {
    /// Tells the old process to leave. An error means that it has given us up and goes on.
    pub(super) fn accepting(mut self) -> std::io::Result<()> {
        self.0.write_all(&[ACCEPTING])
    }
}

/// Sends the listeners to the process that waits at `path`, and waits until that accepts.
pub(super) async fn hand_over(path: &Path, sockets: &Sockets) -> Result<(), String> {
    let name = path.display();
    let nobody = |error: std::io::Error| {
        format!("no process that was started with `--upgrade` answers at `{name}`: {error}")
    };
    let mut stream = connect(path).await.map_err(nobody)?;
    let sent = timeout(ARRIVE, send(&stream, sockets)).await;
    sent.map_err(|_| format!("the process at `{name}` takes nothing"))?.map_err(nobody)?;
    let mut word = [0; 1];
    match timeout(CONFIRM, stream.read_exact(&mut word)).await {
        Ok(Ok(_)) if word == [ACCEPTING] => Ok(()),
        Ok(_) => Err("the new process ended before it accepted connections; look at its log".to_owned()),
        Err(_) => Err(format!("the new process did not accept connections within {CONFIRM:?}")),
    }
}

/// The new process may just be starting.
async fn connect(path: &Path) -> std::io::Result<tokio::net::UnixStream> {
    let looking = async {
        loop {
            match tokio::net::UnixStream::connect(path).await {
                Ok(stream) => return Ok(stream),
                Err(error) if is_not_yet_there(error.kind()) => pingora_timeout::sleep(AGAIN).await,
                Err(error) => return Err(error),
            }
        }
    };
    timeout(LOOK, looking).await.unwrap_or_else(|_| Err(ErrorKind::NotFound.into()))
}

fn is_not_yet_there(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::PermissionDenied)
}

async fn send(stream: &tokio::net::UnixStream, sockets: &Sockets) -> std::io::Result<()> {
    let names = sockets.iter().fold(FIRST_LINE.to_owned(), |names, (name, _)| names + "\n" + name);
    if sockets.len() > MOST || names.len() > NAMES {
        return Err(std::io::Error::other(format!("there are more than {MOST} listeners")));
    }
    let fds: Vec<BorrowedFd<'_>> = sockets.iter().map(|(_, socket)| socket.as_fd()).collect();
    loop {
        stream.writable().await?;
        let sent = stream.try_io(Interest::WRITABLE, || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !control.push(SendAncillaryMessage::ScmRights(&fds)) {
                return Err(std::io::Error::other("there are too many listeners"));
            }
            let text = [IoSlice::new(names.as_bytes())];
            Ok(sendmsg(stream, &text, &mut control, SendFlags::DONTWAIT)?)
        });
        match sent {
            Ok(sent) if sent == names.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

fn receive(stream: &UnixStream) -> std::io::Result<Sockets> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(ARRIVE))?;
    let mut names = vec![0; NAMES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(stream, &mut [IoSliceMut::new(&mut names)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut fds: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(some) = message {
            fds.extend(some);
        }
    }
    let names = names.get(..received.bytes).and_then(|names| std::str::from_utf8(names).ok());
    let mut names = names.unwrap_or_default().lines();
    if names.next() != Some(FIRST_LINE) {
        return Err(std::io::Error::other("what was sent there are no listeners of an `mcp-edge`"));
    }
    let mut sockets = Sockets::new();
    for (name, fd) in names.zip(fds) {
        let socket = TcpListener::from(fd);
        socket.set_nonblocking(true)?;
        socket.local_addr()?;
        sockets.push((name.to_owned(), socket));
    }
    Ok(sockets)
}

/// Making a socket here to find out would be seen by the running process, which may be looking for it already.
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
