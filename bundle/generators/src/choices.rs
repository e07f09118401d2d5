//! Choices, from bytes.
//!
//! Generators read their choices from bytes rather than being strategies: what may be written in a template depends on
//! the blocks around it, and fewer or smaller bytes still make a simpler case, so that failures shrink. A fuzzer can
//! drive them as well.

#[derive(Debug)]
pub struct Choices<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl<'b> Choices<'b> {
    pub fn new(bytes: &'b [u8]) -> Choices<'b> {
        Choices { bytes: bytes.iter() }
    }

    /// A number below `count`; 0 when the bytes have run out.
    pub fn below(&mut self, count: usize) -> usize {
        let byte = self.bytes.next().copied().unwrap_or(0);
        usize::from(byte) * count / 256
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// True in one of `count` cases.
    pub fn rarely(&mut self, count: usize) -> bool {
        self.below(count) + 1 == count
    }
}
