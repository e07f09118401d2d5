//! A request to a token server, and what its answer says.

use super::error::CredentialError;
use super::token::Token;
use crate::settings::PoolSettings;
use crate::upstream::{Exchange, Network, Origin, Received};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::bind::Request;
use mcp_bundle::wire_enums::{ClientAuth, CredentialKind};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One request, from connecting to the whole answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Of an answer.
const MAX_ANSWER: usize = 64 << 10;
/// Of a token: it is sent with every request.
const MAX_TOKEN: usize = 16 << 10;

/// The codes of errors that are repeated to people. Others could hold anything.
const CODES: [&str; 10] = [
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "server_error",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
    "access_denied",
];

/// Who hands out tokens, and how it is asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Server {
    pub(super) kind: CredentialKind,
    pub(super) authority: String,
    pub(super) target: String,
    pub(super) client_auth: ClientAuth,
    /// Joined by spaces.
    pub(super) scope: String,
    pub(super) connect_timeout: Duration,
}

/// What a token server is told of the edge: secrets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) audience: String,
}

/// Asks for a token. It may be asked for again: a token more does no harm.
pub(super) async fn fetch(
    network: &Network,
    origin: &Arc<Origin>,
    server: &Server,
    client: &Client,
    caller: Option<&Arc<str>>,
) -> Result<Token, CredentialError> {
    let request = request(server, client, caller)?;
    let start = Instant::now();
    let pool = PoolSettings::default();
    let exchange = Exchange {
        tool: "",
        origin,
        authority: &server.authority,
        request: &request,
        connect_timeout: server.connect_timeout,
        timeout: TIMEOUT,
        attempt_timeout: None,
        start,
        deadline: start + TIMEOUT,
        retries: 0,
        idempotent: true,
        max_response: MAX_ANSWER,
        pool: &pool,
        credential: None,
        budget: &Arc::default(),
        authorization: None,
        envelope: None,
    };
    let mut received = Received::default();
    let answered = network.send(&exchange, &mut received).await;
    answered.map_err(|error| CredentialError::Unanswered(Box::new(error)))?;
    read(received.status, &received.body, start)
}

fn request(server: &Server, client: &Client, caller: Option<&Arc<str>>) -> Result<Request, CredentialError> {
    let mut form = Vec::new();
    let mut pair = |name: &str, value: &str| {
        if !form.is_empty() {
            form.push(b'&');
        }
        form.extend_from_slice(name.as_bytes());
        form.push(b'=');
        form.extend_from_slice(encoded(value).as_bytes());
    };
    match server.kind {
        CredentialKind::Exchange => {
            let caller = caller.ok_or(CredentialError::NoCaller)?;
            pair("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
            pair("subject_token", caller);
            pair("subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
            pair("requested_token_type", "urn:ietf:params:oauth:token-type:access_token");
        }
        _ => pair("grant_type", "client_credentials"),
    }
    for (name, value) in [("scope", &server.scope), ("audience", &client.audience)] {
        if !value.is_empty() {
            pair(name, value);
        }
    }
    if server.client_auth == ClientAuth::Post {
        pair("client_id", &client.id);
        pair("client_secret", &client.secret);
    }
    let mut headers = vec![("accept", "application/json")];
    // RFC 6749 §2.3.1: both are encoded like values of a form.
    let basic = basic(&encoded(&client.id), &encoded(&client.secret));
    if server.client_auth == ClientAuth::Basic {
        headers.push(("authorization", basic.as_str()));
    }
    Ok(Request::form(&server.target, &headers, form))
}

/// The header of a name and a password.
pub(super) fn basic(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

/// As a value of a form.
fn encoded(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The token in an answer.
fn read(status: u16, body: &[u8], asked: Instant) -> Result<Token, CredentialError> {
    let answer: Option<Value> = serde_json::from_slice(body).ok();
    let text = |name: &str| answer.as_ref().and_then(|answer| answer.get(name)?.as_str());
    if !(200..300).contains(&status) {
        let said = text("error");
        let code = CODES.into_iter().find(|code| Some(*code) == said);
        return Err(CredentialError::Refused { status, code });
    }
    if !answer.as_ref().is_some_and(Value::is_object) {
        return Err(CredentialError::Unusable("it is not a JSON object"));
    }
    let token = text("access_token").ok_or(CredentialError::Unusable("it has no `access_token`"))?;
    if token.is_empty() || token.len() > MAX_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(CredentialError::Unusable("its `access_token` cannot stand in a header"));
    }
    if text("token_type").is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err(CredentialError::Unusable("its `token_type` is not `Bearer`"));
    }
    let seconds = answer.as_ref().and_then(|answer| seconds(answer.get("expires_in")?));
    Ok(Token::bearer(token, asked, seconds))
}

/// A number, or one in quotes as some servers write it.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64().map(|seconds| seconds.max(0.0) as u64))
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn server(kind: CredentialKind, client_auth: ClientAuth) -> Server {
        Server {
            kind,
            authority: "id.example".to_owned(),
            target: "/token".to_owned(),
            client_auth,
            scope: "a b:c".to_owned(),
            connect_timeout: Duration::from_secs(1),
        }
    }

    fn client() -> Client {
        Client { id: "ed ge".to_owned(), secret: "p:+w".to_owned(), audience: String::new() }
    }

    fn body(request: &Request) -> &str {
        std::str::from_utf8(request.body().unwrap()).unwrap()
    }

    #[test]
    fn the_client_is_named_in_a_header_or_in_the_form() {
        let made =
            request(&server(CredentialKind::ClientCredentials, ClientAuth::Basic), &client(), None).unwrap();
        assert_eq!(body(&made), "grant_type=client_credentials&scope=a%20b%3Ac");
        let expected = format!("Basic {}", STANDARD.encode("ed%20ge:p%3A%2Bw"));
        assert!(made.headers().any(|header| header == ("authorization", expected.as_str())));
        let made =
            request(&server(CredentialKind::ClientCredentials, ClientAuth::Post), &client(), None).unwrap();
        assert!(body(&made).ends_with("&client_id=ed%20ge&client_secret=p%3A%2Bw"), "{}", body(&made));
        assert!(made.headers().all(|(name, _)| name != "authorization"));
    }

    #[test]
    fn an_exchange_carries_the_token_of_the_caller() {
        let server = server(CredentialKind::Exchange, ClientAuth::Basic);
        let client = Client { audience: "urn:crm".to_owned(), ..client() };
        let caller = Arc::<str>::from("eyJ.x.y");
        let made = request(&server, &client, Some(&caller)).unwrap();
        let expected = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=eyJ.x.y&\
                        subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt&\
                        requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&\
                        scope=a%20b%3Ac&audience=urn%3Acrm";
        assert_eq!(body(&made), expected);
        assert_eq!(request(&server, &client, None).unwrap_err(), CredentialError::NoCaller);
    }

    #[test]
    fn what_is_no_token_is_refused_without_being_shown() {
        let now = Instant::now();
        let error = |status, body: &str| read(status, body.as_bytes(), now).unwrap_err().to_string();
        let good =
            read(200, br#"{"access_token":"a.b","token_type":"bearer","expires_in":60}"#, now).unwrap();
        assert_eq!(good.header(), "Bearer a.b");
        for (body, what) in [
            ("hunter2", "it is not a JSON object"),
            ("[]", "it is not a JSON object"),
            ("{}", "it has no `access_token`"),
            (r#"{"access_token":1}"#, "it has no `access_token`"),
            (r#"{"access_token":""}"#, "cannot stand in a header"),
            (r#"{"access_token":"hunter2\r\nx: y"}"#, "cannot stand in a header"),
            (r#"{"access_token":"hunter2","token_type":"N_A"}"#, "is not `Bearer`"),
        ] {
            let error = error(200, body);
            assert!(error.contains(what) && !error.contains("hunter2"), "{error}");
        }
        let refused = error(400, r#"{"error":"invalid_client","error_description":"hunter2"}"#);
        assert_eq!(refused, "the token server answered with status 400 and the error `invalid_client`");
        assert_eq!(error(403, r#"{"error":"hunter2"}"#), "the token server answered with status 403");
        let long = format!(r#"{{"access_token":"{}"}}"#, "x".repeat(MAX_TOKEN + 1));
        assert!(error(200, &long).contains("cannot stand in a header"));
    }

    #[test]
    fn a_token_is_fetched_anew_before_it_ends() {
        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        let long = Token::bearer("a", now, Some(3600));
        assert!(!long.is_old(after(3500)) && long.is_old(after(3545)));
        assert!(long.is_good(after(3580)) && !long.is_good(after(3595)));
        let short = Token::bearer("a", now, Some(1));
        assert!(short.is_good(now) && !short.is_good(after(1)));
        assert!(!Token::bearer("a", now, Some(0)).is_good(now));
        assert!(!Token::bearer("a", now, Some(u64::MAX)).is_good(after(24 * 3600)));
        assert!(!Token::bearer("a", now, None).is_good(after(300)));
        for (written, expected) in
            [("60", Some(60)), ("\"60\"", Some(60)), ("1.5", Some(1)), ("-1", Some(0)), ("null", None)]
        {
            assert_eq!(seconds(&serde_json::from_str(written).unwrap()), expected, "{written}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_a_token_is_one_line_of_a_header(status: u16, body in proptest::collection::vec(any::<u8>(), 0..200), token: String) {
            let _ = read(status, &body, Instant::now());
            let body = serde_json::json!({"access_token": token}).to_string();
            if let Ok(token) = read(200, body.as_bytes(), Instant::now()) {
                prop_assert!(token.header().bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()));
            }
        }
    }
}
