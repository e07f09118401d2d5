//! Bytes that one request leaves to the next on the same thread.

use std::cell::RefCell;

/// Pieces of memory that a thread keeps of each kind; what more calls needed at once is freed.
pub const KEPT: usize = 64;

/// Calls with more than this are rare, and their memory goes back.
pub const KEPT_BYTES: usize = 64 << 10;

thread_local! {
    static BYTES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
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

    fn kept() -> usize {
        BYTES.with_borrow(Vec::len)
    }

    #[test]
    fn memory_goes_round() {
        let mut bytes = take_bytes();
        bytes.extend_from_slice(b"secret");
        let memory = bytes.as_ptr();
        give_bytes(&mut bytes);
        assert_eq!((bytes.capacity(), kept()), (0, 1));
        let again = take_bytes();
        assert!(again.is_empty() && again.as_ptr() == memory);
        give_bytes(&mut Vec::new());
        assert_eq!(kept(), 0, "what holds nothing is not kept");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        give_bytes(&mut Vec::with_capacity(KEPT_BYTES + 1));
        assert_eq!(kept(), 0);
        (0..2 * KEPT).for_each(|_| give_bytes(&mut Vec::with_capacity(1)));
        assert_eq!(kept(), KEPT);
    }
}
