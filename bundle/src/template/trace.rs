//! Which parts of programs are run: for tests of templates, at no cost for callers that do not ask.

use std::collections::BTreeMap;

/// Sees which instructions are run.
pub trait Trace {
    /// The program that is run next, by its number in the bundle.
    fn program(&mut self, index: u32) {
        let _ = index;
    }

    fn op(&mut self, index: usize);
}

/// Sees nothing.
impl Trace for () {
    #[inline(always)]
    fn op(&mut self, _: usize) {}
}

/// Sees nothing unless there is something that does.
impl<T: Trace> Trace for Option<T> {
    fn program(&mut self, index: u32) {
        if let Some(trace) = self {
            trace.program(index);
        }
    }

    #[inline]
    fn op(&mut self, index: usize) {
        if let Some(trace) = self {
            trace.op(index);
        }
    }
}

/// Remembers the instructions that were run, of each program.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    program: u32,
    ops: BTreeMap<u32, Vec<bool>>,
}

impl Ran {
    /// Whether the program was run at all.
    pub fn has_program(&self, program: u32) -> bool {
        self.ops.contains_key(&program)
    }

    pub fn has_op(&self, program: u32, op: usize) -> bool {
        self.ops.get(&program).and_then(|ops| ops.get(op)).is_some_and(|ran| *ran)
    }
}

impl Trace for Ran {
    fn program(&mut self, index: u32) {
        self.program = index;
        self.ops.entry(index).or_default();
    }

    fn op(&mut self, index: usize) {
        let ops = self.ops.entry(self.program).or_default();
        if ops.len() <= index {
            ops.resize(index + 1, false);
        }
        if let Some(ran) = ops.get_mut(index) {
            *ran = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_run_is_remembered_by_program() {
        let mut trace = Some(Ran::default());
        trace.program(2);
        trace.op(3);
        let ran = trace.unwrap();
        assert!(ran.has_program(2) && !ran.has_program(0));
        assert!(ran.has_op(2, 3) && !ran.has_op(2, 2) && !ran.has_op(2, 4) && !ran.has_op(0, 3));
    }
}
