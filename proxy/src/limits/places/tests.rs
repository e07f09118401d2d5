use super::*;
use crate::limits::bucket;

#[test]
fn each_tenant_has_places_of_its_own() {
    let places = TenantPlaces::default();
    let (acme, other) = (bucket("acme"), bucket("other"));
    let first = places.enter(acme, 2).expect("a place");
    let _second = places.enter(acme, 2).expect("a place");
    assert!(places.enter(acme, 2).is_none());
    let _third = places.enter(other, 1).expect("a place");
    assert!(places.enter(other, 1).is_none());
    drop(first);
    let _again = places.enter(acme, 2).expect("a place");
    assert!(places.enter(acme, 2).is_none());
    assert!(places.enter(acme, 0).is_none());
}

#[test]
fn no_more_calls_of_a_tenant_run_than_it_may_have() {
    let (places, most) = (TenantPlaces::default(), AtomicUsize::new(0));
    let running: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (places, running, most) = (&places, &running, &most);
            scope.spawn(move || {
                for round in 0..2000 {
                    let who = (thread + round) % running.len();
                    // They all begin at the same word.
                    let Some(place) = places.enter((who as u64 + 1) << COUNT_BITS << 8, 3) else { continue };
                    most.fetch_max(running[who].fetch_add(1, Relaxed) + 1, Relaxed);
                    std::thread::yield_now();
                    running[who].fetch_sub(1, Relaxed);
                    drop(place);
                }
            });
        }
    });
    assert!((1..=3).contains(&most.load(Relaxed)), "{most:?}");
    let words = places.words.get().expect("it was used");
    assert!(words.iter().all(|word| word.load(Relaxed) & COUNT == 0), "all places are free again");
}

#[tokio::test]
async fn a_queue_is_bounded_in_length_and_time() {
    const LONG: Duration = Duration::from_secs(60);
    let places = UpstreamPlaces::new(1);
    let place = places.enter().expect("a place");
    assert!(places.enter().is_none());
    assert!(places.wait(0, LONG).await.is_none(), "there is no queue");
    assert!(places.wait(1, Duration::ZERO).await.is_none(), "it takes too long");
    assert_eq!(places.waiting(), 0);
    let mut first = Box::pin(places.wait(1, LONG));
    assert!(is_waiting(&mut first).await);
    assert_eq!(places.waiting(), 1);
    assert!(places.wait(1, LONG).await.is_none(), "the queue is full");
    // Who leaves takes no place along.
    drop(first);
    assert_eq!(places.waiting(), 0);
    let mut second = Box::pin(places.wait(1, LONG));
    assert!(is_waiting(&mut second).await);
    drop(place);
    let place = second.await.expect("its turn");
    assert!(places.enter().is_none());
    drop(place);
    assert!(places.enter().is_some());
}

async fn is_waiting<F: Future>(future: &mut std::pin::Pin<Box<F>>) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending())).await
}
