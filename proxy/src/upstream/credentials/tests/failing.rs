//! Token servers that are away, slow or strange.

use super::server::{Server, http, token};
use super::*;

#[tokio::test]
async fn a_dead_token_server_is_left_alone_for_a_while() {
    let server = Server::start(|_, _| http(503, &format!("{{\"error\":\"{SECRET}\"}}"))).await;
    let setup = Setup::new(1, &oauth2(server.port));
    let failed = Err(UpstreamError::Credential(CredentialError::Refused { status: 503, code: None }));
    for _ in 0..20 {
        assert_eq!(setup.call(None).await, failed);
    }
    assert_eq!(server.seen().len(), 1);
    // The pauses grow: a quarter of a second, then half a second.
    let now = Instant::now();
    assert!(setup.token_at(now + Duration::from_secs(1)).await.is_err());
    assert_eq!(server.seen().len(), 2);
    assert!(setup.token_at(now + Duration::from_millis(300)).await.is_err());
    assert_eq!(server.seen().len(), 2);
    assert_eq!(setup.fetches(), [("crm".to_owned(), "refused", 2)]);
}

#[tokio::test]
async fn a_token_server_that_comes_back_is_used() {
    let server =
        Server::start(|number, _| if number < 3 { http(500, "") } else { token("back", 3600) }).await;
    let setup = Setup::new(1, &oauth2(server.port));
    let now = Instant::now();
    assert!(setup.token_at(now).await.is_err());
    assert!(setup.token_at(now + Duration::from_secs(60)).await.is_err());
    assert_eq!(setup.token_at(now + Duration::from_secs(120)).await.unwrap().header(), "Bearer back");
}

#[tokio::test]
async fn a_failing_refresh_costs_nothing_while_the_token_is_good() {
    let server = Server::start(|number, _| if number == 1 { token("t1", 3600) } else { http(500, "") }).await;
    let setup = Setup::new(1, &oauth2(server.port));
    let now = Instant::now();
    let first = setup.token_at(now).await.unwrap();
    let old = now + Duration::from_secs(3560);
    assert_eq!(setup.token_at(old).await.unwrap(), first);
    server.until(2).await;
    assert_eq!(setup.token_at(old).await.unwrap(), first);
}

#[tokio::test]
async fn nobody_listens_where_tokens_should_come_from() {
    let setup = Setup::new(1, &oauth2(Server::nobody().await));
    let error = setup.call(None).await.unwrap_err();
    assert_eq!(error.name(), "credential_unavailable");
    let expected = "there is no credential for the API: the token server did not answer: could not connect: \
                    connection refused. Try again in a moment";
    assert_eq!(error.to_string(), expected);
    assert_eq!(setup.fetches(), [("crm".to_owned(), "unanswered", 1)]);
}

#[tokio::test]
async fn strange_answers_are_no_tokens() {
    for (answer, expected) in [
        (http(200, "hunter2"), "cannot be used: it is not a JSON object"),
        (http(200, &format!("\"{}\"", "x".repeat(70_000))), "the response has more than 65536 bytes"),
        (http(200, r#"{"access_token":"hunter2 hunter2"}"#), "cannot stand in a header"),
        (http(200, r#"{"access_token":"hunter2","token_type":"mac"}"#), "is not `Bearer`"),
        (http(401, r#"{"error":"invalid_client"}"#), "status 401 and the error `invalid_client`"),
        (http(302, ""), "status 302"),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhunter2".to_owned(),
            "not valid HTTP",
        ),
        ("hunter2\r\n\r\n".to_owned(), "not valid HTTP"),
    ] {
        let server = Server::start(move |_, _| answer.clone()).await;
        let setup = Setup::new(1, &oauth2(server.port));
        let error = setup.call(None).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.name(), "credential_unavailable");
    }
}

#[test]
fn nothing_shows_a_secret() {
    let setup = Setup::new(1, &oauth2(2));
    let caller = Arc::<str>::from(SECRET);
    let token = Token::bearer(SECRET, Instant::now(), None);
    let ask = Ask { caller: Some(&caller), ..setup.ask(None) };
    for shown in [
        format!("{:?}", setup.credentials),
        format!("{:?}", setup.network),
        format!("{ask:?} {token:?}"),
        format!("{:?}", setup.credential().config.client),
    ] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}
