//! Server processes: started on a free port, measured from outside, stopped when dropped.

use crate::Failure;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(20);
/// The kernel tells CPU time in hundredths of a second on every architecture of Linux that we know.
const TICKS_A_SECOND: f64 = 100.0;

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

/// Which cores servers run on.
#[derive(Debug, Clone)]
pub struct Cores(Option<String>);

/// What a server has used so far.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    pub cpu_seconds: f64,
    pub memory_mib: f64,
}

impl Server {
    /// Starts `program` and waits until it listens on `address`. What it says is kept in `log`.
    pub async fn start(
        program: &Path,
        arguments: &[String],
        environment: &[(&str, &str)],
        cores: &Cores,
        address: SocketAddr,
        log: &Path,
    ) -> Result<Server, Failure> {
        let mut command = cores.command(program);
        command.args(arguments).envs(environment.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
        let child =
            command.spawn().map_err(|error| format!("`{}` cannot be started: {error}", program.display()))?;
        let mut server = Server { child, address };
        let begin = Instant::now();
        while tokio::net::TcpStream::connect(address).await.is_err() {
            let left = server.child.try_wait()?;
            if left.is_some() || begin.elapsed() > START {
                let said = std::fs::read_to_string(log).unwrap_or_default();
                return Err(format!("`{}` does not listen on {address}:\n{said}", program.display()).into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(server)
    }

    /// CPU time and memory of the process and its children: nginx has workers.
    pub fn usage(&self) -> Result<Usage, Failure> {
        let mut total = Usage { cpu_seconds: 0.0, memory_mib: 0.0 };
        for pid in std::iter::once(self.child.id().to_string()).chain(self.children()?) {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
            total.cpu_seconds += ticks(&stat).ok_or("`/proc/PID/stat` cannot be read")? / TICKS_A_SECOND;
            total.memory_mib += resident_kib(&status).ok_or("`/proc/PID/status` cannot be read")? / 1024.0;
        }
        Ok(total)
    }

    fn children(&self) -> Result<Vec<String>, Failure> {
        let pid = self.child.id();
        let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that is killed leaves its children behind, so one that has any is asked to leave first.
        if self.children().is_ok_and(|children| !children.is_empty()) {
            let asked = Command::new("kill").arg(self.child.id().to_string()).status();
            if asked.is_ok_and(|status| status.success()) && self.child.wait().is_ok() {
                return;
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Cores {
    /// The servers under test get the first `threads` cores, everyone else the others; nobody is bound if that leaves
    /// nothing for the others, or if there is no `taskset`.
    pub fn split(threads: usize) -> (Cores, Cores) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if threads >= cores || Command::new("taskset").arg("-V").stdout(Stdio::null()).status().is_err() {
            return (Cores(None), Cores(None));
        }
        let list = |first: usize, last: usize| Cores(Some(format!("{first}-{last}")));
        (list(0, threads - 1), list(threads, cores - 1))
    }

    /// Binds this process. Threads that are started later follow it.
    pub fn bind_this_process(&self) -> Result<(), Failure> {
        let Some(list) = &self.0 else { return Ok(()) };
        let pid = std::process::id().to_string();
        let status = Command::new("taskset").args(["-c", "-p", list, &pid]).stdout(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err("`taskset` cannot bind this process".into()) }
    }

    /// Starts `program` there.
    pub fn command(&self, program: &Path) -> Command {
        match &self.0 {
            None => Command::new(program),
            Some(list) => {
                let mut command = Command::new("taskset");
                command.args(["-c", list]).arg(program);
                command
            }
        }
    }
}

impl std::fmt::Display for Cores {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.as_deref().unwrap_or("any"))
    }
}

/// An address that nobody listens on. Somebody else could take it before it is used; then starting fails.
pub fn free_address() -> Result<SocketAddr, Failure> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// A program that was built together with this one.
pub fn sibling(name: &str) -> Result<PathBuf, Failure> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("`{}` is not built; run `just load`, which builds it", path.display()).into())
}

/// User and system time. The name before them stands in parentheses and may hold anything.
fn ticks(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn resident_kib(status: &str) -> Option<f64> {
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "7 (a) (b c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 3 0 100 1000 50";
        assert_eq!(ticks(stat), Some(300.0));
        assert_eq!(ticks("7 (a"), None);
    }

    #[test]
    fn resident_memory_is_found() {
        assert_eq!(resident_kib("VmHWM:\t  99 kB\nVmRSS:\t  2048 kB\n"), Some(2048.0));
    }
}
