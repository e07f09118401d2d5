//! Object stores, good and bad. `tests/sources/run` asks a real one.

use crate::support::{Answer, Server, options};
use mcp_sources::{Facts, Location, Options, Pushed, Remote, TransferError, open, push};
use std::sync::{Arc, Mutex};

fn login(server: &Server) -> Options {
    let endpoint = format!("http://{}", server.address);
    options(&[
        ("AWS_ENDPOINT_URL", &endpoint),
        ("AWS_ACCESS_KEY_ID", "k"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
    ])
}

fn location() -> Location {
    "s3://bucket/a/tools.mcpk".parse().unwrap()
}

fn remote(server: &Server) -> Box<dyn Remote> {
    open(&location(), &login(server)).unwrap()
}

fn facts() -> Facts {
    Facts { name: "shop".to_owned(), revision: "ab".to_owned(), tools: 3, signers: vec!["s".to_owned()] }
}

/// The bytes of an object, and the digest that was sent with them.
type Kept = (Vec<u8>, String);

/// A store that keeps one object.
fn store() -> Server {
    let kept: Arc<Mutex<Option<Kept>>> = Arc::default();
    Server::start(move |asked| {
        assert!(asked.header("authorization").unwrap().starts_with("AWS4-HMAC-SHA256 Credential=k/"));
        assert_eq!(asked.target.split('?').next(), Some("/bucket/a/tools.mcpk"));
        let mut kept = kept.lock().unwrap();
        let etag = |body: &[u8]| format!("\"{}\"", body.len());
        match (asked.method.as_str(), &*kept) {
            ("PUT", _) => {
                let digest = asked.header("x-amz-meta-sha256").unwrap().to_owned();
                *kept = Some((asked.body.clone(), digest));
                Answer::new(200).with("etag", etag(&asked.body))
            }
            (_, None) => Answer::new(404),
            (_, Some((body, _))) if asked.header("if-none-match") == Some(&etag(body)) => Answer::new(304),
            (_, Some((body, digest))) => Answer::new(200)
                .with("etag", etag(body))
                .with("last-modified", "Wed, 21 Oct 2026 07:28:00 GMT")
                .with("x-amz-meta-sha256", digest)
                .body(body),
        }
    })
}

#[test]
fn what_is_pushed_can_be_fetched_and_an_unchanged_object_is_one_request() {
    let server = store();
    let mut remote = remote(&server);
    assert!(matches!(remote.newer(None), Err(TransferError::NotFound { .. })));
    let mut gone = 0;
    let pushed = push(&location(), b"one", &facts(), &login(&server), &mut |count| gone = count).unwrap();
    assert_eq!((pushed.was_there, pushed.version.etag.as_deref()), (false, Some("\"3\"")));
    assert_eq!(gone, 3);
    let again = push(&location(), b"one", &facts(), &login(&server), &mut |_| {}).unwrap();
    assert_eq!(again, Pushed { was_there: true, ..pushed });
    let fetched = remote.newer(None).unwrap().unwrap();
    assert_eq!(fetched.bytes, b"one");
    server.asked();
    assert_eq!(remote.newer(Some(&fetched.version)).unwrap(), None);
    assert_eq!(server.lines(), ["GET /bucket/a/tools.mcpk"]);
}

#[test]
fn a_store_that_refuses_or_breaks_off_is_understood() {
    let xml = |code: &str| format!("<Error><Code>{code}</Code><Message>x</Message></Error>");
    for (answer, part) in [
        (Answer::new(403).body(xml("SignatureDoesNotMatch")), "refuses the credentials (status 403)"),
        (Answer::new(400).body(xml("ExpiredToken")), "refuses the credentials (status 400)"),
        (Answer::new(503).body(xml("SlowDown")), "answers with status 503, SlowDown"),
        (Answer { stall: Some(0), ..Answer::new(200).with("content-length", 1001) }, "has 1001 bytes"),
        (Answer { cut: Some(1), ..Answer::new(200).with("etag", "x").body("bundle") }, "broke off"),
        (Answer { stall: Some(1), ..Answer::new(200).with("etag", "x").body("bundle") }, "too long"),
    ] {
        let server = Server::start(move |_| answer.clone());
        let error = remote(&server).newer(None).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("s3://bucket/a/tools.mcpk"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert_eq!(server.asked().len(), 1, "whoever asks decides when to ask again");
    }
}

#[test]
fn other_stores_are_spoken_to_in_their_own_way() {
    let server = Server::start(|_| Answer::new(404));
    let base = format!("http://{}", server.address);
    let key = serde_json::json!({
        "gcs_base_url": base, "disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": "",
    });
    let google = options(&[("GOOGLE_SERVICE_ACCOUNT_KEY", &key.to_string())]);
    let mut remote = open(&"gs://bucket/tools.mcpk".parse().unwrap(), &google).unwrap();
    let error = remote.newer(None).unwrap_err();
    assert!(error.to_string().contains("gs://bucket/tools.mcpk"), "{error}");
}

#[test]
fn an_azure_store_without_an_account_says_which_variable_names_it() {
    let location: Location = "az://container/tools.mcpk".parse().unwrap();
    let told = open(&location, &options(&[])).unwrap().newer(None).unwrap_err().to_string();
    assert!(
        told.contains("`az://container/tools.mcpk`") && told.contains("`AZURE_STORAGE_ACCOUNT_NAME`"),
        "{told}"
    );
}
