//! What can be wrong with a call of the API.

use super::json::{Json, object};
use crate::servers::Failure;

/// A problem, as the page and scripts get it.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    pub status: u16,
    pub code: &'static str,
    pub message: String,
    pub details: Json,
    /// The methods of the path, where another one was used.
    pub allow: Option<String>,
}

impl ApiError {
    fn new(status: u16, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), details: Json::Null, allow: None }
    }

    pub fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(400, "bad_request", message)
    }

    pub fn unauthorized() -> ApiError {
        let message =
            "the token is missing, or it is that of an earlier start: open the URL that `mcpc` printed";
        ApiError::new(401, "unauthorized", message)
    }

    pub fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(403, "forbidden", message)
    }

    pub fn read_only() -> ApiError {
        ApiError::new(403, "read_only", "this studio changes no file: it was started with `--read-only`")
    }

    pub fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(404, "not_found", message)
    }

    pub fn method_not_allowed(allowed: &[&str]) -> ApiError {
        let message = format!("the path takes {}", allowed.join(" and "));
        ApiError { allow: Some(allowed.join(", ")), ..ApiError::new(405, "method_not_allowed", message) }
    }

    pub fn stale(path: &str) -> ApiError {
        let message = format!("`{path}` has changed since it was read; nothing was written");
        ApiError::new(409, "stale_file", message).with(object([("path", path.into())]))
    }

    pub fn exists(message: impl Into<String>) -> ApiError {
        ApiError::new(409, "exists", message)
    }

    pub fn not_usable(message: impl Into<String>) -> ApiError {
        ApiError::new(409, "not_usable", message)
    }

    pub fn too_large() -> ApiError {
        let limit = super::MAX_BODY >> 20;
        ApiError::new(413, "too_large", format!("a body has at most {limit} MiB"))
    }

    pub fn not_possible(message: impl Into<String>) -> ApiError {
        ApiError::new(422, "not_possible", message)
    }

    pub fn upstream(message: impl Into<String>) -> ApiError {
        ApiError::new(502, "upstream", message)
    }

    pub fn server(failure: &Failure) -> ApiError {
        let details = object([("advice", failure.code.advice().into())]);
        ApiError::new(502, failure.code.as_str(), failure.told()).with(details)
    }

    pub fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(500, "internal", message)
    }

    pub fn with(mut self, details: Json) -> ApiError {
        self.details = details;
        self
    }

    pub fn body(&self) -> Json {
        let Self { code, message, details, .. } = self;
        let error = object([
            ("code", (*code).into()),
            ("message", message.as_str().into()),
            ("details", details.clone()),
        ]);
        object([("error", error)])
    }
}
