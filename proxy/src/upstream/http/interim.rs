//! Answers of the 1xx kind over HTTP/2. The library below skips them without a word, but each batch of them wakes whoever waits
//! for the real answer: those wakes are counted.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Looks at an answer that are not counted. A task may be woken for other reasons, and nearly every answer needs fewer.
const FREE: usize = 16;
/// Wakes beyond them. No honest upstream has so much to say before it answers.
const MOST: usize = 64;

/// Counts how often it is woken.
struct Counted {
    wakes: AtomicUsize,
    task: Waker,
}

/// Waits for an answer; `None` if too many others came before it.
pub(super) async fn bounded<T>(answer: impl Future<Output = T>) -> Option<T> {
    let mut answer = pin!(answer);
    let (mut looks, mut wakes) = (0, 0);
    let mut counted: Option<Arc<Counted>> = None;
    poll_fn(|context| {
        if looks < FREE {
            looks += 1;
            return answer.as_mut().poll(context).map(Some);
        }
        wakes += counted.take().map_or(0, |counted| counted.wakes.load(Ordering::Relaxed).min(1));
        if wakes > MOST {
            return Poll::Ready(None);
        }
        let counter = Arc::new(Counted { wakes: AtomicUsize::new(0), task: context.waker().clone() });
        let waker = Waker::from(Arc::clone(&counter));
        counted = Some(counter);
        answer.as_mut().poll(&mut Context::from_waker(&waker)).map(Some)
    })
    .await
}

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::Relaxed);
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is ready after so many looks, each of which it asks for itself.
    async fn after(looks: usize) -> usize {
        let mut seen = 0;
        poll_fn(|context| {
            seen += 1;
            context.waker().wake_by_ref();
            if seen < looks { Poll::Pending } else { Poll::Ready(seen) }
        })
        .await
    }

    #[tokio::test]
    async fn few_wakes_are_fine_and_many_are_not() {
        assert_eq!(bounded(after(1)).await, Some(1));
        assert_eq!(bounded(after(FREE + MOST)).await, Some(FREE + MOST));
        assert_eq!(bounded(after(FREE + MOST + 10)).await, None);
    }

    #[tokio::test]
    async fn wakes_of_others_do_not_count() {
        let mut others = 0;
        let answer = async {
            std::future::pending::<()>().await;
        };
        let mut bounded = pin!(bounded(answer));
        let ended = poll_fn(|context| {
            others += 1;
            context.waker().wake_by_ref();
            match bounded.as_mut().poll(context) {
                Poll::Ready(ended) => Poll::Ready(Some(ended)),
                Poll::Pending if others > 10 * MOST => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        });
        assert_eq!(ended.await, None, "it still waits");
    }
}
