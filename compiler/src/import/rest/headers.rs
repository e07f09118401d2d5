//! Headers of a tool.

use super::parameters::Parameters;
use super::{About, Change, RestTool, codes};
use crate::import::codes::SECRET_REPLACED;
use crate::import::go_text::{Piece, Rewritten, pieces};
use crate::import::secrets::without_secret;
use crate::language::names::variable;
use crate::template::{Inferred, infer};

/// What belongs to a connection, or follows from the request.
const NOT_OURS: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether a header says that the body is a form.
pub fn is_form(headers: &[(String, Rewritten)]) -> bool {
    headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type")
            && value.text.to_ascii_lowercase().contains("application/x-www-form-urlencoded")
    })
}

/// The headers that a spec says.
pub fn build(
    source: &RestTool,
    is_form: bool,
    parameters: &mut Parameters<'_>,
    changes: &mut Vec<Change>,
) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (at, (name, value)) in source.headers.iter().enumerate() {
        let name = name.trim().to_ascii_lowercase();
        changes.extend(super::undeclared(About::Header(at), value));
        let mut change = |code, why: &str| changes.push(Change::new(About::Header(at), code, why));
        if NOT_OURS.contains(&name.as_str()) || name.starts_with(':') {
            change(&codes::HEADER_REFUSED, "the edge alone decides about this header");
            continue;
        }
        let text = value.text.trim();
        if name == "content-type" {
            let kind = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            if kind == "application/json" || (is_form && kind.ends_with("x-www-form-urlencoded")) {
                change(&codes::HEADER_NOT_NEEDED, "it follows from the body");
                continue;
            }
            if kind == "multipart/form-data" {
                change(
                    &codes::CONTENT_TYPE_CHANGED,
                    "no boundary belongs to it: the body is none of several parts",
                );
                continue;
            }
        }
        if headers.iter().any(|(known, _)| *known == name) {
            change(&codes::HEADER_REFUSED, "the header is there twice; the first one is sent");
            continue;
        }
        parameters.read_by_template(value);
        let all = pieces(text);
        let is_constant = all.iter().all(|piece| matches!(piece, Piece::Text(_)));
        if !is_constant && !value.reads.is_empty() {
            change(&codes::RAW_BECOMES_ENCODED, "a value that no header can have is refused");
        }
        let variable = variable(&[&source.name, &name], "API_KEY");
        let secret = without_secret(&name, text, &variable).filter(|_| is_constant);
        let value = match secret {
            Some(replaced) => {
                let why = format!("it has `${{{variable}}}` instead of its secret");
                changes.push(Change::new(About::Header(at), &SECRET_REPLACED, why));
                replaced
            }
            None if is_constant => plain(&all),
            None => certainly_go(text),
        };
        headers.push((name, value));
    }
    headers
}

/// A template that cannot be taken for one of Handlebars, where a spec has no place to say what it is.
pub fn certainly_go(text: &str) -> String {
    match infer(text) {
        Inferred::Ambiguous => format!("{{{{/* Go */}}}}{text}"),
        _ => text.to_owned(),
    }
}

fn plain(all: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Argument(text) | Piece::Template(text) => text.clone(),
    };
    all.iter().map(text).collect()
}
