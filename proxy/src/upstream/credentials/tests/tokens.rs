//! Tokens that work: fetched once, kept, and fetched anew in time.

use super::server::{Server, http, token};
use super::*;
use tokio::sync::Semaphore;

const OK: fn(usize, &str) -> String = |_, _| http(200, "{}");

#[tokio::test]
async fn a_hundred_callers_wait_for_one_fetch() {
    let api = Server::start(OK).await;
    // Nobody gets a token until all of them wait.
    let gate = Arc::new(Semaphore::new(0));
    let behind = Arc::clone(&gate);
    let server = Server::waiting(Arc::new(move |number, _| {
        let behind = Arc::clone(&behind);
        Box::pin(async move {
            behind.acquire().await.unwrap().forget();
            token(&format!("t{number}"), 3600)
        })
    }))
    .await;
    let setup = Setup::new(api.port, &oauth2(server.port));
    let calls = futures::future::join_all((0..100).map(|_| setup.call(None)));
    let release = async {
        server.until(1).await;
        gate.add_permits(100);
    };
    let (calls, ()) = futures::join!(calls, release);
    assert!(calls.into_iter().all(|called| called == Ok((200, 1))));
    assert_eq!(server.seen().len(), 1);
    assert_eq!(authorizations(&api.seen()), vec!["Bearer t1"; 100]);
    let expected = format!("Basic {}", base64(&format!("edge:{SECRET}")));
    assert_eq!(authorizations(&server.seen()), [expected]);
    assert!(
        server.seen()[0].ends_with("\r\n\r\ngrant_type=client_credentials&scope=a%20b"),
        "{:?}",
        server.seen()
    );
    assert_eq!(setup.fetches(), [("crm".to_owned(), "ok", 1)]);
}

#[tokio::test]
async fn whoever_gives_up_does_not_end_the_fetch_of_the_others() {
    let gate = Arc::new(Semaphore::new(0));
    let behind = Arc::clone(&gate);
    let server = Server::waiting(Arc::new(move |_, _| {
        let behind = Arc::clone(&behind);
        Box::pin(async move {
            behind.acquire().await.unwrap().forget();
            token("late", 3600)
        })
    }))
    .await;
    let setup = Setup::new(1, &oauth2(server.port));
    let now = Instant::now();
    // Its time is over before it begins to wait, or while it does.
    let ask = setup.ask(None);
    assert_eq!(ask.credential.token(&ask, now, now).await.unwrap_err(), CredentialError::Slow);
    server.until(1).await;
    gate.add_permits(1);
    assert_eq!(setup.token_at(now).await.unwrap().header(), "Bearer late");
    assert_eq!(server.seen().len(), 1, "it is the fetch that the first one started");
}

#[tokio::test]
async fn a_token_is_replaced_beside_the_calls_before_it_ends() {
    let server = Server::start(|number, _| token(&format!("t{number}"), 1)).await;
    let setup = Setup::new(1, &oauth2(server.port));
    let now = Instant::now();
    let after = |milliseconds| now + Duration::from_millis(milliseconds);
    assert_eq!(setup.token_at(now).await.unwrap().header(), "Bearer t1");
    assert_eq!(setup.token_at(now).await.unwrap().header(), "Bearer t1");
    assert_eq!(server.seen().len(), 1, "kept");
    let Own::Fetched(slot) = &setup.credential().own else { panic!() };
    // In its last quarter it is still used, and the next one is on its way. The server may take a moment to be asked.
    let end = slot.end().unwrap();
    let old = end - Duration::from_millis(50);
    assert_eq!(setup.token_at(old).await.unwrap().header(), "Bearer t1");
    server.until(2).await;
    // A second later it is over, whether the next one has come or not: this waits for it.
    let next = setup.token_at(end + Duration::from_millis(1)).await.unwrap();
    assert_ne!(next.header(), "Bearer t1");
    assert!(after(0) <= end);
}

#[tokio::test]
async fn a_token_that_ends_at_once_is_good_for_those_who_waited() {
    let server = Server::start(|number, _| token(&format!("t{number}"), 0)).await;
    let setup = Setup::new(1, &oauth2(server.port));
    for number in 1..4 {
        let found = setup.token_at(Instant::now()).await.unwrap();
        assert_eq!(found.header(), format!("Bearer t{number}"));
    }
}

#[tokio::test]
async fn a_refused_token_is_replaced_once_and_the_call_repeated() {
    let api =
        Server::start(|_, request| http(if request.contains("Bearer t1\r\n") { 401 } else { 200 }, "{}"))
            .await;
    let server = Server::start(|number, _| token(&format!("t{number}"), 3600)).await;
    let setup = Setup::new(api.port, &oauth2(server.port));
    assert_eq!(setup.call(None).await, Ok((200, 2)), "though it is not idempotent");
    assert_eq!(authorizations(&api.seen()), ["Bearer t1", "Bearer t2"]);
    assert_eq!(setup.call(None).await, Ok((200, 1)));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn an_api_that_refuses_every_token_is_not_asked_for_ever() {
    let api = Server::start(|_, _| http(401, "{}")).await;
    let server = Server::start(|number, _| token(&format!("t{number}"), 3600)).await;
    let setup = Setup::new(api.port, &oauth2(server.port));
    assert_eq!(setup.call(None).await, Ok((401, 2)), "the answer is the API's");
    for _ in 0..5 {
        assert_eq!(setup.call(None).await, Ok((401, 1)));
    }
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn callers_that_were_refused_together_get_one_new_token() {
    let api =
        Server::start(|_, request| http(if request.contains("Bearer t1\r\n") { 401 } else { 200 }, "{}"))
            .await;
    let server = Server::start(|number, _| token(&format!("t{number}"), 3600)).await;
    let setup = Setup::new(api.port, &oauth2(server.port));
    setup.token_at(Instant::now()).await.unwrap();
    let calls = futures::future::join_all((0..20).map(|_| setup.call(None))).await;
    assert!(calls.into_iter().all(|called| matches!(called, Ok((200, _)))));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn the_next_bundle_goes_on_with_the_tokens() {
    let server = Server::start(|number, _| token(&format!("t{number}"), 3600)).await;
    let setup = Setup::new(1, &oauth2(server.port));
    setup.token_at(Instant::now()).await.unwrap();
    let again = build(&setup.contents, &setup.network).unwrap();
    let upstream = setup.contents.tools[0].http().unwrap().upstream;
    assert!(Arc::ptr_eq(again.get(upstream).unwrap(), setup.credential()));
    // Another scope is another token.
    let other = contents(1, &oauth2(server.port).replace("\"b\"", "\"c\""));
    let other = build(&other, &setup.network).unwrap();
    assert!(!Arc::ptr_eq(other.get(upstream).unwrap(), setup.credential()));
}

#[tokio::test]
async fn a_name_and_a_password_need_no_server() {
    let api = Server::start(OK).await;
    let auth = "kind = \"basic\"\nusername = \"edge\"\npassword = \"${SECRET}\"\n";
    let setup = Setup::new(api.port, auth);
    assert_eq!(setup.call(None).await, Ok((200, 1)));
    // A tenant may have a password of its own.
    let values: [Box<str>; 1] = ["other".into()];
    assert_eq!(setup.call_with(Ask { values: Some(&values), ..setup.ask(None) }).await, Ok((200, 1)));
    let expected = [format!("edge:{SECRET}"), "edge:other".to_owned()];
    assert_eq!(authorizations(&api.seen()), expected.map(|pair| format!("Basic {}", base64(&pair))));
    let bad = contents(1, "kind = \"basic\"\nusername = \"${NAME}\"\npassword = \"${SECRET}\"\n");
    let error = build(&bad, &setup.network).unwrap_err();
    assert_eq!(error, BadUserName { upstream: "crm".to_owned() });
}

#[tokio::test]
async fn each_tenant_with_values_of_its_own_has_its_own_token() {
    let server = Server::start(|number, _| token(&format!("t{number}"), 3600)).await;
    let setup = Setup::new(1, &oauth2(server.port).replace("client_id", "client_auth = \"post\"\nclient_id"));
    let token = async |values: Option<&str>| {
        let values: Option<[Box<str>; 1]> = values.map(|value| [value.into()]);
        let ask = Ask { values: values.as_ref().map(|values| &values[..]), ..setup.ask(None) };
        let now = Instant::now();
        let found = ask.credential.token(&ask, now, now + Duration::from_secs(20)).await.unwrap();
        found.header().to_owned()
    };
    assert_eq!(token(None).await, "Bearer t1");
    assert_eq!(token(Some("acme")).await, "Bearer t2");
    assert_eq!(token(Some("acme")).await, "Bearer t2");
    assert_eq!(token(Some(SECRET)).await, "Bearer t1", "the same values are the same client");
    assert!(server.seen()[1].ends_with("client_id=edge&client_secret=acme"));
}

fn base64(text: &str) -> String {
    use ::base64::Engine;
    ::base64::engine::general_purpose::STANDARD.encode(text)
}
