//! From where requests are taken: `Host` and `Origin`.
//!
//! A page on the web can make a browser send requests to a server on the same machine, and with a name that resolves to
//! a loopback address (DNS rebinding) even read the answers. Both headers reveal it.

use crate::request::failure::Failure;
use crate::request::head::{Head, visible};
use crate::request::reply::Reply;
use crate::settings::Access;
use std::net::IpAddr;

/// `Ok` with the origin that the answer must name, if a browser asks from another one.
pub fn check<'h>(head: &'h Head, access: &Access) -> Result<Option<&'h str>, Failure> {
    let host = authority(head).unwrap_or_default();
    let name = host_name(host).unwrap_or_default();
    let known = match access.hosts.as_slice() {
        [] => !access.loopback || is_local(name),
        hosts => hosts.iter().any(|known| known.eq_ignore_ascii_case(name)),
    };
    if !known {
        return Err(Failure::MisdirectedHost);
    }
    let Some(origin) = head.headers.one("origin").map_err(|_| Failure::ForbiddenOrigin)? else {
        return Ok(None);
    };
    let origin = visible(origin).ok_or(Failure::ForbiddenOrigin)?;
    let lower = origin.to_ascii_lowercase();
    let asking = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://"));
    // Where any `Host` is answered, a name may be one that a page has made to resolve to this address, and then its own
    // origin says nothing. An address cannot be made to.
    let host_is_known = !access.hosts.is_empty() || access.loopback || name.parse::<IpAddr>().is_ok();
    let allowed = access.origins.iter().any(|known| known == "*" || *known == lower)
        || asking.is_some_and(|asking| {
            (access.loopback && access.origins.is_empty() && host_name(asking).is_some_and(is_local))
                || (host_is_known && asking.eq_ignore_ascii_case(host))
        });
    if allowed { Ok(Some(origin)) } else { Err(Failure::ForbiddenOrigin) }
}

/// Lets a browser read the answer.
pub fn allow(origin: &str, reply: &mut Reply) {
    reply.headers.push(("access-control-allow-origin", origin.to_owned()));
    reply.headers.push(("access-control-expose-headers", "mcp-session-id, www-authenticate".to_owned()));
    reply.headers.push(("vary", "origin".to_owned()));
}

/// The answer to a browser that asks whether it may send a request.
pub fn preflight(head: &Head, methods: &str, reply: &mut Reply) {
    reply.status = 204;
    reply.headers.push(("access-control-allow-methods", methods.to_owned()));
    // Parameters are mirrored in headers whose names depend on the tool, so what is asked for is granted.
    let asked = head.headers.first("access-control-request-headers").and_then(visible);
    let usual = "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name";
    reply.headers.push(("access-control-allow-headers", asked.unwrap_or(usual).to_owned()));
    reply.headers.push(("access-control-max-age", "600".to_owned()));
}

fn authority(head: &Head) -> Option<&str> {
    match head.headers.one("host").ok()? {
        Some(host) => visible(host),
        None => head.uri.authority().map(|authority| authority.as_str()),
    }
}

/// An authority without its port; `None` if it is anything but a name or address and perhaps a port.
fn host_name(authority: &str) -> Option<&str> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => {
            let colon = authority.bytes().position(|byte| byte == b':');
            authority.split_at(colon.unwrap_or(authority.len()))
        }
    };
    let digits = |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(digits)).then_some(name)
}

fn is_local(name: &str) -> bool {
    if name == "localhost" {
        return true;
    }
    let below = name.len().checked_sub(".localhost".len()).and_then(|start| name.get(start..));
    name.eq_ignore_ascii_case("localhost")
        || below.is_some_and(|end| end.eq_ignore_ascii_case(".localhost"))
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(host: &str, origin: Option<&str>) -> Head {
        let mut head = Head::default();
        head.headers.append("host", host.as_bytes());
        origin.into_iter().for_each(|origin| head.headers.append("origin", origin.as_bytes()));
        head
    }

    fn verdict(access: &Access, host: &str, origin: Option<&str>) -> Option<Failure> {
        check(&head(host, origin), access).err()
    }

    #[test]
    fn a_local_server_answers_only_local_names() {
        let access = Access { loopback: true, ..Access::default() };
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST", "app.localhost"]
        {
            assert_eq!(verdict(&access, host, None), None, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "",
            "127.0.0.1.nip.example",
            "[::1].evil.example",
            "localhost:80:evil",
            "localhost:",
        ] {
            assert_eq!(verdict(&access, host, None), Some(Failure::MisdirectedHost), "{host}");
        }
        assert_eq!(verdict(&access, "localhost", Some("http://localhost:3000")), None);
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost.evil.example",
            "http://localhost:1@evil.example",
            "http://[::1]evil.example",
            "http://127.0.0.1:80:x.evil",
            "evil://localhost",
        ] {
            assert_eq!(
                verdict(&access, "localhost", Some(origin)),
                Some(Failure::ForbiddenOrigin),
                "{origin}"
            );
        }
    }

    #[test]
    fn a_local_server_that_knows_its_origins_answers_no_others() {
        let origins = vec!["http://localhost:3000".to_owned()];
        let access = Access { loopback: true, origins, ..Access::default() };
        assert_eq!(verdict(&access, "localhost", Some("http://localhost:3000")), None);
        assert_eq!(
            verdict(&access, "localhost", Some("http://localhost:4000")),
            Some(Failure::ForbiddenOrigin)
        );
    }

    #[test]
    fn a_public_server_answers_its_own_origin_and_those_it_knows() {
        let access = Access { origins: vec!["https://app.example".to_owned()], ..Access::default() };
        assert_eq!(verdict(&access, "api.example", None), None);
        assert_eq!(verdict(&access, "192.0.2.1:8080", Some("http://192.0.2.1:8080")), None);
        // Any name may resolve to the server.
        let own = Some("https://api.example");
        assert_eq!(verdict(&access, "api.example", own), Some(Failure::ForbiddenOrigin));
        assert_eq!(verdict(&access, "api.example", Some("https://APP.example")), None);
        assert_eq!(
            verdict(&access, "api.example", Some("https://evil.example")),
            Some(Failure::ForbiddenOrigin)
        );
        let named = Access { hosts: vec!["api.example".to_owned()], ..Access::default() };
        assert_eq!(verdict(&named, "api.example:443", None), None);
        assert_eq!(verdict(&named, "api.example", own), None);
        assert_eq!(verdict(&named, "other.example", None), Some(Failure::MisdirectedHost));
    }
}
