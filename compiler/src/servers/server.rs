//! A server that somebody names, on the command line or in a `mcpServers` file.

use super::names;
use crate::language::names::portable;
use crate::language::variables::{TextPart, Variable, split_variables};
use crate::spec::{EndpointProblem, parse_endpoint};
use mcp_bundle::wire_enums::Transport;

/// A server to import from, and what its spec says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSource {
    /// What its upstream and its file are called; `None`: what it calls itself.
    pub name: Option<String>,
    /// For people.
    pub title: Option<String>,
    pub reach: Reach,
}

/// How it is reached. Nothing here is secret: credentials are `${NAME}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Url {
        /// [`Transport::Http`] or [`Transport::Sse`].
        transport: Transport,
        url: String,
        /// Names in lower case.
        headers: Vec<(String, String)>,
        auth: Option<ServerKey>,
        /// Of a call, in milliseconds.
        timeout_ms: Option<u32>,
    },
    /// What the place calls the program.
    Program(String),
}

/// The key of a server: the variable that holds it, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerKey {
    Bearer { variable: String },
    Header { name: String, variable: String },
}

/// What is wrong with the description of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadServer {
    #[error("a server's URL begins with `http://` or `https://`, such as `https://mcp.example.com/mcp`")]
    NotHttp,
    #[error("a server's URL has no user name or password; give a token with `--bearer-env NAME`")]
    UserInfo,
    #[error("the server's URL cannot be used: {0}")]
    Url(String),
    #[error("a header is `NAME=VALUE`, such as `x-api-key=${{WIKI_KEY}}`")]
    Header,
    #[error(
        "the header `{0}` has a value that is not a variable: it may be secret, and command lines and specs are no place for \
         secrets; write `{0}=${{NAME}}`, and set `NAME` in the environment or in an `--env-file`"
    )]
    LiteralHeader(String),
    #[error(
        "`{0}` is not the name of a variable: it has letters, digits and `_`, and does not begin with a digit"
    )]
    Variable(String),
}

/// The URL of a server, as specs have it: with its scheme in lower case. The scheme, the host and the port may be `${NAME}`.
pub fn http_url(text: &str) -> Result<String, BadServer> {
    let text = match text.split_once("://") {
        Some((scheme, rest)) if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") => {
            format!("{}://{rest}", scheme.to_ascii_lowercase())
        }
        _ => text.to_owned(),
    };
    let endpoint = parse_endpoint(&text);
    if let Some(problem) = endpoint.problems.first() {
        return Err(match problem {
            EndpointProblem::Scheme { .. } => BadServer::NotHttp,
            EndpointProblem::UserInfo { .. } => BadServer::UserInfo,
            EndpointProblem::Url { .. } if !endpoint.is_absolute() => BadServer::NotHttp,
            EndpointProblem::Url { message, .. } | EndpointProblem::Placeholder { message, .. } => {
                BadServer::Url(message.clone())
            }
        });
    }
    if endpoint.template.is_some() || !endpoint.placeholders.is_empty() {
        return Err(BadServer::Url("it has a `{`".to_owned()));
    }
    if endpoint.origin.is_none() && endpoint.location.is_none() { Err(BadServer::NotHttp) } else { Ok(text) }
}

/// A header of the command line, `NAME=VALUE`. Its value must come from a variable.
pub fn header(text: &str) -> Result<(String, String), BadServer> {
    let (name, value) = text.split_once('=').ok_or(BadServer::Header)?;
    let name = name.trim().to_ascii_lowercase();
    if name.is_empty() || value.is_empty() {
        return Err(BadServer::Header);
    }
    if !has_variable(value) {
        return Err(BadServer::LiteralHeader(name));
    }
    Ok((name, value.to_owned()))
}

/// The name of a variable of the command line.
pub fn variable(name: &str) -> Result<(), BadServer> {
    let has_variable =
        split_variables(&format!("${{{name}}}")).0 == [TextPart::Variable(Variable::Named(name.to_owned()))];
    if has_variable { Ok(()) } else { Err(BadServer::Variable(name.to_owned())) }
}

/// Whether a part of a text comes from a variable, and the spec language can write it.
pub fn has_variable(text: &str) -> bool {
    let (parts, problems) = split_variables(text);
    problems.is_empty() && parts.iter().any(|part| matches!(part, TextPart::Variable(Variable::Named(_))))
}

/// The variable that holds the value of a header of a server.
pub fn variable_name(server: &str, header: &str) -> String {
    let name = portable(&format!("{server}_{header}")).replace('-', "_").to_ascii_uppercase();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

impl Reach {
    /// Where it is, for people.
    pub fn place(&self) -> &str {
        match self {
            Reach::Url { url, .. } => url,
            Reach::Program(name) => name,
        }
    }

    pub fn transport(&self) -> Transport {
        match self {
            Reach::Url { transport, .. } => *transport,
            Reach::Program(_) => Transport::Stdio,
        }
    }
}

impl ServerSource {
    /// What it is called in the spec. `said` is what it calls itself.
    pub fn spec_name(&self, said: Option<&str>) -> String {
        let host = || match &self.reach {
            Reach::Url { url, .. } => {
                parse_endpoint(url).origin.and_then(|origin| names::server_name(&origin.host))
            }
            Reach::Program(name) => names::server_name(name),
        };
        let named = self.name.clone().or_else(|| names::server_name(said?)).or_else(host);
        named.unwrap_or_else(|| "server".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn urls_are_http_or_https() {
        for good in [
            "https://mcp.example.com/mcp",
            "http://127.0.0.1:8080",
            "https://[::1]/a?b=c",
            "${WIKI}/mcp",
            "https://${HOST:-a.example}:${PORT}/mcp",
        ] {
            assert_eq!(http_url(good).as_deref(), Ok(good));
        }
        assert_eq!(http_url("HTTPS://A.example/B").as_deref(), Ok("https://A.example/B"));
        for other in ["", "mcp.example.com/mcp", "/mcp", "ftp://a/mcp", "file:///x", "ws://a", "stdio"] {
            assert_eq!(http_url(other), Err(BadServer::NotHttp), "{other}");
        }
        assert_eq!(http_url("https://me:secret@a.example/"), Err(BadServer::UserInfo));
        for bad in
            ["https://", "https://a:0/", "https://a/b c", "https://a/{b}", "https://a/#x", "https://a/{{b}}"]
        {
            assert!(matches!(http_url(bad), Err(BadServer::Url(_))), "{bad}");
        }
    }

    #[test]
    fn headers_hold_variables_and_no_secrets() {
        assert_eq!(header("X-Api-Key=${KEY}"), Ok(("x-api-key".into(), "${KEY}".into())));
        assert_eq!(header("authorization=Bearer ${T}"), Ok(("authorization".into(), "Bearer ${T}".into())));
        for secret in
            ["x-api-key=hunter2", "authorization=Bearer abc", "x=$KEY", "x=${tenant.id}", "x=${a b}"]
        {
            assert!(matches!(header(secret), Err(BadServer::LiteralHeader(_))), "{secret}");
        }
        for bad in ["x", "=${A}", "x="] {
            assert_eq!(header(bad), Err(BadServer::Header), "{bad}");
        }
    }

    #[test]
    fn variables_are_named_after_server_and_header() {
        assert_eq!(variable_name("wiki", "authorization"), "WIKI_AUTHORIZATION");
        assert_eq!(variable_name("2-b", "x-api-key"), "_2_B_X_API_KEY");
    }

    proptest! {
        /// Property 2 of the MCP servers: URL validation takes exactly HTTP and HTTPS URLs.
        #[test]
        fn property_2_only_http_and_https_urls_are_taken(
            scheme in "https?|ftp|ws|file|javascript|mailto|HTTP|[a-z]{1,6}",
            host in "[a-z][a-z0-9]{0,8}(\\.[a-z]{2,3})?",
            port in prop::option::of(1_u16..),
            path in "(/[a-z0-9]{0,5}){0,3}",
        ) {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            let url = format!("{scheme}://{host}{port}{path}");
            let is_http = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https");
            prop_assert_eq!(http_url(&url).is_ok(), is_http, "{}", url);
        }

        #[test]
        fn property_2_no_other_text_is_a_url(text in "(?s).{0,40}") {
            let lower = text.to_ascii_lowercase();
            let may_be = lower.starts_with("http://") || lower.starts_with("https://") || text.contains("${");
            prop_assert!(may_be || http_url(&text).is_err(), "{}", text);
        }
    }
}
