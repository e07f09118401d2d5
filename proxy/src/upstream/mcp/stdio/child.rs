//! A process with all its descendants: started in a group of its own, and ended with it.

use crate::programs::Program;
use crate::upstream::mcp::{McpCode, McpFailure};
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::{ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, ChildStdout, Command};
use tokio::time::timeout;

/// A running program. Dropping it kills the whole group.
#[derive(Debug)]
pub(super) struct Child {
    process: tokio::process::Child,
    group: Group,
}

/// Where a child's words come from.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// The processes that belong to a child, as long as they are there for it.
#[derive(Debug)]
struct Group(Option<Pid>);

/// The groups of this process.
#[derive(Debug)]
struct Groups {
    known: Mutex<Known>,
    /// One is gone.
    gone: Condvar,
}

#[derive(Debug)]
struct Known {
    running: Vec<Pid>,
    /// This process ends, so nothing is started any more.
    is_ending: bool,
}

static GROUPS: Groups =
    Groups { known: Mutex::new(Known { running: Vec::new(), is_ending: false }), gone: Condvar::new() };

/// Ends all children, because this process ends. Those that do not end when they are asked are killed after `limit`.
pub(crate) fn end_all(limit: Duration) {
    let mut known = GROUPS.lock();
    known.is_ending = true;
    known.running.iter().for_each(|group| send(*group, Signal::TERM));
    let waited = GROUPS.gone.wait_timeout_while(known, limit, |known| !known.running.is_empty());
    let (known, _) = waited.unwrap_or_else(PoisonError::into_inner);
    known.running.iter().for_each(|group| send(*group, Signal::KILL));
}

impl Child {
    /// Also the end of the pipe that it listens to.
    pub(super) fn start(program: &Program) -> Result<(Child, Pipes, pipe::Sender), McpFailure> {
        let unreachable = |reason: String| McpFailure::new(McpCode::Unreachable, reason);
        let file = program.find().map_err(|error| unreachable(error.to_string()))?;
        let mut command = Command::new(file);
        command
            .args(&program.args)
            .env_clear()
            .envs(program.environment(|name| std::env::var_os(name)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What a terminal sends to the edge is not for its children, and they end together.
            .process_group(0)
            .kill_on_drop(true);
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let failed = |error: std::io::Error| unreachable(format!("the program cannot be started: {error}"));
        let (mut process, group) = GROUPS.spawn(&mut command).map_err(failed)?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let child = Child { process, group };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(unreachable("the program has no pipes".to_owned()));
        };
        let stdin = stdin.into_owned_fd().and_then(pipe::Sender::from_owned_fd).map_err(failed)?;
        Ok((child, Pipes { stdout, stderr }, stdin))
    }

    /// Waits until the program has ended. Its descendants may still run. Safe to cancel.
    pub(super) async fn ended(&mut self) -> Option<ExitStatus> {
        self.process.wait().await.ok()
    }

    /// Ends the program and its descendants. Its input is closed already: that is the polite way to ask it. `each` is how
    /// long it may take for that, and again for a signal.
    pub(super) async fn end(&mut self, each: Duration) {
        if timeout(each, self.process.wait()).await.is_err() {
            self.group.send(Signal::TERM);
            let _ = timeout(each, self.process.wait()).await;
        }
        self.kill();
        let _ = self.process.wait().await;
        // From now on another group may have its number.
        self.group.forget();
    }

    /// Kills the program and its descendants.
    pub(super) fn kill(&self) {
        self.group.send(Signal::KILL);
    }
}

impl Groups {
    fn spawn(&self, command: &mut Command) -> std::io::Result<(tokio::process::Child, Group)> {
        // While one is started, nobody ends all of them.
        let mut known = self.lock();
        if known.is_ending {
            return Err(std::io::Error::other("the edge ends"));
        }
        let process = command.spawn()?;
        let id = process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        known.running.extend(id);
        Ok((process, Group(id)))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    fn send(&self, signal: Signal) {
        if let Some(group) = self.0 {
            send(group, signal);
        }
    }

    fn forget(&mut self) {
        if let Some(group) = self.0.take() {
            GROUPS.lock().running.retain(|known| *known != group);
            GROUPS.gone.notify_all();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::KILL);
        self.forget();
    }
}

/// A group without members is no error: that is how it should end.
fn send(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}
