//! Instructions as they are collected, before the tables of a program are made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use mcp_bundle::strings::StrId;
use mcp_bundle::template::{
    Constant, ConstantKind, Encoding, Function, LoopItem, MAX_REGISTERS, Op, OpCode, Test,
};

use super::reach::{DraftPath, Reach};
use super::shape::{NodeId, Shapes};
use crate::template::{Branch, BranchKind, Read, Segment, TemplateError};

pub(super) type Span = Range<usize>;

/// The most instructions of a program.
const MAX_OPS: usize = 65_535;

/// The register of the data.
pub(super) const ROOT: u32 = 0;

#[derive(Debug)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
    /// What [`OpCode::Literal`] counts in until the end.
    pub literals: Vec<String>,
    /// Keys and texts of constants.
    pub names: Vec<String>,
    name_ids: BTreeMap<String, StrId>,
    pub constants: Vec<Constant>,
    pub paths: Vec<DraftPath>,
    path_ids: BTreeMap<DraftPath, u32>,
    pub registers: Vec<Register>,
    pub loops: u32,
    pub shapes: Shapes,
    pub reads: Vec<Read>,
    pub tested: BTreeSet<Vec<Segment>>,
    /// What was pushed last, with the place of the instruction after it.
    pushed: Option<(usize, NodeId)>,
    pub branches: Vec<Branch>,
    /// Where the last jump lands: the code before it is not part of the same run of instructions.
    landing: usize,
    pub error: Option<TemplateError>,
}

/// What is known of the values that a register holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Register {
    pub node: Option<NodeId>,
    /// It keeps its value as long as it is in sight.
    pub fixed: bool,
}

/// A loop whose body is being lowered.
#[derive(Debug)]
pub(super) struct OpenLoop {
    pub number: u32,
    /// Of the element; the next one is the key's.
    pub register: u32,
    head: usize,
    body: u32,
}

impl Code {
    pub fn new() -> Code {
        Code {
            ops: Vec::new(),
            spans: Vec::new(),
            literals: Vec::new(),
            names: Vec::new(),
            name_ids: BTreeMap::new(),
            constants: Vec::new(),
            paths: Vec::new(),
            path_ids: BTreeMap::new(),
            registers: vec![Register { node: Some(NodeId::ROOT), fixed: true }],
            loops: 0,
            shapes: Shapes::new(),
            reads: Vec::new(),
            tested: BTreeSet::new(),
            pushed: None,
            branches: Vec::new(),
            landing: 0,
            error: None,
        }
    }

    /// Gives the template up; only the first reason counts.
    pub fn fail(&mut self, span: &Span, message: impl Into<String>) {
        if self.error.is_none() {
            self.error = Some(TemplateError::too_complex(span.clone(), message));
        }
    }

    pub fn name(&mut self, text: &str) -> StrId {
        if let Some(id) = self.name_ids.get(text) {
            return *id;
        }
        let id = StrId(self.names.len() as u32);
        self.names.push(text.to_owned());
        self.name_ids.insert(text.to_owned(), id);
        id
    }

    pub fn new_register(&mut self, node: Option<NodeId>, fixed: bool, span: &Span) -> u32 {
        if self.registers.len() >= MAX_REGISTERS as usize {
            self.fail(span, format!("the template needs more than {MAX_REGISTERS} values at once"));
            return ROOT;
        }
        self.registers.push(Register { node, fixed });
        self.registers.len() as u32 - 1
    }

    pub fn is_fixed(&self, register: u32) -> bool {
        self.registers.get(register as usize).is_some_and(|register| register.fixed)
    }

    /// What a register holds is not known from here on.
    pub fn forget(&mut self, register: u32) {
        if let Some(register) = self.registers.get_mut(register as usize) {
            register.node = None;
        }
    }

    fn path(&mut self, path: DraftPath) -> u32 {
        if let Some(known) = self.path_ids.get(&path) {
            return *known;
        }
        let id = self.paths.len() as u32;
        self.path_ids.insert(path.clone(), id);
        self.paths.push(path);
        id
    }

    fn op(&mut self, code: OpCode, [a, b, c]: [u32; 3], span: &Span) -> usize {
        if self.ops.len() >= MAX_OPS {
            self.fail(span, format!("the template needs more than {MAX_OPS} instructions"));
        } else {
            self.ops.push(Op::new(code, a, b, c));
            self.spans.push(span.clone());
        }
        self.ops.len() - 1
    }

    /// Text that is written as it is.
    pub fn text(&mut self, text: &str, span: &Span) {
        if let (Some(op), Some(last)) = (self.ops.last(), self.spans.last_mut())
            && op.code == OpCode::Literal
            && self.landing < self.ops.len()
            && let Some(literal) = self.literals.get_mut(op.a as usize)
        {
            literal.push_str(text);
            last.end = span.end;
            return;
        }
        self.literals.push(text.to_owned());
        self.op(OpCode::Literal, [self.literals.len() as u32 - 1, 0, 0], span);
    }

    pub fn emit(&mut self, reach: Reach, span: &Span) {
        self.note_read(&reach, false);
        let path = self.path(reach.path);
        self.op(OpCode::Emit, [path, u32::from(Encoding::Text.tag()), 0], span);
    }

    pub fn emit_top(&mut self, span: &Span) {
        self.op(OpCode::EmitTop, [u32::from(Encoding::Text.tag()), 0, 0], span);
    }

    pub fn push(&mut self, reach: Reach, span: &Span) {
        self.note_read(&reach, false);
        let path = self.path(reach.path);
        self.op(OpCode::Push, [path, 0, 0], span);
        self.pushed = reach.node.map(|node| (self.ops.len(), node));
    }

    pub fn push_register(&mut self, register: u32, span: &Span) {
        let reach = self.reach(register, span);
        self.push(reach, span);
    }

    /// Pushes what is to be looped over.
    pub fn push_looped(&mut self, reach: Reach, span: &Span) {
        self.note_read(&reach, true);
        let path = self.path(reach.path);
        self.op(OpCode::Push, [path, 0, 0], span);
    }

    pub fn constant(&mut self, kind: ConstantKind, text: &str, span: &Span) {
        let constant = Constant { kind, text: self.name(text) };
        let known = self.constants.iter().position(|known| *known == constant);
        let id = known.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        });
        self.op(OpCode::Constant, [id as u32, 0, 0], span);
    }

    pub fn loop_item(&mut self, number: u32, item: LoopItem, span: &Span) {
        self.op(OpCode::LoopItem, [number, u32::from(item.tag()), 0], span);
    }

    pub fn call(&mut self, function: Function, arguments: usize, span: &Span) {
        self.op(OpCode::Call, [u32::from(function.tag()), arguments as u32, 0], span);
    }

    pub fn store(&mut self, register: u32, span: &Span) {
        self.op(OpCode::Store, [register, 0, 0], span);
    }

    /// Takes keys from the value on top.
    pub fn fields<'k>(&mut self, keys: impl Iterator<Item = (&'k str, Span)>, span: &Span) {
        let mut reach = Reach::unknown(span);
        for (key, place) in keys {
            self.step(&mut reach, key, &place);
        }
        let path = self.path(reach.path);
        self.op(OpCode::Fields, [path, 0, 0], span);
    }

    /// A jump that [`Code::land`] aims.
    pub fn jump(&mut self, span: &Span) -> usize {
        self.op(OpCode::Jump, [0; 3], span)
    }

    pub fn jump_unless(&mut self, test: Test, span: &Span) -> usize {
        self.note_top_tested();
        self.op(OpCode::JumpUnless, [0, test.0, 0], span)
    }

    pub fn branch(&mut self, reach: Reach, test: Test, span: &Span) -> usize {
        self.note_read(&reach, false);
        self.note_tested(reach.node);
        let path = self.path(reach.path);
        self.op(OpCode::Branch, [path, 0, test.0], span)
    }

    /// Notes that a condition is made of what was just pushed.
    pub fn note_top_tested(&mut self) {
        let top = self.pushed.filter(|(next, _)| *next == self.ops.len());
        self.note_tested(top.map(|(_, node)| node));
    }

    pub fn keep_unless(&mut self, test: Test, span: &Span) -> usize {
        self.op(OpCode::KeepUnless, [0, test.0, 0], span)
    }

    /// Lets jumps go to what comes next.
    pub fn land(&mut self, jumps: &[usize]) {
        if jumps.is_empty() {
            return;
        }
        self.landing = self.ops.len();
        for jump in jumps {
            self.aim(*jump, self.landing as u32);
        }
    }

    fn aim(&mut self, jump: usize, target: u32) {
        if let Some(op) = self.ops.get_mut(jump) {
            match op.code {
                OpCode::Branch | OpCode::Loop | OpCode::Next => op.b = target,
                _ => op.a = target,
            }
        }
    }

    /// Loops over the value on top, which is the node's.
    pub fn open_loop(&mut self, over: Option<NodeId>, span: &Span) -> OpenLoop {
        let items = over.and_then(|node| self.shapes.items(node));
        let number = self.loops;
        self.loops += 1;
        let register = self.new_register(items, true, span);
        self.new_register(None, true, span);
        let head = self.op(OpCode::Loop, [number, 0, register], span);
        // `Next` lands here.
        self.landing = self.ops.len();
        OpenLoop { number, register, head, body: self.ops.len() as u32 }
    }

    /// Ends a loop's body. What comes next is run after the last element; the jump that it gives is taken if there
    /// was no element at all.
    pub fn close_loop(&mut self, open: &OpenLoop, span: &Span) -> usize {
        self.op(OpCode::Next, [open.number, open.body, open.register], span);
        open.head
    }

    /// The place of the next instruction.
    pub fn here(&self) -> usize {
        self.ops.len()
    }

    /// Notes what was lowered since `start` as a part that is run only sometimes, if there is anything.
    pub fn note_branch(&mut self, kind: BranchKind, start: usize, span: &Span) {
        if self.ops.len() > start {
            self.branches.push(Branch { op: start as u32, span: span.clone(), kind });
        }
    }
}
