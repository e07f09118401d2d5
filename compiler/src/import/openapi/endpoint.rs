//! Paths of operations as endpoints.

use super::Refusal;
use super::api::Api;
use super::arguments::Argument;
use super::codes;
use super::operations::Operation;
use crate::import::Fate;
use crate::language::json::Json;
use std::fmt::Write;

/// A piece of a path: a text, or the name of a parameter.
enum Piece<'p> {
    Text(&'p str),
    Name(&'p str),
}

/// The pieces of a path; `None` if its braces do not match.
fn pieces(path: &str) -> Option<Vec<Piece<'_>>> {
    let mut all = Vec::new();
    let mut rest = path;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, tail) = rest.split_at(at);
        all.push(Piece::Text(before));
        let inside = tail.strip_prefix('{')?;
        let end = inside.find(['{', '}'])?;
        let (name, after) = inside.split_at(end);
        rest = after.strip_prefix('}')?;
        all.push(Piece::Name(name));
    }
    all.push(Piece::Text(rest));
    Some(all)
}

/// Adds arguments for placeholders that no parameter fills.
pub fn add_missing(api: &Api<'_>, operation: &Operation<'_>, arguments: &mut Vec<Argument>) {
    let (path, query) = split(operation.path);
    if operation.path.contains("${") {
        let why = "the `$` before a placeholder in its path is left out";
        api.ledger.note(&operation.place, Fate::Changed, &codes::PATH, why);
    }
    if operation.path.contains('#') {
        let why = "what follows `#` in its path is never sent";
        api.ledger.note(&operation.place, Fate::Changed, &codes::PATH, why);
    }
    for (key, name) in query.split('&').filter_map(templated) {
        let known = arguments
            .iter_mut()
            .find(|argument| argument.wire == name && matches!(argument.position, "path" | "query"));
        match known {
            Some(argument) => {
                argument.position = "query";
                argument.wire = key.to_owned();
            }
            None => {
                let schema = vec![("type".to_owned(), Json::string("string"))];
                arguments.push(Argument::new(key, "query", Json::Object(schema)));
            }
        }
    }
    let names: Vec<&str> = pieces(path)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|piece| if let Piece::Name(name) = piece { Some(name) } else { None })
        .collect();
    for name in &names {
        if arguments.iter().any(|argument| argument.position == "path" && argument.wire == *name) {
            continue;
        }
        let schema = vec![
            ("type".to_owned(), Json::string("string")),
            ("description".to_owned(), Json::string(format!("`{name}` in the path"))),
        ];
        let mut argument = Argument::new(name, "path", Json::Object(schema));
        argument.is_required = true;
        arguments.push(argument);
        let why = format!(
            "the path has `{{{}}}` and no parameter of that name, so one was added",
            super::short(name)
        );
        api.ledger.note(&operation.place, Fate::Changed, &codes::PATH, why);
    }
    arguments.retain(|argument| {
        let is_used = argument.position != "path" || names.contains(&argument.wire.as_str());
        if !is_used {
            let why = format!("the path has no `{{{}}}`", super::short(&argument.wire));
            api.ledger.note(&operation.place, Fate::Refused, &codes::PATH, why);
        }
        is_used
    });
}

/// The endpoint: each placeholder has the name of its argument.
pub fn write(path: &str, arguments: &[Argument]) -> Result<String, Refusal> {
    let (path, query) = split(path);
    let Some(pieces) = pieces(path) else {
        return Err(Refusal::new(&codes::PATH, "the braces of its path do not match"));
    };
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => encode(text, &mut out),
            Piece::Name(name) => {
                let argument =
                    arguments.iter().find(|argument| argument.position == "path" && argument.wire == name);
                let name = argument.map_or(name, |argument| argument.name.as_str());
                // `${id}` is a slip of the pen: no API has a `$` there, and here it would name a variable.
                if out.ends_with('$') {
                    out.pop();
                }
                let _ = write!(out, "{{{name}}}");
            }
        }
    }
    let mut separator = '?';
    for pair in query.split('&').filter(|pair| !pair.is_empty() && templated(pair).is_none()) {
        if pair.contains(['{', '}']) || pair.starts_with('=') {
            return Err(Refusal::new(&codes::PATH, "the query in its path cannot be sent"));
        }
        out.push(separator);
        encode(pair, &mut out);
        separator = '&';
    }
    if out.starts_with('/') { Ok(out) } else { Ok(format!("/{out}")) }
}

/// The path without its fragment, and its query.
fn split(path: &str) -> (&str, &str) {
    let path = path.split('#').next().unwrap_or_default();
    path.split_once('?').unwrap_or((path, ""))
}

/// The name of a query parameter, and of the argument that fills it: `q={text}`.
fn templated(pair: &str) -> Option<(&str, &str)> {
    let (key, value) = pair.split_once('=')?;
    let name = value.strip_prefix('{')?.strip_suffix('}')?;
    let is_plain = !key.is_empty() && !key.contains(['{', '}']) && !name.contains(['{', '}']);
    is_plain.then_some((key, name))
}

/// What a URL cannot hold is percent-encoded. What is encoded stays as it is.
fn encode(text: &str, out: &mut String) {
    for (at, c) in text.char_indices() {
        let is_encoded = c == '%'
            && text.get(at + 1..at + 3).is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if is_encoded || c.is_ascii_alphanumeric() || "-._~!$&'()*+,=:@/?".contains(c) {
            out.push(c);
            continue;
        }
        let mut buffer = [0; 4];
        for byte in c.encode_utf8(&mut buffer).bytes() {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_endpoints() {
        let argument = |wire: &str, name: &str| {
            let mut argument = Argument::new(wire, "path", Json::Object(Vec::new()));
            argument.name = name.to_owned();
            argument
        };
        let all = [argument("pet.id", "pet_id")];
        let endpoint = |path: &str| write(path, &all).map_err(|refusal| refusal.why);
        assert_eq!(endpoint("/pets/{pet.id}.json").as_deref(), Ok("/pets/{pet_id}.json"));
        assert_eq!(endpoint("pets/a b;%20%").as_deref(), Ok("/pets/a%20b%3B%20%25"));
        assert_eq!(endpoint("/?Action=Run&id={x}").as_deref(), Ok("/?Action=Run"));
        assert_eq!(endpoint("/a#b").as_deref(), Ok("/a"));
        assert_eq!(endpoint("/a/${pet.id}").as_deref(), Ok("/a/{pet_id}"));
        for bad in ["/a/{b", "/a}b", "/{a{b}}"] {
            assert!(endpoint(bad).unwrap_err().contains("braces"), "{bad}");
        }
        assert!(endpoint("/a?{x}=1").unwrap_err().contains("query"));
    }
}
