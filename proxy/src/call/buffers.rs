//! What a call holds while it waits, and what it works with where it does not; one call leaves it to the next on the same
//! thread.
//!
//! A call that waits for its upstream holds what it needs then and nothing else. What it works with is taken when the answer
//! begins to arrive and given back when the result is sent. Nearly always that is one go, without a wait: so a few pieces of
//! memory, which stay in the nearest caches, serve all calls of a thread, however many wait.

use crate::runtime::buffers::{KEPT, KEPT_BYTES};
use crate::upstream::Received;
use mcp_bundle::{bind, shape};
use std::cell::{Cell, RefCell};

/// What a call holds while it waits.
#[derive(Debug, Default)]
pub struct Buffers {
    pub request: bind::Request,
    pub received: Received,
    /// Of the call, if someone wants them at its end.
    pub arguments: String,
}

/// What a call works with where it does not wait.
#[derive(Debug, Default)]
pub struct Scratch {
    pub bind: bind::Scratch,
    pub shape: shape::Scratch,
}

/// Calls that wait keep little each.
const KEPT_WAITING: usize = 1024;

/// What each of many calls that wait at once may keep.
const KEPT_BYTES_WAITING: usize = 2 << 10;

thread_local! {
    #[expect(clippy::vec_box, reason = "a call moves its buffers around while it waits")]
    static WAITING: RefCell<Vec<Box<Buffers>>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

pub fn take() -> Box<Buffers> {
    WAITING.try_with(|free| free.borrow_mut().pop()).ok().flatten().unwrap_or_default()
}

/// A call that is cancelled just drops its buffers.
pub fn give(mut buffers: Box<Buffers>) {
    let Buffers { request, received, arguments } = &mut *buffers;
    received.give_memory();
    arguments.clear();
    let held = request.held() + arguments.capacity();
    // A thread that is ending keeps nothing.
    let _ = WAITING.try_with(|free| {
        let mut free = free.borrow_mut();
        let most = if free.len() < KEPT { KEPT_BYTES } else { KEPT_BYTES_WAITING };
        if held <= most && free.len() < KEPT_WAITING {
            free.push(buffers);
        }
    });
}

/// Works with the thread's scratch. The work also returns how many bytes it processed: after many
/// bytes, nothing is kept for the next.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> (T, usize)) -> T {
    let mut scratch = SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let (done, size) = work(&mut scratch);
    if size <= KEPT_BYTES {
        let _ = SCRATCH.try_with(|kept| kept.set(Some(scratch)));
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> usize {
        WAITING.with_borrow(Vec::len)
    }

    #[test]
    fn what_is_kept_is_bounded() {
        (0..2 * KEPT_WAITING).for_each(|_| give(Box::default()));
        assert_eq!(kept(), KEPT_WAITING);
        let with = |bytes| {
            let mut buffers = Box::<Buffers>::default();
            buffers.request.target.reserve(bytes);
            buffers
        };
        WAITING.with_borrow_mut(Vec::clear);
        for _ in 0..2 * KEPT {
            give(with(KEPT_BYTES_WAITING + 1));
        }
        assert_eq!(kept(), KEPT, "many keep little each");
        WAITING.with_borrow_mut(Vec::clear);
        give(with(KEPT_BYTES + 1));
        assert_eq!(kept(), 0);
    }

    #[test]
    fn scratch_is_one_for_all_but_large_work() {
        let place = |size| with_scratch(|scratch| (std::ptr::from_mut(scratch).addr(), size));
        let is_kept = || {
            let scratch = SCRATCH.take();
            let is_kept = scratch.is_some();
            SCRATCH.set(scratch);
            is_kept
        };
        let first = place(1);
        assert!(is_kept());
        assert_eq!(place(KEPT_BYTES), first);
        assert!(is_kept());
        place(KEPT_BYTES + 1);
        assert!(!is_kept());
    }
}
