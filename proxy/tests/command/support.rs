//! Runs the built command.

use mcp_bundle::format;
use mcp_bundle::plan::Contents;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn run(arguments: &[&str]) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-edge")).args(arguments).output().unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a file that only its owner can read, as keys must be.
pub fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    allow(&path, 0o600);
    path
}

/// Sets who may read a file.
pub fn allow(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub fn bundle(variables: &[&str]) -> Vec<u8> {
    let mut builder = mcp_bundle::strings::PoolBuilder::new();
    let mut contents = Contents::default();
    contents.manifest.name = builder.intern("one");
    contents.manifest.variables = variables.iter().map(|name| builder.intern(name)).collect();
    contents.strings = builder.finish();
    format::write(&contents).unwrap()
}

/// A process that serves until it is asked to shut down, or dropped.
pub struct Edge {
    pub child: Child,
    pub lines: BufReader<ChildStderr>,
    pub told: String,
}

impl Edge {
    pub fn start(arguments: &[&str]) -> Edge {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
        let mut child = command.args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Edge { child, lines, told: String::new() }
    }

    /// Waits for a line that contains this.
    pub fn line(&mut self, part: &str) -> String {
        loop {
            let mut line = String::new();
            let length = self.lines.read_line(&mut line).unwrap();
            self.told.push_str(&line);
            assert!(length > 0, "no `{part}` in:\n{}", self.told);
            if line.contains(part) {
                return line;
            }
        }
    }

    /// The address in the line that begins with this.
    pub fn address(&mut self, fact: &str) -> String {
        let line = self.line(fact);
        line.split("://").nth(1).unwrap().split('/').next().unwrap().to_owned()
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// The exit code and everything that was printed.
    pub fn end(mut self) -> (i32, String) {
        self.lines.read_to_string(&mut self.told).unwrap();
        (self.child.wait().unwrap().code().unwrap(), std::mem::take(&mut self.told))
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
