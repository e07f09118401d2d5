//! What a string may contain in its place.

use serde::de::IgnoredAny;

/// Headers that belong to the connection or to the proxy; `proxy-` and `mcp-` ones come on top.
const FORBIDDEN_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Taken by HTTP paths.
const RESERVED_TOOLSETS: [&str; 4] = [".", "..", "invoke", "tools"];

pub(super) fn is_tool_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// It is one segment of a URL path.
pub(super) fn is_toolset_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_unreserved) && !RESERVED_TOOLSETS.contains(&text)
}

/// Letters are lower case; an IPv6 address has no brackets.
pub(super) fn is_host(text: &str) -> bool {
    let is_host_byte = |b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b':');
    !text.is_empty() && text.bytes().all(is_host_byte)
}

/// Three numbers with dots between them.
pub(super) fn is_version(text: &str) -> bool {
    let is_number = |part: &str| (1..=10).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

/// RFC 6749 §3.3: a quoted header parameter can contain it unescaped.
pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, b'!' | b'#'..=b'[' | b']'..=b'~'))
}

/// Any part of a URL path (RFC 3986 §3.3): it cannot end the path.
pub(super) fn is_path_literal(text: &str) -> bool {
    is_encoded(text, |b| is_unreserved(b) || b"/:@!$&'()*+,;=".contains(&b))
}

/// A name in a query or form: it ends neither the name nor the pair.
pub(super) fn is_query_name(text: &str) -> bool {
    !text.is_empty() && is_encoded(text, |b| is_unreserved(b) || b"/?:@!$'()*+,".contains(&b))
}

/// Any part of a value in a query or form: it does not end the pair.
pub(super) fn is_query_literal(text: &str) -> bool {
    is_encoded(text, |b| is_unreserved(b) || b"/?:@!$'()*+,=".contains(&b))
}

/// Any part of a form: pairs of names and values.
pub(super) fn is_form_literal(text: &str) -> bool {
    is_encoded(text, |b| is_unreserved(b) || b"/?:@!$&'()*+,=".contains(&b))
}

/// Any part of a path and query: it cannot end them.
pub(super) fn is_target_literal(text: &str) -> bool {
    is_encoded(text, |b| is_unreserved(b) || b"/?:@!$&'()*+,;=".contains(&b))
}

/// RFC 9110 §5.6.2.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// As HTTP/2 wants it, too.
pub(super) fn is_header_name(text: &str) -> bool {
    is_token(text) && !text.bytes().any(|b| b.is_ascii_uppercase())
}

pub(super) fn is_forbidden_header(lower_case: &str) -> bool {
    FORBIDDEN_HEADERS.contains(&lower_case)
        || lower_case.starts_with("proxy-")
        || lower_case.starts_with("mcp-")
}

pub(super) fn is_header_literal(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\t')
}

/// The header lines of a part in a multipart body: its name, maybe a file name, and maybe its type. Nothing in them ends
/// them, or what they quote.
pub(super) fn is_part_head(text: &str) -> bool {
    let (disposition, content_type) = match text.split_once("\r\n") {
        Some((disposition, rest)) => (disposition, rest.strip_prefix("Content-Type: ")),
        None => (text, Some("text/plain")),
    };
    let names = disposition
        .strip_prefix("Content-Disposition: form-data; name=\"")
        .and_then(|names| names.strip_suffix('"'));
    let is_inner = |name: &str| !name.chars().any(|c| c.is_control() || c == '"');
    names.is_some_and(|names| match names.split_once("\"; filename=\"") {
        Some((name, file_name)) => is_inner(name) && is_inner(file_name),
        None => is_inner(names),
    }) && content_type.is_some_and(|kind| !kind.is_empty() && is_header_literal(kind))
}

/// Any part of a cookie's value: it does not end the pair.
pub(super) fn is_cookie_literal(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic() && b != b';')
}

/// One JSON value, and nothing beside it but white space.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// A JSON string, number, boolean or null.
pub(super) fn is_json_scalar(text: &str) -> bool {
    !text.starts_with(['[', '{', ' ', '\t', '\n', '\r']) && is_json(text)
}

pub(super) fn is_json_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && is_json(text)
}

/// A member's name with its quotes and colon: `"name":`.
pub(super) fn is_json_member(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix("\":")) else {
        return false;
    };
    let is_plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\';
    inner.bytes().all(is_plain) || text.strip_suffix(':').is_some_and(is_json)
}

/// RFC 3986 §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Only bytes that are allowed as they are, and whole percent escapes.
fn is_encoded(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_fine = match byte {
            b'%' => bytes
                .next()
                .zip(bytes.next())
                .is_some_and(|(a, b)| a.is_ascii_hexdigit() && b.is_ascii_hexdigit()),
            _ => allowed(byte),
        };
        if !is_fine {
            return false;
        }
    }
    true
}
