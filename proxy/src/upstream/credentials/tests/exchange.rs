//! Tokens in exchange for the caller's.

use super::server::{Server, http, token};
use super::*;

fn exchange(server: u16) -> String {
    oauth2(server).replace("\"oauth2\"", "\"exchange\"\naudience = \"urn:crm\"")
}

#[tokio::test]
async fn each_caller_has_a_token_of_its_own_and_its_own_goes_no_further() {
    let api = Server::start(|_, _| http(200, "{}")).await;
    let server = Server::start(|_, request| {
        let subject = request.split("subject_token=").nth(1).unwrap().split('&').next().unwrap();
        token(&format!("for-{}", subject.len()), 3600)
    })
    .await;
    let setup = Setup::new(api.port, &exchange(server.port));
    let (ann, ben) = (Arc::<str>::from("caller.ann"), Arc::<str>::from("caller.benjamin"));
    for caller in [&ann, &ben, &ann, &ben] {
        assert_eq!(setup.call(Some(caller)).await, Ok((200, 1)));
    }
    assert_eq!(server.seen().len(), 2);
    assert!(server.seen()[0].contains("&audience=urn%3Acrm"));
    let seen = api.seen();
    let sent = ["Bearer for-10", "Bearer for-15", "Bearer for-10", "Bearer for-15"];
    assert_eq!(authorizations(&seen), sent);
    assert!(seen.iter().all(|request| !request.contains("caller.")));
}

#[tokio::test]
async fn a_call_without_a_token_of_the_caller_is_refused_and_nobody_is_asked() {
    let server = Server::start(|_, _| token("t", 3600)).await;
    let setup = Setup::new(1, &exchange(server.port));
    let error = setup.call(None).await.unwrap_err();
    assert_eq!(error.name(), "caller_token_required");
    let expected = "there is no credential for the API: this tool acts for the person who calls it, and the call came \
                    without a token of that person. Sign in with the authorization server of this tool server and \
                    call again";
    assert_eq!(error.to_string(), expected);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_caller_that_is_refused_does_not_stop_the_others() {
    let server = Server::start(|_, request| {
        if request.contains("subject_token=bad") {
            http(400, r#"{"error":"invalid_grant"}"#)
        } else {
            token("t", 3600)
        }
    })
    .await;
    let setup = Setup::new(1, &exchange(server.port));
    let now = Instant::now();
    let token = async |caller: &str| {
        let caller = Arc::<str>::from(caller);
        let ask = setup.ask(Some(&caller));
        ask.credential.token(&ask, now, now + Duration::from_secs(20)).await
    };
    let refused = CredentialError::Refused { status: 400, code: Some("invalid_grant") };
    for _ in 0..3 {
        assert_eq!(token("bad").await.unwrap_err(), refused);
        assert!(token("good").await.is_ok());
    }
    assert_eq!(server.seen().len(), 2, "neither is asked for again");
}

#[tokio::test]
async fn a_dead_server_is_asked_once_for_all_callers() {
    let server = Server::start(|_, _| http(503, "")).await;
    let setup = Setup::new(1, &exchange(server.port));
    for number in 0..10 {
        let caller = Arc::<str>::from(format!("caller-{number}"));
        assert!(setup.call(Some(&caller)).await.is_err());
    }
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn there_is_an_end_to_what_is_kept() {
    let mut slots = BTreeMap::new();
    for number in 0..MAX_SLOTS {
        let key = SlotKey { caller: Some(Arc::<str>::from(number.to_string())), client: None };
        slots.insert(key, Arc::<Slot>::default());
    }
    let used = SlotKey { caller: Some(Arc::<str>::from("7")), client: None };
    let held = Arc::clone(&slots[&used]);
    make_room(&mut slots, Instant::now());
    assert_eq!(slots.len(), 1, "those without a token are gone, but for one that is being fetched");
    assert!(Arc::ptr_eq(&slots[&used], &held));
}
