//! `WWW-Authenticate` of a registry: how it wants to be told who asks.

/// What a registry asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenge {
    Basic,
    /// A token from another server.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

/// The longest header that is read.
const MAX_LENGTH: usize = 4096;

/// The first challenge in the header that can be answered; a token is preferred.
pub fn parse(header: &str) -> Option<Challenge> {
    if header.len() > MAX_LENGTH {
        return None;
    }
    let mut basic = None;
    let mut rest = header.trim();
    while !rest.is_empty() {
        let (scheme, after) = word(rest)?;
        let (parameters, after) = parameters(after);
        rest = after;
        let get = |name: &str| {
            let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.clone())
        };
        if scheme.eq_ignore_ascii_case("bearer")
            && let Some(realm) = get("realm")
        {
            return Some(Challenge::Bearer { realm, service: get("service"), scope: get("scope") });
        }
        if scheme.eq_ignore_ascii_case("basic") {
            basic = Some(Challenge::Basic);
        }
    }
    basic
}

/// A token of RFC 9110 at the beginning, and the rest without the space before it.
fn word(text: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then(|| (word, rest.trim_start()))
}

/// `name=value` pairs up to the next scheme. What follows a mistake is left out.
fn parameters(mut text: &str) -> (Vec<(String, String)>, &str) {
    let mut pairs = Vec::new();
    loop {
        text = text.trim_start_matches([',', ' ', '\t']);
        let Some((name, after)) = word(text) else { return (pairs, "") };
        // A word without `=` begins the next challenge.
        let Some(value) = after.strip_prefix('=') else { return (pairs, text) };
        let Some((value, after)) = value_of(value.trim_start()) else { return (pairs, "") };
        pairs.push((name.to_owned(), value));
        text = after;
    }
}

fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return word(text).map(|(value, rest)| (value.to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some((value, characters.as_str())),
            '\\' => value.push(characters.next()?),
            c => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Some(Challenge::Bearer { realm: realm.to_owned(), service: text(service), scope: text(scope) })
    }

    #[test]
    fn challenges_of_real_registries_are_read() {
        for (header, expected) in [
            (r#"Basic realm="basic-realm""#, Some(Challenge::Basic)),
            ("basic", Some(Challenge::Basic)),
            (
                r#"Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push""#,
                bearer(
                    "https://auth.docker.io/token",
                    Some("registry.docker.io"),
                    Some("repository:a/b:pull,push"),
                ),
            ),
            (r#"Bearer realm="https://a/t" , service=x"#, bearer("https://a/t", Some("x"), None)),
            (r#"Basic realm="a", Bearer realm="https://a/t""#, bearer("https://a/t", None, None)),
            (r#"Negotiate, Basic realm="a""#, Some(Challenge::Basic)),
            (r#"Bearer realm="a\"b""#, bearer("a\"b", None, None)),
            ("Bearer", None),
            ("Bearer realm=\"a", None),
            ("", None),
            ("=", None),
        ] {
            assert_eq!(parse(header), expected, "{header}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks(header in r#"(Bearer|Basic|realm|"|=|,| |\\|[a-z]|é){0,30}"#) {
            let _ = parse(&header);
        }

        #[test]
        fn what_is_quoted_comes_out_again(realm in "[ -~]{1,40}", scope in "[ -~]{1,40}") {
            let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let header = format!("Bearer realm=\"{}\",scope=\"{}\"", quoted(&realm), quoted(&scope));
            prop_assert_eq!(parse(&header), bearer(&realm, None, Some(&scope)));
        }
    }
}
