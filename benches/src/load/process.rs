//! Server processes: started on a free port, measured from outside, stopped with their children when dropped.

use super::cores::Cores;
use super::usage::{self, Usage};
use crate::AnyError;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(60);

/// How long a server may take until it has left.
const EXIT: Duration = Duration::from_secs(60);

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    has_left: bool,
    pub address: SocketAddr,
    /// Where its metrics are read once a second while it is measured.
    pub metrics: Option<SocketAddr>,
    /// What it writes to.
    logs: Vec<PathBuf>,
}

/// What to start.
#[derive(Debug)]
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(&'static str, String)>,
}

impl Program {
    pub fn new(path: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl ToString>) -> Program {
        let arguments = arguments.into_iter().map(|argument| argument.to_string()).collect();
        Program { path: path.into(), arguments, environment: Vec::new() }
    }

    pub fn with(mut self, name: &'static str, value: impl ToString) -> Program {
        self.environment.push((name, value.to_string()));
        self
    }

    /// Starts it and waits until it listens on `address`. What it says is kept in `log`.
    pub async fn start(&self, cores: &Cores, address: SocketAddr, log: &Path) -> Result<Server, AnyError> {
        let program = self.path.display();
        let mut command = cores.command(&self.path);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(log)?);
        // A group of its own: its workers can be stopped with it, and Ctrl-C only reaches this process.
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
        let mut server =
            Server { child, has_left: false, address, metrics: None, logs: vec![log.to_owned()] };
        let begin = Instant::now();
        while tokio::net::TcpStream::connect(address).await.is_err() {
            let left = server.child.try_wait()?;
            if left.is_some() || begin.elapsed() > START {
                let said = std::fs::read_to_string(log).unwrap_or_default();
                return Err(format!("`{program}` does not listen on {address}:\n{said}").into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(server)
    }
}

impl Server {
    pub fn usage(&self) -> Result<Usage, AnyError> {
        usage::usage(self.child.id())
    }

    /// Its workers.
    pub fn children(&self) -> Result<BTreeSet<u32>, AnyError> {
        Ok(usage::children(self.child.id())?.into_iter().collect())
    }

    /// To the process alone, not to its workers.
    pub fn signal(&self, signal: Signal) -> Result<(), AnyError> {
        Ok(kill_process(self.pid().ok_or("a process has no id")?, signal)?)
    }

    /// Waits until it has left by itself, in good order.
    pub async fn exit(mut self) -> Result<(), AnyError> {
        let begin = Instant::now();
        while begin.elapsed() < EXIT {
            if let Some(status) = self.child.try_wait()? {
                self.has_left = true;
                return if status.success() { Ok(()) } else { Err(self.complaint(&status.to_string())) };
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Err(self.complaint("it does not leave"))
    }

    fn complaint(&self, what: &str) -> AnyError {
        let said = self.logs.first().and_then(|log| std::fs::read_to_string(log).ok()).unwrap_or_default();
        format!("a server was asked to leave: {what}\n{said}").into()
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// It also appends to this file.
    pub fn also_empties(&mut self, log: PathBuf) {
        self.logs.push(log);
    }

    /// Forgets what it said: a line for every call of every turn would fill the disk. It goes on at the file's new end.
    pub fn empty_logs(&self) -> Result<(), AnyError> {
        self.logs.iter().try_for_each(|log| Ok(File::options().write(true).open(log)?.set_len(0)?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The group has its leader's id, which is not given away before the leader is waited for.
        if let Some(group) = self.pid().filter(|_| !self.has_left) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// An address that nobody listens on. Somebody else could take it before it is used; then starting fails.
pub fn free_address() -> Result<SocketAddr, AnyError> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// A program that was built together with this one.
pub fn sibling(name: &str) -> Result<PathBuf, AnyError> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("`{}` is not built; run `benches/run`, which builds it", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[tokio::test]
    async fn a_server_is_stopped_with_its_children() {
        // Whatever holds the pipe's other end keeps it open: the shell, and the child that it waits for.
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "sleep 600 & wait"]).stdout(writer).process_group(0);
        let child = command.spawn().expect("a shell");
        drop(command);
        let address = listener.local_addr().expect("an address");
        drop(Server { child, has_left: false, address, metrics: None, logs: Vec::new() });
        assert_eq!(reader.read(&mut [0]).expect("the end of the pipe"), 0);
    }

    #[tokio::test]
    async fn a_server_leaves_when_it_is_told_to() {
        let started = |script: &str| {
            let mut command = std::process::Command::new("sh");
            let child = command.args(["-c", script]).process_group(0).spawn().expect("a shell");
            let address = SocketAddr::from(([127, 0, 0, 1], 9));
            Server { child, has_left: false, address, metrics: None, logs: Vec::new() }
        };
        let server = started("exec sleep 600");
        server.signal(Signal::KILL).expect("a process");
        assert!(server.exit().await.is_err(), "not in good order");
        started("exit 0").exit().await.expect("an end in good order");
    }

    #[tokio::test]
    async fn output_of_a_server_is_reported_when_it_does_not_listen() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = Program::new("sh", ["-c", "echo \"no $WHAT\" >&2; exit 1"]).with("WHAT", "luck");
        let address = free_address().expect("a free port");
        let started = program.start(&Cores::any(), address, &folder.path().join("log")).await;
        let said = started.expect_err("nobody listens").to_string();
        assert!(said.ends_with("\nno luck\n"), "{said}");
    }
}
