//! A terminal for a command that asks a person: what it shows, and the keys that are pressed.

use crate::{LONG, binary};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

/// `mcpc` on a terminal of its own.
#[derive(Debug)]
pub struct Terminal {
    script: Child,
    said: Receiver<Vec<u8>>,
    text: String,
}

impl Terminal {
    /// `arguments` are words for a shell.
    pub fn start(folder: &Path, arguments: &str) -> Terminal {
        let command = format!("stty rows 40 cols 100 && exec '{}' {arguments}", binary("mcpc").display());
        let mut script = Command::new("script");
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            script.env_remove(name);
        }
        let mut script = script
            .args(["--quiet", "--return", "--command", &command, "/dev/null"])
            .env("SHELL", "/bin/sh")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = script.stdout.take().unwrap();
        let (sender, said) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = out.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { script, said, text: String::new() }
    }

    /// Waits until this is shown.
    pub fn wait(&mut self, text: &str) {
        while !self.text.contains(text) {
            let more =
                self.said.recv_timeout(LONG).unwrap_or_else(|_| panic!("no {text:?} in {}", self.text));
            self.text.push_str(&String::from_utf8_lossy(&more));
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.script.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// The exit code, and all that was shown.
    pub fn end(mut self) -> (i32, String) {
        loop {
            match self.said.recv_timeout(LONG) {
                Ok(more) => self.text.push_str(&String::from_utf8_lossy(&more)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.text),
            }
        }
        (self.script.wait().unwrap().code().unwrap(), std::mem::take(&mut self.text))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}
