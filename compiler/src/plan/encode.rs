//! Encodings of the places that a literal can have.

use crate::language::json::write_string;
use crate::spec::Type;
use mcp_bundle::wire_enums::{Position, Style};
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

/// How a text is encoded in a position.
pub fn encoding(position: Position) -> fn(&str) -> String {
    match position {
        Position::Header => verbatim,
        _ => percent_encoded,
    }
}

/// The separator of the elements of a list; empty if a style has none.
pub fn separator(style: Style, position: Position) -> &'static str {
    match (style, position) {
        (Style::Comma, Position::Cookie) => "%2C",
        (Style::Comma, _) => ",",
        (Style::Space, Position::Header) => " ",
        (Style::Space, _) => "%20",
        (Style::Pipe, Position::Header) => "|",
        (Style::Pipe, _) => "%7C",
        (Style::Repeat | Style::Deep | Style::Json, _) => "",
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
