//! What the system is told of memory: whether pages may be huge, and that free memory goes back.
//!
//! The allocator hands memory back some time after it was freed, but looks what is due only when it frees a large block. A
//! thread's calls reuse their memory and free nothing: after a rush of long answers, or when a bundle was replaced, what
//! these left would stay resident until the next rush.

use std::hint::black_box;
use std::path::Path;
use std::thread::Builder;
use std::time::Duration;

/// The allocator keeps free memory for a second (its `purge_delay`).
const PAUSE: Duration = Duration::from_secs(2);

/// Larger than what the allocator takes out of a page that it keeps (512 KiB). Nothing is written to it, so it costs no
/// memory.
const LARGE: usize = 1 << 20;

/// Bytes of a bundle of some twenty thousand tools.
const LARGE_BUNDLE: u64 = 16 << 20;

/// Lets the allocator have huge pages, which `main` denies it, if the bundle is large: for calls of many tools, finding out
/// where a page of memory is takes as long as reading it, and what huge pages leave unused is little against the bundle.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "only Linux can be asked"))]
pub fn suit(bundle: &Path) {
    #[cfg(target_os = "linux")]
    if std::fs::metadata(bundle).is_ok_and(|file| file.len() > LARGE_BUNDLE) {
        let _ = nix::sys::prctl::set_thp_disable(false);
    }
}

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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use nix::sys::prctl::{get_thp_disable, set_thp_disable};

    #[test]
    fn huge_pages_are_for_large_bundles() {
        let file = tempfile::NamedTempFile::new().unwrap();
        set_thp_disable(true).unwrap();
        for (length, is_denied) in [(LARGE_BUNDLE, true), (LARGE_BUNDLE + 1, false)] {
            file.as_file().set_len(length).unwrap();
            suit(file.path());
            assert_eq!(get_thp_disable(), Ok(is_denied), "{length}");
        }
    }
}
