//! Runs the real command in a folder of its own.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "what fails here fails the test")]
#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses what it needs")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

pub struct Workplace {
    folder: tempfile::TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A spec without any finding.
pub const CLEAN: &str = r#"
[[tool]]
name = "get_order"
description = "Gets one order of one user."
method = "GET"
endpoint = "https://api.example.com/orders/{orderId}"

[[tool.parameters]]
name = "orderId"
description = "Id of the order"
required = true
position = "path"

[[tool.examples]]
arguments = { orderId = "42" }
"#;

impl Workplace {
    pub fn new() -> Workplace {
        Workplace { folder: tempfile::tempdir().unwrap() }
    }

    /// A place with `spec.toml`.
    pub fn with_spec(text: impl AsRef<[u8]>) -> Workplace {
        let place = Workplace::new();
        place.write("spec.toml", text);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files here, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        let output = self.command(arguments).output().unwrap();
        Done {
            code: output.status.code().expect("it was not killed by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpc"));
        command.current_dir(self.folder.path()).args(arguments).stdin(Stdio::null());
        command
    }
}
