//! CPU time and memory of a process and its descendants, from `/proc`.

use crate::AnyError;
use std::fs::{read_dir, read_to_string};

/// Where a kernel keeps no nanoseconds: hundredths of a second, on every architecture of Linux that we know.
const TICK_NANOSECONDS: f64 = 1e7;

/// What processes have used so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub cpu_nanoseconds: f64,
    pub memory_mib: f64,
}

/// Of a process and all that descend from it: nginx, uvicorn and Node have workers.
pub fn usage(pid: u32) -> Result<Usage, AnyError> {
    let mut total = Usage::default();
    let mut left = vec![pid];
    while let Some(pid) = left.pop() {
        let status = read_to_string(format!("/proc/{pid}/status"))?;
        total.memory_mib += resident_kib(&status).ok_or("`/proc/PID/status` cannot be read")? / 1024.0;
        let mut exact = None;
        for thread in read_dir(format!("/proc/{pid}/task"))? {
            let thread = thread?.path();
            // A thread may end while it is looked at.
            if let Some(nanoseconds) =
                read_to_string(thread.join("schedstat")).ok().as_deref().and_then(run_time)
            {
                *exact.get_or_insert(0.0) += nanoseconds;
            }
        }
        left.extend(children(pid)?);
        total.cpu_nanoseconds += match exact {
            Some(nanoseconds) => nanoseconds,
            None => {
                let stat = read_to_string(format!("/proc/{pid}/stat"))?;
                ticks(&stat).ok_or("`/proc/PID/stat` cannot be read")? * TICK_NANOSECONDS
            }
        };
    }
    Ok(total)
}

/// Those that a process has started, with any of its threads.
pub fn children(pid: u32) -> Result<Vec<u32>, AnyError> {
    let mut all = Vec::new();
    for thread in read_dir(format!("/proc/{pid}/task"))? {
        let children = read_to_string(thread?.path().join("children")).unwrap_or_default();
        all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    Ok(all)
}

/// Nanoseconds on a core: the first of three numbers.
fn run_time(schedstat: &str) -> Option<f64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

/// User and system time. The name before them is in parentheses and may contain anything.
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
    fn run_time_is_the_first_number() {
        assert_eq!(run_time("123456789 42 7\n"), Some(123_456_789.0));
        assert_eq!(run_time(""), None);
    }

    #[test]
    fn resident_memory_is_found() {
        assert_eq!(resident_kib("VmHWM:\t  99 kB\nVmRSS:\t  2048 kB\n"), Some(2048.0));
    }

    #[test]
    fn this_process_has_used_something() {
        let used = usage(std::process::id()).expect("a process with a place in `/proc`");
        assert!(used.memory_mib > 1.0 && used.cpu_nanoseconds > 0.0, "{used:?}");
    }
}
