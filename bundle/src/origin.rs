//! Where an upstream is: scheme, host and port.
//!
//! A spec may write an origin with variables, `http://${ES_HOST:-localhost}:${ES_PORT:-9200}`. The edge
//! resolves them once, when a bundle is activated. The result is one fixed origin that no argument can
//! change, checked by the same code as an origin without variables.

use crate::wire_enums::Scheme;
use std::net::Ipv6Addr;

/// The longest text of an origin, before and after its variables are resolved.
pub const MAX_LENGTH: usize = 2048;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub scheme: Scheme,
    /// Lower case; an IPv6 address without brackets.
    pub host: String,
    pub port: u16,
    /// The `Host` header: host, and the port unless it is the scheme's default.
    pub authority: String,
}

/// Why a text is not an origin. Never holds a part of the text: it may come from a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    #[error("it must start with `http://` or `https://`")]
    Scheme,
    #[error("it must not have a user name or password")]
    UserInfo,
    #[error("its host is not ASCII; write an international host in its `xn--` form")]
    NotAscii,
    #[error("its host is not a host name or an IP address")]
    Host,
    #[error("its port is not a number from 1 to 65535")]
    Port,
    #[error("it must end after the host and the port; a path belongs in the spec")]
    Path,
    #[error("it is longer than {MAX_LENGTH} bytes")]
    TooLong,
}

/// A piece of an origin that is written with variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Literal(&'a str),
    /// `${NAME}` or `${NAME:-default}`.
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
}

/// Why an origin with variables has no value here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("`${{{0}}}` has no value")]
    Missing(String),
    #[error("with the values of its variables, {0}")]
    Invalid(OriginError),
    #[error("`${{` must be followed by a name and `}}`")]
    Malformed,
}

impl Origin {
    /// Reads `https://host`, `https://host:port`, or one of these with a final `/`.
    pub fn parse(text: &str) -> Result<Origin, OriginError> {
        if text.len() > MAX_LENGTH {
            return Err(OriginError::TooLong);
        }
        let (scheme, rest) = text.split_once("://").ok_or(OriginError::Scheme)?;
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains(['/', '?', '#']) {
            return Err(OriginError::Path);
        }
        Origin::of(scheme, authority)
    }

    /// The host is this machine.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost"
            || self.host.ends_with(".localhost")
            || address.is_ok_and(|address| address.is_loopback())
    }

    /// The origin of a URL's scheme and authority.
    pub fn of(scheme: &str, authority: &str) -> Result<Origin, OriginError> {
        let scheme = match scheme {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(OriginError::Scheme),
        };
        if authority.contains('@') {
            return Err(OriginError::UserInfo);
        }
        if !authority.is_ascii() {
            return Err(OriginError::NotAscii);
        }
        let (name, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']').ok_or(OriginError::Host)?;
                address.parse::<Ipv6Addr>().map_err(|_| OriginError::Host)?;
                (address, port)
            }
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let host = name.to_ascii_lowercase();
        if !authority.starts_with('[') && !is_name(&host) {
            return Err(OriginError::Host);
        }
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => default_port(scheme),
            None => return Err(OriginError::Host),
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port > 0).ok_or(OriginError::Port)?
            }
            Some(_) => return Err(OriginError::Port),
        };
        let authority = authority_of(scheme, &host, port);
        Ok(Origin { scheme, host, port, authority })
    }
}

/// The pieces of an origin that is written with variables, or `None` if a `${…}` is malformed.
pub fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once("${") {
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        let (inside, after) = after.split_once('}')?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let is_name_byte = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let starts_well = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        if !starts_well || !name.bytes().all(is_name_byte) || default.is_some_and(|d| d.contains("${")) {
            return None;
        }
        pieces.push(Piece::Variable { name, default });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    Some(pieces)
}

/// The origin that a text has with these values. An empty value counts as none, as in a shell's `:-`.
pub fn resolve(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Origin, ResolveError> {
    let mut resolved = String::new();
    for piece in pieces(text).ok_or(ResolveError::Malformed)? {
        match piece {
            Piece::Literal(literal) => resolved.push_str(literal),
            Piece::Variable { name, default } => {
                let value = variable(name).filter(|value| !value.is_empty());
                match value.as_deref().or(default) {
                    Some(value) => resolved.push_str(value),
                    None => return Err(ResolveError::Missing(name.to_owned())),
                }
            }
        }
    }
    Origin::parse(&resolved).map_err(ResolveError::Invalid)
}

/// Whether some values make an origin of the text: what can be known before the values are.
pub fn is_possible(text: &str) -> bool {
    let Some(pieces) = pieces(text) else { return false };
    let first = match pieces.first() {
        Some(Piece::Variable { name, default: None }) => Some(*name),
        _ => None,
    };
    let fits = |start: &str| {
        let value = |name: &str| Some(if Some(name) == first { start } else { "1" }.to_owned());
        let required = |name: &str| {
            let has_default = |piece: &Piece<'_>| matches!(piece, Piece::Variable { name: n, default: Some(_) } if *n == name);
            if pieces.iter().any(has_default) { None } else { value(name) }
        };
        resolve(text, &required).is_ok()
    };
    ["https://a.example", "https", "https://a.example:1"].into_iter().any(fits)
}

pub(crate) fn authority_of(scheme: Scheme, host: &str, port: u16) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    if port == default_port(scheme) { host } else { format!("{host}:{port}") }
}

fn is_name(host: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    !host.is_empty() && host.len() <= 253 && host.bytes().all(plain) && !host.starts_with('.')
}

const fn default_port(scheme: Scheme) -> u16 {
    match scheme {
        Scheme::Http => 80,
        Scheme::Https => 443,
        Scheme::Stdio => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values<'a>(known: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| known.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
    }

    fn authority(text: &str, known: &[(&str, &str)]) -> Result<String, ResolveError> {
        resolve(text, &values(known)).map(|origin| origin.authority)
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let origin = Origin::parse("https://API.example.com:443/").unwrap();
        let expected = (Scheme::Https, "api.example.com", 443, "api.example.com");
        assert_eq!((origin.scheme, &*origin.host, origin.port, &*origin.authority), expected);
        let origin = Origin::parse("http://[::1]:8080").unwrap();
        assert_eq!((&*origin.host, origin.port, &*origin.authority), ("::1", 8080, "[::1]:8080"));
        for (text, error) in [
            ("ftp://a.example", OriginError::Scheme),
            ("a.example", OriginError::Scheme),
            ("https://u:p@a.example", OriginError::UserInfo),
            ("https://a.example/v1", OriginError::Path),
            ("https://a.example?x", OriginError::Path),
            ("https://", OriginError::Host),
            ("https://a b", OriginError::Host),
            ("https://[::1", OriginError::Host),
            ("https://[::1]x", OriginError::Host),
            ("https://a:0", OriginError::Port),
            ("https://a:", OriginError::Port),
            ("https://a:99999", OriginError::Port),
            ("https://ä.example", OriginError::NotAscii),
        ] {
            assert_eq!(Origin::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn variables_are_replaced_and_the_result_is_checked() {
        assert_eq!(authority("${URL}", &[("URL", "https://a.example:8443/")]).unwrap(), "a.example:8443");
        let text = "http://${HOST:-localhost}:${PORT:-9200}";
        assert_eq!(authority(text, &[]).unwrap(), "localhost:9200");
        assert_eq!(authority(text, &[("HOST", "es"), ("PORT", "")]).unwrap(), "es:9200");
        assert_eq!(authority("${URL:-http://localhost:1}", &[]).unwrap(), "localhost:1");
        assert_eq!(authority("${URL}", &[]), Err(ResolveError::Missing("URL".into())));
        for value in ["https://a.example/v1", "a.example@evil.example", "evil.example/", ""] {
            assert!(authority("https://${HOST}.example", &[("HOST", value)]).is_err(), "{value}");
        }
        assert_eq!(pieces("${1X}"), None);
        assert_eq!(pieces("${X"), None);
        assert_eq!(pieces("${A:-${B}}"), None);
    }

    #[test]
    fn what_no_value_can_repair_is_known_early() {
        for text in ["${URL}", "http://${H}:${P}", "https://${H:-a}.example", "${SCHEME}://a.example"] {
            assert!(is_possible(text), "{text}");
        }
        for text in ["ftp://${H}", "http://u@${H}", "${URL}?x", "https://${H} .example", "http://${H:-a b}"] {
            assert!(!is_possible(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_values_the_result_is_an_origin_or_refused(text in "[a-z:/${}\\-A-Z0-9.@]{0,40}", value in ".{0,40}") {
            if let Ok(origin) = resolve(&text, &|_| Some(value.clone())) {
                let again = Origin::parse(&format!("{}://{}", origin.scheme, origin.authority));
                prop_assert_eq!(again, Ok(origin));
            }
            let _ = is_possible(&text);
        }
    }
}
