//! The real commands.

use crate::{Answer, Client, LONG};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

/// A running command; killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    said: Arc<Said>,
    reader: Option<JoinHandle<()>>,
}

/// What it wrote to its standard error.
#[derive(Debug, Default)]
struct Said {
    text: Mutex<(Vec<String>, bool)>,
    changed: Condvar,
}

/// A binary of the workspace, which lies beside the test's own folder.
pub fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join(name);
    assert!(path.is_file(), "run the tests of the whole workspace: `{}` is not built", path.display());
    path
}

/// Builds a bundle of a spec with the real compiler, and puts it into its place in one step.
pub fn build(spec_text: &str, bundle: &Path) {
    let spec = bundle.with_extension("toml");
    std::fs::write(&spec, spec_text).unwrap();
    let built = Command::new(binary("mcpc")).arg("build").arg(spec).arg("-o").arg(bundle).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Starts the proxy.
pub fn mcp_edge<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Process {
    start("mcp-edge", arguments)
}

/// Starts a binary of the workspace; examples are in the folder of that name.
pub fn start<A: AsRef<OsStr>>(name: &str, arguments: impl IntoIterator<Item = A>) -> Process {
    let mut command = Command::new(binary(name));
    command.args(arguments);
    run(command)
}

/// The same with a limit of open files.
pub fn start_with_files<A: AsRef<OsStr>>(
    name: &str,
    files: u32,
    arguments: impl IntoIterator<Item = A>,
) -> Process {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -n {files} && exec \"$@\"")).arg("sh").arg(binary(name));
    command.args(arguments);
    run(command)
}

fn run(mut command: Command) -> Process {
    command.env("TOKEN", crate::TOKEN);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = Arc::<Said>::default();
    let heard = Arc::clone(&said);
    let reader = std::thread::spawn(move || {
        lines.map_while(Result::ok).for_each(|line| heard.change(|(lines, _)| lines.push(line)));
        heard.change(|(_, ended)| *ended = true);
    });
    Process { child, said, reader: Some(reader) }
}

impl Process {
    /// Where it serves.
    pub fn address(&self) -> SocketAddr {
        self.place("listening").trim_end_matches("/mcp").parse().unwrap()
    }

    /// Where it is looked after.
    pub fn admin(&self) -> SocketAddr {
        self.place("admin").trim_end_matches('/').parse().unwrap()
    }

    /// What follows `http://` in the line of that name, as text or as JSON.
    fn place(&self, name: &str) -> String {
        let text = format!("{name:<9}  http://");
        let json = format!("\"message\":\"{name}\",\"url\":\"http://");
        let found = self.said.wait(|lines, _| {
            lines.iter().find_map(|line| {
                let (_, rest) = line.split_once(&text).or_else(|| line.split_once(&json))?;
                rest.split('"').next().map(str::to_owned)
            })
        });
        found.unwrap_or_else(|| panic!("it did not say where `{name}` is but:\n{}", self.log()))
    }

    /// Sends a request to the admin listener.
    pub fn ask_admin(&self, request: impl AsRef<[u8]>) -> Answer {
        Client::connect(self.admin()).ask(request)
    }

    /// Waits for a line with this in it, and returns what follows.
    pub fn told(&self, start: &str) -> String {
        let found = self.said.wait(|lines, _| {
            lines.iter().find_map(|line| line.split_once(start)).map(|(_, rest)| rest.to_owned())
        });
        found.unwrap_or_else(|| panic!("it did not say `{start}` but:\n{}", self.log()))
    }

    /// All that it has said so far.
    pub fn log(&self) -> String {
        self.said.text.lock().unwrap().0.join("\n")
    }

    /// A line of `/proc/PID/status` about memory, in KiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id();
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {id}")).status().unwrap();
        assert!(sent.success());
    }

    /// It has left already.
    pub fn has_left(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until it has left.
    pub fn exit(&mut self) -> ExitStatus {
        let ended = self.said.wait(|_, ended| ended.then_some(()));
        assert!(ended.is_some(), "it does not leave:\n{}", self.log());
        self.child.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.reader.take().map(JoinHandle::join);
    }
}

impl Said {
    fn change(&self, change: impl FnOnce(&mut (Vec<String>, bool))) {
        change(&mut self.text.lock().unwrap());
        self.changed.notify_all();
    }

    /// `None` if it took too long or cannot come any more.
    fn wait<T>(&self, mut ready: impl FnMut(&[String], bool) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + LONG;
        let mut text = self.text.lock().unwrap();
        loop {
            let (lines, ended) = &*text;
            let found = ready(lines, *ended);
            let left = deadline.saturating_duration_since(Instant::now());
            if found.is_some() || *ended || left.is_zero() {
                return found;
            }
            text = self.changed.wait_timeout(text, left).unwrap().0;
        }
    }
}
