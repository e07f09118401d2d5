//! `[stdio.NAME]` and `mcp_servers` → the programs that are MCP servers here.

use super::keys::STDIO_TABLE;
use super::lower::Lowering;
use crate::programs::{Program, in_folder};
use mcp_bundle::origin;
use mcp_diagnostics::mcp_servers::{self, McpServer, McpServerKind};
use mcp_diagnostics::{Diagnostic, Fields, Spanned};
use std::collections::BTreeMap;
use std::path::Path;

impl Lowering<'_, '_> {
    /// An entry of the configuration itself counts before one of the file with its name.
    pub(super) fn programs(&mut self, top: &Fields<'_, '_>) -> BTreeMap<String, Program> {
        let mut programs = self.server_file(top);
        let Some((tables, _)) = top.table("stdio") else { return programs };
        for (name, value) in tables.iter() {
            let Some(table) = value.get_ref().as_table() else { continue };
            let fields = self.reading.fields(&STDIO_TABLE, table, self.reading.span(name.span()));
            programs.extend(self.program(name.get_ref(), &fields));
        }
        programs
    }

    fn program(&mut self, name: &str, fields: &Fields<'_, '_>) -> Option<(String, Program)> {
        if !fields.is_written("command") {
            let problem = Diagnostic::error(fields.span, format!("`stdio.{name}` needs a `command`"));
            self.reading
                .report(problem.help("write `command = \"PROGRAM\"`, and `args = [\"…\"]` if it takes any"));
        }
        let args = fields.texts("args").into_iter().filter_map(|arg| self.with_variables(arg, "an argument"));
        let args = args.collect();
        let mut env = BTreeMap::new();
        for (variable, value) in fields.text_map("env") {
            if variable.value.is_empty() || variable.value.contains(['=', '\0']) {
                let message = format!("`{}` cannot be the name of a variable", variable.value);
                self.reading.report(Diagnostic::error(variable.span, message));
            }
            let value = self.with_variables(value, &format!("`{}`", variable.value));
            env.extend(value.map(|value| (variable.value, value)));
        }
        let command = self.text(fields, "command")?;
        let directory = self.text(fields, "directory").map(|text| self.folder.join(text.value));
        let calls_at_once = fields.integer("calls_at_once").map_or(1, |count| count.value);
        let restart = fields.boolean("restart").is_none_or(|restart| restart.value);
        let command = in_folder(&command.value, self.folder);
        Some((name.to_owned(), Program { command, args, env, directory, calls_at_once, restart }))
    }

    /// A text that may hold `${NAME}`.
    fn with_variables(&mut self, text: Spanned<String>, what: &str) -> Option<String> {
        let problem = if text.value.contains('\0') {
            Diagnostic::error(text.span, format!("{what} has a zero character in it"))
        } else if origin::pieces(&text.value).is_none() {
            let message = format!("{what} has a `${{…}}` that is not a variable");
            Diagnostic::error(text.span, message).help("write `${NAME}` or `${NAME:-default}`")
        } else {
            return Some(text.value);
        };
        // It may be secret.
        self.reading.report(problem.hide_source());
        None
    }

    /// What `mcp_servers` names. Servers with a URL are left to the bundle, which says where they are.
    fn server_file(&mut self, top: &Fields<'_, '_>) -> BTreeMap<String, Program> {
        let Some(path) = self.path(top, "mcp_servers") else { return BTreeMap::new() };
        let span = top.text("mcp_servers").map_or(top.span, |text| text.span);
        let text = match mcp_servers::load(&path) {
            Ok(text) => text,
            Err(error) => {
                self.reading.report(Diagnostic::error(span, error.to_string()));
                return BTreeMap::new();
            }
        };
        let file = self.sources.add(path.display().to_string(), text.as_str());
        let servers = mcp_servers::read(&text, file, self.reading.diagnostics);
        let folder = path.parent().unwrap_or(Path::new(""));
        programs_of(servers, folder)
    }
}

/// The programs of a file of servers that are not switched off. `folder` is where the file is.
pub fn programs_of(servers: Vec<McpServer>, folder: &Path) -> BTreeMap<String, Program> {
    let servers = servers.into_iter().filter(|server| !server.disabled);
    servers.filter_map(|server| of_file(server, folder)).collect()
}

fn of_file(server: McpServer, folder: &Path) -> Option<(String, Program)> {
    let McpServerKind::Program(program) = server.kind else { return None };
    Some((server.name.value, Program::of_file(program, folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn programs(text: &str, folder: &Path) -> BTreeMap<String, Program> {
        Config::parse(text, "edge.toml", folder).unwrap().settings.programs
    }

    fn problems(text: &str, folder: &Path) -> String {
        Config::parse(text, "edge.toml", folder).unwrap_err().to_string()
    }

    #[test]
    fn programs_are_named_in_the_configuration() {
        let text = r#"
            [stdio.git]
            command = "uvx"
            args = ["mcp-server-git", "--repository", "${REPO}"]
            env = { TOKEN = "${GIT_TOKEN:-none}" }
            directory = "work"
            calls_at_once = 4
            restart = false
            [stdio.own]
            command = "./bin/server"
        "#;
        let programs = programs(text, Path::new("conf"));
        let git = &programs["git"];
        assert_eq!((git.command.as_path(), git.args[2].as_str()), (Path::new("uvx"), "${REPO}"));
        assert_eq!(
            (git.env["TOKEN"].as_str(), git.directory.as_deref()),
            ("${GIT_TOKEN:-none}", Some(Path::new("conf/work")))
        );
        assert_eq!((git.calls_at_once, git.restart), (4, false));
        let own = &programs["own"];
        assert_eq!(
            (own.command.as_path(), own.calls_at_once, own.restart),
            (Path::new("conf/./bin/server"), 1, true)
        );
    }

    #[test]
    fn a_client_file_is_read_and_the_configuration_counts_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = r#"{"mcpServers": {
            // from the desktop
            "git": {"command": "uvx", "args": ["mcp-server-git"]},
            "time": {"command": "bin/time", "cwd": "t"},
            "wiki": {"url": "https://a.example/mcp"},
            "off": {"command": "x", "disabled": true},
        }}"#;
        std::fs::write(folder.path().join("mcp.json"), file).unwrap();
        let text = "mcp_servers = \"mcp.json\"\n[stdio.git]\ncommand = \"git-server\"";
        let programs = programs(text, folder.path());
        assert_eq!(programs.keys().collect::<Vec<_>>(), ["git", "time"]);
        assert_eq!(programs["git"].command, Path::new("git-server"));
        assert_eq!(programs["time"].command, folder.path().join("bin/time"));
        assert_eq!(programs["time"].directory, Some(folder.path().join("t")));
    }

    #[test]
    fn mistakes_have_their_line_in_their_own_file() {
        let folder = tempfile::tempdir().unwrap();
        let conf = Path::new("");
        assert!(
            problems("[stdio.a]\nargs = []", conf).contains("edge.toml:1:8: `stdio.a` needs a `command`")
        );
        for (line, expected) in [
            ("args = [\"hunter2 ${x-y}\"]", "an argument has a `${…}` that is not a variable"),
            ("env = { \"A=\" = \"b\" }", "`A=` cannot be the name of a variable"),
            ("env = { A = \"${\" }", "`A` has a `${…}` that is not a variable"),
            ("calls_at_once = 0", "calls_at_once"),
            ("restart = \"no\"", "restart"),
        ] {
            let problems =
                Config::parse(&format!("[stdio.a]\ncommand = \"x\"\n{line}"), "edge.toml", conf).unwrap_err();
            let text = problems.to_string();
            assert!(text.starts_with("edge.toml:3:") && text.contains(expected), "{text}");
            assert!(!format!("{text}{}", problems.render(false)).contains("hunter2"));
        }
        let named = "threads = 1\nmcp_servers = \"mcp.json\"";
        assert!(
            problems(named, folder.path()).contains("edge.toml:2:15: `"),
            "{}",
            problems(named, folder.path())
        );
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, "{\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"url\": \"http://x\"}}}")
            .unwrap();
        let problems = problems(named, folder.path());
        let expected = format!("{}:2:30: the server `a` has both `command` and `url`", path.display());
        assert!(problems.starts_with(&expected), "{problems}");
    }

    #[test]
    fn a_program_of_the_folder_itself_is_not_looked_for() {
        assert_eq!(in_folder("./x", Path::new("")), Path::new("./x"));
        assert_eq!(in_folder("/bin/x", Path::new("conf")), Path::new("/bin/x"));
        assert_eq!(in_folder("x", Path::new("conf")), Path::new("x"));
    }
}
