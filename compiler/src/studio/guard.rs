//! Who may use the studio: pages and scripts of this machine that have the token of this start.
//!
//! A page on the web can make a browser send requests to this machine, and with a name that resolves to a loopback
//! address even read the answers. `Host` and `Origin` reveal both. Other users of the machine have no token.

use super::error::ApiError;
use http::Method;
use mcp_edge::request::head::{Head, visible};
use std::fmt;
use std::net::IpAddr;

/// What every call of the API carries.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one, which nobody can guess.
    pub fn new() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes as long whatever the bytes are.
    fn is(&self, given: &str) -> bool {
        let difference = self.0.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        self.0.len() == given.len() && difference == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Whether a request comes from this machine and not from a page of elsewhere.
pub fn check_origin(head: &Head, port: u16) -> Result<(), ApiError> {
    let host = match head.headers.one("host") {
        Ok(Some(host)) => visible(host),
        Ok(None) => head.uri.authority().map(|authority| authority.as_str()),
        Err(_) => None,
    };
    let host = host.filter(|host| is_own(host, port)).ok_or_else(|| {
        ApiError::forbidden(format!("this studio answers only to `127.0.0.1:{port}` and `localhost:{port}`"))
    })?;
    let origin = head.headers.one("origin").map_err(|_| foreign())?;
    if let Some(origin) = origin {
        let asking = visible(origin).and_then(|origin| origin.strip_prefix("http://"));
        if !asking.is_some_and(|asking| asking.eq_ignore_ascii_case(host)) {
            return Err(foreign());
        }
    }
    // Browsers say it even of requests that have no `Origin`. A person who types or opens the URL is `none`.
    let site = head.headers.first("sec-fetch-site").and_then(visible);
    let is_navigation = head.method == Method::GET
        && head.headers.first("sec-fetch-mode").and_then(visible) == Some("navigate");
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        // A link to the page that somebody follows.
        Some(_) if is_navigation => Ok(()),
        Some(_) => Err(foreign()),
    }
}

/// Whether a request has the token.
pub fn check_token(head: &Head, token: &Token) -> Result<(), ApiError> {
    let given = head.headers.one("authorization").ok().flatten().and_then(visible);
    let given = given.and_then(|given| {
        let (scheme, token) = given.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim_start())
    });
    if given.is_some_and(|given| token.is(given)) { Ok(()) } else { Err(ApiError::unauthorized()) }
}

fn foreign() -> ApiError {
    ApiError::forbidden("the request comes from another page")
}

/// A name of this machine, with our port.
fn is_own(host: &str, port: u16) -> bool {
    let Some(name) = host.strip_suffix(&format!(":{port}")) else { return false };
    let address = match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']'),
        None => Some(name).filter(|name| !name.contains(':')),
    };
    let is_loopback = |address: &str| address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(headers: &[(&str, &str)]) -> Head {
        let mut head = Head::default();
        headers.iter().for_each(|(name, value)| head.headers.append(name, value.as_bytes()));
        head
    }

    #[test]
    fn only_names_of_this_machine_with_the_port_are_answered() {
        for host in ["127.0.0.1:8090", "localhost:8090", "LOCALHOST:8090", "[::1]:8090", "127.9.9.9:8090"] {
            assert_eq!(check_origin(&head(&[("host", host)]), 8090), Ok(()), "{host}");
        }
        let others = [
            "127.0.0.1",
            "127.0.0.1:80901",
            "127.0.0.1:80",
            "evil.example:8090",
            "10.0.0.1:8090",
            ":8090",
            "",
            "localhost.evil.example:8090",
            "[::1:8090",
            "::1:8090",
            "127.0.0.1:8090:8090",
            "a@localhost:8090",
        ];
        for host in others {
            assert!(check_origin(&head(&[("host", host)]), 8090).is_err(), "{host}");
        }
        assert!(check_origin(&head(&[]), 8090).is_err());
        assert!(
            check_origin(&head(&[("host", "localhost:8090"), ("host", "localhost:8090")]), 8090).is_err()
        );
    }

    #[test]
    fn pages_of_elsewhere_are_refused() {
        let of = |origin| check_origin(&head(&[("host", "localhost:8090"), ("origin", origin)]), 8090);
        assert_eq!(of("http://localhost:8090"), Ok(()));
        for origin in [
            "null",
            "http://localhost:8091",
            "https://localhost:8090",
            "http://127.0.0.1:8090",
            "http://evil.example",
        ] {
            assert!(of(origin).is_err(), "{origin}");
        }
        let site = |site, mode| {
            check_origin(
                &head(&[("host", "localhost:8090"), ("sec-fetch-site", site), ("sec-fetch-mode", mode)]),
                8090,
            )
        };
        assert_eq!(site("same-origin", "cors"), Ok(()));
        assert_eq!(site("none", "navigate"), Ok(()));
        assert_eq!(site("cross-site", "navigate"), Ok(()));
        for mode in ["no-cors", "cors", "websocket", ""] {
            assert!(site("cross-site", mode).is_err(), "{mode}");
            assert!(site("same-site", mode).is_err(), "{mode}");
        }
    }

    #[test]
    fn only_the_whole_token_is_good() {
        let token = Token::new().unwrap();
        let good = format!("Bearer {}", token.as_str());
        assert_eq!(check_token(&head(&[("authorization", &good)]), &token), Ok(()));
        assert_ne!(Token::new().unwrap(), token);
        let short = good.get(..good.len() - 1).unwrap();
        for bad in
            ["", "Bearer ", short, token.as_str(), &format!("{good}0"), &format!("Basic {}", token.as_str())]
        {
            assert!(check_token(&head(&[("authorization", bad)]), &token).is_err(), "{bad}");
        }
        assert!(check_token(&head(&[]), &token).is_err());
        assert_eq!(format!("{token:?}"), "Token");
    }

    proptest! {
        #[test]
        fn no_other_text_is_the_token(text in "\\PC{0,60}") {
            let token = Token::new().unwrap();
            let given = format!("Bearer {text}");
            prop_assert!(check_token(&head(&[("authorization", &given)]), &token).is_err());
        }

        #[test]
        fn no_other_host_is_ours(host in "[a-z0-9.:\\[\\]-]{0,20}") {
            let name = host.strip_suffix(":8090");
            let is_ours = name.is_some_and(|name| name == "localhost" || name.starts_with("127.") || name.starts_with('['));
            prop_assert!(is_ours || check_origin(&head(&[("host", &host)]), 8090).is_err());
        }
    }
}
