//! How a connection begins: which revision the server speaks, and who it is.
//!
//! The stateless revision is asked for first (`server/discover`). A server that does not know that is an older one, which wants
//! a handshake (`initialize`).

use super::{Connection, McpCode, McpFailure, Outgoing, message};
use crate::protocol::{MODERN, NEWEST_LEGACY};
use mcp_bundle::wire_enums::ProtocolVersion;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Of an answer that is only about the server.
const MOST: usize = 1 << 20;
/// Of a name or a version that is shown.
const MOST_NAME: usize = 128;
/// A server that says that it does not speak our revision.
const UNSUPPORTED_VERSION: i64 = -32022;

/// What a server said of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub version: ProtocolVersion,
    pub name: String,
    pub server_version: String,
    /// JSON.
    pub capabilities: String,
    /// It tells when its tools change.
    pub tells_changes: bool,
}

/// Finds out what a server speaks. `probes` is false where it can only be an old one.
pub(super) async fn open(
    connection: &dyn Connection,
    probes: bool,
    deadline: Instant,
) -> Result<Opened, McpFailure> {
    let mut was_slow = false;
    if probes {
        connection.speak(Some(MODERN));
        let half = deadline.saturating_duration_since(Instant::now()) / 2;
        let probed = ask(connection, "server/discover", "", Some(MODERN), Instant::now() + half).await;
        was_slow = matches!(&probed, Err(failure) if failure.code == McpCode::Timeout);
        if let Some(opened) = discovered(probed)? {
            return Ok(opened);
        }
    }
    connection.speak(None);
    let answer = ask(connection, "initialize", &message::initialize(NEWEST_LEGACY), None, deadline).await?;
    let result = match result(answer) {
        // A program that takes long to start answers the first question too late, and then refuses a handshake.
        Err(refused) if was_slow => {
            connection.speak(Some(MODERN));
            let probed = ask(connection, "server/discover", "", Some(MODERN), deadline).await;
            return discovered(probed)?.ok_or(refused);
        }
        result => result?,
    };
    let said = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version =
        ProtocolVersion::ALL.iter().copied().find(|known| known.as_str() == said && *known != MODERN);
    let version = version.ok_or_else(|| not_ours(std::iter::once(said)))?;
    connection.speak(Some(version));
    connection.notify(message::INITIALIZED).await?;
    Ok(opened(version, result.get("serverInfo"), &result))
}

/// `None`: it wants a handshake.
fn discovered(probed: Result<Value, McpFailure>) -> Result<Option<Opened>, McpFailure> {
    let answer = match probed {
        Ok(answer) => answer,
        // Old servers answer to what they do not know in their own ways, or not at all.
        Err(McpFailure { code: McpCode::ProtocolError | McpCode::ParseError | McpCode::Timeout, .. }) => {
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    if let Some(error) = answer.get("error") {
        let supported = error.get("data").and_then(|data| data.get("supported"));
        return match error.get("code").and_then(Value::as_i64) {
            Some(UNSUPPORTED_VERSION) => older(supported).map(|()| None),
            _ => Ok(None),
        };
    }
    let result = result(answer)?;
    let supported = result.get("supportedVersions");
    if !texts(supported).any(|version| version == MODERN.as_str()) {
        return older(supported).map(|()| None);
    }
    let info = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    Ok(Some(opened(MODERN, info, &result)))
}

/// Whether one of the revisions is one with a handshake that we know.
fn older(supported: Option<&Value>) -> Result<(), McpFailure> {
    let is_known = |version: &str| ProtocolVersion::ALL.iter().any(|known| known.as_str() == version);
    if texts(supported).next().is_none() || texts(supported).any(is_known) {
        return Ok(());
    }
    Err(not_ours(texts(supported)))
}

fn not_ours<'a>(theirs: impl Iterator<Item = &'a str>) -> McpFailure {
    let theirs: Vec<String> = theirs.take(8).map(|version| format!("`{}`", short(version))).collect();
    let ours: Vec<String> =
        ProtocolVersion::ALL.iter().map(|known| format!("`{}`", known.as_str())).collect();
    McpFailure::new(
        McpCode::ProtocolError,
        format!(
            "the server speaks only revisions of MCP that are not known here: {}; known are {}",
            theirs.join(", "),
            ours.join(", ")
        ),
    )
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn opened(version: ProtocolVersion, info: Option<&Value>, result: &Value) -> Opened {
    let text =
        |name: &str| short(info.and_then(|info| info.get(name)).and_then(Value::as_str).unwrap_or_default());
    let capabilities = result.get("capabilities");
    let tools = capabilities.and_then(|capabilities| capabilities.get("tools"));
    Opened {
        version,
        name: text("name"),
        server_version: text("version"),
        capabilities: capabilities.map_or_else(|| "{}".to_owned(), Value::to_string),
        tells_changes: tools.and_then(|tools| tools.get("listChanged")).and_then(Value::as_bool)
            == Some(true),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MOST_NAME).collect()
}

/// Sends a request and reads the message that answers it.
pub(super) async fn ask(
    connection: &dyn Connection,
    method: &str,
    params: &str,
    version: Option<ProtocolVersion>,
    deadline: Instant,
) -> Result<Value, McpFailure> {
    let text = ask_text(connection, method, params, version, deadline, MOST).await?;
    serde_json::from_slice(&text).map_err(|error| {
        McpFailure::new(McpCode::ParseError, format!("the answer to `{method}` is not JSON: {error}"))
    })
}

pub(super) async fn ask_text(
    connection: &dyn Connection,
    method: &str,
    params: &str,
    version: Option<ProtocolVersion>,
    deadline: Instant,
    most: usize,
) -> Result<Vec<u8>, McpFailure> {
    let id = message::next_id();
    let message = message::request(id, method, params, version);
    let request = Outgoing { id, method, name: None, message: &message, deadline, most, notices: None };
    let left = deadline.saturating_duration_since(Instant::now());
    match tokio::time::timeout(left, connection.request(request)).await {
        Ok(answer) => answer,
        Err(_) => Err(slow(method, left)),
    }
}

pub(super) fn slow(method: &str, limit: Duration) -> McpFailure {
    McpFailure::new(
        McpCode::Timeout,
        format!("the server did not answer `{method}` within {:.1} s", limit.as_secs_f64()),
    )
}

/// The result of an answer; what the server says if there is none.
pub(super) fn result(mut answer: Value) -> Result<Value, McpFailure> {
    if let Some(result) = answer.get_mut("result") {
        return Ok(result.take());
    }
    let error = answer.get("error");
    let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
    Err(McpFailure::new(
        McpCode::ProtocolError,
        match message {
            Some(message) => format!("the server refused: {}", short(message)),
            None => "the server's answer has neither a result nor an error".to_owned(),
        },
    ))
}
