//! What a server sends: one message, looked at in one scan.

use mcp_bundle::json::{Kind, ScanError, Scanner, Value, write_string};

/// Levels of a message from a server that are looked at; more is refused.
const DEPTH: usize = 128;

/// A message from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incoming<'a> {
    /// To the request with this id. `None`: to something that we have never sent.
    Response {
        id: Option<u64>,
    },
    /// A question of the server; the JSON texts of its id and its method.
    Request {
        id: &'a str,
        method: &'a str,
    },
    Notification(Notification),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notification {
    /// About the request with this id.
    Progress {
        token: Option<u64>,
    },
    /// A line of the server's log.
    Log,
    ToolsChanged,
    /// One that means nothing to us.
    Other,
}

/// Why a text from a server is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoMessage {
    #[error("it is not JSON: {0}")]
    Json(#[from] ScanError),
    #[error("it is not a JSON-RPC message")]
    Rpc,
}

#[derive(Default)]
struct Members<'a> {
    id: Option<Value<'a>>,
    method: Option<Value<'a>>,
    token: Option<u64>,
    is_answer: bool,
    is_ambiguous: bool,
}

impl<'a> Incoming<'a> {
    /// Who asked for a response reads it, so that is not looked at closely here.
    pub fn read(text: &'a [u8]) -> Result<Incoming<'a>, NoMessage> {
        if let Some(id) = usual_response(text) {
            return Ok(Incoming::Response { id: Some(id) });
        }
        let mut scanner = Scanner::new(text, DEPTH)?;
        if scanner.peek()? != Kind::Object {
            return Err(NoMessage::Rpc);
        }
        let members = members(&mut scanner)?;
        scanner.finish()?;
        let Members { id, method, token, is_answer, is_ambiguous } = members;
        if is_ambiguous {
            return Err(NoMessage::Rpc);
        }
        match (method, id) {
            (None, id) if is_answer => Ok(Incoming::Response { id: id.and_then(|id| id.text.parse().ok()) }),
            (Some(method), _) if is_answer || method.kind != Kind::String => Err(NoMessage::Rpc),
            (Some(method), Some(id)) if matches!(id.kind, Kind::String | Kind::Number) => {
                Ok(Incoming::Request { id: id.text, method: method.text })
            }
            (Some(method), None) => Ok(Incoming::Notification(Notification::of(&method, token))),
            _ => Err(NoMessage::Rpc),
        }
    }
}

impl Notification {
    fn of(method: &Value<'_>, token: Option<u64>) -> Notification {
        let is = |name| method.is_text(name);
        if is("notifications/progress") {
            Notification::Progress { token }
        } else if is("notifications/message") {
            Notification::Log
        } else if is("notifications/tools/list_changed") {
            Notification::ToolsChanged
        } else {
            Notification::Other
        }
    }
}

/// The id of a response as most servers write it. What follows is not looked at, so a second `id` or a `method` there is found
/// only by who reads the response: that fails the one call whose answer it is.
fn usual_response(text: &[u8]) -> Option<u64> {
    let rest = text.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)?;
    let digits = rest.iter().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at_checked(digits)?;
    rest.starts_with(br#","result":"#).then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

fn members<'a>(scanner: &mut Scanner<'a>) -> Result<Members<'a>, ScanError> {
    let mut members = Members::default();
    let mut name = String::new();
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        match key.unescaped(&mut name) {
            "id" => members.is_ambiguous |= members.id.replace(scanner.value()?).is_some(),
            "method" => members.is_ambiguous |= members.method.replace(scanner.value()?).is_some(),
            "params" if scanner.peek()? == Kind::Object => members.token = token(scanner)?,
            key => {
                members.is_answer |= matches!(key, "result" | "error");
                scanner.value()?;
            }
        }
    }
    Ok(members)
}

/// The progress token of `params`, if it is one of ours.
fn token(scanner: &mut Scanner<'_>) -> Result<Option<u64>, ScanError> {
    let mut token = None;
    let mut name = String::new();
    scanner.enter_object()?;
    while let Some(key) = scanner.next_key()? {
        let is_token = key.unescaped(&mut name) == "progressToken";
        let value = scanner.value()?;
        if is_token {
            token = value.text.parse().ok();
        }
    }
    Ok(token)
}

/// The answer to a question of a server: it is alive, or that is not for us. The edge has no model, no files and nobody to ask.
pub(crate) fn reply(id: &str, method: &str) -> Vec<u8> {
    let mut out = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    out.extend_from_slice(id.as_bytes());
    if method == r#""ping""# {
        out.extend_from_slice(br#","result":{}}"#);
        return out;
    }
    out.extend_from_slice(br#","error":{"code":-32601,"message":"#);
    let mut name = String::new();
    let name = Value::of_valid(method).unescaped(&mut name);
    let name: String = name.chars().take(64).collect();
    write_string(
        &format!("`{name}` is not supported: this client is a proxy without sampling, roots or elicitation"),
        &mut out,
    );
    out.extend_from_slice(b"}}");
    out
}
