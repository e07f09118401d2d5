//! Encodings of the places a literal can stand in.

use crate::json::write_string;
use crate::spec::Type;
use mcp_bundle::tag::{Position, Style};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// For paths, queries, cookies and forms.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// For headers: as it is.
pub fn verbatim(text: &str) -> String {
    text.to_owned()
}

/// The inside of a JSON string.
pub fn json_escaped(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(text, &mut quoted);
    quoted.pop();
    quoted.remove(0);
    quoted
}

/// `"name":`
pub fn json_name(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 3);
    write_string(name, &mut quoted);
    quoted.push(':');
    quoted
}

/// The separator of a style where nothing is percent-encoded.
pub fn decoded(separator: &str) -> &str {
    match separator {
        "%20" => " ",
        "%7C" => "|",
        other => other,
    }
}

/// How an array or object is written where the spec does not say.
pub fn default_style(position: Position, kind: Option<Type>) -> Style {
    match (kind, position) {
        (Some(Type::Object), Position::Query | Position::Body) => Style::Deep,
        (Some(Type::Object), _) => Style::Json,
        (_, Position::Query | Position::Body) => Style::Repeat,
        _ => Style::Comma,
    }
}
