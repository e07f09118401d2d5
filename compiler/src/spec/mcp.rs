//! MCP servers as upstreams, and tools of them.
//!
//! An upstream's `kind` decides which keys it and its tools have. What is given beside them is reported here.

use super::lower::Lowering;
use super::template::ReadFile;
use super::{ParameterSpec, UpstreamSpec, schema};
use crate::language::json::Json;
use crate::language::keys;
use crate::language::rules::{INVALID_VALUE, MISPLACED_KEY, MISSING_KEY};
use mcp_bundle::wire_enums::{OnDrift, Position, Transport};
use mcp_diagnostics::{Diagnostic, Fields, Spanned, suggest};

/// An upstream of kind `mcp`.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    pub transport: Transport,
    /// For `stdio`: what the place calls the program.
    pub program: Option<Spanned<String>>,
}

/// What a tool of an MCP server has that others have not.
#[derive(Debug, Clone)]
pub struct McpToolSpec {
    /// A schema of `pinned` cannot be read, which is reported.
    pub misshapen: bool,
    /// Its name at the server, if that is another one.
    pub name: Option<Spanned<String>>,
    pub pin: Option<Spanned<String>>,
    pub on_drift: OnDrift,
    /// What `pinned` says.
    pub description: Option<Spanned<String>>,
    pub input_schema: Option<Spanned<Json>>,
    pub output_schema: Option<Spanned<Json>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Http,
    Mcp,
}

impl Kind {
    fn from_word(word: &str) -> Option<Kind> {
        match word {
            "http" => Some(Kind::Http),
            "mcp" => Some(Kind::Mcp),
            _ => None,
        }
    }
}

/// Keys that only tools of MCP servers have.
const MCP_KEYS: &[&str] = &["mcp_tool", "pin", "on_drift", "arguments_template", "pinned"];
/// Keys that they lack. With `respond`, nothing is asked at all, which has a rule of its own.
const HTTP_KEYS: &[&str] =
    &["method", "endpoint", "headers", "body", "body_template", "select", "answer_schema"];
const SERVER_KEYS: &[&str] = &["transport", "server"];
const URL_KEYS: &[&str] = &["url", "headers", "auth", "connect_timeout_seconds"];

fn is_like_http(kind: &str) -> bool {
    suggest::nearest(kind, keys::UPSTREAM_KINDS.iter().copied()) == Some("http")
}

impl Lowering<'_> {
    /// The MCP server that an upstream is.
    pub(super) fn server(&mut self, fields: &Fields<'_, '_>, name: &Spanned<String>) -> Option<ServerSpec> {
        let kind = self.toml.word(fields, "kind", Kind::from_word, Some(&INVALID_VALUE));
        let transport = self.toml.word(fields, "transport", Transport::from_word, Some(&INVALID_VALUE));
        let is_stdio = match &transport {
            Some(transport) => transport.value == Transport::Stdio,
            // A misspelt one is reported.
            None => fields.is_written("transport") && !fields.is_written("url"),
        };
        let kind = match kind {
            Some(kind) => kind.value,
            // A misspelt kind is reported. Who means the default seldom writes it.
            None if fields.text("kind").is_some_and(|kind| !is_like_http(&kind.value)) => Kind::Mcp,
            None => Kind::Http,
        };
        let has_place = fields.is_written("url") || (kind == Kind::Mcp && is_stdio);
        if !has_place {
            let message = "an upstream needs `url`";
            self.toml.report(Diagnostic::new(&MISSING_KEY, fields.span, message).note(match kind {
                Kind::Http => "it is the base URL, `https://host/base/path`",
                Kind::Mcp => "it is the server's endpoint; only one with `transport = \"stdio\"` has none",
            }));
        }
        if kind == Kind::Http {
            self.misplaced(fields, SERVER_KEYS, "an HTTP API", "for an MCP server, set `kind = \"mcp\"`");
            return None;
        }
        self.misplaced(fields, &["error_type"], "an MCP server", "remove it");
        if is_stdio {
            let help = "remove it: the edge's `[stdio.NAME]` says how the program is started, and with which secrets";
            self.misplaced(fields, URL_KEYS, "a server over `stdio`", help);
        } else {
            let help = "remove it, or set `transport = \"stdio\"`";
            self.misplaced(fields, &["server"], "a server with a URL", help);
        }
        let program = || fields.text("server").unwrap_or_else(|| name.clone());
        Some(ServerSpec {
            transport: match (transport, is_stdio) {
                (Some(transport), _) => transport.value,
                (None, true) => Transport::Stdio,
                (None, false) => Transport::Http,
            },
            program: is_stdio.then(program),
        })
    }

    /// What a tool of an MCP server is; `None` for any other tool.
    pub(super) fn mcp_tool(
        &mut self,
        fields: &Fields<'_, '_>,
        upstreams: &[UpstreamSpec],
        parameters: &[ParameterSpec],
        files: &mut dyn ReadFile,
    ) -> Option<McpToolSpec> {
        let name = fields.text("upstream");
        let upstream = name.as_ref().and_then(|name| upstreams.iter().find(|u| u.name.value == name.value));
        // Without a known upstream, which is reported, its keys say what the tool was meant to be.
        let is_meant = || name.is_some() && MCP_KEYS.iter().any(|key| fields.is_written(key));
        let is_mcp = match upstream {
            _ if fields.is_written("respond") => false,
            Some(upstream) => upstream.server.is_some(),
            None => is_meant(),
        };
        let on_drift = self.toml.word(fields, "on_drift", OnDrift::from_word, Some(&INVALID_VALUE));
        if !is_mcp {
            let help = "for a tool of an MCP server, name an upstream with `kind = \"mcp\"`";
            self.misplaced(fields, MCP_KEYS, "a tool without an MCP server", help);
            return None;
        }
        let help = "remove it: its server gets `mcp_tool` and the arguments, as they are or as `arguments_template` writes them";
        self.misplaced(fields, HTTP_KEYS, "a tool of an MCP server", help);
        for position in parameters.iter().filter_map(|parameter| parameter.position.as_ref()) {
            if position.value != Position::Body {
                let message = "`position` is not a key of a parameter of an MCP server's tool";
                let problem = Diagnostic::new(&MISPLACED_KEY, position.span, message);
                self.toml.report(problem.help("remove it: all arguments go to the server as they are"));
            }
        }
        let pinned = fields.table("pinned").map(|(table, span)| self.toml.fields(&keys::PINNED, table, span));
        let mut read = |key| pinned.as_ref().and_then(|pinned| self.schema(pinned, key, files));
        let (input_schema, output_schema): (schema::Read, schema::Read) =
            (read("input_schema"), read("output_schema"));
        let is_missing = |schema: &schema::Read| schema.as_ref().is_some_and(Option::is_none);
        Some(McpToolSpec {
            misshapen: pinned.as_ref().is_some_and(|pinned| pinned.misshapen)
                || is_missing(&input_schema)
                || is_missing(&output_schema),
            name: fields.text("mcp_tool"),
            pin: fields.text("pin"),
            on_drift: on_drift.map_or(OnDrift::Refuse, |on_drift| on_drift.value),
            description: pinned.as_ref().and_then(|pinned| pinned.text("description")),
            input_schema: input_schema.flatten(),
            output_schema: output_schema.flatten(),
        })
    }

    /// An example has the arguments that the server gets, and the result that it gives.
    pub(super) fn mcp_example(&mut self, fields: &Fields<'_, '_>, keys: &[&'static str]) {
        let help =
            "remove it: `request.body` is the arguments that the server gets, `response.body` its result";
        self.misplaced(fields, keys, "an example of an MCP server's tool", help);
    }

    fn misplaced(&mut self, fields: &Fields<'_, '_>, keys: &[&'static str], of: &str, help: &str) {
        for key in keys {
            let Some(value) = fields.value(key) else { continue };
            let message = format!("`{key}` is not a key of {of}");
            self.toml.report(Diagnostic::new(&MISPLACED_KEY, fields.at(value), message).help(help));
        }
    }
}
