//! One table of what can be wrong with a request, and how each interface reports it.
//!
//! What goes wrong inside a call of a known tool is not here: that is a result (`isError`), see `call/mod.rs`.

use crate::protocol::MODERN;
use mcp_bundle::json::write_string;
use std::borrow::Cow;

/// A request that cannot be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The body is not JSON.
    NotJson(String),
    /// JSON, but not a request of the interface.
    InvalidRequest(&'static str),
    InvalidParams(Cow<'static, str>),
    UnknownMethod(String),
    UnknownTool(String),
    BadCursor,
    /// A header that is missing, malformed, repeated or says something else than the body.
    HeaderMismatch(String),
    /// A protocol revision that is not served.
    UnsupportedVersion(String),
    /// The client does not accept what this request is answered with.
    NotAcceptable(&'static str),
    /// As many event streams are open as may be.
    TooManyStreams,
    /// The answers to the messages before it in a batch are as large as they may be.
    BatchTooLarge,
    /// No bundle is active yet.
    NotReady,
    BodyTooLarge(usize),
    UnsupportedMediaType,
    ForbiddenOrigin,
    MisdirectedHost,
    UnknownPath,
    UnknownToolset(String),
    MethodNotAllowed(&'static str),
    /// There is no valid credential; the challenge says how to authenticate.
    Unauthenticated {
        challenge: String,
        reason: &'static str,
    },
    /// The caller may not do this; the challenge says what is needed.
    Forbidden {
        challenge: String,
        reason: &'static str,
    },
    /// The keys that would prove a token could not be read yet. The token may be good.
    IssuerUnavailable,
    /// A credential in the query string, where logs and histories keep it.
    CredentialInQuery,
    /// The caller sends too many requests.
    TooManyRequests {
        retry_after_seconds: u64,
    },
    /// The bodies of all calls together are too large, for too long.
    Overloaded,
    /// No session of HTTP+SSE with this id, or not of this caller.
    UnknownSession,
    /// A session of HTTP+SSE has too many pending messages.
    SessionBusy,
    /// The audit log cannot be written, and no request is served without it.
    AuditFull,
}

/// The kinds of failure of the REST interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorType {
    Validation,
    ToolNotFound,
    Parameter,
    Service,
    /// A failure of an upstream that a spec declares to be a database's API.
    Database,
    Internal,
}

impl ErrorType {
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorType::Validation => "VALIDATION_ERROR",
            ErrorType::ToolNotFound => "TOOL_NOT_FOUND",
            ErrorType::Parameter => "PARAMETER_ERROR",
            ErrorType::Service => "SERVICE_ERROR",
            ErrorType::Database => "DATABASE_ERROR",
            ErrorType::Internal => "INTERNAL_ERROR",
        }
    }

    /// One sentence for people who only use the program that called; the message is for its developers.
    pub const fn user_message(self, status: u16) -> &'static str {
        match (self, status) {
            (_, 429) => "There are too many requests. Try again later.",
            (ErrorType::Validation, _) => "The request is not valid.",
            (ErrorType::ToolNotFound, _) => "This tool is not available.",
            (ErrorType::Parameter, _) => "Some values are missing or not valid.",
            (_, 503) => "The service is not available right now. Try again later.",
            (ErrorType::Service | ErrorType::Database, _) => "The service could not handle the request.",
            (ErrorType::Internal, _) => "Something went wrong.",
        }
    }
}

impl Failure {
    /// What [`Failure::name`] can be.
    pub const NAMES: [&'static str; 28] = [
        "not_json",
        "invalid_request",
        "invalid_params",
        "unknown_method",
        "unknown_tool",
        "bad_cursor",
        "header_mismatch",
        "unsupported_version",
        "not_acceptable",
        "too_many_streams",
        "batch_too_large",
        "not_ready",
        "body_too_large",
        "unsupported_media_type",
        "forbidden_origin",
        "misdirected_host",
        "unknown_path",
        "unknown_toolset",
        "method_not_allowed",
        "unauthenticated",
        "forbidden",
        "issuer_unavailable",
        "credential_in_query",
        "too_many_requests",
        "overloaded",
        "unknown_session",
        "session_busy",
        "audit_full",
    ];

    /// The JSON-RPC code.
    pub const fn code(&self) -> i32 {
        match self {
            Failure::NotJson(_) => -32700,
            Failure::InvalidRequest(_)
            | Failure::NotAcceptable(_)
            | Failure::BodyTooLarge(_)
            | Failure::UnsupportedMediaType
            | Failure::ForbiddenOrigin
            | Failure::MisdirectedHost
            | Failure::UnknownPath
            | Failure::UnknownToolset(_)
            | Failure::MethodNotAllowed(_)
            | Failure::Unauthenticated { .. }
            | Failure::Forbidden { .. }
            | Failure::CredentialInQuery
            | Failure::UnknownSession => -32600,
            Failure::UnknownMethod(_) => -32601,
            Failure::InvalidParams(_) | Failure::UnknownTool(_) | Failure::BadCursor => -32602,
            Failure::TooManyStreams
            | Failure::NotReady
            | Failure::BatchTooLarge
            | Failure::TooManyRequests { .. }
            | Failure::Overloaded
            | Failure::IssuerUnavailable
            | Failure::SessionBusy
            | Failure::AuditFull => -32603,
            Failure::HeaderMismatch(_) => -32020,
            Failure::UnsupportedVersion(_) => -32022,
        }
    }

    /// The HTTP status of the answer to a request of the stateless revision.
    pub const fn modern_status(&self) -> u16 {
        match self {
            Failure::UnknownMethod(_) => 404,
            Failure::TooManyStreams => 200,
            Failure::InvalidParams(_) | Failure::HeaderMismatch(_) | Failure::UnsupportedVersion(_) => 400,
            _ => self.legacy_status(),
        }
    }

    /// The HTTP status of the answer to a request of an older revision, whose clients take any other status than 200
    /// for a broken transport.
    pub const fn legacy_status(&self) -> u16 {
        match self {
            Failure::InvalidParams(_)
            | Failure::UnknownMethod(_)
            | Failure::UnknownTool(_)
            | Failure::BadCursor
            | Failure::BatchTooLarge => 200,
            Failure::NotJson(_)
            | Failure::InvalidRequest(_)
            | Failure::CredentialInQuery
            | Failure::HeaderMismatch(_)
            | Failure::UnsupportedVersion(_) => 400,
            Failure::NotReady
            | Failure::TooManyStreams
            | Failure::SessionBusy
            | Failure::Overloaded
            | Failure::IssuerUnavailable
            | Failure::AuditFull => 503,
            Failure::Unauthenticated { .. } => 401,
            Failure::TooManyRequests { .. } => 429,
            Failure::NotAcceptable(_) => 406,
            Failure::BodyTooLarge(_) => 413,
            Failure::UnsupportedMediaType => 415,
            Failure::ForbiddenOrigin | Failure::Forbidden { .. } => 403,
            Failure::MisdirectedHost => 421,
            Failure::UnknownPath | Failure::UnknownToolset(_) | Failure::UnknownSession => 404,
            Failure::MethodNotAllowed(_) => 405,
        }
    }

    /// The type and HTTP status in the REST interfaces.
    pub const fn rest(&self) -> (ErrorType, u16) {
        match self {
            Failure::UnknownTool(_) => (ErrorType::ToolNotFound, 404),
            Failure::NotReady
            | Failure::TooManyStreams
            | Failure::Overloaded
            | Failure::IssuerUnavailable
            | Failure::AuditFull => (ErrorType::Service, 503),
            Failure::TooManyRequests { .. } => (ErrorType::Service, 429),
            Failure::InvalidParams(_) | Failure::BadCursor | Failure::UnknownMethod(_) => {
                (ErrorType::Validation, 400)
            }
            _ => (ErrorType::Validation, self.legacy_status()),
        }
    }

    /// The label of metrics and logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Failure::NotJson(_) => "not_json",
            Failure::InvalidRequest(_) => "invalid_request",
            Failure::InvalidParams(_) => "invalid_params",
            Failure::UnknownMethod(_) => "unknown_method",
            Failure::UnknownTool(_) => "unknown_tool",
            Failure::BadCursor => "bad_cursor",
            Failure::HeaderMismatch(_) => "header_mismatch",
            Failure::UnsupportedVersion(_) => "unsupported_version",
            Failure::NotAcceptable(_) => "not_acceptable",
            Failure::TooManyStreams => "too_many_streams",
            Failure::BatchTooLarge => "batch_too_large",
            Failure::NotReady => "not_ready",
            Failure::BodyTooLarge(_) => "body_too_large",
            Failure::UnsupportedMediaType => "unsupported_media_type",
            Failure::ForbiddenOrigin => "forbidden_origin",
            Failure::MisdirectedHost => "misdirected_host",
            Failure::UnknownPath => "unknown_path",
            Failure::UnknownToolset(_) => "unknown_toolset",
            Failure::MethodNotAllowed(_) => "method_not_allowed",
            Failure::Unauthenticated { .. } => "unauthenticated",
            Failure::Forbidden { .. } => "forbidden",
            Failure::IssuerUnavailable => "issuer_unavailable",
            Failure::CredentialInQuery => "credential_in_query",
            Failure::TooManyRequests { .. } => "too_many_requests",
            Failure::Overloaded => "overloaded",
            Failure::UnknownSession => "unknown_session",
            Failure::SessionBusy => "session_busy",
            Failure::AuditFull => "audit_full",
        }
    }

    /// Why exactly, where `name` leaves that open: words of this table, with nothing in them of what the client sent.
    pub const fn detail(&self) -> Option<&'static str> {
        match self {
            Failure::Unauthenticated { reason, .. }
            | Failure::Forbidden { reason, .. }
            | Failure::InvalidRequest(reason) => Some(reason),
            _ => None,
        }
    }

    /// The message for the client.
    pub fn message(&self) -> Cow<'static, str> {
        match self {
            Failure::NotJson(reason) => Cow::Owned(format!("Parse error: {reason}")),
            Failure::InvalidRequest(reason) => Cow::Owned(format!("Invalid request: {reason}")),
            Failure::InvalidParams(reason) => Cow::Owned(format!("Invalid params: {reason}")),
            Failure::UnknownMethod(method) => Cow::Owned(format!("Method not found: {}", shown(method))),
            Failure::UnknownTool(name) => Cow::Owned(format!("Unknown tool: {}", shown(name))),
            Failure::BadCursor => Cow::Borrowed("Invalid params: unknown cursor"),
            Failure::HeaderMismatch(reason) => Cow::Owned(format!("Header mismatch: {reason}")),
            Failure::UnsupportedVersion(version) => {
                Cow::Owned(format!("Unsupported protocol version: {}", shown(version)))
            }
            Failure::NotAcceptable(needed) => {
                Cow::Owned(format!("Not acceptable: the `Accept` header must list `{needed}`"))
            }
            Failure::TooManyStreams => Cow::Borrowed("Too many event streams are open; try again later"),
            Failure::BatchTooLarge => {
                Cow::Borrowed("The responses of this batch are too large; send the request alone")
            }
            Failure::NotReady => Cow::Borrowed("No bundle is active yet; try again in a moment"),
            Failure::BodyTooLarge(limit) => {
                Cow::Owned(format!("The request body has more than {limit} bytes"))
            }
            Failure::UnsupportedMediaType => Cow::Borrowed("The `Content-Type` must be `application/json`"),
            Failure::ForbiddenOrigin => Cow::Borrowed(
                "Requests from this `Origin` are not allowed; `access.origins` in the edge's settings lists those that are",
            ),
            Failure::MisdirectedHost => Cow::Borrowed(
                "Requests for this `Host` are not served here; `access.hosts` in the edge's settings lists those that are",
            ),
            Failure::UnknownPath => Cow::Borrowed("Nothing is served at this path; MCP is at `/mcp`"),
            Failure::UnknownToolset(name) => {
                Cow::Owned(format!("There is no toolset `{}`; all tools are at `/mcp`", shown(name)))
            }
            Failure::MethodNotAllowed(allowed) => {
                Cow::Owned(format!("This path only accepts {}", allowed.replace(", ", " and ")))
            }
            Failure::Unauthenticated { reason, .. } => Cow::Owned(format!("Not authenticated: {reason}")),
            Failure::Forbidden { reason, .. } => Cow::Owned(format!("Not allowed: {reason}")),
            Failure::IssuerUnavailable => Cow::Borrowed(
                "The keys of the issuer of this token cannot be read at the moment, so it cannot be checked; keep it and try again later",
            ),
            Failure::CredentialInQuery => Cow::Borrowed(
                "A credential must not be in the URL; send `Authorization: Bearer`, and replace the one that was sent",
            ),
            Failure::TooManyRequests { retry_after_seconds } => {
                Cow::Owned(format!("Too many requests; try again in {retry_after_seconds} seconds"))
            }
            Failure::Overloaded => Cow::Borrowed(
                "The server has no room for a request of this length now; try again in a moment",
            ),
            Failure::UnknownSession => Cow::Borrowed("There is no such session; open one at `/sse`"),
            Failure::SessionBusy => {
                Cow::Borrowed("The session has too many pending messages; read its responses first")
            }
            Failure::AuditFull => {
                Cow::Borrowed("The audit log cannot be written, so nothing is served; try again later")
            }
        }
    }

    /// The header that goes with the status.
    pub fn header(&self) -> Option<(&'static str, String)> {
        match self {
            Failure::MethodNotAllowed(allowed) => Some(("allow", (*allowed).to_owned())),
            Failure::NotReady
            | Failure::TooManyStreams
            | Failure::SessionBusy
            | Failure::Overloaded
            | Failure::IssuerUnavailable
            | Failure::AuditFull => Some(("retry-after", "1".to_owned())),
            Failure::Unauthenticated { challenge, .. } | Failure::Forbidden { challenge, .. } => {
                Some(("www-authenticate", challenge.clone()))
            }
            Failure::TooManyRequests { retry_after_seconds } => {
                Some(("retry-after", retry_after_seconds.to_string()))
            }
            _ => None,
        }
    }

    /// Appends the JSON-RPC `error` object.
    pub fn write_error(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"code\":");
        out.extend_from_slice(itoa::Buffer::new().format(self.code()).as_bytes());
        out.extend_from_slice(b",\"message\":");
        write_string(&self.message(), out);
        if let Failure::UnsupportedVersion(requested) = self {
            out.extend_from_slice(b",\"data\":{\"supported\":[\"");
            out.extend_from_slice(MODERN.as_str().as_bytes());
            out.extend_from_slice(b"\"],\"requested\":");
            write_string(requested, out);
            out.push(b'}');
        }
        out.push(b'}');
    }
}

/// A name from outside, cut to what a message may hold.
fn shown(name: &str) -> &str {
    const LONGEST: usize = 100;
    name.get(..name.floor_char_boundary(LONGEST)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_is_a_json_object() {
        let nasty = "a\"\\\n\u{1}é".repeat(100);
        for failure in [
            Failure::NotJson(nasty.clone()),
            Failure::UnknownMethod(nasty.clone()),
            Failure::UnknownTool(nasty.clone()),
            Failure::UnsupportedVersion(nasty.clone()),
            Failure::HeaderMismatch(nasty),
        ] {
            let mut out = Vec::new();
            failure.write_error(&mut out);
            let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(value["code"], failure.code());
            assert!(value["message"].is_string());
        }
    }

    #[test]
    fn only_the_stateless_revision_puts_protocol_errors_into_the_status() {
        let unknown = Failure::UnknownMethod("x".to_owned());
        assert_eq!((unknown.modern_status(), unknown.legacy_status()), (404, 200));
        let tool = Failure::UnknownTool("x".to_owned());
        assert_eq!((tool.modern_status(), tool.legacy_status()), (200, 200));
    }
}
