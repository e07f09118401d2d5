//! Programs that are MCP servers: which run, and with what environment. Only the place says so, never a bundle.

use mcp_bundle::origin::{self, Piece};
use mcp_diagnostics::mcp_servers;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// A program that the place has named. As it is written, arguments and values of the environment may hold `${NAME}` and
/// `${NAME:-default}`; [`Program::resolve`] puts their values there.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// A name to look for, or a path.
    pub command: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Where it runs; `None`: where the edge does.
    pub directory: Option<PathBuf>,
    /// Calls that it works on at the same time.
    pub calls_at_once: usize,
    /// Whether it is started again when it has ended by itself.
    pub restart: bool,
}

/// Why a program cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    #[error("there is no program `{0}` on `PATH`")]
    NotOnPath(String),
    #[error("there is no program `{0}`")]
    NotThere(String),
    #[error("`{0}` is not a program: it is a folder, or nobody may run it")]
    NotExecutable(String),
    #[error("there is no folder `{0}` to run it in")]
    NoFolder(String),
}

/// What a program gets of the edge's own environment. All else may be secret, so it is only what `env` says.
pub const INHERITED: [&str; 11] =
    ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

impl Program {
    /// One of a `mcpServers` file that lies in this folder.
    pub fn of_file(written: mcp_servers::Program, folder: &Path) -> Program {
        let mcp_servers::Program { command, args, env, directory } = written;
        let command = in_folder(&command, folder);
        let directory = directory.map(|directory| folder.join(directory));
        Program { command, args, env, directory, calls_at_once: 1, restart: true }
    }

    /// The same with the values of its variables, or the first that has none.
    pub fn resolve(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Program, String> {
        let mut program = self.clone();
        for text in program.args.iter_mut().chain(program.env.values_mut()) {
            *text = resolve(text, variable)?;
        }
        Ok(program)
    }

    /// All that makes it another program; secrets are in it.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Vec<u8>> {
        let Program { command, args, env, directory, calls_at_once, restart } = self;
        let form =
            format!("{command:?} {directory:?} {calls_at_once} {restart} {} {}", args.len(), env.len());
        let env = env.iter().flat_map(|(name, value)| [name, value]);
        std::iter::once(form).chain(args.iter().chain(env).cloned()).map(String::into_bytes)
    }

    /// The file to run.
    pub fn find(&self) -> Result<PathBuf, NoProgram> {
        self.find_with(std::env::var_os("PATH").as_deref())
    }

    fn find_with(&self, path: Option<&OsStr>) -> Result<PathBuf, NoProgram> {
        if let Some(directory) = self.directory.as_ref().filter(|directory| !directory.is_dir()) {
            return Err(NoProgram::NoFolder(directory.display().to_string()));
        }
        let name = || self.command.display().to_string();
        if self.command.components().count() > 1 || self.command.is_absolute() {
            return match self.command.try_exists() {
                Ok(true) if is_executable(&self.command) => Ok(absolute(&self.command)),
                Ok(true) => Err(NoProgram::NotExecutable(name())),
                _ => Err(NoProgram::NotThere(name())),
            };
        }
        let own = self.env.get("PATH").map(OsStr::new);
        let folders = own.or(path).map(|path| std::env::split_paths(path).collect::<Vec<_>>());
        let mut files = folders.unwrap_or_default().into_iter().map(|folder| folder.join(&self.command));
        files
            .find(|file| is_executable(file))
            .map(|file| absolute(&file))
            .ok_or_else(|| NoProgram::NotOnPath(name()))
    }

    /// The whole environment that it runs with.
    pub fn environment(
        &self,
        own: impl Fn(&str) -> Option<OsString>,
    ) -> impl Iterator<Item = (OsString, OsString)> {
        let inherited = INHERITED.iter().filter_map(move |name| Some((OsString::from(name), own(name)?)));
        let said = self.env.iter().map(|(name, value)| (name.into(), value.into()));
        inherited.chain(said)
    }
}

/// A name is looked for on `PATH`; a path is relative to the file that names it.
pub(crate) fn in_folder(command: &str, folder: &Path) -> PathBuf {
    match command.contains('/') {
        // Even in the folder itself it stays a path.
        true if folder.as_os_str().is_empty() => Path::new(".").join(command),
        true => folder.join(command),
        false => PathBuf::from(command),
    }
}

/// Who read it has made sure that it is well formed.
fn resolve(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    for piece in origin::pieces(text).unwrap_or_default() {
        match piece {
            Piece::Literal(literal) => out.push_str(literal),
            Piece::Variable { name, default } => {
                let value = variable(name).or_else(|| default.map(str::to_owned));
                out.push_str(&value.ok_or_else(|| name.to_owned())?);
            }
        }
    }
    Ok(out)
}

/// It must not depend on the folder that the program runs in.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Values may be secret, and arguments too.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { command, args, env, directory, calls_at_once, restart } = self;
        f.debug_struct("Program")
            .field("command", command)
            .field("args", &args.len())
            .field("env", &env.keys())
            .field("directory", directory)
            .field("calls_at_once", calls_at_once)
            .field("restart", restart)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(command: impl Into<PathBuf>) -> Program {
        Program {
            command: command.into(),
            args: vec!["hunter2".into()],
            env: BTreeMap::from([("TOKEN".into(), "hunter2".into()), ("LANG".into(), "C".into())]),
            directory: None,
            calls_at_once: 1,
            restart: true,
        }
    }

    #[test]
    fn a_program_is_found_like_a_shell_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, tool] = ["plain", "tool"].map(|name| folder.path().join(name));
        std::fs::write(&plain, "").unwrap();
        std::fs::write(&tool, "").unwrap();
        std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).unwrap();
        let find = |command: &str| program(command).find_with(Some(&path));
        assert_eq!(find("tool").unwrap(), tool);
        assert_eq!(find(tool.to_str().unwrap()).unwrap(), tool);
        assert_eq!(find("plain"), Err(NoProgram::NotOnPath("plain".into())));
        let name = plain.display().to_string();
        assert_eq!(find(&name), Err(NoProgram::NotExecutable(name.clone())));
        assert_eq!(find("./nothing"), Err(NoProgram::NotThere("./nothing".into())));
        // Its own `PATH` counts.
        let mut own = program("tool");
        own.env.insert("PATH".into(), "/nowhere".into());
        assert_eq!(own.find_with(Some(&path)), Err(NoProgram::NotOnPath("tool".into())));
        own.directory = Some("/nowhere".into());
        assert_eq!(own.find_with(Some(&path)), Err(NoProgram::NoFolder("/nowhere".into())));
    }

    #[test]
    fn variables_get_their_values() {
        let mut written = program("x");
        written.args = vec!["--root=${ROOT}/a".into(), "${MODE:-fast}".into(), "plain".into()];
        written.env.insert("TOKEN".into(), "${TOKEN}".into());
        let value = |name: &str| (name != "MODE").then(|| format!("<{name}>"));
        let resolved = written.resolve(&value).unwrap();
        assert_eq!(resolved.args, ["--root=<ROOT>/a", "fast", "plain"]);
        assert_eq!((resolved.env["TOKEN"].as_str(), resolved.env["LANG"].as_str()), ("<TOKEN>", "C"));
        assert_eq!(written.resolve(&|_| None), Err("ROOT".into()));
    }

    #[test]
    fn the_environment_is_what_is_said_and_little_else() {
        let own = |name: &str| Some(OsString::from(format!("own {name}")));
        let all: BTreeMap<OsString, OsString> = program("x").environment(own).collect();
        let get = |name: &str| all.get(OsStr::new(name)).map(|value| value.to_str().unwrap());
        assert_eq!((get("PATH"), get("LANG"), get("TOKEN")), (Some("own PATH"), Some("C"), Some("hunter2")));
        assert_eq!(all.len(), INHERITED.len() + 1);
    }

    #[test]
    fn values_are_not_shown() {
        assert!(!format!("{:?}", program("x")).contains("hunter2"));
    }
}
