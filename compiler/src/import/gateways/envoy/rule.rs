//! An `http_rule`: the method, the path with its fields, the body, and headers and cookies.

use super::super::{ENCODED, either};
use super::schema::Arguments;
use super::{NESTED_ARGUMENT, SLASHES_ENCODED};
use crate::import::draft::{DraftParameter, DraftTool};
use crate::import::{Fate, Ledger};
use crate::language::json::Json;

/// In the order in which Envoy prefers them; two of them are refused here.
const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

pub struct Rule {
    method: &'static str,
    pub pieces: Vec<Piece>,
    pub body: Body,
    pub bindings: Vec<Binding>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// The way to an argument.
    Field {
        path: Vec<String>,
        has_pattern: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    None,
    /// All arguments that go nowhere else.
    Rest,
    Argument(String),
}

pub struct Binding {
    is_cookie: bool,
    name: String,
    pub path: Vec<String>,
}

impl Rule {
    pub fn read<'d>(ledger: &Ledger<'d>, value: &'d Json) -> Result<Rule, String> {
        ledger.members_of(value).ok_or("`http_rule` is not an object")?;
        let written: Vec<&'static str> =
            METHODS.into_iter().filter(|method| value.get(method).is_some()).collect();
        let [method] = written.as_slice() else {
            return Err(match written.as_slice() {
                [] => format!("`http_rule` has none of {}", METHODS.join(", ")),
                several => format!("`http_rule` has several methods: {}", several.join(", ")),
            });
        };
        let path = ledger.text(value, method).ok_or_else(|| format!("`{method}` is not a text"))?;
        let body = match ledger.text(value, "body") {
            None | Some("") => Body::None,
            Some("*") => Body::Rest,
            Some(name) if name.contains('.') => {
                return Err(format!(
                    "the body is `{name}`, a member of an argument; only an argument can be the body"
                ));
            }
            Some(name) => Body::Argument(name.to_owned()),
        };
        let mut bindings = Vec::new();
        for value in ledger.list(value, "bindings") {
            bindings.push(binding(ledger, value)?);
        }
        Ok(Rule { method, pieces: pieces(path)?, body, bindings })
    }

    /// The ways to all arguments that the path, headers and cookies name.
    pub fn placed(&self) -> impl Iterator<Item = &[String]> {
        let fields = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field { path, .. } => Some(path.as_slice()),
            Piece::Text(_) => None,
        });
        fields.chain(self.bindings.iter().map(|binding| binding.path.as_slice()))
    }

    /// A path that the rule makes, to find its route.
    pub fn sample_path(&self) -> String {
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Field { .. } => "x",
        });
        texts.collect()
    }

    /// Puts the request into the tool.
    pub fn place(
        &self,
        ledger: &Ledger<'_>,
        http_rule: &Json,
        arguments: &Arguments,
        tool: &mut DraftTool,
    ) -> Result<(), String> {
        tool.method = Some(self.method.to_ascii_uppercase());
        let is_nested =
            self.pieces.iter().any(|piece| matches!(piece, Piece::Field { path, .. } if path.len() > 1));
        let mut endpoint = String::new();
        for piece in &self.pieces {
            let Piece::Field { path, has_pattern } = piece else {
                if let Piece::Text(text) = piece {
                    endpoint.push_str(text);
                }
                continue;
            };
            if *has_pattern && let Some(written) = http_rule.get(self.method) {
                let why = format!(
                    "a `/` in `{}` is sent as `%2F`, and the pattern is not checked: write a `pattern` into the schema",
                    path.join(".")
                );
                ledger.change(written, &SLASHES_ENCODED, why);
            }
            if is_nested {
                endpoint.push_str(&format!("{{{{ .{} }}}}", path.join(".")));
            } else if let [name] = path.as_slice() {
                endpoint.push_str(&format!("{{{name}}}"));
                add(tool, name, "path", None)?;
            }
        }
        tool.endpoint = Some(endpoint);
        for Binding { is_cookie, name, path } in &self.bindings {
            match (path.as_slice(), is_cookie) {
                ([argument], true) => add(tool, argument, "cookie", Some(name))?,
                ([argument], false) => add(tool, argument, "header", Some(name))?,
                (_, false) => tool.headers.push((name.clone(), format!("{{{{ .{} }}}}", path.join(".")))),
                (_, true) => return Err(format!("cookie `{name}` is a member of an argument")),
            }
        }
        self.rest(ledger, arguments, tool)
    }

    /// The arguments that nothing has placed yet.
    fn rest(&self, ledger: &Ledger<'_>, arguments: &Arguments, tool: &mut DraftTool) -> Result<(), String> {
        let nested: Vec<&str> = self
            .placed()
            .filter(|path| path.len() > 1)
            .filter_map(|path| path.first().map(String::as_str))
            .collect();
        for (name, schema) in &arguments.properties {
            let is_placed = tool.parameters.iter().any(|parameter| parameter.name == *name);
            let note = |code, why: String| {
                ledger.note(&format!("{}: argument `{name}`", tool.place), Fate::Changed, code, why);
            };
            if nested.contains(&name.as_str()) {
                note(
                    &NESTED_ARGUMENT,
                    format!("only the members of `{name}` that the path or a header names are sent"),
                );
                continue;
            }
            let kind = schema.get("type").and_then(Json::as_str);
            match &self.body {
                _ if is_placed => {}
                Body::Rest => {}
                Body::Argument(body) if body == name => {
                    if kind == Some("string") {
                        note(
                            &ENCODED,
                            "the text itself is the body; Envoy sent it as JSON, in quotes".to_owned(),
                        );
                    }
                    tool.body = Some(format!("whole:{name}"));
                }
                Body::None | Body::Argument(_) => {
                    if kind == Some("object") {
                        note(
                            &NESTED_ARGUMENT,
                            format!("sent as `{name}[member]=…`, and by Envoy as `{name}.member=…`"),
                        );
                    }
                    add(tool, name, "query", None)?;
                }
            }
        }
        if let Body::Argument(body) = &self.body
            && tool.body.is_none()
        {
            return Err(format!("the body is `{body}`, which is also in the path or a header"));
        }
        Ok(())
    }
}

fn add(
    tool: &mut DraftTool,
    name: &str,
    position: &'static str,
    wire_name: Option<&String>,
) -> Result<(), String> {
    if tool.parameters.iter().any(|parameter| parameter.name == name) {
        return Err(format!("`{name}` goes to two places"));
    }
    let wire_name = wire_name.filter(|wire_name| *wire_name != name).cloned();
    tool.parameters.push(DraftParameter {
        name: name.to_owned(),
        position: Some(position),
        wire_name,
        ..DraftParameter::default()
    });
    Ok(())
}

fn binding<'d>(ledger: &Ledger<'d>, value: &'d Json) -> Result<Binding, String> {
    ledger.members_of(value).ok_or("a binding is not an object")?;
    let kind = ledger.text(value, "type").unwrap_or("HEADER");
    if !matches!(kind, "HEADER" | "COOKIE") {
        return Err(format!("`{kind}` is no type of a binding"));
    }
    let name = ledger.text(value, "name").ok_or("a binding has no `name`")?;
    let (key, _) =
        either(value, ["argument_path", "argumentPath"]).ok_or("a binding has no `argument_path`")?;
    let path = ledger.text(value, key).ok_or("`argument_path` is not a text")?;
    Ok(Binding { is_cookie: kind == "COOKIE", name: name.to_owned(), path: field(path)? })
}

/// Takes a path template apart.
fn pieces(path: &str) -> Result<Vec<Piece>, String> {
    if !path.starts_with('/') {
        return Err(format!("the path `{path}` does not begin with `/`"));
    }
    if let Some(c) = path.chars().find(|c| matches!(c, '?' | '#')) {
        return Err(format!("the path `{path}` has a `{c}`, which Envoy would send as a part of it"));
    }
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((text, after)) = rest.split_once('{') {
        let (inner, after) =
            after.split_once('}').ok_or_else(|| format!("a `{{` of the path `{path}` is not closed"))?;
        if text.contains('}') || inner.contains('{') {
            return Err(format!("the braces of the path `{path}` do not match"));
        }
        let (name, pattern) =
            inner.split_once('=').map_or((inner, None), |(name, pattern)| (name, Some(pattern)));
        pieces.push(Piece::Text(text.to_owned()));
        pieces.push(Piece::Field {
            path: field(name)?,
            has_pattern: pattern.is_some_and(|pattern| pattern != "*"),
        });
        rest = after;
    }
    if rest.contains('}') {
        return Err(format!("the braces of the path `{path}` do not match"));
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    Ok(pieces)
}

/// `a.b.c`, the way to a value.
fn field(path: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = path.split('.').map(str::to_owned).collect();
    let is_name = |name: &String| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match names.iter().all(is_name) {
        true => Ok(names),
        false => Err(format!("`{{{path}}}` names no argument; Envoy would send the braces as they are")),
    }
}
