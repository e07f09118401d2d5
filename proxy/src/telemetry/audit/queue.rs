//! Where threads that serve leave their lines, and the thread that writes takes them.
//!
//! Each thread has a shard of its own, so its lock is free but for the moment in which lines are taken. A line is handed over
//! unfinished: the digest of the arguments is the writing thread's work.

use super::finish::Mode;
use crate::runtime::shards::{OwnCacheLine, SHARDS, own_shard};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Lines that wait.
#[derive(Debug)]
pub(super) struct Queue {
    shards: [OwnCacheLine<Mutex<Vec<u8>>>; SHARDS],
    /// Bytes in all shards, and how many there may be.
    waiting: AtomicUsize,
    limit: AtomicUsize,
    /// Lines that were left out.
    dropped: AtomicU64,
    room: Notify,
}

/// A line without its end, and the arguments that its end is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unfinished<'a> {
    pub line: &'a [u8],
    pub arguments: &'a [u8],
    pub mode: Mode,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    Waits,
    /// It is one of so many that they should be written soon.
    WaitsLong,
    Dropped,
}

/// Two lengths and the mode.
const HEADER: usize = 9;

/// What is written at once, if so much waits: it is still in the caches, and its memory is used again.
const BATCH: usize = 256 << 10;

/// Memory that a shard keeps when its lines are gone.
const KEPT: usize = 2 * BATCH;

impl Queue {
    pub(super) fn new(limit: usize) -> Queue {
        Queue {
            shards: Default::default(),
            waiting: AtomicUsize::new(0),
            limit: AtomicUsize::new(limit),
            dropped: AtomicU64::new(0),
            room: Notify::new(),
        }
    }

    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Relaxed);
        self.room.notify_waiters();
    }

    /// Takes a line, if there is room or it `must` be taken.
    pub(super) fn add(&self, unfinished: Unfinished<'_>, must: bool) -> Added {
        let Unfinished { line, arguments, mode } = unfinished;
        let length = HEADER + line.len() + arguments.len();
        let (Ok(line_length), Ok(arguments_length)) =
            (u32::try_from(line.len()), u32::try_from(arguments.len()))
        else {
            return self.drop_line();
        };
        let limit = self.limit.load(Relaxed);
        let before = self.waiting.fetch_add(length, Relaxed);
        if before + length > limit && !must {
            self.waiting.fetch_sub(length, Relaxed);
            return self.drop_line();
        }
        let mut shard = locked(own_shard(&self.shards));
        shard.extend_from_slice(&line_length.to_le_bytes());
        shard.extend_from_slice(&arguments_length.to_le_bytes());
        shard.push(mode as u8);
        shard.extend_from_slice(line);
        shard.extend_from_slice(arguments);
        drop(shard);
        let many = many(limit);
        if before < many && before + length >= many { Added::WaitsLong } else { Added::Waits }
    }

    /// Counts a line that is left out.
    #[cold]
    pub(super) fn drop_line(&self) -> Added {
        self.dropped.fetch_add(1, Relaxed);
        Added::Dropped
    }

    /// Takes all lines, those of a thread in their order. `spare` is memory to swap with.
    pub(super) fn take(&self, spare: &mut Vec<u8>, mut each: impl FnMut(Unfinished<'_>)) {
        for shard in &self.shards {
            spare.clear();
            std::mem::swap(&mut *locked(&shard.0), spare);
            let mut rest = spare.as_slice();
            while let Some((unfinished, after)) = next(rest) {
                each(unfinished);
                rest = after;
            }
            self.waiting.fetch_sub(spare.len(), Relaxed);
            if spare.capacity() > KEPT {
                *spare = Vec::new();
            }
        }
        self.room.notify_waiters();
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.load(Relaxed) >= self.limit.load(Relaxed)
    }

    /// So many wait that they should be written soon.
    pub(super) fn has_many(&self) -> bool {
        self.waiting.load(Relaxed) >= many(self.limit.load(Relaxed))
    }

    pub(super) fn bytes(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Waits until it is not full. Safe to cancel.
    pub(super) async fn room(&self) {
        loop {
            let freed = self.room.notified();
            tokio::pin!(freed);
            // Before looking: what is freed from now on is heard of.
            freed.as_mut().enable();
            if !self.is_full() {
                return;
            }
            freed.await;
        }
    }
}

/// Bytes that need not wait for their time.
fn many(limit: usize) -> usize {
    BATCH.min(limit / 2)
}

fn next(bytes: &[u8]) -> Option<(Unfinished<'_>, &[u8])> {
    let (lengths, rest) = bytes.split_first_chunk::<8>()?;
    let [a, b, c, d, e, f, g, h] = *lengths;
    let (&mode, rest) = rest.split_first()?;
    let (line, rest) = rest.split_at_checked(u32::from_le_bytes([a, b, c, d]) as usize)?;
    let (arguments, rest) = rest.split_at_checked(u32::from_le_bytes([e, f, g, h]) as usize)?;
    Some((Unfinished { line, arguments, mode: Mode::of(mode) }, rest))
}

fn locked(shard: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn line(text: &str) -> Unfinished<'_> {
        Unfinished { line: text.as_bytes(), arguments: b"{}", mode: Mode::Full }
    }

    fn taken(queue: &Queue) -> Vec<String> {
        let mut lines = Vec::new();
        queue.take(&mut Vec::new(), |unfinished| {
            assert_eq!((unfinished.arguments, unfinished.mode), (&b"{}"[..], Mode::Full));
            lines.push(String::from_utf8(unfinished.line.to_vec()).unwrap());
        });
        lines
    }

    #[test]
    fn lines_of_a_thread_keep_their_order_and_none_is_lost_or_doubled() {
        let queue = Queue::new(1 << 20);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let queue = &queue;
                scope.spawn(move || {
                    for number in 0..100 {
                        queue.add(line(&format!("{thread} {number:03}")), false);
                    }
                });
            }
        });
        let mut lines = taken(&queue);
        let mut sorted = lines.clone();
        // Stable: within a thread, nothing moves.
        lines.sort_by_key(|line| line.split(' ').next().map(str::to_owned));
        sorted.sort();
        assert_eq!((lines.len(), lines), (400, sorted));
        assert_eq!((queue.bytes(), taken(&queue).len()), (0, 0));
    }

    #[test]
    fn what_waits_is_bounded_and_what_is_left_out_is_counted() {
        let one = HEADER + 1 + 2;
        let queue = Queue::new(4 * one);
        let added: Vec<Added> = ["a", "b", "c", "d", "e"].map(|text| queue.add(line(text), false)).to_vec();
        assert_eq!(added, [Added::Waits, Added::WaitsLong, Added::Waits, Added::Waits, Added::Dropped]);
        assert_eq!((queue.dropped(), queue.is_full(), queue.bytes()), (1, true, 4 * one));
        assert_eq!(queue.add(line("f"), true), Added::Waits, "this one must be taken");
        let mut room = Box::pin(queue.room());
        assert!(room.as_mut().now_or_never().is_none());
        assert_eq!(taken(&queue), ["a", "b", "c", "d", "f"]);
        assert!(room.now_or_never().is_some());
        assert!(queue.room().now_or_never().is_some());
    }

    #[test]
    fn more_room_is_noticed_by_those_who_wait() {
        let queue = Queue::new(1);
        queue.add(line("a"), true);
        let mut room = Box::pin(queue.room());
        assert!(room.as_mut().now_or_never().is_none());
        queue.set_limit(1000);
        assert!(room.now_or_never().is_some());
    }
}
