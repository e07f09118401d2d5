//! Loops.

use super::{Machine, Scratch, limit, tag};
use crate::json::Kind;
use crate::json::decimal;
use crate::plan::program::LoopItem;
use crate::template::NONE;
use crate::template::error::{Fault, Limit};
use crate::template::functions;
use crate::template::project::Shapes;
use crate::template::value::{Node, Value, ValueKind, View};
use crate::wire_enums::Dialect;

/// Where a loop is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loop {
    /// The current item's node; [`NONE`] in a loop that only counts.
    item: u32,
    index: u32,
    count: u32,
    /// Items have names.
    keyed: bool,
}

impl Machine<'_> {
    /// Begins a loop over a value; `false` if there is nothing to loop over.
    pub(super) fn begin(&mut self, number: u32, value: Value) -> Result<bool, Box<Fault>> {
        let state = match (value, self.view().kind(value)) {
            (Value::Json(node), ValueKind::Array | ValueKind::Object) => {
                let node = self.gathered(node)?;
                let keyed = node.kind == Some(Kind::Object);
                Loop { item: node.children, index: 0, count: node.count, keyed }
            }
            (_, ValueKind::Absent | ValueKind::Null) => return Ok(false),
            _ if self.dialect == Dialect::Handlebars => return Ok(false),
            (_, ValueKind::Number) => {
                self.charge_for(value)?;
                let mut buffer = String::new();
                let digits = self.view().number(value, &mut buffer).unwrap_or("0");
                if !decimal::is_integer(digits) {
                    return Err(Box::new(Fault::value(format!(
                        "`range` cannot loop over the number {}",
                        functions::shortened(digits)
                    ))));
                }
                if decimal::compare(digits, "0").is_le() {
                    return Ok(false);
                }
                let count: f64 = digits.parse().unwrap_or(f64::INFINITY);
                // The limit on iterations is reached before such a number is.
                Loop { item: NONE, index: 0, count: count as u32, keyed: false }
            }
            (_, kind) => {
                return Err(Box::new(Fault::value(format!("`range` cannot loop over a {kind}"))));
            }
        };
        if let Some(slot) = self.scratch.loops.get_mut(number as usize) {
            *slot = state;
        }
        Ok(state.count > 0)
    }

    /// A container with its items, which are found now if the shape did not ask for them.
    pub(super) fn gathered(&mut self, node: Node) -> Result<Node, Box<Fault>> {
        if node.count != NONE {
            return Ok(node);
        }
        self.charge_for(Value::Json(node))?;
        let shapes = Shapes { programs: self.programs, strings: self.strings };
        let Scratch { nodes, computed, .. } = &mut *self.scratch;
        let view = View { dialect: self.dialect, strings: self.strings, data: self.data, computed };
        nodes.gather(shapes, node, view.json(node).text, self.limits.depth)
    }

    pub(super) fn advance(&mut self, number: u32) -> bool {
        let Some(state) = self.scratch.loops.get_mut(number as usize) else { return false };
        state.index = state.index.saturating_add(1);
        if state.index >= state.count {
            return false;
        }
        if state.item != NONE {
            state.item = self.scratch.nodes.list.get(state.item as usize).map_or(NONE, |node| node.next);
        }
        true
    }

    /// Puts a loop's current item into its registers.
    pub(super) fn set_item(&mut self, number: u32, register: u32) -> Result<(), Box<Fault>> {
        self.iterations = self.iterations.checked_sub(1).ok_or_else(|| limit(Limit::Iterations))?;
        let state = self.scratch.loops.get(number as usize).copied().unwrap_or_default();
        let index = Value::Int(i64::from(state.index));
        let (element, key) = match self.scratch.nodes.list.get(state.item as usize) {
            None => (index, index),
            Some(node) if state.keyed => (Value::of_node(*node), self.name_of(state.item)),
            Some(node) => (Value::of_node(*node), index),
        };
        self.store(register, element);
        self.store(register.saturating_add(1), key);
        Ok(())
    }

    /// The name of a member, which is kept behind it.
    pub(super) fn name_of(&self, item: u32) -> Value {
        let name = self.scratch.nodes.list.get((item as usize).saturating_add(1));
        name.map_or(Value::Absent, |node| Value::of_node(*node))
    }

    pub(super) fn loop_item(&self, number: u32, item: u32) -> Value {
        let Some(state) = self.scratch.loops.get(number as usize) else { return Value::Absent };
        let index = Value::Int(i64::from(state.index));
        match tag(item, LoopItem::from_tag) {
            Some(LoopItem::Index) => index,
            Some(LoopItem::First) => Value::Bool(state.index == 0),
            Some(LoopItem::Last) => Value::Bool(state.index.saturating_add(1) == state.count),
            Some(LoopItem::Key | LoopItem::KeyOrIndex) if state.keyed => self.name_of(state.item),
            Some(LoopItem::KeyOrIndex) => index,
            Some(LoopItem::Key) | None => Value::Absent,
        }
    }
}
