//! Blocks, actions and variables of a Go template.

use std::collections::{BTreeMap, BTreeSet};

use mcp_bundle::template::Test;

use super::code::{Code, OpenLoop, ROOT, Span};
use super::go_variables::assigned;
use super::reach::Reach;
use crate::template::BranchKind;
use crate::template::go::ast::{
    Action, Arm, BindMode, Binding, Branches, Inclusion, Node, Pipe, RangeLoop, Template, Variable,
    VariableId,
};

pub(super) fn lower(template: &Template) -> Code {
    let mut go = Go {
        code: Code::new(),
        dot: ROOT,
        variables: vec![ROOT; template.variables as usize],
        assigned: assigned(template),
        loops: Vec::new(),
        definitions: &template.definitions,
    };
    go.body(&template.body);
    go.code
}

pub(super) struct Go<'t> {
    pub code: Code,
    /// The register of `.`.
    pub dot: u32,
    /// The register of each variable that was declared so far.
    variables: Vec<u32>,
    assigned: BTreeSet<VariableId>,
    /// The loops around this place.
    loops: Vec<Exits>,
    definitions: &'t BTreeMap<String, Vec<Node>>,
}

/// The jumps out of a loop's body.
#[derive(Default)]
struct Exits {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl Go<'_> {
    fn body(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Text(text) => self.code.text(&text.text, &text.span),
                Node::Action(action) => self.action(action),
                Node::If(branches) => self.branches(branches, Self::if_arm),
                Node::With(branches) => self.branches(branches, Self::with_arm),
                Node::Range(range) => self.range(range),
                Node::Inclusion(inclusion) => self.inclusion(inclusion),
                Node::Break(span) => {
                    let jump = self.code.jump(span);
                    if let Some(exits) = self.loops.last_mut() {
                        exits.breaks.push(jump);
                    }
                }
                Node::Continue(span) => {
                    let jump = self.code.jump(span);
                    if let Some(exits) = self.loops.last_mut() {
                        exits.continues.push(jump);
                    }
                }
            }
        }
    }

    fn action(&mut self, action: &Action) {
        if let Some(binding) = &action.pipe.bind {
            self.bind(binding, &action.pipe);
        } else if let Some(reach) = self.plain_pipe(&action.pipe) {
            self.code.emit(reach, &action.pipe.head.span);
        } else {
            self.stages(&action.pipe);
            self.code.emit_top(&action.span);
        }
    }

    /// Puts a definition here, with the value that it is given as `.` and as `$`.
    fn inclusion(&mut self, inclusion: &Inclusion) {
        let Some(body) = self.definitions.get(&inclusion.name) else { return };
        let register = match &inclusion.data {
            None => self.code.new_register(None, true, &inclusion.span),
            Some(data) => match &data.bind {
                Some(binding) => self.bind(binding, data),
                None => self.keep(data),
            },
        };
        let (dot, root) = (self.dot, self.register_of(VariableId::ROOT));
        self.dot = register;
        self.set_register(VariableId::ROOT, register);
        self.body(body);
        self.dot = dot;
        self.set_register(VariableId::ROOT, root);
    }

    fn branches(&mut self, branches: &Branches, lower: fn(&mut Self, &Arm) -> usize) {
        let mut ends = Vec::new();
        let mut arms = branches.arms.iter().peekable();
        while let Some(arm) = arms.next() {
            let unless = lower(self, arm);
            let is_last = arms.peek().is_none();
            if !is_last || !branches.otherwise.is_empty() {
                ends.push(self.code.jump(&arm.span));
            }
            self.code.land(&[unless]);
            if is_last {
                let start = self.code.here();
                self.body(&branches.otherwise);
                self.code.note_branch(BranchKind::Else, start, &arm.span);
            }
        }
        self.code.land(&ends);
    }

    /// Lowers the condition and the body of an arm, and gives the jump of the false condition.
    fn if_arm(&mut self, arm: &Arm) -> usize {
        let condition = &arm.condition;
        let plain = match &condition.bind {
            Some(binding) => {
                let register = self.bind(binding, condition);
                Some(self.code.reach(register, &binding.variable.span))
            }
            None => self.plain_pipe(condition),
        };
        let unless = match plain {
            Some(reach) => self.code.branch(reach, Test::TRUE, &condition.head.span),
            None => {
                self.stages(condition);
                self.code.jump_unless(Test::TRUE, &condition.head.span)
            }
        };
        self.arm_body(arm);
        unless
    }

    fn with_arm(&mut self, arm: &Arm) -> usize {
        let condition = &arm.condition;
        let span = &condition.head.span;
        let register = match &condition.bind {
            // `.` is what the variable holds now, whatever it holds later.
            Some(binding) if self.changes(binding.mode, &binding.variable) => {
                let variable = self.bind(binding, condition);
                let register = self.code.new_register(None, true, span);
                self.code.push_register(variable, span);
                self.code.store(register, span);
                register
            }
            Some(binding) => self.bind(binding, condition),
            None => self.keep(condition),
        };
        let reach = self.code.reach(register, span);
        let unless = self.code.branch(reach, Test::TRUE, span);
        let outer = std::mem::replace(&mut self.dot, register);
        self.arm_body(arm);
        self.dot = outer;
        unless
    }

    fn arm_body(&mut self, arm: &Arm) {
        let start = self.code.here();
        self.body(&arm.body);
        self.code.note_branch(BranchKind::Taken, start, &arm.span);
    }

    fn range(&mut self, range: &RangeLoop) {
        let action = range.span.start..range.over.span.end;
        let span = &range.over.head.span;
        let node = match self.plain_pipe(&range.over) {
            Some(reach) => {
                let node = reach.node;
                self.code.push_looped(reach, span);
                node
            }
            None => {
                self.stages(&range.over);
                None
            }
        };
        // A variable that may change has a register of its own, which is set for each element.
        let copies = self.copied(range, &action);
        if let Some((&(first, _), rest)) = copies.split_first() {
            self.code.store(first, &action);
            for (other, _) in rest {
                self.code.push_register(first, &action);
                self.code.store(*other, &action);
            }
            self.code.push_register(first, &action);
        }
        let open = self.code.open_loop(node, &action);
        let start = self.code.here();
        for (register, offset) in copies {
            self.code.push_register(open.register + offset, &action);
            self.code.store(register, &action);
        }
        self.alias(range, &open);
        self.loops.push(Exits::default());
        let outer = std::mem::replace(&mut self.dot, open.register);
        self.body(&range.body);
        self.dot = outer;
        let exits = self.loops.pop().unwrap_or_default();
        self.code.note_branch(BranchKind::Loop, start, &action);
        self.code.land(&exits.continues);
        let empty = self.code.close_loop(&open, &action);
        // In `else`, they hold what was looped over.
        self.code.forget(open.register);
        let mut ends = exits.breaks;
        if !range.otherwise.is_empty() {
            ends.push(self.code.jump(&action));
        }
        self.code.land(&[empty]);
        let start = self.code.here();
        self.body(&range.otherwise);
        self.code.note_branch(BranchKind::Else, start, &action);
        self.code.land(&ends);
    }

    /// The registers of a loop's variables that have their own, each with what it gets: 0 for the element, 1 for the
    /// key. In the order in which Go sets them.
    fn copied(&mut self, range: &RangeLoop, span: &Span) -> Vec<(u32, u32)> {
        let Some(bind) = &range.bind else { return Vec::new() };
        let mut copies = Vec::new();
        for (variable, offset) in bind.index.iter().map(|index| (index, 1)).chain([(&bind.element, 0)]) {
            if self.changes(bind.mode, variable) {
                copies.push((self.own_register(bind.mode, variable, span), offset));
            }
        }
        copies
    }

    /// Lets the variables that keep their value be the loop's registers.
    fn alias(&mut self, range: &RangeLoop, open: &OpenLoop) {
        let Some(bind) = &range.bind else { return };
        for (variable, offset) in bind.index.iter().map(|index| (index, 1)).chain([(&bind.element, 0)]) {
            if !self.changes(bind.mode, variable) {
                self.set_register(variable.id, open.register + offset);
            }
        }
    }

    /// Lowers a pipe that binds a variable, and gives the register of the variable.
    pub fn bind(&mut self, binding: &Binding, pipe: &Pipe) -> u32 {
        let variable = &binding.variable;
        if !self.changes(binding.mode, variable) {
            let register = self.keep(pipe);
            self.set_register(variable.id, register);
            return register;
        }
        self.value_of(pipe);
        let register = self.own_register(binding.mode, variable, &variable.span);
        self.code.store(register, &variable.span);
        register
    }

    /// Keeps the value of a pipe, apart from what it binds, in a register that does not change; one that holds it
    /// already will do.
    fn keep(&mut self, pipe: &Pipe) -> u32 {
        let span = &pipe.head.span;
        let reach = self.plain(pipe);
        let known = reach.as_ref().and_then(Reach::register);
        if let Some(register) = known
            && self.code.is_fixed(register)
        {
            return register;
        }
        let node = match reach {
            Some(reach) => {
                let node = reach.node;
                self.code.push(reach, span);
                node
            }
            None => {
                self.stages(pipe);
                None
            }
        };
        let register = self.code.new_register(node, true, span);
        self.code.store(register, span);
        register
    }

    fn value_of(&mut self, pipe: &Pipe) {
        match self.plain(pipe) {
            Some(reach) => self.code.push(reach, &pipe.head.span),
            None => self.stages(pipe),
        }
    }

    fn changes(&self, mode: BindMode, variable: &Variable) -> bool {
        mode == BindMode::Assign || self.assigned.contains(&variable.id)
    }

    /// The register of a variable that changes.
    fn own_register(&mut self, mode: BindMode, variable: &Variable, span: &Span) -> u32 {
        if mode == BindMode::Declare {
            let register = self.code.new_register(None, false, span);
            self.set_register(variable.id, register);
        }
        self.register_of(variable.id)
    }

    pub fn register_of(&self, id: VariableId) -> u32 {
        self.variables.get(id.0 as usize).copied().unwrap_or(ROOT)
    }

    fn set_register(&mut self, id: VariableId, register: u32) {
        if let Some(slot) = self.variables.get_mut(id.0 as usize) {
            *slot = register;
        }
    }
}
