//! Reading values, and telling whether they are true.

use super::{BYTES_PER_STEP, Machine};
use crate::json::Kind;
use crate::plan::program::{Path, Step, Test};
use crate::strings::StrId;
use crate::template::NONE;
use crate::template::error::Fault;
use crate::template::value::{Node, Value, ValueKind};
use crate::wire_enums::Dialect;

impl Machine<'_> {
    /// The value at a path of which all parts were found while the data were scanned; `None` asks for a search.
    #[inline(always)]
    pub(super) fn found(&self, path: u32) -> Option<Node> {
        let Path { base, steps } = *self.programs.paths.get(path as usize)?;
        let Value::Json(mut node) = *self.scratch.registers.get(base as usize)? else { return None };
        for step in steps.of(&self.programs.steps) {
            if node.kind != Some(Kind::Object) || step.field == NONE || node.children == NONE {
                return None;
            }
            node =
                *self.scratch.nodes.list.get((node.children as usize).wrapping_add(step.field as usize))?;
        }
        Some(node)
    }

    #[inline(never)]
    pub(super) fn read(&mut self, path: u32) -> Result<Value, Box<Fault>> {
        let Some(&Path { base, steps }) = self.programs.paths.get(path as usize) else {
            return Ok(Value::Absent);
        };
        let base = self.scratch.registers.get(base as usize).copied().unwrap_or(Value::Absent);
        let programs = self.programs;
        self.walk(base, steps.of(&programs.steps))
    }

    #[inline]
    pub(super) fn walk(&mut self, base: Value, steps: &[Step]) -> Result<Value, Box<Fault>> {
        let mut value = base;
        for step in steps {
            value = match value {
                Value::Json(node)
                    if node.kind == Some(Kind::Object) && step.field != NONE && node.children != NONE =>
                {
                    let field = node.children.saturating_add(step.field);
                    let found = self.scratch.nodes.list.get(field as usize);
                    found.map_or(Value::Absent, |node| Value::of_node(*node))
                }
                _ => self.search(value, step.key)?,
            };
        }
        Ok(value)
    }

    /// What a value has under a key, found in its text.
    #[inline(never)]
    pub(super) fn search(&mut self, value: Value, key: StrId) -> Result<Value, Box<Fault>> {
        let key = self.strings.get(key);
        match self.view().kind(value) {
            ValueKind::Object => {
                self.charge_for(value)?;
                Ok(self.view().member(value, key))
            }
            ValueKind::Array if self.dialect == Dialect::Handlebars => {
                let Ok(index) = key.parse() else {
                    return Err(Box::new(Fault::value(format!("`{key}` is not a list index"))));
                };
                self.charge_for(value)?;
                Ok(self.view().element(value, index))
            }
            _ => Ok(Value::Absent),
        }
    }

    #[inline]
    pub(super) fn test(&mut self, value: Value, test: Test) -> Result<bool, Box<Fault>> {
        if let Value::Json(node) = value
            && node.end.saturating_sub(node.start) as usize > BYTES_PER_STEP
        {
            self.charge_for_test(node)?;
        }
        let view = self.view();
        let truth = view.is_true(value)
            || (test.contains(Test::INCLUDE_ZERO) && view.kind(value) == ValueKind::Number);
        Ok(truth != test.contains(Test::FALSE))
    }

    /// Charges for telling whether a long value is true: all digits of a number, the space that a container begins with.
    #[inline(never)]
    pub(super) fn charge_for_test(&mut self, node: Node) -> Result<(), Box<Fault>> {
        match node.kind {
            Some(Kind::Number) => self.charge_for(Value::Json(node)),
            Some(Kind::Array | Kind::Object) => {
                let text = self.view().json(node).text;
                let inside = text.get(1..).unwrap_or_default();
                let space = inside.len() - inside.trim_start().len();
                self.charge(space / BYTES_PER_STEP)
            }
            _ => Ok(()),
        }
    }
}
