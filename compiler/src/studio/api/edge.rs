//! A running edge, as its admin listener describes it.

use crate::language::json::Json;
use crate::studio::RunningEdge;
use crate::studio::error::ApiError;
use crate::studio::json::object;

/// Whether it can be reached, and what it says of itself.
pub fn status(edge: &RunningEdge) -> Json {
    let status = document(edge, "/status").and_then(|status| {
        // Many servers answer any path with some JSON.
        let version = status.get("version").and_then(Json::as_str);
        let is_edge = version.is_some() && status.get("ready").and_then(Json::as_bool).is_some();
        is_edge.then_some(status).ok_or_else(|| {
            ApiError::upstream(format!(
                "`{}` answers, but not as the admin listener of an edge does",
                edge.url
            ))
        })
    });
    let error = status.as_ref().err().map(|error| error.message.clone());
    object([
        ("url", edge.url.as_str().into()),
        ("reachable", status.is_ok().into()),
        ("error", error.into()),
        ("status", status.ok().into()),
    ])
}

/// A document of the admin listener as it is.
pub fn document(edge: &RunningEdge, path: &str) -> Result<Json, ApiError> {
    let text = edge.get(path)?;
    Json::parse(text.trim()).ok_or_else(|| ApiError::upstream(format!("`{}{path}` is not JSON", edge.url)))
}
