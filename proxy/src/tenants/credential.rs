//! The credential in a request's head.

use crate::request::head::{Head, is_visible};

/// What a request brings: visible ASCII, which is never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Credential<'h> {
    ApiKey(&'h [u8]),
    /// Something else in `Authorization: Bearer`.
    Token(&'h [u8]),
}

/// Why the credential of a head cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// In the query string, where logs and histories keep it.
    InQuery,
    /// More than one.
    Ambiguous,
    /// Another scheme than `Bearer`, or a text that no credential has.
    Malformed,
}

/// Names that people give credentials in a query.
const IN_QUERY: [&str; 8] =
    ["access_token", "api_key", "apikey", "api-key", "x-api-key", "authorization", "bearer", "token"];

/// A longer one is nobody's.
pub const LONGEST: usize = 16 << 10;

/// `None` if there is none.
pub fn find(head: &Head) -> Result<Option<Credential<'_>>, Unreadable> {
    if is_in_query(head) {
        return Err(Unreadable::InQuery);
    }
    let authorization = head.headers.one("authorization").map_err(|_| Unreadable::Ambiguous)?;
    let api_key = head.headers.one("x-api-key").map_err(|_| Unreadable::Ambiguous)?;
    let is_good = |value: &[u8]| value.len() <= LONGEST && is_visible(value);
    match (authorization, api_key) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(Unreadable::Ambiguous),
        (None, Some(key)) if is_good(key) => Ok(Some(Credential::ApiKey(key.trim_ascii()))),
        (Some(authorization), None) if is_good(authorization) => {
            let token = token_of(authorization).ok_or(Unreadable::Malformed)?;
            let is_key = token.starts_with(super::api_key::PREFIX.as_bytes());
            Ok(Some(if is_key { Credential::ApiKey(token) } else { Credential::Token(token) }))
        }
        _ => Err(Unreadable::Malformed),
    }
}

/// What follows `Bearer`.
fn token_of(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.trim_ascii().split_at_checked(b"bearer".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer") && token.starts_with(b" ");
    let token = token.trim_ascii_start();
    // All bytes are looked at, even after a space: then it is done in blocks.
    let is_one = token.iter().fold(true, |one, byte| one & (*byte != b' '));
    (is_bearer && is_one && !token.is_empty()).then_some(token)
}

impl<'h> Credential<'h> {
    pub fn bytes(self) -> &'h [u8] {
        match self {
            Credential::ApiKey(text) | Credential::Token(text) => text,
        }
    }
}

/// Whether a credential is in the query string, where logs and histories keep it.
pub fn is_in_query(head: &Head) -> bool {
    head.uri.query().is_some_and(has_credential)
}

fn has_credential(query: &str) -> bool {
    query.split('&').any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        value.starts_with(super::api_key::PREFIX)
            || (!value.is_empty() && IN_QUERY.iter().any(|known| name.eq_ignore_ascii_case(known)))
    })
}

impl std::fmt::Debug for Credential<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Credential::ApiKey(_) => "ApiKey",
            Credential::Token(_) => "Token",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(target: &str, headers: &[(&str, &str)]) -> Result<String, Unreadable> {
        let mut head = Head { uri: target.parse().unwrap(), ..Head::default() };
        headers.iter().for_each(|(name, value)| head.headers.append(name, value.as_bytes()));
        find(&head).map(|credential| match credential {
            None => "none".to_owned(),
            Some(Credential::ApiKey(text)) => format!("key {}", String::from_utf8_lossy(text)),
            Some(Credential::Token(text)) => format!("token {}", String::from_utf8_lossy(text)),
        })
    }

    #[test]
    fn keys_and_tokens_are_told_apart() {
        assert_eq!(found("/mcp", &[]), Ok("none".to_owned()));
        assert_eq!(found("/mcp", &[("authorization", "Bearer mek_a")]), Ok("key mek_a".to_owned()));
        assert_eq!(found("/mcp", &[("authorization", "bearer  a.b.c")]), Ok("token a.b.c".to_owned()));
        assert_eq!(found("/mcp", &[("x-api-key", "mek_a")]), Ok("key mek_a".to_owned()));
    }

    #[test]
    fn what_cannot_be_read_for_sure_is_refused() {
        let long = format!("Bearer {}", "a".repeat(LONGEST));
        for value in ["Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "mek_a", "Bearer \u{e9}", &long] {
            assert_eq!(found("/mcp", &[("authorization", value)]), Err(Unreadable::Malformed), "{value}");
        }
        let both = [("authorization", "Bearer a"), ("x-api-key", "b")];
        assert_eq!(found("/mcp", &both), Err(Unreadable::Ambiguous));
        let twice = [("authorization", "Bearer a"), ("authorization", "Bearer a")];
        assert_eq!(found("/mcp", &twice), Err(Unreadable::Ambiguous));
    }

    #[test]
    fn a_credential_in_the_query_is_refused_whatever_else_there_is() {
        for target in ["/mcp?access_token=x", "/mcp?a=1&API_KEY=x", "/mcp?q=mek_abc"] {
            let good = [("authorization", "Bearer mek_a")];
            assert_eq!(found(target, &good), Err(Unreadable::InQuery), "{target}");
        }
        for target in ["/mcp?access_token=", "/messages?session=1", "/api/v1/mcp/tools?page=1"] {
            assert_eq!(found(target, &[]), Ok("none".to_owned()), "{target}");
        }
    }
}
