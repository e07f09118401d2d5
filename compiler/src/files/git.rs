//! Files of a revision in a git repository, read through the `git` program.
//!
//! Nothing is checked out and nothing is fetched. Names are paths from the working directory, as on disk.

use super::disk::{self, CONFIG_NAME};
use super::{Files, Input, MAX_FILE_BYTES, ReadError, glob, join};
use mcp_diagnostics::SourceFile;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The longest list of files that is read.
const MAX_LIST_BYTES: u64 = 64 << 20;
/// The longest message of git that is shown.
const MAX_MESSAGE: usize = 400;

/// Why a revision cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("`{0}` is not a revision: write `git:REV:PATH`, such as `git:main:specs`")]
    NotARevision(String),
    #[error("the program `git` cannot be started: {0}; install it, or compare with a folder or a bundle")]
    NoGit(String),
    #[error("git does not know revision `{0}` in this folder: {1}")]
    UnknownRevision(String, String),
    #[error("revision `{rev}` has no `{path}`")]
    NoPath { rev: String, path: String },
    #[error("git cannot list revision `{0}`: {1}")]
    NoList(String, String),
    #[error("`{rev}:{path}` has no tool specs: expected `*.toml` files")]
    NoSpecs { rev: String, path: String },
}

/// The files below a path of a revision.
#[derive(Debug)]
pub struct GitFiles {
    path: String,
    rev: String,
    blobs: BTreeMap<String, Blob>,
    reader: RefCell<Option<Reader>>,
}

#[derive(Debug)]
struct Blob {
    id: String,
    size: u64,
}

/// A `git cat-file --batch`, which ends when its input does.
#[derive(Debug)]
struct Reader {
    child: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl GitFiles {
    /// Lists what is at a path; an empty one is the working directory's.
    pub fn open(rev: &str, path: &str) -> Result<GitFiles, GitError> {
        if rev.is_empty() || rev.starts_with('-') {
            return Err(GitError::NotARevision(rev.to_owned()));
        }
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let path = if path.is_empty() { "." } else { path };
        let commit = run(&["rev-parse", "--verify", "--quiet", &format!("{rev}^{{commit}}")])?
            .map_err(|why| GitError::UnknownRevision(rev.to_owned(), why))?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let list = |path: &str| -> Result<BTreeMap<String, Blob>, GitError> {
            let list = run(&["ls-tree", "-r", "-z", "-l", &commit, "--", path])?
                .map_err(|why| GitError::NoList(rev.to_owned(), why))?;
            Ok(list.split(|byte| *byte == 0).filter_map(blob).collect())
        };
        let mut blobs = list(path)?;
        if blobs.contains_key(path) {
            // What a spec reads is beside it.
            blobs = list(path.rsplit_once('/').map_or(".", |(folder, _)| folder))?;
        }
        if blobs.is_empty() {
            return Err(GitError::NoPath { rev: rev.to_owned(), path: path.to_owned() });
        }
        Ok(GitFiles { path: path.to_owned(), rev: rev.to_owned(), blobs, reader: RefCell::new(None) })
    }

    /// The bytes of the path itself, if it is a file.
    pub fn bytes(&self) -> Option<Result<Vec<u8>, ReadError>> {
        let blob = self.blobs.get(&self.path)?;
        Some(self.read_blob(blob))
    }

    /// What a check of the path reads: the file that it is, or the specs below it.
    pub fn input(&self) -> Result<Input, GitError> {
        let (folder, specs) = match self.blobs.contains_key(&self.path) {
            true => (self.path.rsplit_once('/').map_or("", |(folder, _)| folder), vec![self.path.clone()]),
            false if self.path == "." => ("", self.specs_below("")),
            false => (self.path.as_str(), self.specs_below(&self.path)),
        };
        let config = Some(join(folder, CONFIG_NAME)).filter(|name| self.blobs.contains_key(name));
        let exclude = config.as_ref().and_then(|name| self.read(name).ok()).unwrap_or_default();
        let exclude = disk::exclude_patterns(&exclude);
        let is_named = specs.len() == 1 && specs.first() == Some(&self.path);
        let below = |name: &str| match folder {
            "" => name.to_owned(),
            folder => name.strip_prefix(folder).unwrap_or(name).trim_start_matches('/').to_owned(),
        };
        let is_kept =
            |name: &String| is_named || !exclude.iter().any(|pattern| glob::fits(pattern, &below(name)));
        let specs: Vec<String> = specs.into_iter().filter(is_kept).collect();
        if specs.is_empty() {
            return Err(GitError::NoSpecs { rev: self.rev.clone(), path: self.path.clone() });
        }
        let found = if is_named { BTreeSet::new() } else { specs.iter().cloned().collect() };
        Ok(Input { specs, found, config })
    }

    fn specs_below(&self, folder: &str) -> Vec<String> {
        let names = self.blobs.keys().filter(|name| {
            let below = if folder.is_empty() { Some(name.as_str()) } else { name.strip_prefix(folder) };
            below.is_some_and(|below| disk::is_found_below(below.trim_start_matches('/')))
        });
        names.cloned().collect()
    }

    fn read_blob(&self, blob: &Blob) -> Result<Vec<u8>, ReadError> {
        if blob.size > MAX_FILE_BYTES {
            return Err(ReadError::TooLarge(blob.size));
        }
        let broken = |why: String| ReadError::Unreadable(format!("git cannot read it: {why}"));
        let mut reader = self.reader.borrow_mut();
        if reader.is_none() {
            *reader = Some(Reader::start().map_err(|error| broken(disk::plain(&error)))?);
        }
        let found = reader.as_mut().map(|reader| reader.read(blob));
        found.unwrap_or_else(|| Ok(Vec::new())).map_err(|error| broken(disk::plain(&error)))
    }
}

impl Files for GitFiles {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        let Some(blob) = self.blobs.get(name) else {
            return Err(ReadError::Unreadable(format!("revision `{}` has no such file", self.rev)));
        };
        String::from_utf8(self.read_blob(blob)?).map_err(|error| {
            let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let valid = String::from_utf8_lossy(valid).into_owned();
            let end = valid.len();
            ReadError::InvalidUtf8(SourceFile::new("", valid).location(end))
        })
    }
}

impl Reader {
    fn start() -> std::io::Result<Reader> {
        let mut child = git(&["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (asks, answers) = (child.stdin.take(), child.stdout.take());
        let answers = answers.ok_or_else(|| std::io::Error::other("git has no output"))?;
        Ok(Reader { child, asks, answers: BufReader::new(answers) })
    }

    fn read(&mut self, blob: &Blob) -> std::io::Result<Vec<u8>> {
        let unexpected = || std::io::Error::other("git gives something else");
        if let Some(asks) = &mut self.asks {
            writeln!(asks, "{}", blob.id)?;
            asks.flush()?;
        }
        let mut line = String::new();
        (&mut self.answers).take(MAX_MESSAGE as u64).read_line(&mut line)?;
        // `ID blob SIZE`, the bytes, and a line end.
        let size =
            line.trim_end().strip_prefix(&format!("{} blob ", blob.id)).and_then(|size| size.parse().ok());
        if size != Some(blob.size) {
            return Err(unexpected());
        }
        let mut bytes = Vec::new();
        (&mut self.answers).take(blob.size + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != blob.size + 1 || bytes.pop() != Some(b'\n') {
            return Err(unexpected());
        }
        Ok(bytes)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Without input it ends.
        self.asks = None;
        let _ = self.child.wait();
    }
}

/// A line of `git ls-tree -l`: `MODE TYPE ID SIZE` and, after a tab, the path. Links and modules of others are left out.
fn blob(line: &[u8]) -> Option<(String, Blob)> {
    let (head, name) = std::str::from_utf8(line).ok()?.split_once('\t')?;
    let mut words = head.split_ascii_whitespace();
    let (mode, kind, id, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let is_file = kind == "blob" && mode.starts_with("100");
    is_file.then(|| Some((name.to_owned(), Blob { id: id.to_owned(), size: size.parse().ok()? })))?
}

/// Git neither asks a person nor fetches what is not there.
fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// What git prints, or its message.
fn run(arguments: &[&str]) -> Result<Result<Vec<u8>, String>, GitError> {
    let failed = |error: std::io::Error| GitError::NoGit(disk::plain(&error));
    let mut child = git(arguments).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut out = Vec::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.take(MAX_LIST_BYTES + 1).read_to_end(&mut out).map_err(failed)?;
    }
    if out.len() as u64 > MAX_LIST_BYTES {
        let _ = child.kill();
        let _ = child.wait();
        return Ok(Err("it has too many files".to_owned()));
    }
    // Its messages are short: they fit the pipe.
    let done = child.wait_with_output().map_err(failed)?;
    if done.status.success() {
        return Ok(Ok(out));
    }
    let message = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    let message: String = message.lines().next().unwrap_or_default().chars().take(MAX_MESSAGE).collect();
    Ok(Err(if message.is_empty() { "there is no such commit".to_owned() } else { message }))
}
