//! Counters that threads do not share: each adds to a cell of its own, and only who reads looks at all of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Threads beyond this many share cells, which stays right and is only slower.
pub const CELLS: usize = 16;

/// Keeps its content on cache lines of its own; processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

/// A number that goes up, and perhaps down.
#[derive(Debug, Default)]
pub struct Cells {
    cells: [Apart<AtomicU64>; CELLS],
}

impl Cells {
    pub fn add(&self, count: u64) {
        own(&self.cells).fetch_add(count, Relaxed);
    }

    /// May be done by another thread than the one that added.
    pub fn subtract(&self, count: u64) {
        own(&self.cells).fetch_sub(count, Relaxed);
    }

    pub fn sum(&self) -> u64 {
        self.cells.iter().fold(0, |sum, cell| sum.wrapping_add(cell.0.load(Relaxed)))
    }
}

/// The cell of this thread.
pub fn own<T>(cells: &[Apart<T>; CELLS]) -> &T {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Relaxed) % CELLS;
    }
    let [first, ..] = cells;
    let index = OWN.try_with(|own| *own).unwrap_or_default();
    &cells.get(index).unwrap_or(first).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let cells = Cells::default();
        std::thread::scope(|scope| {
            for _ in 0..CELLS * 2 {
                scope.spawn(|| (0..1000).for_each(|_| cells.add(1)));
            }
        });
        cells.subtract(1);
        assert_eq!(cells.sum(), CELLS as u64 * 2000 - 1);
    }
}
