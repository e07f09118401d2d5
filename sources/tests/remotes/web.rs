//! Web servers, good and bad.

use crate::support::{Answer, Server, options};
use mcp_sources::{Fetched, Location, Remote, TransferError, Version, open};
use std::time::Duration;

fn remote_with(server: &Server, variables: &[(&str, &str)]) -> Box<dyn Remote> {
    let url = format!("http://{}/tools.mcpk?key=hunter2", server.address);
    open(&url.parse::<Location>().unwrap(), &options(variables)).unwrap()
}

fn remote(server: &Server) -> Box<dyn Remote> {
    remote_with(server, &[])
}

fn failure(answer: Answer) -> TransferError {
    let server = Server::start(move |_| answer.clone());
    let error = remote(&server).newer(None).unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
    error
}

/// As a web server with these validators behaves.
fn file(body: &'static str, validator: (&'static str, &'static str), condition: &'static str) -> Server {
    Server::start(move |asked| match asked.header(condition) == Some(validator.1) {
        true => Answer::new(304),
        false => Answer::new(200).with(validator.0, validator.1).body(body),
    })
}

#[test]
fn an_unchanged_file_is_one_request_without_a_body() {
    for (validator, condition) in [
        (("etag", "\"one\""), "if-none-match"),
        (("last-modified", "Wed, 21 Oct 2026 07:28:00 GMT"), "if-modified-since"),
    ] {
        let server = file("bundle", validator, condition);
        let mut remote = remote(&server);
        let Fetched { bytes, version } = remote.newer(None).unwrap().unwrap();
        assert_eq!(bytes, b"bundle");
        assert_eq!(version.to_string(), validator.1);
        assert_eq!(server.asked().len(), 1);
        assert_eq!(remote.newer(Some(&version)).unwrap(), None);
        assert_eq!(server.asked().len(), 1);
        let other = Version { etag: Some("\"zero\"".to_owned()), ..Version::default() };
        assert!(remote.newer(Some(&other)).unwrap().is_some());
    }
}

#[test]
fn a_server_that_does_not_compare_is_not_read_again() {
    let server = Server::start(|_| Answer::new(200).with("etag", "\"one\"").body("bundle"));
    let mut remote = remote(&server);
    let version = remote.newer(None).unwrap().unwrap().version;
    assert_eq!(remote.newer(Some(&version)).unwrap(), None);
    // Without validators nobody can know.
    server.then(|_| Answer::new(200).body("bundle"));
    let version = remote.newer(None).unwrap().unwrap().version;
    assert!(version.is_unknown());
    assert!(remote.newer(Some(&version)).unwrap().is_some());
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let announced = failure(Answer { stall: Some(0), ..Answer::new(200).with("content-length", 1001) });
    assert!(matches!(announced, TransferError::TooLarge { length: 1001, limit: 1000, .. }), "{announced}");
    // One that does not say so ends where the limit is.
    let endless = Answer::new(200).with("transfer-encoding", "chunked").with("content-length", "");
    let mut chunks = b"7d0\r\n".to_vec();
    chunks.extend([b'x'; 2000]);
    let answer = Answer { headers: vec![("transfer-encoding".into(), "chunked".into())], ..endless };
    let answer = Answer { stall: Some(chunks.len()), ..answer.body(&chunks) };
    let server = Server::start(move |_| answer.clone());
    let error = remote(&server).newer(None).unwrap_err();
    assert!(matches!(error, TransferError::TooLarge { .. } | TransferError::Broken { .. }), "{error}");
}

#[test]
fn half_a_file_is_no_file() {
    let cut = failure(Answer { cut: Some(3), ..Answer::new(200).body("bundle") });
    assert!(matches!(cut, TransferError::Broken { .. }), "{cut}");
    let silent = failure(Answer { stall: Some(3), ..Answer::new(200).body("bundle") });
    assert!(matches!(silent, TransferError::Broken { .. } | TransferError::Unreachable { .. }), "{silent}");
    assert!(silent.to_string().contains("too long"), "{silent}");
}

#[test]
fn what_a_status_means_is_said() {
    for (status, part) in [
        (401, "refuses the credentials (status 401); set `MCP_BUNDLE_TOKEN`"),
        (403, "refuses the credentials"),
        (404, "is not there"),
        (500, "answers with status 500"),
        (206, "answers with status 206"),
        (304, "answers with status 304"),
    ] {
        let message = failure(Answer::new(status)).to_string();
        assert!(message.contains(part) && message.contains("/tools.mcpk?…"), "{message}");
    }
    let busy = failure(Answer::new(503).with("retry-after", 120));
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(120)));
    let for_ever = failure(Answer::new(503).with("retry-after", u64::MAX));
    assert_eq!(for_ever.retry_after(), Some(Duration::from_secs(3600)));
}

#[test]
fn credentials_are_sent_and_not_to_another_host() {
    let other = Server::start(|_| Answer::new(200).body("bundle"));
    // `localhost` is another host than `127.0.0.1`.
    let elsewhere = format!("http://localhost:{}/x", other.address.port());
    let server = Server::start(move |_| Answer::new(302).with("location", &elsewhere));
    let mut remote = remote_with(&server, &[("MCP_BUNDLE_TOKEN", "t0ken")]);
    assert!(remote.newer(None).unwrap().is_some());
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer t0ken"));
    assert_eq!(other.asked()[0].header("authorization"), None);
    let mut remote = remote_with(&server, &[("MCP_BUNDLE_USER", "me"), ("MCP_BUNDLE_PASSWORD", "pw")]);
    remote.newer(None).unwrap();
    assert_eq!(server.asked()[0].header("authorization"), Some("Basic bWU6cHc="));
}

#[test]
fn a_server_that_is_away_is_said_in_words_that_stay_the_same() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/x.mcpk");
    let mut remote = open(&url.parse().unwrap(), &options(&[])).unwrap();
    let error = remote.newer(None).unwrap_err();
    assert_eq!(error.to_string(), format!("`{url}` cannot be reached: nobody listens there"));
    let endless = Server::start(|asked| Answer::new(302).with("location", &asked.target));
    let error = self::remote(&endless).newer(None).unwrap_err().to_string();
    assert!(error.contains("too many redirects"), "{error}");
}
