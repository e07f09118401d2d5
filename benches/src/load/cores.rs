//! Which cores servers and generator run on.

use crate::AnyError;
use std::path::Path;
use std::process::{Command, Stdio};

/// A list of cores for `taskset`; `None` for any.
#[derive(Debug, Clone)]
pub struct Cores(Option<String>);

impl Cores {
    pub const fn any() -> Cores {
        Cores(None)
    }

    /// The servers under test get the first `threads` cores, everyone else the others; nobody is bound if that leaves
    /// nothing for the others, or if there is no `taskset`.
    pub fn split(threads: usize) -> (Cores, Cores) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if threads >= cores || Command::new("taskset").arg("-V").stdout(Stdio::null()).status().is_err() {
            return (Cores::any(), Cores::any());
        }
        let list = |first: usize, last: usize| {
            Cores(Some(if first == last { first.to_string() } else { format!("{first}-{last}") }))
        };
        (list(0, threads - 1), list(threads, cores - 1))
    }

    /// Binds this process. Threads that are started later follow it.
    pub fn bind_this_process(&self) -> Result<(), AnyError> {
        let Some(list) = &self.0 else { return Ok(()) };
        let pid = std::process::id().to_string();
        let status = Command::new("taskset").args(["-c", "-p", list, &pid]).stdout(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err("`taskset` cannot bind this process".into()) }
    }

    /// `taskset` becomes the program: the process is the same.
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
