//! Bodies with bytes in them, as people write and read them.

use crate::language::json::Json;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::bind::Request;
use mcp_bundle::plan::{HttpPlan, MULTIPART_TYPE};
use mcp_bundle::wire_enums::BodyKind;

/// What examples say of such a body: a list of the parts of a multipart one, the base64 of any other. `None` for a body of
/// text.
pub fn view(plan: &HttpPlan, request: &Request) -> Option<String> {
    let body = request.body()?;
    match plan.body.kind {
        BodyKind::Bytes => Some(STANDARD.encode(body)),
        BodyKind::Multipart => {
            let mut headers = request.headers();
            let boundary = headers.find_map(|(_, value)| value.strip_prefix(MULTIPART_TYPE))?;
            Some(Json::Array(parts(body, boundary).into_iter().map(part).collect()).to_text())
        }
        _ => None,
    }
}

/// Heads and contents, just as binding writes them.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<(&'a str, &'a [u8])> {
    let delimiter = format!("--{boundary}");
    let (mut parts, mut rest) = (Vec::new(), body);
    while let Some((part, after)) = split(rest, delimiter.as_bytes()) {
        let part = part.strip_prefix(b"\r\n").and_then(|part| part.strip_suffix(b"\r\n"));
        if let Some((head, content)) = part.and_then(|part| split(part, b"\r\n\r\n"))
            && let Ok(head) = str::from_utf8(head)
        {
            parts.push((head, content));
        }
        rest = after;
    }
    parts
}

/// What is before and after the first occurrence.
pub fn split<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = bytes.windows(at.len().max(1)).position(|window| window == at)?;
    Some((bytes.get(..place)?, bytes.get(place + at.len()..)?))
}

fn part((head, content): (&str, &[u8])) -> Json {
    let (disposition, content_type) = match head.split_once("\r\nContent-Type: ") {
        Some((disposition, content_type)) => (disposition, Some(content_type)),
        None => (head, None),
    };
    let mut members = Vec::new();
    for (key, start) in [("name", "; name=\""), ("file_name", "; filename=\"")] {
        let value = disposition.split_once(start).and_then(|(_, rest)| rest.split_once('"'));
        members.extend(value.map(|(value, _)| (key.to_owned(), Json::string(value))));
    }
    members.extend(content_type.map(|kind| ("content_type".to_owned(), Json::string(kind))));
    members.push(match str::from_utf8(content) {
        Ok(text) => ("text".to_owned(), Json::string(text)),
        Err(_) => ("base64".to_owned(), Json::string(STANDARD.encode(content))),
    });
    Json::Object(members)
}
