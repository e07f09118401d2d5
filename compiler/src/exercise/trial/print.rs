//! Requests and results as text.

use crate::exercise::placeholders::{Draft, shown};
use crate::exercise::testing::{Outcome, is_text, text_of};
use crate::language::json::Json;
use mcp_diagnostics::visible::visible;
use std::io::{Result, Write};

/// The request as it goes over the wire, but with the whole URL and with `${NAME}` for variables.
pub fn write_request(draft: &Draft, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} {}", draft.method, visible(&shown(&draft.url)))?;
    for (name, value) in &draft.headers {
        writeln!(out, "{name}: {}", visible(&shown(value)))?;
    }
    if let Some(body) = &draft.body {
        writeln!(out, "\n{}", visible(&shown(body)))?;
    }
    Ok(())
}

/// The line that a program gets.
pub fn write_message(draft: &Draft, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{}", visible(&shown(draft.body.as_deref().unwrap_or_default())))
}

/// The result as a model gets it.
pub fn write_result(outcome: &Outcome, out: &mut dyn Write) -> Result<()> {
    let result = outcome.result.as_ref().unwrap_or(&Json::Null);
    let items = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let mut others = items.iter().filter(|item| !is_text(item)).peekable();
    if others.peek().is_none() || items.iter().any(is_text) {
        writeln!(out, "text:\n{}", visible(&text_of(result)))?;
    }
    for other in others {
        writeln!(out, "{}", visible(&describe(other)))?;
    }
    if let Some(structured) = result.get("structuredContent") {
        writeln!(out, "\nstructuredContent:\n{}", visible(&structured.to_pretty()))?;
    }
    writeln!(out, "\nisError: {}", outcome.shaped.is_error)
}

/// An item that a terminal cannot show: `image: image/png, 12 bytes`.
fn describe(item: &Json) -> String {
    let text = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).map(str::to_owned);
    let kind = text(item, "type").unwrap_or_default();
    let holder = item.get("resource").unwrap_or(item);
    let mime_type = text(holder, "mimeType").unwrap_or_default();
    let uri = text(holder, "uri").map(|uri| format!(" {uri},")).unwrap_or_default();
    if let Some(text) = text(holder, "text") {
        return format!("{kind}:{uri} {mime_type}:\n{text}");
    }
    let code = text(holder, "data").or_else(|| text(holder, "blob")).unwrap_or_default();
    let bytes = code.trim_end_matches('=').len() * 3 / 4;
    format!("{kind}:{uri} {mime_type}, {bytes} bytes")
}

/// All of a trial as one JSON document.
pub fn document(
    tool: &str,
    request: Option<Json>,
    status: Option<u16>,
    location: Option<&str>,
    outcome: Option<&Outcome>,
) -> Json {
    let mut members = vec![
        ("version".to_owned(), Json::Number("1".to_owned())),
        ("tool".to_owned(), Json::string(tool)),
        ("request".to_owned(), request.unwrap_or(Json::Null)),
    ];
    let status = status.map_or(Json::Null, |status| Json::Number(status.to_string()));
    members.push(("status".to_owned(), status));
    // Only a redirect that was not followed has one.
    if let Some(location) = location {
        members.push(("location".to_owned(), Json::string(location)));
    }
    let result = outcome.and_then(|outcome| outcome.result.clone());
    members.push(("result".to_owned(), result.unwrap_or(Json::Null)));
    Json::Object(members)
}

/// The message that goes to a program.
pub fn message(program: &str, draft: &Draft) -> Json {
    let line = shown(draft.body.as_deref().unwrap_or_default());
    Json::Object(vec![
        ("program".to_owned(), Json::string(program)),
        ("message".to_owned(), Json::String(line)),
    ])
}

pub fn request(draft: &Draft) -> Json {
    let headers = draft.headers.iter().map(|(name, value)| (name.clone(), Json::String(shown(value))));
    Json::Object(vec![
        ("method".to_owned(), Json::string(draft.method.as_str())),
        ("url".to_owned(), Json::String(shown(&draft.url))),
        ("headers".to_owned(), Json::Object(headers.collect())),
        ("body".to_owned(), draft.body.as_deref().map_or(Json::Null, |body| Json::String(shown(body)))),
    ])
}
