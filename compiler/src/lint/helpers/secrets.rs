//! Recognises credentials by their format or their name.

use super::misspelt;
use std::ops::Range;

/// A credential in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Secret {
    pub range: Range<usize>,
    /// With its article: "a GitHub token".
    pub kind: &'static str,
}

/// Prefix, least length after it, and what it is.
const SHAPES: &[(&str, usize, &str)] = &[
    ("sk-", 16, "an API key"),
    ("sk_live_", 16, "a Stripe key"),
    ("sk_test_", 16, "a Stripe key"),
    ("rk_live_", 16, "a Stripe key"),
    ("ghp_", 20, "a GitHub token"),
    ("gho_", 20, "a GitHub token"),
    ("ghu_", 20, "a GitHub token"),
    ("ghs_", 20, "a GitHub token"),
    ("ghr_", 20, "a GitHub token"),
    ("github_pat_", 20, "a GitHub token"),
    ("glpat-", 16, "a GitLab token"),
    ("xoxa-", 10, "a Slack token"),
    ("xoxb-", 10, "a Slack token"),
    ("xoxe-", 10, "a Slack token"),
    ("xoxp-", 10, "a Slack token"),
    ("xoxr-", 10, "a Slack token"),
    ("xoxs-", 10, "a Slack token"),
    ("AIza", 30, "a Google API key"),
];

/// Words in the name of a secret, in lower case and without separators.
const SECRET_WORDS: &[&str] =
    &["authorization", "apikey", "token", "secret", "password", "passwd", "accesskey", "privatekey"];
/// Names with such a word that are not secrets.
const HARMLESS_ENDINGS: &[&str] = &["tokens", "tokentype", "pagetoken", "authorizationtype", "tokenurl"];

/// Shortest text that counts after `Bearer` or `Basic`.
const AFTER_SCHEME: usize = 16;
/// Shortest text that counts under the name of a secret.
const UNDER_NAME: usize = 12;

/// The first credential in a value with this name.
pub fn find(name: &str, value: &str) -> Option<Secret> {
    let mut words = words(value);
    words
        .find_map(|(start, word)| shape(word).map(|kind| Secret { range: start..start + word.len(), kind }))
        .or_else(|| {
            // `$NAME` is a `misspelt-variable`.
            let is_variable = value.contains("${") || !misspelt::variables(value).is_empty();
            if is_variable || value.contains("{{") {
                return None;
            }
            let (scheme, rest) = value.trim().split_once(' ').unwrap_or(("", value.trim()));
            let is_scheme = ["bearer", "basic"].iter().any(|known| known.eq_ignore_ascii_case(scheme));
            let rest = rest.trim();
            let is_word = !rest.contains(char::is_whitespace);
            let length = rest.chars().count();
            let kind = if is_scheme && is_word && length >= AFTER_SCHEME {
                "a credential"
            } else if is_secret_name(name) && is_word && length >= UNDER_NAME {
                "a secret"
            } else {
                return None;
            };
            let start = value.rfind(rest)?;
            Some(Secret { range: start..start + rest.len(), kind })
        })
}

fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| plain.contains(word))
        && !HARMLESS_ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// The runs of token characters, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut at = 0;
    text.split(move |c: char| !is_part(c)).filter_map(move |word| {
        // Each separator is one character; find where the word really is.
        let start = text.get(at..)?.find(word)? + at;
        at = start + word.len();
        (!word.is_empty()).then_some((start, word))
    })
}

fn shape(word: &str) -> Option<&'static str> {
    let known = SHAPES.iter().find(|(prefix, least, _)| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() >= *least && rest.bytes().any(|b| b.is_ascii_digit()))
    });
    if let Some((_, _, kind)) = known {
        return Some(kind);
    }
    let is_key_id = word.len() == 20 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if is_key_id && (word.starts_with("AKIA") || word.starts_with("ASIA")) {
        return Some("an AWS access key");
    }
    let parts: Vec<&str> = word.split('.').collect();
    match parts.as_slice() {
        [header, claims, signature]
            if header.starts_with("eyJ")
                && header.len() >= 10
                && claims.len() >= 4
                && signature.len() >= 8 =>
        {
            Some("a JSON Web Token")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'v>(name: &str, value: &'v str) -> Option<(&'v str, &'static str)> {
        find(name, value).map(|secret| (value.get(secret.range).unwrap(), secret.kind))
    }

    #[test]
    fn tokens_are_recognised_by_their_format_anywhere() {
        for (token, kind) in [
            ("sk-proj-0123456789abcdefABCD", "an API key"),
            ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "a GitHub token"),
            ("github_pat_11ABCDEFG0123456789_abc", "a GitHub token"),
            ("AKIAIOSFODNN7EXAMPLE", "an AWS access key"),
            ("xoxb-1234567890-abc", "a Slack token"),
            ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "a Google API key"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "a JSON Web Token"),
        ] {
            assert_eq!(found("x-anything", token), Some((token, kind)));
            assert_eq!(found("", &format!("key={token}, é")).map(|(_, kind)| kind), Some(kind));
        }
    }

    #[test]
    fn credentials_are_recognised_by_scheme_or_name() {
        let value = "0123456789abcdef";
        assert_eq!(found("x", "Bearer 0123456789abcdef"), Some((value, "a credential")));
        assert_eq!(found("x", "basic 0123456789abcdef"), Some((value, "a credential")));
        assert_eq!(found("X-Api-Key", value), Some((value, "a secret")));
        assert_eq!(
            found("clientSecret", "correct-horse-battery"),
            Some(("correct-horse-battery", "a secret"))
        );
    }

    #[test]
    fn harmless_values_are_left_alone() {
        for (name, value) in [
            ("authorization", "Bearer ${TOKEN}"),
            ("x-api-key", "${A}-0123456789abcdef"),
            ("authorization", "Bearer {SHOP_ACCESS_TOKEN}"),
            ("x-api-key", "%SHOP_ACCESS_TOKEN%"),
            ("x-api-key", "short"),
            ("token", "a sentence about a token"),
            ("max_tokens", "1000000000000"),
            ("page_token", "0123456789abcdef"),
            ("accept", "application/vnd.api+json; version=2024-01-01"),
            ("user-agent", "sk-this-is-only-a-long-name"),
            ("x", "Bearer token"),
        ] {
            assert_eq!(found(name, value), None, "{name}: {value}");
        }
    }
}
