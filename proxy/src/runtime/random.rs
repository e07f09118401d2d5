//! Numbers that need not be secret: seeds of templates, request ids, waits before retries. One generator a thread, seeded by the system.

use std::cell::Cell;

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed());
}

/// SplitMix64.
pub fn next() -> u64 {
    let step = |state: &Cell<u64>| {
        let next = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        state.set(next);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    STATE.try_with(step).unwrap_or_default()
}

fn seed() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        // Without a source of randomness the clock and the thread keep numbers apart.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let here = std::ptr::from_ref(&now).addr() as u64;
        (now.as_nanos() as u64) ^ here.rotate_left(32)
    })
}
