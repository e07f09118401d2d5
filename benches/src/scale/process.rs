//! Processes that are measured from outside and end with what holds them.

use crate::AnyError;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

/// A running process; killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

/// What `/proc/PID/status` says of memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    pub resident_kib: f64,
    /// The part that is not backed by a file; the program itself is.
    pub anonymous_kib: f64,
    /// The most that was resident at once.
    pub peak_kib: f64,
}

impl Process {
    /// What it says on stderr is kept in `log`.
    pub fn start(command: &mut Command, log: &Path) -> Result<Process, AnyError> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
        Ok(Process { child: spawn(command)?, log: log.to_owned() })
    }

    /// An error with its last words, if it is not running any more.
    pub fn check(&mut self) -> Result<(), AnyError> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(format!("a process ended with {status}:\n{}", self.said()).into()),
        }
    }

    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Of all its threads that live.
    pub fn cpu_seconds(&self) -> Result<f64, AnyError> {
        let mut nanoseconds = 0.0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            nanoseconds += run_time(&text).ok_or("`schedstat` cannot be read")?;
        }
        Ok(nanoseconds / 1e9)
    }

    pub fn memory(&self) -> Result<Memory, AnyError> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        memory_of(&text).ok_or_else(|| "`/proc/PID/status` cannot be read".into())
    }

    /// Memory in pages of 2 MiB, which are resident as a whole. `None` where the kernel does not
    /// report it.
    pub fn huge_pages_kib(&self) -> Option<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id())).ok()?;
        kib(&text, "AnonHugePages:")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end and gives what it printed. It is killed if nobody waits for that any more.
pub async fn output(command: &mut Command) -> Result<String, AnyError> {
    let mut child = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let pipe = child.stdout.take().ok_or("a command has no output")?;
    let mut process = Process { child, log: PathBuf::new() };
    let mut text = String::new();
    Receiver::from_owned_fd(OwnedFd::from(pipe))?.read_to_string(&mut text).await?;
    let status = process.child.wait()?;
    if status.success() { Ok(text) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// Memory of this process.
pub fn own_memory() -> Result<Memory, AnyError> {
    memory_of(&std::fs::read_to_string("/proc/self/status")?).ok_or_else(|| "no memory in `status`".into())
}

/// How many files a process like this one may have open.
pub fn open_files_limit() -> Result<usize, AnyError> {
    let text = std::fs::read_to_string("/proc/self/limits")?;
    open_files(&text).ok_or_else(|| "`/proc/self/limits` cannot be read".into())
}

fn spawn(command: &mut Command) -> Result<Child, AnyError> {
    command.spawn().map_err(|error| format!("{command:?} cannot be started: {error}").into())
}

fn run_time(schedstat: &str) -> Option<f64> {
    schedstat.split(' ').next()?.parse().ok()
}

fn memory_of(status: &str) -> Option<Memory> {
    Some(Memory {
        resident_kib: kib(status, "VmRSS:")?,
        anonymous_kib: kib(status, "RssAnon:")?,
        peak_kib: kib(status, "VmHWM:")?,
    })
}

/// The figure of a line.
fn kib(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found_in_a_status() {
        let status = "Name:\tx\nVmHWM:\t  99 kB\nVmRSS:\t  64 kB\nRssAnon:\t  40 kB\n";
        assert_eq!(
            memory_of(status),
            Some(Memory { resident_kib: 64.0, anonymous_kib: 40.0, peak_kib: 99.0 })
        );
        assert_eq!(memory_of("VmRSS:\t  64 kB\n"), None);
    }

    #[test]
    fn the_soft_limit_of_open_files_is_found() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files     1024    4096     files\n";
        assert_eq!(open_files(limits), Some(1024));
        assert_eq!(open_files("Max open files  unlimited unlimited files"), Some(usize::MAX));
    }

    #[test]
    fn run_time_is_the_first_figure() {
        assert_eq!(run_time("12345 678 9\n"), Some(12345.0));
    }

    #[tokio::test]
    async fn output_is_that_of_a_command_that_succeeds() {
        let said = output(Command::new("echo").arg("hello")).await.expect("echo");
        assert_eq!(said, "hello\n");
        assert!(output(&mut Command::new("false")).await.is_err());
    }

    #[tokio::test]
    async fn a_process_ends_with_its_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let process =
            Process::start(Command::new("sleep").arg("600"), &folder.path().join("log")).expect("sleep");
        let path = format!("/proc/{}", process.child.id());
        assert!(Path::new(&path).exists());
        drop(process);
        assert!(!Path::new(&path).exists());
    }
}
