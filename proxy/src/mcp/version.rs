//! Which protocol revision a request speaks, and what it must say about it.

use crate::protocol::{MODERN, NEWEST_LEGACY, VERSION_HEADER};
use crate::request::failure::Failure;
use crate::request::head::{Headers, Repeated, visible};
use mcp_bundle::envelope::Message;
use mcp_bundle::json::{Kind, Value};
use mcp_bundle::wire_enums::ProtocolVersion;

/// What clients speak that never said so (2025-06-18 and later tell it in a header).
const UNSAID: ProtocolVersion = ProtocolVersion::V20250326;

/// What a client of an older revision gets to read.
const NOT_SUPPORTED: &str = "the version in the `MCP-Protocol-Version` header is not supported; \
    supported are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28";

/// The version header of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionHeader<'a> {
    Nothing,
    Known(ProtocolVersion),
    Unknown(&'a str),
    /// Not text, or several.
    Malformed,
}

/// How a request is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolKind {
    /// Stateless; what else must hold is checked there.
    Modern,
    Legacy(ProtocolVersion),
}

impl<'a> VersionHeader<'a> {
    pub fn of(headers: &'a Headers) -> VersionHeader<'a> {
        let value = match headers.one(VERSION_HEADER) {
            Ok(None) => return VersionHeader::Nothing,
            Ok(Some(value)) => value,
            Err(Repeated) => return VersionHeader::Malformed,
        };
        // What nearly all say.
        if let Some(version) =
            ProtocolVersion::ALL.iter().find(|version| version.as_str().as_bytes() == value)
        {
            return VersionHeader::Known(*version);
        }
        let Some(text) = visible(value) else { return VersionHeader::Malformed };
        let text = text.trim_matches([' ', '\t']);
        ProtocolVersion::from_word(text).map_or(VersionHeader::Unknown(text), VersionHeader::Known)
    }

    /// Whether it is the stateless revision, or looks like one that came after it.
    pub fn is_modern(self) -> bool {
        match self {
            VersionHeader::Known(version) => version == MODERN,
            VersionHeader::Unknown(text) => is_date(text) && text > MODERN.as_str(),
            VersionHeader::Nothing | VersionHeader::Malformed => false,
        }
    }

    /// The revision of a legacy request. `initialize` comes before the client knows what to say.
    pub fn legacy_version(self, initialize: bool) -> Result<ProtocolVersion, Failure> {
        match self {
            VersionHeader::Nothing => Ok(UNSAID),
            VersionHeader::Known(version) if version != MODERN => Ok(version),
            _ if initialize => Ok(NEWEST_LEGACY),
            VersionHeader::Known(_) | VersionHeader::Unknown(_) => {
                Err(Failure::InvalidRequest(NOT_SUPPORTED))
            }
            VersionHeader::Malformed => {
                Err(Failure::InvalidRequest("the `MCP-Protocol-Version` header is malformed"))
            }
        }
    }
}

/// A request that says in its body what it speaks is stateless, and so is one whose header names such a revision.
pub fn kind(header: VersionHeader<'_>, message: &Message<'_>) -> Result<ProtocolKind, Failure> {
    let claims = message.params.meta.protocol_version.is_some();
    if let VersionHeader::Unknown(version) = header
        && header.is_modern()
        && !claims
    {
        // What a later revision must have in `_meta` is not known here.
        return Err(Failure::UnsupportedVersion(version.to_owned()));
    }
    if claims || header.is_modern() {
        return Ok(ProtocolKind::Modern);
    }
    header.legacy_version(message.is_method("initialize")).map(ProtocolKind::Legacy)
}

/// What a stateless request must say about its version, in the order in which it is checked.
pub fn check_modern(header: VersionHeader<'_>, message: &Message<'_>) -> Result<(), Failure> {
    let params = &message.params;
    let meta = &params.meta;
    let wrong = |reason: &'static str| Err(Failure::InvalidParams(reason.into()));
    if !params.is_object {
        return wrong("`params` must be an object with `_meta`");
    }
    if !meta.is_object {
        return wrong("`params._meta` must be an object");
    }
    let Some(Value { kind: Kind::String, .. }) = meta.protocol_version else {
        return wrong("`_meta` must have the string `io.modelcontextprotocol/protocolVersion`");
    };
    if !matches!(meta.client_capabilities, Some(Value { kind: Kind::Object, .. })) {
        return wrong("`_meta` must have the object `io.modelcontextprotocol/clientCapabilities`");
    }
    if meta.log_level.is_some_and(|level| !LOG_LEVELS.iter().any(|name| level.is_text(name))) {
        return wrong("`io.modelcontextprotocol/logLevel` is not a log level");
    }
    let mut buffer = String::new();
    let claim = meta.protocol_version.map_or("", |claim| claim.unescaped(&mut buffer));
    let same = match header {
        VersionHeader::Known(version) => version.as_str() == claim,
        VersionHeader::Unknown(text) => text == claim,
        VersionHeader::Nothing | VersionHeader::Malformed => false,
    };
    if !same {
        let reason = match header {
            VersionHeader::Nothing => "the `MCP-Protocol-Version` header is missing",
            VersionHeader::Malformed => "the `MCP-Protocol-Version` header is malformed or repeated",
            _ => "the `MCP-Protocol-Version` header differs from the protocol version in `_meta`",
        };
        return Err(Failure::HeaderMismatch(reason.to_owned()));
    }
    if claim != MODERN.as_str() {
        return Err(Failure::UnsupportedVersion(claim.to_owned()));
    }
    Ok(())
}

/// The answer to the version that `initialize` asks for: the same one, or the newest there is.
pub fn negotiate(asked: &Value<'_>) -> ProtocolVersion {
    let known = ProtocolVersion::ALL
        .iter()
        .copied()
        .find(|version| *version != MODERN && asked.is_text(version.as_str()));
    known.unwrap_or(NEWEST_LEGACY)
}

const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// `2026-07-28`
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_version_is_listed() {
        assert!(ProtocolVersion::ALL.iter().all(|version| NOT_SUPPORTED.contains(version.as_str())));
    }
}
