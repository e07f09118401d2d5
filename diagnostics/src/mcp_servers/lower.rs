//! The text of a file of servers → its entries, or every problem in it.

use super::comments::blank;
use super::{McpServer, McpServerKind, Program, Remote};
use crate::suggest::{did_you_mean, nearest};
use crate::{Diagnostic, FileId, Span, Spanned};
use mcp_bundle::json::{self, Kind, MAX_DEPTH, Scanner, Value};
use mcp_bundle::origin;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the servers are: most clients, and an editor's `mcp.json`.
const HOMES: [&str; 2] = ["mcpServers", "servers"];
const HOW_TO_BEGIN: &str = "write `{\"mcpServers\": {\"NAME\": {\"command\": \"…\", \"args\": []}}}`";
/// The members of an entry that mean something here.
const KNOWN: [&str; 9] = ["command", "args", "env", "cwd", "url", "serverUrl", "headers", "type", "disabled"];
const LONGEST_NAME: usize = 128;

/// An entry, as far as it could be understood.
pub struct Entry {
    pub name: String,
    /// `None` also for one that is switched off and makes no sense.
    pub server: Option<McpServer>,
    pub problems: Vec<Diagnostic>,
}

/// The entries in their order; diagnostics for what is wrong with the file itself.
pub fn lower(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let text = blank(text);
    let mut lowering = Lowering { text: &text, file, diagnostics };
    lowering.file().unwrap_or_default()
}

struct Lowering<'a, 'd> {
    text: &'a str,
    file: FileId,
    diagnostics: &'d mut Vec<Diagnostic>,
}

/// The members of an object that are known, each once.
struct Members<'a>(Vec<(String, Value<'a>)>);

impl<'a> Members<'a> {
    fn get(&self, name: &str) -> Option<Value<'a>> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

impl<'a> Lowering<'a, '_> {
    fn file(&mut self) -> Option<Vec<Entry>> {
        let top = self.json()?;
        let members = self.members(top, "the file")?;
        let Some(servers) = HOMES.iter().find_map(|home| members.get(home)) else {
            let names = members.0.iter().map(|(name, _)| name.as_str());
            let help = match nearest("mcpServers", names) {
                Some(near) => format!("rename `{near}` to `mcpServers`"),
                None => HOW_TO_BEGIN.to_owned(),
            };
            let span = Span::whole_file(self.file);
            self.report(Diagnostic::error(span, "there is no `mcpServers` in this file").help(help));
            return None;
        };
        let entries = self.members(servers, "`mcpServers`")?;
        let mut found = Vec::new();
        for (name, value) in entries.0 {
            let before = self.diagnostics.len();
            let server = self.entry(name.clone(), value);
            let problems = self.diagnostics.split_off(before);
            found.push(Entry { name, server, problems });
        }
        Some(found)
    }

    fn json(&mut self) -> Option<Value<'a>> {
        let bom = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let text = self.text.get(bom..).unwrap_or_default();
        let mut scanner = Scanner::of_text(text, MAX_DEPTH);
        match scanner.value().and_then(|value| scanner.finish().map(|()| value)) {
            Ok(value) => Some(value),
            Err(error) => {
                let at = bom + error.offset.min(text.len());
                let message = format!("this is not JSON: {}", error.kind.as_str());
                // The line may hold a secret.
                let problem = Diagnostic::error(Span::new(self.file, at..at), message).hide_source();
                self.report(problem.help(HOW_TO_BEGIN));
                None
            }
        }
    }

    /// `None` for what is worth no entry.
    fn entry(&mut self, name: String, value: Value<'a>) -> Option<McpServer> {
        let what = format!("the server `{name}`");
        let before = self.diagnostics.len();
        let entry = self.members(value, &what)?;
        let disabled = entry.get("disabled").is_some_and(|value| value.text == "true");
        let span = self.span(value.text);
        if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
            let message = format!("a server needs a name of 1 to {LONGEST_NAME} characters");
            self.report(Diagnostic::error(span, message).hide_source());
        }
        let kind = self.kind(&name, &entry, span);
        if disabled {
            // Nobody runs it, so nobody needs to hear what is wrong with it.
            self.diagnostics.truncate(before);
        }
        Some(McpServer { name: Spanned::new(name, span), kind: kind?, disabled })
    }

    fn kind(&mut self, name: &str, entry: &Members<'a>, span: Span) -> Option<McpServerKind> {
        let url = entry.get("url").or_else(|| entry.get("serverUrl"));
        match (entry.get("command"), url) {
            (Some(command), None) => self.program(command, entry).map(McpServerKind::Program),
            (None, Some(url)) => self.remote(url, entry).map(McpServerKind::Remote),
            (Some(_), Some(url)) => {
                let message = format!("the server `{name}` has both `command` and `url`");
                let problem = Diagnostic::error(self.span(url.text), message).hide_source();
                self.report(problem.help("keep `command` for a program, or `url` for a server elsewhere"));
                None
            }
            (None, None) => {
                let names = entry.0.iter().map(|(name, _)| name.as_str());
                let near = names
                    .filter(|name| !KNOWN.contains(name))
                    .find(|name| did_you_mean(name, ["command", "url"]).is_some());
                let help = match near {
                    Some(near) => format!("`{near}` is none of them; correct its name"),
                    None => "write `command` for a program, or `url` for a server elsewhere".to_owned(),
                };
                let message = format!("the server `{name}` has neither `command` nor `url`");
                self.report(Diagnostic::error(span, message).hide_source().help(help));
                None
            }
        }
    }

    fn program(&mut self, command: Value<'a>, entry: &Members<'a>) -> Option<Program> {
        if let Some((word, value)) = self.word(entry, "type")
            && word != "stdio"
        {
            let message = format!("`type` is `{word}`, but the server has a `command`");
            self.report(Diagnostic::error(value, message).help("write `\"stdio\"`, or remove `type`"));
        }
        let args = entry.get("args").map(|args| self.list(args)).unwrap_or_default();
        let env = entry.get("env").map(|env| self.texts(env, "`env`")).unwrap_or_default();
        for name in env.keys().filter(|name| name.is_empty() || name.contains('=')) {
            let message = format!("`{name}` cannot be the name of a variable");
            let span = entry.get("env").map_or(Span::whole_file(self.file), |env| self.span(env.text));
            self.report(Diagnostic::error(span, message).hide_source());
        }
        let directory = entry.get("cwd").and_then(|cwd| self.text(cwd, "`cwd`")).map(PathBuf::from);
        let written = self.text(command, "`command`")?;
        if written.trim().is_empty() {
            self.report(Diagnostic::error(self.span(command.text), "`command` is empty"));
            return None;
        }
        Some(Program { command: written, args, env, directory })
    }

    fn remote(&mut self, url: Value<'a>, entry: &Members<'a>) -> Option<Remote> {
        let is_sse = match self.word(entry, "type") {
            None => false,
            Some((word, span)) => match word.as_str() {
                "sse" => true,
                "http" | "streamable-http" | "streamableHttp" | "streamable_http" => false,
                _ => {
                    let message = format!("`{word}` is not a type of servers with a `url`");
                    let problem = Diagnostic::error(span, message);
                    self.report(problem.help("write `\"http\"` or `\"sse\"`, or remove `type`"));
                    false
                }
            },
        };
        let headers =
            entry.get("headers").map(|headers| self.texts(headers, "`headers`")).unwrap_or_default();
        let span = self.span(url.text);
        let url = self.text(url, "`url`")?;
        let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !url.starts_with("${") && !matches!(scheme.as_deref(), Some("http" | "https")) {
            let problem =
                Diagnostic::error(span, "`url` is neither an `http` nor an `https` URL").hide_source();
            self.report(problem.help("write a URL such as `https://mcp.example.com/mcp`"));
            return None;
        }
        Some(Remote { is_sse, url: Spanned::new(url, span), headers })
    }

    /// The members of an object. One that is given twice would quietly win.
    fn members(&mut self, value: Value<'a>, what: &str) -> Option<Members<'a>> {
        if value.kind != Kind::Object {
            let problem = Diagnostic::error(self.span(value.text), format!("{what} must be an object"));
            self.report(problem.hide_source().help(HOW_TO_BEGIN));
            return None;
        }
        let mut members: Vec<(String, Value<'a>)> = Vec::new();
        let mut names = BTreeMap::new();
        for (key, member) in json::members(value) {
            let name = key.unescaped(&mut String::new()).to_owned();
            match names.insert(name.clone(), key.text) {
                None => members.push((name, member)),
                Some(first) => {
                    let problem = Diagnostic::error(self.span(key.text), format!("`{name}` is given twice"));
                    let problem = problem.related(self.span(first), "first given here").hide_source();
                    self.report(problem.help("keep one of the two"));
                }
            }
        }
        Some(Members(members))
    }

    /// Names and their texts.
    fn texts(&mut self, value: Value<'a>, what: &str) -> BTreeMap<String, String> {
        let members = self.members(value, what).map(|members| members.0).unwrap_or_default();
        let texts = members.into_iter().filter_map(|(name, value)| {
            let text = self.variables(value, &format!("`{name}`"))?;
            Some((name, text))
        });
        texts.collect()
    }

    fn list(&mut self, value: Value<'a>) -> Vec<String> {
        if value.kind != Kind::Array {
            let problem = Diagnostic::error(self.span(value.text), "`args` must be a list of texts");
            self.report(problem.hide_source().help("write `[\"first\", \"second\"]`"));
            return Vec::new();
        }
        json::elements(value).filter_map(|item| self.variables(item, "an argument")).collect()
    }

    /// A text that may hold variables.
    fn variables(&mut self, value: Value<'a>, what: &str) -> Option<String> {
        let text = self.text(value, what)?;
        if origin::pieces(&text).is_none() {
            let message = format!("{what} has a `${{…}}` that is not a variable");
            let problem = Diagnostic::error(self.span(value.text), message).hide_source();
            let help =
                "write `${NAME}` or `${NAME:-default}`; nobody is there who could be asked for an input";
            self.report(problem.help(help));
            return None;
        }
        Some(text)
    }

    fn text(&mut self, value: Value<'a>, what: &str) -> Option<String> {
        let text = value.unescaped(&mut String::new()).to_owned();
        let problem = if value.kind != Kind::String {
            format!("{what} must be a text")
        } else if text.contains('\0') {
            format!("{what} has a zero character in it")
        } else {
            return Some(text);
        };
        // It may be secret.
        let problem = Diagnostic::error(self.span(value.text), problem).hide_source();
        self.report(if value.kind == Kind::String { problem } else { problem.help("put it in quotes") });
        None
    }

    fn word(&mut self, entry: &Members<'a>, name: &str) -> Option<(String, Span)> {
        let value = entry.get(name)?;
        let text = self.text(value, &format!("`{name}`"))?;
        Some((text, self.span(value.text)))
    }

    fn report(&mut self, problem: Diagnostic) {
        self.diagnostics.push(problem);
    }

    /// Where a part of the text is in it.
    fn span(&self, part: &str) -> Span {
        let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Span::new(self.file, start..start + part.len())
    }
}
