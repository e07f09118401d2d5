use super::store::KeptAnswer;
use super::*;
use crate::catalog::CacheRules;
use futures::future::{Either, select};
use mcp_bundle::bind::Request;
use mcp_bundle::wire_enums::Method;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof};
use proptest::proptest;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

const RULES: CacheRules =
    CacheRules { fresh: Duration::from_secs(60), stale_if_error: Duration::ZERO, shared: false };
/// Whatever is there is too old, but may serve.
const OLD: CacheRules =
    CacheRules { fresh: Duration::ZERO, stale_if_error: Duration::from_secs(60), shared: false };

fn key(tenant: Option<Option<&str>>, request: &Request) -> CacheKey {
    CacheKey::of(&KeyParts {
        tool: "tool",
        origin: (1, "api.example", 443),
        authority: "api.example",
        max_response: 1000,
        tenant,
        token: None,
        request,
    })
}

fn kept(body: &str) -> KeptAnswer {
    KeptAnswer {
        status: 200,
        content_type: Some("text/plain".into()),
        content_location: None,
        body: body.as_bytes().into(),
        message: None,
        since: Instant::now(),
    }
}

fn some_key(name: &str) -> CacheKey {
    key(Some(Some(name)), &Request::new())
}

async fn flight<'a>(cache: &'a AnswerCache, key: &CacheKey, rules: &CacheRules) -> Box<Flight<'a>> {
    match cache.find(key, rules).await {
        Found::Flight(flight) => flight,
        other => panic!("{other:?}"),
    }
}

async fn body(cache: &AnswerCache, key: &CacheKey) -> Option<String> {
    match cache.find(key, &RULES).await {
        Found::Hit { answer, stale: false } => Some(String::from_utf8(answer.body.to_vec()).unwrap()),
        Found::Hit { stale: true, .. } | Found::Flight(_) | Found::Alone => None,
    }
}

async fn is_waiting<F: Future>(future: &mut std::pin::Pin<Box<F>>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

#[tokio::test]
async fn an_answer_is_found_until_it_is_old() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    flight(&cache, &key, &RULES).await.keep(kept("one"));
    assert_eq!(body(&cache, &key).await.as_deref(), Some("one"));
    flight(&cache, &key, &CacheRules { fresh: Duration::ZERO, ..RULES }).await.keep(kept("two"));
    assert_eq!(body(&cache, &key).await.as_deref(), Some("two"));
    assert_eq!(body(&cache, &some_key("b")).await, None);
    let stats = cache.stats();
    assert_eq!((stats.hits, stats.misses, stats.evicted), (2, 3, 0));
    assert!(stats.bytes > 3, "{stats:?}");
}

#[tokio::test]
async fn one_asks_and_the_others_wait() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    let first = flight(&cache, &key, &RULES).await;
    let mut others: Vec<_> = (0..3).map(|_| Box::pin(cache.find(&key, &RULES))).collect();
    for other in &mut others {
        assert!(is_waiting(other).await);
    }
    first.keep(kept("one"));
    for other in others {
        assert!(matches!(other.await, Found::Hit { stale: false, .. }));
    }
}

#[tokio::test]
async fn a_flight_that_is_cancelled_is_taken_over() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    let first = flight(&cache, &key, &RULES).await;
    let (mut second, mut third) = (Box::pin(cache.find(&key, &RULES)), Box::pin(cache.find(&key, &RULES)));
    assert!(is_waiting(&mut second).await && is_waiting(&mut third).await);
    drop(first);
    // Any of those who wait.
    let (next, mut last) = match select(second, third).await {
        Either::Left(done) | Either::Right(done) => done,
    };
    let Found::Flight(next) = next else { panic!("it is its turn") };
    assert!(is_waiting(&mut last).await, "one at a time");
    next.keep(kept("one"));
    assert!(matches!(last.await, Found::Hit { .. }));
}

#[tokio::test]
async fn after_a_failure_all_that_waited_ask_for_themselves() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    let first = flight(&cache, &key, &RULES).await;
    let mut others: Vec<_> = (0..3).map(|_| Box::pin(cache.find(&key, &RULES))).collect();
    for other in &mut others {
        assert!(is_waiting(other).await);
    }
    first.keep_nothing();
    for other in others {
        assert!(matches!(other.await, Found::Alone));
    }
    // Who comes later asks for all again.
    flight(&cache, &key, &RULES).await.keep(kept("one"));
    assert_eq!(body(&cache, &key).await.as_deref(), Some("one"));
}

#[tokio::test]
async fn an_old_answer_serves_while_the_upstream_fails() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    flight(&cache, &key, &RULES).await.keep(kept("one"));
    let answer = flight(&cache, &key, &OLD).await.stale().expect("one is there");
    assert_eq!(&*answer.body, b"one");
    // For a while nobody asks; that while is never longer than an answer is fresh.
    let recent = CacheRules { fresh: Duration::from_nanos(1), ..OLD };
    drop(flight(&cache, &key, &recent).await);
    assert!(flight(&cache, &key, &OLD).await.stale().is_err(), "a flight that was cancelled leaves nothing");
    assert_eq!(cache.stats().stale, 1);
}

#[tokio::test]
async fn without_leave_no_old_answer_serves() {
    let (cache, key) = (AnswerCache::new(1 << 20), some_key("a"));
    flight(&cache, &key, &RULES).await.keep(kept("one"));
    let rules = CacheRules { stale_if_error: Duration::ZERO, ..OLD };
    assert!(flight(&cache, &key, &rules).await.stale().is_err());
}

#[tokio::test]
async fn all_answers_together_are_bounded() {
    let cache = AnswerCache::new(64 << 10);
    let text = "x".repeat(1000);
    for number in 0..500 {
        flight(&cache, &some_key(&number.to_string()), &RULES).await.keep(kept(&text));
        assert!(cache.stats().bytes <= 64 << 10);
    }
    assert!(cache.stats().evicted >= 400, "{cache:?}");
    // One that is too large is not kept, and nobody waits for it in vain.
    let (key, large) = (some_key("large"), "x".repeat(60_000));
    let first = flight(&cache, &key, &RULES).await;
    let mut second = Box::pin(cache.find(&key, &RULES));
    assert!(is_waiting(&mut second).await);
    first.keep(kept(&large));
    assert!(matches!(second.await, Found::Alone));
    cache.set_bytes(0);
    flight(&cache, &some_key("none"), &RULES).await.keep(kept("one"));
    assert_eq!(body(&cache, &some_key("none")).await, None);
}

/// A request, as binding would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sent {
    method: Method,
    target: Vec<u8>,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

fn sent() -> impl Strategy<Value = Sent> {
    let method = prop_oneof![Just(Method::Get), Just(Method::Head)];
    // Few letters: what nearly looks the same is what could be taken for the same.
    let text = || "[ab:/]{0,4}";
    let headers = prop::collection::vec(("[ab]{1,3}", text()), 0..3);
    (method, text(), headers, prop::option::of(text())).prop_map(|(method, target, headers, body)| Sent {
        method,
        target: target.into_bytes(),
        headers,
        body,
    })
}

impl Sent {
    fn request(&self) -> Request {
        Request::for_tests(self.method, &self.target, &self.headers, self.body.as_deref())
    }
}

fn tenant() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[ab]{0,3}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn another_request_has_another_key(a in sent(), b in sent(), tenant in tenant(), shared: bool) {
        let tenant = (!shared).then_some(tenant.as_deref());
        prop_assert_eq!(key(tenant, &a.request()) == key(tenant, &b.request()), a == b);
    }

    #[test]
    fn another_tenant_has_another_key(request in sent(), a in tenant(), b in tenant()) {
        let of = |tenant: &Option<String>| key(Some(tenant.as_deref()), &request.request());
        prop_assert_eq!(of(&a) == of(&b), a == b);
        prop_assert!(of(&a) != key(None, &request.request()), "what is shared is apart");
    }

    #[test]
    fn another_place_has_another_key(host in "[ab.]{1,3}", port in any::<u16>(), scheme in 1..3u8, most in 0..3usize) {
        let request = &Request::new();
        let parts = KeyParts {
            tool: "tool", origin: (1, "a.b", 443), authority: "a.b", max_response: 1, tenant: None, token: None, request,
        };
        let other = KeyParts { origin: (scheme, &host, port), max_response: most, ..parts };
        let is_same = (scheme, host.as_str(), port, most) == (1, "a.b", 443, 1);
        prop_assert_eq!(CacheKey::of(&parts) == CacheKey::of(&other), is_same);
        let renamed = KeyParts { tool: &host, ..parts };
        prop_assert!(CacheKey::of(&parts) != CacheKey::of(&renamed));
    }

    /// Tenants ask for the same things in any order; each gets only what the upstream told it.
    #[test]
    fn an_answer_is_never_shown_to_another_tenant(
        calls in prop::collection::vec((tenant(), sent()), 1..20)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let cache = AnswerCache::new(1 << 20);
            for (tenant, sent) in &calls {
                let key = key(Some(tenant.as_deref()), &sent.request());
                let told = format!("{tenant:?} {sent:?}");
                match cache.find(&key, &RULES).await {
                    Found::Hit { answer, .. } => prop_assert_eq!(&*answer.body, told.as_bytes()),
                    Found::Flight(flight) => flight.keep(kept(&told)),
                    Found::Alone => prop_assert!(false, "nobody waited"),
                }
            }
            Ok(())
        })?;
    }
}

#[test]
fn an_answer_is_what_shaping_needs() {
    let kept = Arc::new(kept("text"));
    let answer = kept.answer();
    assert_eq!((answer.status, answer.content_type, answer.body), (200, Some("text/plain"), &b"text"[..]));
    assert_eq!(kept.age(kept.since + Duration::from_secs(3)), Duration::from_secs(3));
}
