//! Runs a program.

use super::NONE;
use super::error::{Fault, Limit, RenderError};
use super::function::Function;
use super::functions::{self, Ambient, Answer};
use super::output::{Output, TextOutput};
use super::program::{
    Constant, ConstantKind, Encoding, LoopItem, MAX_REGISTERS, Op, OpCode, Path, Program, Programs, Step,
    Test,
};
use super::project::{Nodes, Shapes};
use super::trace::Trace;
use super::value::{Node, Source, TextSpan, Value, ValueKind, View};
use crate::decimal;
use crate::json::{Kind, Scanner};
use crate::plan::{Contents, Part};
use crate::pool::{Pool, StrId};
use crate::tag::{Dialect, PartKind};

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
}

/// Where a loop stands.
#[derive(Debug, Clone, Copy, Default)]
struct Loop {
    /// The current item's node; [`NONE`] in a loop that only counts.
    item: u32,
    index: u32,
    count: u32,
    /// Items have names.
    keyed: bool,
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

/// Appends what a program of [`super::Place::Text`] makes of a JSON text, as the inside of a JSON string.
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
fn place(programs: &Programs, program: &Program, op: usize) -> Option<(u32, u32)> {
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
    strings: &'a Pool,
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

    /// Writes what most values are: a string or number of the data that was found while they were scanned.
    #[inline(always)]
    fn emit_found(&mut self, path: u32, encoding: u32, out: &mut impl Output) -> Result<bool, Box<Fault>> {
        let Some(node) = self.found(path) else { return Ok(false) };
        if encoding != TEXT || node.source != Source::Data {
            return Ok(false);
        }
        // A string stands between quotes.
        let quote = usize::from(node.kind == Some(Kind::String));
        if quote == 0 && node.kind != Some(Kind::Number) {
            return Ok(false);
        }
        let range = node.start as usize + quote..(node.end as usize).wrapping_sub(quote);
        let text = self.data.as_bytes().get(range).unwrap_or_default();
        if out.len() + text.len() > self.output_end {
            return Err(limit(Limit::Output));
        }
        out.string(Encoding::Text, text, node.escaped, &mut self.scratch.work)?;
        Ok(true)
    }

    /// The value at a path of which all parts were found while the data were scanned; `None` asks for a search.
    #[inline(always)]
    fn found(&self, path: u32) -> Option<Node> {
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
    fn read(&mut self, path: u32) -> Result<Value, Box<Fault>> {
        let Some(&Path { base, steps }) = self.programs.paths.get(path as usize) else {
            return Ok(Value::Absent);
        };
        let base = self.scratch.registers.get(base as usize).copied().unwrap_or(Value::Absent);
        let programs = self.programs;
        self.walk(base, steps.of(&programs.steps))
    }

    #[inline]
    fn walk(&mut self, base: Value, steps: &[Step]) -> Result<Value, Box<Fault>> {
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
    fn search(&mut self, value: Value, key: StrId) -> Result<Value, Box<Fault>> {
        let key = self.strings.get(key);
        match self.view().kind(value) {
            ValueKind::Object => {
                self.charge_for(value)?;
                Ok(self.view().member(value, key))
            }
            ValueKind::Array if self.dialect == Dialect::Handlebars => {
                let Ok(index) = key.parse() else {
                    return Err(Box::new(Fault::value(format!("`{key}` is no index of a list"))));
                };
                self.charge_for(value)?;
                Ok(self.view().element(value, index))
            }
            _ => Ok(Value::Absent),
        }
    }

    #[inline]
    fn test(&mut self, value: Value, test: Test) -> Result<bool, Box<Fault>> {
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
    fn charge_for_test(&mut self, node: Node) -> Result<(), Box<Fault>> {
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

    #[inline]
    fn emit(&mut self, value: Value, tag: u32, out: &mut impl Output) -> Result<(), Box<Fault>> {
        let Some(encoding) = encoding(tag) else { return Ok(()) };
        if encoding == Encoding::Json {
            return self.emit_json(value, out);
        }
        match value {
            Value::Json(node) => match node.kind {
                Some(Kind::String) => {
                    let Scratch { computed, work, .. } = &mut *self.scratch;
                    let source = if node.source == Source::Data { self.data } else { computed.as_str() };
                    // Without its quotes.
                    let range = node.start as usize + 1..(node.end as usize).wrapping_sub(1);
                    let raw = source.as_bytes().get(range).unwrap_or_default();
                    if out.len().saturating_add(raw.len()) > self.output_end {
                        return Err(limit(Limit::Output));
                    }
                    out.string(encoding, raw, node.escaped, work)?;
                }
                Some(Kind::Number | Kind::Boolean) => {
                    let source =
                        if node.source == Source::Data { self.data } else { self.scratch.computed.as_str() };
                    let range = node.start as usize..node.end as usize;
                    let text = source.as_bytes().get(range).unwrap_or_default();
                    if out.len().saturating_add(text.len()) > self.output_end {
                        return Err(limit(Limit::Output));
                    }
                    out.plain(encoding, text)?;
                }
                _ => return self.emit_printed(value, encoding, out),
            },
            Value::Text(_) | Value::Constant(_) => {
                let view = self.view();
                let mut unused = String::new();
                let text = view.string(value, &mut unused).unwrap_or_default();
                self.check_room(text.len(), out)?;
                out.text(encoding, text)?;
            }
            _ => return self.emit_printed(value, encoding, out),
        }
        self.check_room(0, out)
    }

    fn emit_json(&mut self, value: Value, out: &mut impl Output) -> Result<(), Box<Fault>> {
        self.charge_for(value)?;
        let mut work = std::mem::take(&mut self.scratch.work);
        work.clear();
        self.view().print_as_json(value, &mut work);
        let written = self.check_room(work.len(), out).and_then(|()| out.json(&work));
        self.scratch.work = work;
        written.and_then(|()| self.check_room(0, out))
    }

    #[inline(never)]
    fn emit_printed(
        &mut self,
        value: Value,
        encoding: Encoding,
        out: &mut impl Output,
    ) -> Result<(), Box<Fault>> {
        self.charge_for(value)?;
        let mut work = std::mem::take(&mut self.scratch.work);
        work.clear();
        self.view().print(value, &mut work);
        let written = self.check_room(work.len(), out).and_then(|()| out.text(encoding, &work));
        self.scratch.work = work;
        written.and_then(|()| self.check_room(0, out))
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
        self.calls = self.calls.wrapping_add(1);
        work.clear();
        Ok(functions::call(&self.view(), function, arguments, self.ambient, self.calls, work)?)
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

    /// Begins a loop over a value; `false` if there is nothing to loop over.
    fn begin(&mut self, number: u32, value: Value) -> Result<bool, Box<Fault>> {
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
    fn gathered(&mut self, node: Node) -> Result<Node, Box<Fault>> {
        if node.count != NONE {
            return Ok(node);
        }
        self.charge_for(Value::Json(node))?;
        let shapes = Shapes { programs: self.programs, strings: self.strings };
        let Scratch { nodes, computed, .. } = &mut *self.scratch;
        let view = View { dialect: self.dialect, strings: self.strings, data: self.data, computed };
        nodes.gather(shapes, node, view.json(node).text, self.limits.depth)
    }

    fn advance(&mut self, number: u32) -> bool {
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
    fn set_item(&mut self, number: u32, register: u32) -> Result<(), Box<Fault>> {
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
    fn name_of(&self, item: u32) -> Value {
        let name = self.scratch.nodes.list.get((item as usize).saturating_add(1));
        name.map_or(Value::Absent, |node| Value::of_node(*node))
    }

    fn loop_item(&self, number: u32, item: u32) -> Value {
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

/// The variant of a tag that stands in an instruction.
#[inline]
fn tag<T>(tag: u32, from_tag: fn(u8) -> Option<T>) -> Option<T> {
    u8::try_from(tag).ok().and_then(from_tag)
}

#[inline]
fn encoding(number: u32) -> Option<Encoding> {
    tag(number, Encoding::from_tag)
}
