//! Finds a tool by its name: one hash, however many tools there are.

/// Open addressing over the tools, built once. Callers can only look up, so a crafted name costs no more than
/// the longest run of the table, which the bundle alone decides.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookup {
    /// The length is a power of two, at least a quarter greater than the number of tools, so that runs are short; not more,
    /// because the fewer pages they fill, the better. One is always empty.
    slots: Vec<Slot>,
}

/// A part of the name's hash, so that only the name that is meant is looked at, and what stands for the tool, + 1; 0 is empty.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    tag: u32,
    tool: u32,
}

impl Lookup {
    /// Names, and what stands for their tools.
    pub(crate) fn new<'a>(tools: impl ExactSizeIterator<Item = (&'a [u8], u32)>) -> Lookup {
        // One more, because a search ends where a slot is empty.
        let size = (tools.len() + tools.len() / 4 + 1).next_power_of_two();
        let mut slots = vec![Slot::default(); size];
        for (name, tool) in tools {
            let (mut at, tag) = hash(name);
            while let Some(slot) = slots.get_mut(at & (size - 1)) {
                if slot.tool == 0 {
                    *slot = Slot { tag, tool: tool + 1 };
                    break;
                }
                at = at.wrapping_add(1);
            }
        }
        Lookup { slots }
    }

    /// What `look` makes of the tool of this name; `None` from it says that the tool has another one.
    #[inline]
    pub(crate) fn find<T>(&self, name: &[u8], look: impl Fn(u32) -> Option<T>) -> Option<T> {
        let mask = self.slots.len().wrapping_sub(1);
        let (mut at, tag) = hash(name);
        loop {
            let slot = self.slots.get(at & mask)?;
            let tool = slot.tool.checked_sub(1)?;
            if slot.tag == tag
                && let Some(found) = look(tool)
            {
                return Some(found);
            }
            at = at.wrapping_add(1);
        }
    }
}

/// Where a name's slot is, and its tag. Eight bytes at a time: each step spreads what it adds over all higher bits, and the
/// turn brings these back down.
#[inline]
fn hash(name: &[u8]) -> (usize, u32) {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let add = |hash: u64, block: u64| (hash ^ block).wrapping_mul(SPREAD).rotate_left(32);
    let hash = name.len() as u64;
    let hash = match name.last_chunk() {
        // The last block overlaps the one before it.
        Some(last) => {
            let (blocks, _) = name.as_chunks();
            let hash = blocks.iter().fold(hash, |hash, block| add(hash, u64::from_le_bytes(*block)));
            add(hash, u64::from_le_bytes(*last))
        }
        None => add(hash, name.iter().fold(0, |block, byte| block << 8 | u64::from(*byte))),
    };
    let hash = add(hash, 0);
    (hash as usize, (hash >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_not_found_among_few() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        for count in 0..=names.len() {
            let tools: Vec<(&[u8], u32)> =
                names.map(str::as_bytes).into_iter().zip(0..).take(count).collect();
            let lookup = Lookup::new(tools.iter().copied());
            for (number, name) in (0_u32..).zip(names) {
                let look = |found: u32| (found == number).then_some(found);
                assert_eq!(lookup.find(name.as_bytes(), look).is_some(), (number as usize) < count);
            }
            for unknown in 0..100 {
                assert!(lookup.find(format!("unknown {unknown}").as_bytes(), |_| None::<()>).is_none());
            }
        }
    }

    #[test]
    fn a_name_that_is_not_there_is_compared_with_none() {
        let names = ["get_order", "list_orders", "drop_order", "close_order"];
        let lookup = Lookup::new(names.iter().take(2).map(|name| name.as_bytes()).zip([0, 1]));
        for unknown in ["drop_order", "close_order", "nothing"] {
            let look = |_| -> Option<()> { panic!("`{unknown}` was compared with a tool") };
            assert!(lookup.find(unknown.as_bytes(), look).is_none());
        }
    }

    #[test]
    fn names_that_are_alike_are_found_apart() {
        let kinds = ["get_record_", "list_records_", "a", "", "ein_langer_name_mit_vielen_zeichen_davor_"];
        let names: Vec<String> =
            kinds.iter().flat_map(|kind| (0..2_000).map(move |number| format!("{kind}{number}"))).collect();
        let numbers: Vec<u32> = (0..names.len() as u32).collect();
        let lookup = Lookup::new(names.iter().map(|name| name.as_bytes()).zip(numbers));
        for (index, name) in names.iter().enumerate() {
            let look = |found: u32| (names[found as usize] == *name).then_some(found as usize);
            assert_eq!(lookup.find(name.as_bytes(), look), Some(index));
        }
        assert_eq!(lookup.find(b"get_record_2000", |_| None::<()>), None);
        assert_eq!(Lookup::default().find(b"a", Some), None);
        // Neither long runs nor many tags that are alike: others would make it slow, not wrong.
        let mut run = 0;
        let longest = lookup.slots.iter().map(|slot| {
            run = if slot.tool == 0 { 0 } else { run + 1 };
            run
        });
        assert!(longest.max().unwrap() < 80);
        let mut tags: Vec<u32> =
            lookup.slots.iter().filter(|slot| slot.tool > 0).map(|slot| slot.tag).collect();
        tags.sort_unstable();
        tags.dedup();
        assert!(tags.len() > names.len() - 10);
    }
}
