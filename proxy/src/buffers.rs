//! Memory that one call leaves to the next on the same thread.

use crate::upstream::Received;
use mcp_bundle::{bind, shape};
use std::cell::RefCell;

/// What a call needs while it runs.
#[derive(Debug, Default)]
pub struct Buffers {
    pub bind: bind::Scratch,
    pub request: bind::Request,
    pub received: Received,
    pub shape: shape::Scratch,
}

/// Calls of one thread that leave their buffers; what more calls needed at once is freed.
const KEPT: usize = 64;

/// Calls with more than this are rare, and their memory goes back.
const KEPT_BYTES: usize = 64 << 10;

thread_local! {
    #[expect(clippy::vec_box, reason = "a call moves its buffers around while it waits")]
    static FREE: RefCell<Vec<Box<Buffers>>> = const { RefCell::new(Vec::new()) };
}

pub fn take() -> Box<Buffers> {
    FREE.try_with(|free| free.borrow_mut().pop()).ok().flatten().unwrap_or_default()
}

/// A call that is cancelled just drops its buffers. What binding needs grows with the arguments and the request.
pub fn give(mut buffers: Box<Buffers>, arguments: usize) {
    let sent = buffers.request.body().map_or(0, <[u8]>::len) + buffers.request.target.len();
    if arguments > KEPT_BYTES || sent > KEPT_BYTES {
        return;
    }
    buffers.received.shrink(KEPT_BYTES);
    // A thread that is ending keeps nothing.
    let _ = FREE.try_with(|free| {
        let mut free = free.borrow_mut();
        if free.len() < KEPT {
            free.push(buffers);
        }
    });
}
