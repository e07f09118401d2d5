//! Free memory goes back to the system.
//!
//! The allocator hands memory back some time after it was freed, but looks what is due only when it frees a large block. A
//! thread's calls reuse their memory and free nothing: after a rush of long answers, or when a bundle was replaced, what
//! these left would stay resident until the next rush.

use std::hint::black_box;
use std::thread::Builder;
use std::time::Duration;

/// The allocator keeps free memory for a second (its `purge_delay`).
const PAUSE: Duration = Duration::from_secs(2);

/// Larger than what the allocator takes out of a page that it keeps (512 KiB). Nothing is written to it, so it costs no
/// memory.
const LARGE: usize = 1 << 20;

/// Makes the allocator look now and then, as long as the process lives.
#[expect(clippy::disallowed_methods, reason = "time is what is waited for, and nothing has to stop it")]
pub fn give_back() {
    let started = Builder::new().name("memory".to_owned()).spawn(|| {
        loop {
            std::thread::sleep(PAUSE);
            drop(black_box(Vec::<u8>::with_capacity(LARGE)));
        }
    });
    if let Err(error) = started {
        tracing::warn!(%error, "free memory is given back only now and then");
    }
}
