//! URLs of Go templates, split into what a spec says in different places.

use crate::import::go_text::{Piece, pieces};
use std::collections::BTreeSet;

/// Where the API is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `https://host`, maybe with variables.
    Absolute(String),
    /// The source leaves it to the gateway.
    Relative,
}

/// What follows the origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub origin: Origin,
    pub path: Vec<Piece>,
    pub query: Vec<Piece>,
    pub has_fragment: bool,
}

/// Reads a URL that [`crate::import::go_text::rewrite`] has rewritten.
pub fn read(text: &str) -> Result<Target, String> {
    let mut rest = pieces(text.trim());
    let first = match rest.first() {
        Some(Piece::Text(first)) => first.clone(),
        _ => return Err("an argument chooses the host, which nothing could bound".to_owned()),
    };
    let (origin, after) = split_origin(&first, rest.len() > 1)?;
    if let Some(first) = rest.first_mut() {
        *first = Piece::Text(after);
    }
    let (rest, has_fragment) = cut(rest, '#');
    let (path, query) = split(rest, '?');
    Ok(Target { origin, path, query, has_fragment })
}

/// The scheme, host and port that a text begins with.
fn split_origin(text: &str, goes_on: bool) -> Result<(Origin, String), String> {
    if text.starts_with('/') {
        return Ok((Origin::Relative, text.to_owned()));
    }
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let start = match scheme {
        Some(scheme) => scheme.len(),
        None if text.starts_with("${") => 0,
        None => return Err(format!("`{text}` is neither an address nor a path")),
    };
    let host = text.get(start..).unwrap_or_default();
    let end = match host.find(['/', '?', '#']) {
        Some(at) => start + at,
        None if goes_on => {
            return Err("an argument chooses a part of the host, which nothing could bound".to_owned());
        }
        None => text.len(),
    };
    let (origin, after) = text.split_at_checked(end).unwrap_or((text, ""));
    if origin.contains('@') {
        return Err("its address has a user name or password; send it in a header".to_owned());
    }
    Ok((Origin::Absolute(origin.to_owned()), after.to_owned()))
}

/// The pieces before a character, and those after it.
fn split(pieces: Vec<Piece>, at: char) -> (Vec<Piece>, Vec<Piece>) {
    let (mut before, mut after, mut is_after) = (Vec::new(), Vec::new(), false);
    for piece in pieces {
        match piece {
            Piece::Text(text) if !is_after => match text.split_once(at) {
                Some((start, end)) => {
                    is_after = true;
                    before.extend(some_text(start));
                    after.extend(some_text(end));
                }
                None => before.extend(some_text(&text)),
            },
            piece if is_after => after.push(piece),
            piece => before.push(piece),
        }
    }
    (before, after)
}

fn some_text(text: &str) -> Option<Piece> {
    (!text.is_empty()).then(|| Piece::Text(text.to_owned()))
}

fn cut(pieces: Vec<Piece>, at: char) -> (Vec<Piece>, bool) {
    let has = pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains(at)));
    (split(pieces, at).0, has)
}

/// A pair of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pair {
    /// Sent as it is.
    Fixed(String),
    /// A constant with a variable in it.
    Constant {
        name: String,
        value: String,
    },
    Argument {
        name: String,
        argument: String,
    },
}

/// The pairs of a query; `None` if one of them is more than that.
pub fn pairs(query: &[Piece]) -> Option<Vec<Pair>> {
    let mut all = Vec::new();
    // The pair so far: its text, and the argument that is its value.
    let (mut text, mut argument): (String, Option<String>) = (String::new(), None);
    let mut end = |text: &mut String, argument: &mut Option<String>| {
        let (text, argument) = (std::mem::take(text), argument.take());
        let pair = match (text.split_once('='), argument) {
            (Some((name, "")), Some(argument)) if !name.contains("${") => {
                Pair::Argument { name: name.to_owned(), argument }
            }
            (_, Some(_)) => return None,
            (Some((name, value)), None) if value.contains("${") && !name.contains("${") => {
                Pair::Constant { name: name.to_owned(), value: value.to_owned() }
            }
            (_, None) if text.contains("${") => return None,
            (_, None) => Pair::Fixed(text),
        };
        if pair != Pair::Fixed(String::new()) {
            all.push(pair);
        }
        Some(())
    };
    for piece in query {
        match piece {
            Piece::Text(part) => {
                for (at, part) in part.split('&').enumerate() {
                    if at > 0 {
                        end(&mut text, &mut argument)?;
                    }
                    // Text behind the argument.
                    if argument.is_some() && !part.is_empty() {
                        return None;
                    }
                    text.push_str(part);
                }
            }
            Piece::Argument(name) if argument.is_none() => argument = Some(name.clone()),
            Piece::Argument(_) | Piece::Template(_) => return None,
        }
    }
    end(&mut text, &mut argument)?;
    Some(all)
}

/// A path whose parts are text, `{name}`, and variables; `None` if there is more in it, or an argument twice.
///
/// A variable, which a path cannot have, is a placeholder, too.
pub fn placeholders(path: &[Piece]) -> Option<(String, BTreeSet<String>)> {
    let (mut text, mut names) = (String::new(), BTreeSet::new());
    for piece in path {
        match piece {
            Piece::Text(part) if part.contains("${") => return None,
            Piece::Text(part) => text.push_str(part),
            Piece::Argument(name) => {
                if !names.insert(name.clone()) || text.contains(&format!("{{{name}}}")) {
                    return None;
                }
                text.push_str(&format!("{{{name}}}"));
            }
            Piece::Template(_) => return None,
        }
    }
    Some((text, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    #[test]
    fn urls_are_split() {
        let target = read("https://a.example:8080/v1/{id}/{{ .x }}?q={{ .q }}&k=1#top").unwrap();
        assert_eq!(target.origin, Origin::Absolute("https://a.example:8080".to_owned()));
        assert_eq!(target.path, [text("/v1/{id}/"), Piece::Argument("x".to_owned())]);
        assert_eq!(target.query, [text("q="), Piece::Argument("q".to_owned()), text("&k=1")]);
        assert!(target.has_fragment);
        assert_eq!(read("/a?b=1").unwrap().origin, Origin::Relative);
        assert_eq!(read("${BASE}/a").unwrap().origin, Origin::Absolute("${BASE}".to_owned()));
        assert_eq!(
            read("https://${HOST}:1/a").unwrap().origin,
            Origin::Absolute("https://${HOST}:1".to_owned())
        );
        assert_eq!(read("https://a.example").unwrap().path, []);
    }

    #[test]
    fn a_host_is_never_an_argument() {
        for (url, expected) in [
            ("{{ .url }}", "an argument chooses the host"),
            ("https://{{ .host }}/a", "an argument chooses a part of the host"),
            ("https://a{{ .host }}", "an argument chooses a part of the host"),
            ("https://user:pass@a.example/", "its address has a user name"),
            ("a.example/x", "`a.example/x` is neither an address nor a path"),
            ("", "an argument chooses the host"),
        ] {
            let message = read(url).unwrap_err();
            assert!(message.starts_with(expected), "{url}: {message}");
        }
    }

    #[test]
    fn pairs_are_told_apart() {
        let pairs = |query: &str| pairs(&pieces(query));
        let argument = |name: &str, argument: &str| Pair::Argument {
            name: name.to_owned(),
            argument: argument.to_owned(),
        };
        assert_eq!(
            pairs("a=1&b={{ .x }}&c=${K}&d&e=x{{/* c */}}y"),
            Some(vec![
                Pair::Fixed("a=1".to_owned()),
                argument("b", "x"),
                Pair::Constant { name: "c".to_owned(), value: "${K}".to_owned() },
                Pair::Fixed("d".to_owned()),
                Pair::Fixed("e=xy".to_owned()),
            ])
        );
        for query in
            ["a={{ .x }}y", "a=y{{ .x }}", "{{ .x }}=1", "a={{ .x }}{{ .y }}", "a={{ now }}", "${K}=1"]
        {
            assert_eq!(pairs(query), None, "{query}");
        }
        assert_eq!(pairs(""), Some(vec![]));
    }

    proptest! {
        #[test]
        fn any_url_is_split_or_refused(url in r"(https?://|/|\?|#|&|=|\{\{ \.x \}\}|\$\{A\}|a\.b|\{id\}|@|é){0,10}") {
            if let Ok(target) = read(&url) {
                let _ = (pairs(&target.query), placeholders(&target.path));
                if let Origin::Absolute(origin) = target.origin {
                    prop_assert!(!origin.contains("{{") && !origin.contains('@'));
                }
            }
        }
    }
}
