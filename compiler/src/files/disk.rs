//! Files on disk: finding specs, reading them within limits, writing whole files or nothing.

use crate::files::{Files, Input, MAX_FILE_BYTES, ReadError, glob};
use mcp_diagnostics::{SourceFile, toml_tree};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Name of the configuration beside specs.
pub const CONFIG_NAME: &str = "mcpc.toml";

/// TOML files that are other tools' and never specs.
const FOREIGN: &[&str] = &[
    "Cargo.toml",
    "Pipfile.toml",
    "book.toml",
    "clippy.toml",
    "deny.toml",
    "edge.toml",
    "netlify.toml",
    "pyproject.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "taplo.toml",
    "wrangler.toml",
];

/// Deepest nesting of folders that is searched.
const MAX_FOLDER_DEPTH: usize = 16;

/// Why the files to check could not be determined.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("`{path}` cannot be read: {why}")]
    Unreadable { path: String, why: String },
    #[error("no tool specs in {0}: expected `*.toml` files; `mcpc init` writes one to start from")]
    NoSpecs(String),
    #[error(
        "two `mcpc.toml` apply, `{0}` and `{1}`; check the folders one by one, or choose with `--config`"
    )]
    TwoConfigs(String, String),
}

/// The real file system; names are paths, relative ones from the working directory.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        read_text(Path::new(name))
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<String, ReadError> {
        let folder = if folder.is_empty() { Path::new(".") } else { Path::new(folder) };
        let path = folder.join(name);
        let unreadable = |error: std::io::Error| ReadError::Unreadable(plain(&error));
        let real = fs::canonicalize(&path).map_err(unreadable)?;
        if !real.starts_with(fs::canonicalize(folder).map_err(unreadable)?) {
            return Err(ReadError::Unreadable("it leads out of the spec's folder".into()));
        }
        read_text(&path)
    }
}

/// Finds the specs of the paths given: files as they are, folders with all TOML files below.
pub fn discover(paths: &[PathBuf], config: Option<&Path>) -> Result<Input, DiscoverError> {
    let mut named = BTreeSet::new();
    let mut found = BTreeSet::new();
    let mut configs = BTreeSet::new();
    for path in paths {
        // A missing path is reported when it is read: the others are still checked.
        let folder = if path.is_dir() {
            search(path, 0, &mut found)?;
            path.clone()
        } else {
            named.insert(display(path));
            path.parent().map(Path::to_path_buf).unwrap_or_default()
        };
        let beside = folder.join(CONFIG_NAME);
        if beside.is_file() {
            configs.insert(display(&beside));
        }
    }
    let config = match config {
        Some(path) => Some(display(path)),
        None => {
            let mut configs = configs.into_iter();
            match (configs.next(), configs.next()) {
                (Some(first), Some(second)) => return Err(DiscoverError::TwoConfigs(first, second)),
                (first, _) => first,
            }
        }
    };
    if let Some(config) = &config {
        let exclude = excluded(Path::new(config));
        found.retain(|name| !is_excluded(name, Path::new(config), &exclude));
        found.remove(config);
    }
    // A configuration named as a spec is still a configuration.
    named.retain(|name| Path::new(name).file_name().is_none_or(|n| n != CONFIG_NAME));
    found.retain(|name| !named.contains(name));
    let specs: BTreeSet<String> = named.union(&found).cloned().collect();
    if specs.is_empty() {
        let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", display(path))).collect();
        return Err(DiscoverError::NoSpecs(paths.join(", ")));
    }
    Ok(Input { specs: specs.into_iter().collect(), found, config })
}

/// The patterns of `exclude`. What is wrong with the file is reported when it is checked.
fn excluded(config: &Path) -> Vec<String> {
    exclude_patterns(&read_text(config).unwrap_or_default())
}

/// The patterns of `exclude` in the text of a configuration.
pub(super) fn exclude_patterns(text: &str) -> Vec<String> {
    let (root, _) = toml_tree::read(text);
    let patterns = root.get("exclude").and_then(|value| value.get_ref().as_array()).unwrap_or_default();
    patterns.iter().filter_map(|pattern| pattern.get_ref().as_str().map(str::to_owned)).collect()
}

/// Whether a pattern fits a file below the folder of the configuration.
fn is_excluded(name: &str, config: &Path, exclude: &[String]) -> bool {
    if exclude.is_empty() {
        return false;
    }
    let folder = match config.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (path, folder) = (real(Path::new(name)), real(folder));
    let Ok(below) = path.strip_prefix(folder) else { return false };
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let below = parts.join("/");
    exclude.iter().any(|pattern| glob::fits(pattern, &below))
}

/// Writes a file as a whole: a reader sees the old content or the new, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8], private: bool) -> std::io::Result<()> {
    Staged::new(path, bytes, private)?.commit()
}

/// A file that is complete beside its place. Without a commit it goes away.
#[derive(Debug)]
pub struct Staged {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl Staged {
    pub fn new(path: &Path, bytes: &[u8], private: bool) -> std::io::Result<Staged> {
        if path.is_dir() {
            return Err(std::io::Error::other("it is a folder"));
        }
        // A link stays a link; what it leads to is written.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".mcpc-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if private { 0o600 } else { 0o644 };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(Staged { file, path })
    }

    /// Puts it in its place.
    pub fn commit(self) -> std::io::Result<()> {
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    /// The same if there is nothing yet.
    fn commit_new(self) -> std::io::Result<()> {
        self.file.persist_noclobber(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Writes a file that is not there yet, as a whole.
pub fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    Staged::new(path, bytes, false)?.commit_new()
}

/// Replaces the text of a file, and keeps its permissions.
pub fn rewrite(path: &Path, text: &str) -> std::io::Result<()> {
    rewrite_if(path, text, |_| true).map(drop)
}

/// The same if a last look at the file, right before, finds that it may be done; `false` if not.
pub fn rewrite_if(path: &Path, text: &str, may: impl FnOnce(&Path) -> bool) -> std::io::Result<bool> {
    let path = &fs::canonicalize(path)?;
    let permissions = fs::metadata(path)?.permissions();
    if permissions.readonly() {
        return Err(std::io::Error::other("it is read-only"));
    }
    let staged = Staged::new(path, text.as_bytes(), false)?;
    staged.file.as_file().set_permissions(permissions)?;
    if !may(path) {
        return Ok(false);
    }
    staged.commit()?;
    Ok(true)
}

/// Why a file must not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("`{0}` is one of the files to be read; choose another output")]
    IsInput(String),
    #[error("`{0}` is not a file; choose another output")]
    NotAFile(String),
}

/// Refuses an output that would destroy an input, or that is not a file.
pub fn refuse_output(output: &Path, input: &Input) -> Result<(), OutputError> {
    if output.as_os_str() == "-" {
        return Err(OutputError::NotAFile("-".into()));
    }
    let Ok(metadata) = fs::metadata(output) else {
        return Ok(());
    };
    let name = display(output);
    if !metadata.is_file() {
        return Err(OutputError::NotAFile(name));
    }
    let real = fs::canonicalize(output).ok();
    let is_same = |file: &String| fs::canonicalize(file).ok() == real;
    if input.specs.iter().chain(&input.config).any(is_same) {
        return Err(OutputError::IsInput(name));
    }
    Ok(())
}

/// A path as people see it: relative to the working directory where it lies below it, with `/`.
pub fn display(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.as_deref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
    let relative = relative.strip_prefix(".").unwrap_or(relative);
    if relative.as_os_str().is_empty() {
        return ".".to_owned();
    }
    let text = relative.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

fn search(folder: &Path, depth: usize, specs: &mut BTreeSet<String>) -> Result<(), DiscoverError> {
    if depth > MAX_FOLDER_DEPTH {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_symlink() && path.is_dir() {
            // It may lead back up.
            continue;
        }
        if path.is_dir() {
            if is_searched(&name) {
                search(&path, depth + 1, specs)?;
            }
        } else if is_found(&name) {
            specs.insert(display(&path));
        }
    }
    Ok(())
}

/// Whether a search looks into a folder of this name.
fn is_searched(name: &str) -> bool {
    !name.starts_with('.') && !matches!(name, "target" | "node_modules")
}

/// Whether a search takes a file of this name for a spec.
fn is_found(name: &str) -> bool {
    !name.starts_with('.') && name.ends_with(".toml") && name != CONFIG_NAME && !FOREIGN.contains(&name)
}

/// Whether a search of a folder takes the file with this path below it for a spec.
pub(super) fn is_found_below(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').map_or(("", path), |(folders, name)| (folders, name));
    let mut folders = folders.split('/').filter(|folder| !folder.is_empty());
    is_found(name) && folders.clone().count() <= MAX_FOLDER_DEPTH && folders.all(is_searched)
}

fn read_text(path: &Path) -> Result<String, ReadError> {
    let unreadable = |error: std::io::Error| ReadError::Unreadable(plain(&error));
    // Before it is opened: opening a pipe waits until someone writes to it.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() && !metadata.is_dir() {
        let why = "it is a pipe or a device, not a regular file; `mcpc check -` reads standard input";
        return Err(ReadError::Unreadable(why.into()));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(ReadError::TooLarge(metadata.len()));
    }
    read_all(fs::File::open(path).map_err(unreadable)?, metadata.len())
}

/// Reads standard input as if it were a file.
pub fn read_stdin() -> Result<String, ReadError> {
    read_all(std::io::stdin().lock(), 0)
}

fn read_all(from: impl Read, size: u64) -> Result<String, ReadError> {
    let unreadable = |error: std::io::Error| ReadError::Unreadable(plain(&error));
    // A file may grow while we read it.
    let mut bytes = Vec::with_capacity(size as usize);
    from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ReadError::TooLarge(bytes.len() as u64));
    }
    if bytes.starts_with(&mcp_bundle::format::MAGIC) {
        let why = "it is a bundle, not a spec; `mcpc inspect` shows what is in it";
        return Err(ReadError::Unreadable(why.into()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let valid = String::from_utf8_lossy(valid).into_owned();
        let end = valid.len();
        ReadError::InvalidUtf8(SourceFile::new("", valid).location(end))
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> DiscoverError {
    DiscoverError::Unreadable { path: display(path), why: plain(error) }
}

/// An IO error without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_and_foreign_files_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in
            ["b.toml", "a/c.toml", "Cargo.toml", ".hidden/x.toml", "target/y.toml", "note.txt", "mcpc.toml"]
        {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let input = discover(&[root.to_path_buf()], None).unwrap();
        let names: Vec<_> = input
            .specs
            .iter()
            .map(|s| Path::new(s).strip_prefix(root).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a/c.toml", "b.toml"]);
        assert!(input.config.unwrap().ends_with("mcpc.toml"));
    }

    #[test]
    fn excluded_files_are_left_out_of_a_search_and_not_when_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("mcpc.toml"), "exclude = [\"drafts\", \"*.test.toml\"]\n").unwrap();
        fs::create_dir(root.join("drafts")).unwrap();
        for name in ["a.toml", "a.test.toml", "drafts/b.toml"] {
            fs::write(root.join(name), "").unwrap();
        }
        let names = |paths: &[PathBuf]| {
            let input = discover(paths, None).unwrap();
            let below = |name: &String| Path::new(name).strip_prefix(root).unwrap().display().to_string();
            input.specs.iter().map(below).collect::<Vec<_>>()
        };
        assert_eq!(names(&[root.to_path_buf()]), ["a.toml"]);
        assert_eq!(names(&[root.to_path_buf(), root.join("drafts/b.toml")]), ["a.toml", "drafts/b.toml"]);
    }

    #[test]
    fn a_configuration_is_never_a_spec() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("strict.toml");
        fs::write(&config, "[rules]\n").unwrap();
        fs::write(folder.path().join("a.toml"), "").unwrap();
        let input = discover(&[folder.path().to_path_buf()], Some(&config)).unwrap();
        assert_eq!(input.specs.len(), 1, "{:?}", input.specs);
    }

    #[test]
    fn a_file_given_twice_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let spec = folder.path().join("a.toml");
        fs::write(&spec, "").unwrap();
        let input = discover(&[spec.clone(), folder.path().to_path_buf(), spec], None).unwrap();
        assert_eq!(input.specs.len(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        fs::create_dir(&target).unwrap();
        assert!(write_atomically(&target, b"x", false).is_err());
        assert!(target.is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing left behind");
    }
}
