//! Finds a tool by its name: one hash, however many tools there are.

use crate::plan::Contents;

/// Open addressing over the tools' indexes, built once. Callers can only look up, so a crafted name costs no more than
/// the longest run of the table, which the bundle alone decides.
#[derive(Debug, Default)]
pub struct Lookup {
    /// Index + 1; 0 is empty. The length is a power of two, at least twice the number of tools.
    slots: Vec<u32>,
}

impl Lookup {
    pub fn new(contents: &Contents) -> Lookup {
        let size = (contents.tools.len() * 2).next_power_of_two().max(2);
        let mut slots = vec![0u32; size];
        for (index, tool) in (1u32..).zip(&contents.tools) {
            let mut at = hash(contents.strings.get(tool.name));
            while let Some(slot) = slots.get_mut(at as usize & (size - 1)) {
                if *slot == 0 {
                    *slot = index;
                    break;
                }
                at = at.wrapping_add(1);
            }
        }
        Lookup { slots }
    }

    /// The index of the tool in `contents`, which are those of `new`.
    #[inline]
    pub fn find(&self, contents: &Contents, name: &str) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash(name);
        loop {
            let index = (*self.slots.get(at as usize & mask)? as usize).checked_sub(1)?;
            let tool = contents.tools.get(index)?;
            if contents.strings.is(tool.name, name.as_bytes()) {
                return Some(index);
            }
            at = at.wrapping_add(1);
        }
    }
}

/// FNV-1a: names are short.
#[inline]
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
