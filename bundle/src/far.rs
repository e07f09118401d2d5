//! Memory that was not read for long.
//!
//! Where tens of thousands of tools are called in any order, what a call needs of its tool is in no cache. It comes from far
//! away, which takes longer than hundreds of instructions: so it is asked for before it is read, with other work in between.

/// Asks for memory that will be read soon, and does not wait for it. Where that is not known how to do, nothing happens.
#[inline(always)]
pub fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
