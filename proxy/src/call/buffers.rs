//! Memory that one call leaves to the next on the same thread.
//!
//! A call that waits for its upstream holds what it needs then and nothing else. What it works with is taken when the answer
//! begins to arrive and given back when the result is sent. Nearly always that is one go, without a wait: so a few pieces of
//! memory, which stay in the nearest caches, serve all calls of a thread, however many wait.

use crate::upstream::Received;
use mcp_bundle::{bind, shape};
use std::cell::{Cell, RefCell};

/// What a call holds while it waits.
#[derive(Debug, Default)]
pub struct Buffers {
    pub request: bind::Request,
    pub received: Received,
}

/// What a call works with where it does not wait.
#[derive(Debug, Default)]
pub struct Scratch {
    pub bind: bind::Scratch,
    pub shape: shape::Scratch,
}

/// Pieces of memory that a thread keeps of each kind; what more calls needed at once is freed.
const KEPT: usize = 64;

/// Calls that wait keep little each.
const KEPT_WAITING: usize = 1024;

/// Calls with more than this are rare, and their memory goes back.
const KEPT_BYTES: usize = 64 << 10;

/// What each of many calls that wait at once may keep.
const KEPT_BYTES_WAITING: usize = 2 << 10;

thread_local! {
    #[expect(clippy::vec_box, reason = "a call moves its buffers around while it waits")]
    static WAITING: RefCell<Vec<Box<Buffers>>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
    static BYTES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

pub fn take() -> Box<Buffers> {
    WAITING.try_with(|free| free.borrow_mut().pop()).ok().flatten().unwrap_or_default()
}

/// A call that is cancelled just drops its buffers.
pub fn give(mut buffers: Box<Buffers>) {
    let Buffers { request, received } = &mut *buffers;
    received.give_memory();
    let held = request.held();
    // A thread that is ending keeps nothing.
    let _ = WAITING.try_with(|free| {
        let mut free = free.borrow_mut();
        let most = if free.len() < KEPT { KEPT_BYTES } else { KEPT_BYTES_WAITING };
        if held <= most && free.len() < KEPT_WAITING {
            free.push(buffers);
        }
    });
}

/// Works with the thread's scratch. The work also tells how many bytes it was about: after much of it, nothing is left to the
/// next.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> (T, usize)) -> T {
    let mut scratch = SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let (done, size) = work(&mut scratch);
    if size <= KEPT_BYTES {
        let _ = SCRATCH.try_with(|kept| kept.set(Some(scratch)));
    }
    done
}

/// Empty, but with memory if there is some.
pub fn take_bytes() -> Vec<u8> {
    BYTES.try_with(|free| free.borrow_mut().pop()).ok().flatten().unwrap_or_default()
}

pub fn give_bytes(bytes: &mut Vec<u8>) {
    if bytes.capacity() == 0 {
        return;
    }
    let mut bytes = std::mem::take(bytes);
    if bytes.capacity() > KEPT_BYTES {
        return;
    }
    bytes.clear();
    let _ = BYTES.try_with(|free| {
        let mut free = free.borrow_mut();
        if free.len() < KEPT {
            free.push(bytes);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (usize, usize) {
        (WAITING.with_borrow(Vec::len), BYTES.with_borrow(Vec::len))
    }

    #[test]
    fn memory_goes_round() {
        let mut bytes = take_bytes();
        bytes.extend_from_slice(b"secret");
        let memory = bytes.as_ptr();
        give_bytes(&mut bytes);
        assert_eq!((bytes.capacity(), kept()), (0, (0, 1)));
        let again = take_bytes();
        assert!(again.is_empty() && again.as_ptr() == memory);
        give_bytes(&mut Vec::new());
        assert_eq!(kept(), (0, 0), "what holds nothing is not kept");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        give_bytes(&mut Vec::with_capacity(KEPT_BYTES + 1));
        assert_eq!(kept().1, 0);
        (0..2 * KEPT).for_each(|_| give_bytes(&mut Vec::with_capacity(1)));
        (0..2 * KEPT_WAITING).for_each(|_| give(Box::default()));
        assert_eq!(kept(), (KEPT_WAITING, KEPT));
        let with = |bytes| {
            let mut buffers = Box::<Buffers>::default();
            buffers.request.target.reserve(bytes);
            buffers
        };
        WAITING.with_borrow_mut(Vec::clear);
        for _ in 0..2 * KEPT {
            give(with(KEPT_BYTES_WAITING + 1));
        }
        assert_eq!(kept().0, KEPT, "many keep little each");
        WAITING.with_borrow_mut(Vec::clear);
        give(with(KEPT_BYTES + 1));
        assert_eq!(kept().0, 0);
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
