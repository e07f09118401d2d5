//! The bytes of bodies that all calls hold together: of requests, of upstreams' answers and of results that clients have not
//! read yet.
//!
//! The first bytes of each body are free: calls in flight bound them, and most bodies have no others. So a short call does not
//! touch what all threads share.

use crate::runtime::deadline::{Elapsed, within};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::Notify;

/// What each body has for nothing.
pub const FREE: usize = 16 << 10;
/// How long a body waits for others to end.
const WAIT: Duration = Duration::from_secs(5);

/// What all calls share.
#[derive(Debug)]
pub struct Budget {
    held: AtomicUsize,
    most: AtomicUsize,
    /// Those who wait look again.
    given_back: Notify,
    waiting: AtomicUsize,
}

/// What one body holds; given back when it is dropped.
#[derive(Debug, Default)]
pub struct Share {
    /// Only a long body has one.
    budget: Option<Arc<Budget>>,
    bytes: usize,
}

/// Others hold too much for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            held: AtomicUsize::new(0),
            most: AtomicUsize::new(usize::MAX),
            given_back: Notify::new(),
            waiting: AtomicUsize::new(0),
        }
    }
}

impl Budget {
    /// Bodies may hold this much from now on.
    pub fn set_most(&self, bytes: usize) {
        self.most.store(bytes, SeqCst);
        self.given_back.notify_waiters();
    }

    /// Bytes at this moment.
    pub fn held(&self) -> usize {
        self.held.load(SeqCst)
    }

    /// `own` is what the one who asks holds already. Who is alone gets whatever it needs: its own limits bound it, and nobody
    /// would ever give anything back to it.
    fn take(&self, more: usize, own: usize) -> bool {
        let most = self.most.load(SeqCst);
        let fits = |held: usize| {
            let all = held.saturating_add(more);
            (all <= most || held <= own).then_some(all)
        };
        self.held.fetch_update(SeqCst, SeqCst, fits).is_ok()
    }

    fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes, SeqCst);
        if self.waiting.load(SeqCst) > 0 {
            self.given_back.notify_waiters();
        }
    }

    async fn wait(&self, more: usize, own: usize) -> Result<(), NoRoom> {
        self.waiting.fetch_add(1, SeqCst);
        let _waiting = Waiting(&self.waiting);
        let taken = async {
            loop {
                // Enrolled before the look, so that nothing is missed between the two.
                let mut given_back = pin!(self.given_back.notified());
                given_back.as_mut().enable();
                if self.take(more, own) {
                    return;
                }
                given_back.await;
            }
        };
        within(WAIT, pin!(taken)).await.map_err(|Elapsed| NoRoom)
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Share {
    /// Whether a body of this length needs more than it has.
    #[inline]
    pub fn is_enough(&self, length: usize) -> bool {
        length <= FREE + self.bytes
    }

    /// Makes room for a body of this length; waits a while if others hold too much.
    pub async fn grow(&mut self, budget: &Arc<Budget>, length: usize) -> Result<(), NoRoom> {
        if self.is_enough(length) {
            return Ok(());
        }
        let more = length - FREE - self.bytes;
        if !budget.take(more, self.bytes) {
            budget.wait(more, self.bytes).await?;
        }
        self.add(budget, more);
        Ok(())
    }

    /// Counts a body that is there already.
    pub fn hold(&mut self, budget: &Arc<Budget>, length: usize) {
        if !self.is_enough(length) {
            let more = length - FREE - self.bytes;
            budget.held.fetch_add(more, SeqCst);
            self.add(budget, more);
        }
    }

    /// The body is shorter than it was.
    pub fn shrink(&mut self, length: usize) {
        let spare = self.bytes.saturating_sub(length.saturating_sub(FREE));
        if let Some(budget) = self.budget.as_ref().filter(|_| spare > 0) {
            self.bytes -= spare;
            budget.give(spare);
        }
    }

    /// The body is gone.
    pub fn give(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        if let Some(budget) = self.budget.take() {
            budget.give(bytes);
        }
    }

    fn add(&mut self, budget: &Arc<Budget>, more: usize) {
        self.bytes += more;
        if self.budget.is_none() {
            self.budget = Some(Arc::clone(budget));
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::task::Poll;

    fn budget(most: usize) -> Arc<Budget> {
        let budget = Arc::new(Budget::default());
        budget.set_most(most);
        budget
    }

    async fn is_waiting<F: Future>(future: &mut std::pin::Pin<Box<F>>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
    }

    #[tokio::test]
    async fn short_bodies_are_free() {
        let budget = budget(0);
        let mut shares: Vec<Share> = (0..10).map(|_| Share::default()).collect();
        for share in &mut shares {
            assert_eq!(share.grow(&budget, FREE).await, Ok(()));
        }
        assert_eq!(budget.held(), 0);
    }

    #[tokio::test]
    async fn a_body_waits_until_another_has_ended() {
        let budget = budget(100);
        let (mut first, mut second) = (Share::default(), Share::default());
        first.grow(&budget, FREE + 60).await.expect("there is room");
        first.grow(&budget, FREE + 80).await.expect("there is room");
        assert_eq!(budget.held(), 80);
        let mut growing = Box::pin(second.grow(&budget, FREE + 30));
        assert!(is_waiting(&mut growing).await);
        first.give();
        assert_eq!(growing.await, Ok(()));
        assert_eq!(budget.held(), 30);
        drop(second);
        assert_eq!((budget.held(), budget.waiting.load(SeqCst)), (0, 0));
    }

    #[tokio::test]
    async fn a_body_that_gets_shorter_gives_back_what_it_needs_no_more() {
        let budget = budget(100);
        let mut share = Share::default();
        share.grow(&budget, FREE + 60).await.expect("there is room");
        for (length, held) in [(FREE + 80, 60), (FREE + 20, 20), (FREE - 1, 0), (0, 0)] {
            share.shrink(length);
            assert_eq!(budget.held(), held, "{length}");
        }
        share.grow(&budget, FREE + 90).await.expect("there is room");
        assert_eq!(budget.held(), 90);
        drop(share);
        assert_eq!(budget.held(), 0);
    }

    #[tokio::test]
    async fn one_alone_is_never_stuck() {
        let budget = budget(100);
        let (mut large, mut other) = (Share::default(), Share::default());
        large.grow(&budget, FREE + 90).await.expect("there is room");
        large.grow(&budget, FREE + 1000).await.expect("nobody else holds anything");
        let mut growing = Box::pin(other.grow(&budget, FREE + 1));
        assert!(is_waiting(&mut growing).await);
        drop(growing);
        assert_eq!(budget.waiting.load(SeqCst), 0, "who leaves does not wait");
        drop(large);
        assert_eq!(budget.held(), 0);
    }

    #[tokio::test]
    async fn a_wait_has_an_end() {
        tokio::time::pause();
        let budget = budget(10);
        let (mut first, mut second) = (Share::default(), Share::default());
        first.hold(&budget, FREE + 50);
        assert_eq!(budget.held(), 50, "what is there is counted, whether it fits or not");
        assert_eq!(second.grow(&budget, FREE + 1).await, Err(NoRoom));
        assert_eq!(budget.held(), 50);
        budget.set_most(1000);
        assert_eq!(second.grow(&budget, FREE + 1).await, Ok(()));
    }
}
