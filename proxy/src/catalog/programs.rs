//! The programs that a bundle's MCP servers are. A bundle only names them; the place says what they are.

use super::BuildError;
use crate::programs::Program;
use mcp_bundle::plan::{Contents, McpServer};
use mcp_bundle::wire_enums::Transport;
use mcp_diagnostics::suggest;
use std::collections::BTreeMap;

/// The programs with the values of their variables, indexed like the bundle's servers; or the first that cannot run.
pub fn resolve(
    contents: &Contents,
    named: &BTreeMap<String, Program>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Option<Program>>, BuildError> {
    each(contents, named, variable).collect()
}

/// Every problem with a program that the bundle needs.
pub fn problems(
    contents: &Contents,
    named: &BTreeMap<String, Program>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Vec<BuildError> {
    each(contents, named, variable).filter_map(Result::err).collect()
}

/// What the place names although the bundle does not need it.
pub fn unused<'a>(
    contents: &'a Contents,
    named: &'a BTreeMap<String, Program>,
) -> impl Iterator<Item = &'a str> {
    let needed =
        |name: &&str| contents.servers.iter().any(|server| program_of(contents, server) == Some(name));
    named.keys().map(String::as_str).filter(move |name| !needed(name))
}

fn each(
    contents: &Contents,
    named: &BTreeMap<String, Program>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> impl Iterator<Item = Result<Option<Program>, BuildError>> {
    let servers = contents.servers.iter().enumerate();
    servers.map(move |(index, server)| {
        let Some(name) = program_of(contents, server) else { return Ok(None) };
        let upstream = contents.server_name(index).unwrap_or_default().to_owned();
        let program = name.to_owned();
        let Some(written) = named.get(name) else {
            let nearest = suggest::nearest(name, named.keys().map(String::as_str)).map(str::to_owned);
            return Err(BuildError::UnnamedProgram { upstream, program, nearest });
        };
        let resolved = written.resolve(variable).map_err(|missing| BuildError::MissingVariable {
            name: missing,
            need: format!("the program `{name}` needs it"),
        })?;
        match resolved.find() {
            Ok(_) => Ok(Some(resolved)),
            Err(error) => Err(BuildError::Program { upstream, program, error }),
        }
    })
}

/// What the place calls the program that a server is.
fn program_of<'a>(contents: &'a Contents, server: &McpServer) -> Option<&'a str> {
    (server.transport == Transport::Stdio).then(|| server.program.map(|name| contents.strings.get(name)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = r#"
        [upstream.files]
        kind = "mcp"
        transport = "stdio"
        server = "filesystem"
        [[tool]]
        name = "read_file"
        description = "Reads a file of the shared folder."
        upstream = "files"
        input_schema = { type = "object", properties = { path = { type = "string", description = "Where it is." } }, required = ["path"] }
        PIN
    "#;

    fn contents() -> Contents {
        let definition = serde_json::json!({
            "name": "read_file",
            "description": "Reads a file of the shared folder.",
            "inputSchema": {
                "type": "object",
                "properties": { "path": { "type": "string", "description": "Where it is." } },
                "required": ["path"],
            },
        });
        let canonical = mcp_bundle::definition::canonical(&definition).unwrap();
        let pin = format!("pin = \"{}\"", mcp_bundle::definition::Pin::of(&canonical));
        let files = mcpc::files::MemoryFiles::one("spec.toml", &SPEC.replace("PIN", &pin));
        let report = mcpc::check::check_files(&files);
        report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics))
    }

    fn program(command: &str) -> Program {
        Program {
            command: command.into(),
            args: vec!["${ROOT}".into()],
            env: BTreeMap::new(),
            directory: None,
            calls_at_once: 1,
            restart: true,
        }
    }

    fn named(name: &str, command: &str) -> BTreeMap<String, Program> {
        BTreeMap::from([(name.to_owned(), program(command))])
    }

    #[test]
    fn a_program_that_the_place_names_gets_its_values() {
        let value = |name: &str| Some(format!("<{name}>"));
        let found = resolve(&contents(), &named("filesystem", "sh"), &value).unwrap();
        assert_eq!(found[0].as_ref().unwrap().args, ["<ROOT>"]);
    }

    #[test]
    fn a_bundle_cannot_start_what_the_place_has_not_named() {
        let error = |named: &BTreeMap<String, Program>, value: &dyn Fn(&str) -> Option<String>| {
            let error = resolve(&contents(), named, value).unwrap_err();
            assert_eq!(problems(&contents(), named, value).len(), 1);
            error.to_string()
        };
        let value = |_: &str| Some("x".to_owned());
        let unnamed = error(&BTreeMap::new(), &value);
        assert!(unnamed.starts_with("`files` of the bundle is a program"), "{unnamed}");
        assert!(unnamed.contains("write `[stdio.filesystem]` with its `command`"), "{unnamed}");
        assert!(error(&named("file-system", "sh"), &value).ends_with("did you mean `file-system`?"));
        assert!(error(&named("filesystem", "sh"), &|_| None).contains("`${ROOT}` has no value"));
        let missing = error(&named("filesystem", "nobody-has-this"), &value);
        assert!(missing.ends_with("there is no program `nobody-has-this` on `PATH`"), "{missing}");
    }

    #[test]
    fn what_the_bundle_does_not_need_is_unused() {
        let mut all = named("filesystem", "sh");
        all.extend(named("other", "sh"));
        assert_eq!(unused(&contents(), &all).collect::<Vec<_>>(), ["other"]);
    }
}
