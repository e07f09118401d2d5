//! Redirects, which are followed only within one origin: credentials never go elsewhere.

use crate::upstream::OriginKey;
use http::uri::PathAndQuery;
use mcp_bundle::wire_enums::{Method, Scheme};

const MAX_LOCATION: usize = 8 << 10;

/// Whether a request may be repeated at another place with the same method and body.
pub(super) const fn keeps_request(status: u16, method: Method) -> bool {
    match status {
        307 | 308 => true,
        301..=303 => matches!(method, Method::Get | Method::Head),
        _ => false,
    }
}

/// The target that `location` names on `origin`, seen from `target`; `None` if it is elsewhere or not a place.
pub(in crate::upstream) fn target(location: &str, origin: &OriginKey, target: &[u8]) -> Option<Vec<u8>> {
    if location.len() > MAX_LOCATION || !location.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let location = location.split_once('#').map_or(location, |(place, _)| place);
    let found = match split_origin(location, origin.scheme)? {
        (Some((scheme, authority)), rest) => {
            if !is_same(scheme, authority, origin) {
                return None;
            }
            if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
        }
        (None, rest) => relative(rest, std::str::from_utf8(target).ok()?),
    };
    // The same grammar for both versions of HTTP.
    PathAndQuery::try_from(found.as_str()).ok()?;
    Some(found.into_bytes())
}

/// Scheme and authority, if there are any, and the rest.
fn split_origin(location: &str, scheme: Scheme) -> Option<(Option<(Scheme, &str)>, &str)> {
    let (scheme, rest) = if let Some(rest) = location.strip_prefix("//") {
        (scheme, rest)
    } else {
        // A colon before any slash ends a scheme.
        let before = location.split(['/', '?']).next().unwrap_or_default();
        let Some((name, _)) = before.split_once(':') else { return Some((None, location)) };
        let scheme = Scheme::from_word(&name.to_ascii_lowercase())?;
        let (_, rest) = location.split_once(':')?;
        (scheme, rest.strip_prefix("//")?)
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end)?;
    Some((Some((scheme, authority)), rest))
}

fn is_same(scheme: Scheme, authority: &str, origin: &OriginKey) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port = match port.filter(|port| !port.is_empty()) {
        Some(port) => port.parse::<u16>().ok(),
        None => Some(if scheme == Scheme::Https { 443 } else { 80 }),
    };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    scheme == origin.scheme && port == Some(origin.port) && host.eq_ignore_ascii_case(&origin.host)
}

/// RFC 3986 §5.2, for a reference without an authority.
fn relative(reference: &str, base: &str) -> String {
    let base_path = base.split('?').next().unwrap_or_default();
    if reference.is_empty() {
        return base.to_owned();
    }
    if reference.starts_with('/') {
        return reference.to_owned();
    }
    if reference.starts_with('?') {
        return format!("{base_path}{reference}");
    }
    let (path, query) = match reference.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (reference, None),
    };
    let folder = base_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut segments: Vec<&str> = folder.split('/').skip(1).collect();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    segments.pop();
                }
                if is_last {
                    segments.push("");
                }
            }
            part => segments.push(part),
        }
    }
    let mut found = format!("/{}", segments.join("/"));
    if let Some(query) = query {
        found.push('?');
        found.push_str(query);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(location: &str) -> Option<String> {
        let origin = OriginKey { scheme: Scheme::Https, host: "api.example".to_owned(), port: 443 };
        target(location, &origin, b"/v1/items/7?a=b").map(|target| String::from_utf8(target).unwrap())
    }

    #[test]
    fn places_on_the_same_origin_are_followed() {
        for (location, found) in [
            ("https://api.example/x?y=z", "/x?y=z"),
            ("https://API.example:443/x#part", "/x"),
            ("HTTPS://api.example", "/"),
            ("https://api.example?q", "/?q"),
            ("//api.example/x", "/x"),
            ("/x//y", "/x//y"),
            ("?c=d", "/v1/items/7?c=d"),
            ("8", "/v1/items/8"),
            ("../8?c", "/v1/8?c"),
            ("../../../8", "/8"),
            ("./", "/v1/items/"),
            ("..", "/v1/"),
            ("/x?to=http://other", "/x?to=http://other"),
            ("#part", "/v1/items/7?a=b"),
        ] {
            assert_eq!(followed(location).as_deref(), Some(found), "{location}");
        }
    }

    #[test]
    fn other_places_are_not() {
        let long = format!("/{}", "x".repeat(MAX_LOCATION));
        for location in [
            "http://api.example/x",
            "https://api.example:8443/x",
            "https://other.example/x",
            "https://user@api.example/x",
            "https://api.example@other.example/x",
            "https://api.example:99999/x",
            "//other.example/x",
            "///x",
            "https:/x",
            "mailto:x",
            "javascript:x",
            "/a b",
            "/\r\nx: y",
            "/é",
            &long,
        ] {
            assert_eq!(followed(location), None, "{location}");
        }
    }

    #[test]
    fn an_address_in_brackets_is_compared_without_them() {
        let origin = OriginKey { scheme: Scheme::Http, host: "::1".to_owned(), port: 8080 };
        assert_eq!(target("http://[::1]:8080/x", &origin, b"/"), Some(b"/x".to_vec()));
        assert_eq!(target("http://[::1]/x", &origin, b"/"), None);
    }

    #[test]
    fn a_body_is_only_sent_again_where_the_status_says_so() {
        assert!(keeps_request(307, Method::Post) && keeps_request(308, Method::Post));
        assert!(keeps_request(302, Method::Get) && keeps_request(303, Method::Head));
        assert!(!keeps_request(302, Method::Post) && !keeps_request(304, Method::Get));
    }
}
