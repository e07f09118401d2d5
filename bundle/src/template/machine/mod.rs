//! Runs a program.

mod emit;
mod loops;
mod read;

use super::error::{Fault, Limit, RenderError};
use super::function::Function;
use super::functions::{self, Ambient, Answer, Patterns};
use super::output::{Output, TextOutput};
use super::project::{Nodes, Shapes};
use super::trace::Trace;
use super::value::{Node, Source, TextSpan, Value, View};
use crate::json::Scanner;
use crate::plan::program::{
    Constant, ConstantKind, Encoding, MAX_REGISTERS, Op, OpCode, Program, Programs, Test,
};
use crate::plan::{Contents, Part};
use crate::strings::{StrId, Strings};
use crate::wire_enums::{Dialect, PartKind};
use loops::Loop;

/// Bytes of the data that may be looked at for one step.
const BYTES_PER_STEP: usize = 64;
/// The tag of the encoding that most values have.
const TEXT: u32 = Encoding::Text.tag() as u32;
/// How many values an expression may have in the making.
const MAX_STACK: usize = 1024;

/// What a render may use at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Instructions, and work that grows with the data.
    pub steps: u32,
    /// Of all loops together.
    pub iterations: u32,
    /// Bytes that are written.
    pub output: usize,
    /// Values of the data that are kept.
    pub values: u32,
    /// Computed text that is kept, in bytes.
    pub text: usize,
    /// Nesting of the data, at most [`crate::json::MAX_DEPTH`].
    pub depth: usize,
}

/// Memory that one render leaves to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    nodes: Nodes,
    registers: Vec<Value>,
    stack: Vec<Value>,
    loops: Vec<Loop>,
    computed: String,
    work: String,
    patterns: Patterns,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 1_000_000,
            iterations: 100_000,
            output: 1 << 20,
            values: 1_000_000,
            text: 4 << 20,
            depth: 128,
        }
    }
}

/// Appends what a program of [`super::Destination::Text`] makes of a JSON text, as the inside of a JSON string.
/// After an error nothing is appended.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
pub fn render_text(
    contents: &Contents,
    program: &Program,
    data: &str,
    ambient: &Ambient,
    limits: &Limits,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Result<(), RenderError> {
    let before = out.len();
    let rendered = render(contents, program, data, ambient, limits, scratch, trace, &mut TextOutput(out));
    if rendered.is_err() {
        out.truncate(before);
    }
    rendered
}

/// Runs a program over a JSON text.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
pub(crate) fn render(
    contents: &Contents,
    program: &Program,
    data: &str,
    ambient: &Ambient,
    limits: &Limits,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut impl Output,
) -> Result<(), RenderError> {
    let fail = |fault| RenderError { fault, at: None, op: None };
    if data.len() > u32::MAX as usize {
        return Err(fail(Fault::DataTooLong));
    }
    scratch.clear(program, limits);
    let programs = &contents.templates;
    let shapes = Shapes { programs, strings: &contents.strings };
    let mut scanner = Scanner::of_text(data, limits.depth);
    if program.dialect == Dialect::Go {
        scanner = scanner.allow_lone_surrogates();
    }
    let root = scratch.nodes.scan(shapes, program.shape, scanner).map_err(|fault| fail(*fault))?;
    if let Some(first) = scratch.registers.first_mut() {
        *first = Value::of_node(root);
    }
    let mut machine = Machine {
        programs,
        strings: &contents.strings,
        dialect: program.dialect,
        ops: program.ops.of(&programs.ops),
        data,
        ambient,
        limits,
        scratch,
        steps: limits.steps,
        iterations: limits.iterations,
        output_end: out.len().saturating_add(limits.output),
        kept_text: 0,
        calls: 0,
    };
    let mut at = 0;
    machine.run(&mut at, trace, out).map_err(|fault| RenderError {
        fault: *fault,
        at: place(programs, program, at),
        op: Some(at as u32),
    })
}

/// Where in its template an instruction comes from.
pub(crate) fn place(programs: &Programs, program: &Program, op: usize) -> Option<(u32, u32)> {
    let spots = program.spots.of(&programs.spots);
    let after = spots.partition_point(|spot| spot.op as usize <= op);
    spots.get(after.checked_sub(1)?).map(|spot| (spot.line, spot.column))
}

impl Scratch {
    /// Gives back memory that only an unusual answer needed.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.nodes.list.clear();
        self.nodes.list.shrink_to(bytes / size_of::<Node>());
        for text in [&mut self.computed, &mut self.work] {
            text.clear();
            text.shrink_to(bytes);
        }
    }

    fn clear(&mut self, program: &Program, limits: &Limits) {
        self.nodes.list.clear();
        self.nodes.limit = limits.values as usize;
        // No loaded bundle has more; a program that was not checked does not decide how much memory there is.
        self.registers.clear();
        self.registers.resize(program.registers.min(MAX_REGISTERS) as usize, Value::Absent);
        self.loops.clear();
        self.loops.resize(program.loops.min(MAX_REGISTERS) as usize, Loop::default());
        self.stack.clear();
        self.computed.clear();
    }
}

struct Machine<'a> {
    programs: &'a Programs,
    strings: &'a Strings,
    dialect: Dialect,
    ops: &'a [Op],
    data: &'a str,
    ambient: &'a Ambient,
    limits: &'a Limits,
    scratch: &'a mut Scratch,
    steps: u32,
    iterations: u32,
    output_end: usize,
    /// Computed text before this is still referred to.
    kept_text: usize,
    calls: u32,
}

impl Machine<'_> {
    /// Runs from instruction `at` on, and leaves there the one that failed.
    fn run(
        &mut self,
        at: &mut usize,
        trace: &mut impl Trace,
        out: &mut impl Output,
    ) -> Result<(), Box<Fault>> {
        while let Some(op) = self.ops.get(*at) {
            trace.op(*at);
            match self.steps.checked_sub(1) {
                Some(left) => self.steps = left,
                None => return Err(limit(Limit::Steps)),
            }
            let next = match op.code {
                OpCode::Literal => {
                    let text = self.strings.bytes(StrId(op.a));
                    self.check_room(text.len(), out)?;
                    out.literal(text)?;
                    None
                }
                OpCode::Emit => {
                    if !self.emit_found(op.a, op.b, out)? {
                        let value = self.read(op.a)?;
                        self.emit(value, op.b, out)?;
                    }
                    None
                }
                OpCode::EmitTop => {
                    let value = self.pop();
                    self.emit(value, op.a, out)?;
                    self.forget_text();
                    None
                }
                OpCode::Push => {
                    let value = self.read(op.a)?;
                    self.push(value)?;
                    None
                }
                OpCode::Constant => {
                    let constant = self.programs.constants.get(op.a as usize);
                    self.push(constant.map_or(Value::Absent, of_constant))?;
                    None
                }
                OpCode::LoopItem => {
                    let value = self.loop_item(op.a, op.b);
                    self.push(value)?;
                    None
                }
                OpCode::Call => {
                    self.call(op.a, op.b)?;
                    None
                }
                OpCode::Store => {
                    let value = self.pop();
                    self.keep_text(value);
                    self.store(op.a, value);
                    None
                }
                OpCode::Fields => {
                    let base = self.pop();
                    let steps = self.programs.paths.get(op.a as usize).map(|path| path.steps);
                    let value = self.walk(base, steps.unwrap_or_default().of(&self.programs.steps))?;
                    self.push(value)?;
                    None
                }
                OpCode::Jump => Some(op.a),
                OpCode::JumpUnless => {
                    let value = self.pop();
                    let passed = self.test(value, Test(op.b))?;
                    self.forget_text();
                    (!passed).then_some(op.a)
                }
                OpCode::Branch => {
                    let value = match self.found(op.a) {
                        Some(node) => Value::of_node(node),
                        None => self.read(op.a)?,
                    };
                    (!self.test(value, Test(op.c))?).then_some(op.b)
                }
                OpCode::KeepUnless => {
                    let value = self.pop();
                    if self.test(value, Test(op.b))? {
                        None
                    } else {
                        self.push(value)?;
                        Some(op.a)
                    }
                }
                OpCode::Loop => {
                    let value = self.pop();
                    self.keep_text(value);
                    if self.begin(op.a, value)? {
                        self.set_item(op.a, op.c)?;
                        None
                    } else {
                        self.store(op.c, value);
                        self.store(op.c.saturating_add(1), value);
                        Some(op.b)
                    }
                }
                OpCode::Next => {
                    if self.advance(op.a) {
                        self.set_item(op.a, op.c)?;
                        Some(op.b)
                    } else {
                        None
                    }
                }
                OpCode::Variable => {
                    if let (Some(kind), Some(encoding)) = (tag(op.a, PartKind::from_tag), encoding(op.c)) {
                        out.variable(Part { kind, id: op.b }, encoding)?;
                        self.check_room(0, out)?;
                    }
                    None
                }
                OpCode::Drop => {
                    self.pop();
                    self.forget_text();
                    None
                }
            };
            *at = next.map_or(*at + 1, |target| target as usize);
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View {
            dialect: self.dialect,
            strings: self.strings,
            data: self.data,
            computed: &self.scratch.computed,
        }
    }

    #[inline]
    fn charge(&mut self, steps: usize) -> Result<(), Box<Fault>> {
        match u32::try_from(steps).ok().and_then(|steps| self.steps.checked_sub(steps)) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(limit(Limit::Steps)),
        }
    }

    /// Charges for looking at all of a value.
    fn charge_for(&mut self, value: Value) -> Result<(), Box<Fault>> {
        let weight = self.view().weight(value);
        self.charge(weight / BYTES_PER_STEP)
    }

    /// A regular expression may take long for each byte.
    fn charge_for_search(&mut self, arguments: &[Value]) -> Result<(), Box<Fault>> {
        let weight = arguments.iter().map(|&argument| self.view().weight(argument)).sum();
        self.charge(weight)
    }

    /// Whether this many bytes more may be written.
    #[inline]
    fn check_room(&self, bytes: usize, out: &impl Output) -> Result<(), Box<Fault>> {
        if out.len().saturating_add(bytes) > self.output_end {
            return Err(limit(Limit::Output));
        }
        Ok(())
    }

    fn push(&mut self, value: Value) -> Result<(), Box<Fault>> {
        if self.scratch.stack.len() >= MAX_STACK {
            return Err(limit(Limit::Stack));
        }
        self.scratch.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Value {
        self.scratch.stack.pop().unwrap_or(Value::Absent)
    }

    fn store(&mut self, register: u32, value: Value) {
        if let Some(slot) = self.scratch.registers.get_mut(register as usize) {
            *slot = value;
        }
    }

    /// Keeps computed text that a register or loop will refer to.
    fn keep_text(&mut self, value: Value) {
        if matches!(value, Value::Text(_) | Value::Json(Node { source: Source::Computed, .. })) {
            self.kept_text = self.scratch.computed.len();
        }
    }

    /// Frees computed text that nothing refers to any more.
    fn forget_text(&mut self) {
        if self.scratch.stack.is_empty() {
            self.scratch.computed.truncate(self.kept_text);
        }
    }
    fn call(&mut self, function: u32, count: u32) -> Result<(), Box<Fault>> {
        let Some(function) = tag(function, Function::from_tag) else { return self.push(Value::Absent) };
        let stack = std::mem::take(&mut self.scratch.stack);
        let mut work = std::mem::take(&mut self.scratch.work);
        let first = stack.len().saturating_sub(count as usize);
        let answer = self.call_with(function, stack.get(first..).unwrap_or_default(), &mut work);
        self.scratch.stack = stack;
        self.scratch.stack.truncate(first);
        let value = answer.and_then(|answer| self.value_of(answer, &work));
        self.scratch.work = work;
        self.push(value?)
    }

    fn call_with(
        &mut self,
        function: Function,
        arguments: &[Value],
        work: &mut String,
    ) -> Result<Answer, Box<Fault>> {
        for &argument in arguments {
            self.charge_for(argument)?;
        }
        if function.has_pattern() {
            self.charge_for_search(arguments)?;
        }
        self.calls = self.calls.wrapping_add(1);
        work.clear();
        let mut patterns = std::mem::take(&mut self.scratch.patterns);
        let view = self.view();
        let answer =
            functions::call(&view, function, arguments, self.ambient, self.calls, &mut patterns, work);
        self.scratch.patterns = patterns;
        Ok(answer?)
    }

    /// Keeps what a function has written.
    fn value_of(&mut self, answer: Answer, work: &str) -> Result<Value, Box<Fault>> {
        if let Answer::Value(value) = answer {
            return Ok(value);
        }
        self.charge(work.len() / BYTES_PER_STEP)?;
        let start = self.scratch.computed.len();
        let end = start + work.len();
        if end > self.limits.text || end > u32::MAX as usize {
            return Err(limit(Limit::Text));
        }
        self.scratch.computed.push_str(work);
        let (start, end) = (start as u32, end as u32);
        if answer == Answer::Text {
            return Ok(Value::Text(TextSpan { start, end }));
        }
        let value = crate::json::Value::of_valid(work);
        let (kind, escaped) = (Some(value.kind), value.escaped);
        Ok(Value::Json(Node { start, end, kind, escaped, source: Source::Computed, ..Node::ABSENT }))
    }
}

#[cold]
fn limit(limit: Limit) -> Box<Fault> {
    Box::new(Fault::Limit(limit))
}

fn of_constant(constant: &Constant) -> Value {
    match constant.kind {
        ConstantKind::Null => Value::Null,
        ConstantKind::True => Value::Bool(true),
        ConstantKind::False => Value::Bool(false),
        ConstantKind::Number => Value::ConstantNumber(constant.text),
        ConstantKind::String => Value::Constant(constant.text),
    }
}

/// The variant of a tag in an instruction.
#[inline]
fn tag<T>(tag: u32, from_tag: fn(u8) -> Option<T>) -> Option<T> {
    u8::try_from(tag).ok().and_then(from_tag)
}

#[inline]
fn encoding(number: u32) -> Option<Encoding> {
    tag(number, Encoding::from_tag)
}
