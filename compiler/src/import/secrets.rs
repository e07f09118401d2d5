//! Values of a source that are secrets: no spec, no copy of a source and no report has them.

use super::Ledger;
use super::codes::SECRET_LEFT_OUT;
use crate::language::json::Json;

/// Whether values of a header or parameter of this name are secrets.
pub fn is_secret_name(name: &str) -> bool {
    let name = plain(name);
    ["authorization", "cookie"].contains(&name.as_str())
        || ["apikey", "accesskey", "token", "secret", "password", "passwd", "signature", "credential"]
            .iter()
            .any(|word| name.contains(word))
}

/// The same for fields of queries and bodies, of which many count tokens or turn pages.
pub fn is_secret_field(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "tokens",
        "pagetoken",
        "nexttoken",
        "continuationtoken",
        "synctoken",
        "cursor",
        "tokentype",
        "hint",
    ];
    let plain = plain(name);
    is_secret_name(name) && !OTHERS.iter().any(|other| plain.contains(other))
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', ' '], "")
}

/// Whether a value under a name is a secret: a switch and a number are none.
pub fn is_secret(name: &str, value: &Json) -> bool {
    let is_said = value.as_str().is_some_and(|text| !matches!(text.trim(), "" | "true" | "false"));
    is_said && is_secret_field(name)
}

/// A fixed value with its secret as `${NAME}`; `None` if it holds none. The scheme of an `authorization` stays.
pub fn without_secret(name: &str, value: &str, variable: &str) -> Option<String> {
    if value.is_empty() || value.contains("${") || !is_secret_name(name) {
        return None;
    }
    let scheme = value.split_once(' ').map(|(scheme, _)| scheme);
    let known = ["bearer", "basic", "token", "apikey", "digest"];
    Some(match scheme.filter(|scheme| known.contains(&scheme.to_ascii_lowercase().as_str())) {
        Some(scheme) => format!("{scheme} ${{{variable}}}"),
        None => format!("${{{variable}}}"),
    })
}

/// The default of an argument, unless it is a secret.
pub fn default_of(ledger: &Ledger<'_>, name: &str, written: &Json, default: Option<Json>) -> Option<Json> {
    if !is_secret(name, written) {
        return default;
    }
    let why = format!("the default of `{name}` is a secret, so the argument has none; make it a `value`");
    ledger.refuse(written, &SECRET_LEFT_OUT, why);
    None
}

/// Replaces the secrets in a value by words that are none; `true` if there were some. Recursion is bounded by the depth of documents.
pub fn blank(value: &mut Json) -> bool {
    match value {
        Json::Array(items) => items.iter_mut().fold(false, |found, item| blank(item) | found),
        Json::Object(members) => members.iter_mut().fold(false, |found, (name, value)| {
            if is_secret(name, value) {
                *value = Json::String(placeholder(name));
                return true;
            }
            blank(value) | found
        }),
        _ => false,
    }
}

/// What is in the place of a secret.
pub fn placeholder(name: &str) -> String {
    let word: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(24).collect();
    format!("a_{word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_count_or_turn_pages_are_no_secrets() {
        for name in ["api_key", "X-Api-Key", "password", "client_secret", "accessToken", "Authorization"] {
            assert!(is_secret(name, &Json::string("x")), "{name}");
        }
        for name in ["max_tokens", "nextPageToken", "page_token", "token_type", "keyword", "id"] {
            assert!(!is_secret(name, &Json::string("x")), "{name}");
        }
        assert!(!is_secret("include_secrets", &Json::string("true")));
        assert!(!is_secret("password", &Json::Bool(true)));
    }

    #[test]
    fn secrets_within_values_are_replaced() {
        let mut value = Json::read(r#"{"a":[{"password":"p","n":1}],"token":"t","page_token":"u"}"#).unwrap();
        assert!(blank(&mut value));
        assert_eq!(
            value.to_text(),
            r#"{"a":[{"password":"a_password","n":1}],"token":"a_token","page_token":"u"}"#
        );
        assert!(!blank(&mut Json::string("t")));
    }
}
