//! Pipes, calls and values of a Go template.

use mcp_bundle::template::{ConstantKind, Function, MAX_PATH, Test};

use super::code::{ROOT, Span};
use super::go::Go;
use super::go_variables::binds;
use super::number;
use super::reach::Reach;
use crate::template::go::ast::{Base, CallExpr, Expr, ExprKind, Literal, Name, Path, Pipe};
use crate::template::go::functions::Function as GoFunction;
use crate::template::go::gjson::{self, Segment as Part};
use crate::template::{Read, Segment};

/// What a run of stages begins with.
#[derive(Clone, Copy)]
enum Head<'a> {
    Expr(&'a Expr),
    /// The value so far, in a register.
    Kept(u32),
}

impl Go<'_> {
    /// The value of a pipe that is nothing but a path.
    pub fn plain_pipe(&mut self, pipe: &Pipe) -> Option<Reach> {
        if pipe.bind.is_none() { self.plain(pipe) } else { None }
    }

    /// The same, for a pipe whose variable is bound by the caller.
    pub fn plain(&mut self, pipe: &Pipe) -> Option<Reach> {
        if pipe.stages.is_empty() { self.plain_expr(&pipe.head) } else { None }
    }

    fn plain_expr(&mut self, value: &Expr) -> Option<Reach> {
        match &value.kind {
            ExprKind::Path(path) => self.plain_path(path, &value.span),
            ExprKind::Pipe(pipe) => self.plain_pipe(pipe),
            ExprKind::Call(call) => {
                let parts = gjson_parts(call)?;
                let keys: Option<Vec<&str>> = parts.iter().map(plain_key).collect();
                let mut reach = self.code.reach(ROOT, &call.span);
                for key in keys? {
                    self.code.step(&mut reach, key, gjson_span(call));
                }
                Some(reach)
            }
            ExprKind::Literal(_) => None,
        }
    }

    fn plain_path(&mut self, path: &Path, span: &Span) -> Option<Reach> {
        let mut reach = match &path.base {
            Base::Dot => self.code.reach(self.dot, span),
            Base::Variable(variable) => self.code.reach(self.register_of(variable.id), span),
            Base::Value(base) => self.plain_expr(base)?,
        };
        for name in &path.fields {
            self.code.step(&mut reach, &name.text, &key_span(name));
        }
        Some(reach)
    }

    /// Pushes the value of a pipe, and binds its variable.
    fn pipe(&mut self, pipe: &Pipe) {
        match &pipe.bind {
            Some(binding) => {
                let register = self.bind(binding, pipe);
                self.code.push_register(register, &binding.variable.span);
            }
            None => self.stages(pipe),
        }
    }

    /// Pushes the value of a pipe, apart from what it binds.
    ///
    /// A piped value is the last argument, but is evaluated first. Usually the order makes no
    /// difference, and the written arguments are evaluated before it. Where it does, the value is
    /// kept in a register.
    pub fn stages(&mut self, pipe: &Pipe) {
        let mut head = Head::Expr(&pipe.head);
        let mut run: Vec<&CallExpr> = Vec::new();
        let mut bound = binds(&pipe.head);
        for stage in &pipe.stages {
            let binding = stage.arguments.iter().any(binds);
            if !stage.arguments.is_empty() && (bound || binding || self.may_skip(stage, head, &run)) {
                self.run(head, &run);
                run.clear();
                let register = self.code.new_register(None, true, &stage.span);
                self.code.store(register, &stage.span);
                head = Head::Kept(register);
                bound = false;
            }
            bound |= binding;
            run.push(stage);
        }
        self.run(head, &run);
    }

    /// Whether a stage would leave out the value so far, and what could go wrong in it.
    fn may_skip(&self, stage: &CallExpr, head: Head<'_>, run: &[&CallExpr]) -> bool {
        let harmless = match head {
            Head::Kept(_) => true,
            Head::Expr(value) => match &value.kind {
                ExprKind::Literal(_) => true,
                ExprKind::Path(path) => !matches!(path.base, Base::Value(_)),
                ExprKind::Call(_) | ExprKind::Pipe(_) => false,
            },
        };
        short_circuit(stage.function).is_some() && !(harmless && run.is_empty())
    }

    /// Pushes what stages make of a value, the arguments of the last one first.
    fn run(&mut self, head: Head<'_>, stages: &[&CallExpr]) {
        let mut skips = Vec::with_capacity(stages.len());
        for stage in stages.iter().rev() {
            skips.push(self.arguments(stage, true));
        }
        match head {
            Head::Expr(value) => self.expr(value),
            Head::Kept(register) => {
                let span = stages.first().map_or(0..0, |stage| stage.span.clone());
                self.code.push_register(register, &span);
            }
        }
        for (stage, skips) in stages.iter().zip(skips.into_iter().rev()) {
            self.apply(stage, stage.arguments.len() + 1, &skips);
        }
    }

    fn expr(&mut self, value: &Expr) {
        if let Some(reach) = self.plain_expr(value) {
            return self.code.push(reach, &value.span);
        }
        match &value.kind {
            ExprKind::Literal(literal) => self.literal(literal, &value.span),
            ExprKind::Pipe(pipe) => self.pipe(pipe),
            ExprKind::Call(call) => match gjson_parts(call) {
                Some(parts) => self.gjson(call, &parts),
                None => {
                    let skips = self.arguments(call, false);
                    if call.function == GoFunction::Index {
                        self.read_index(call);
                    }
                    self.apply(call, call.arguments.len(), &skips);
                }
            },
            ExprKind::Path(path) => {
                if let Base::Value(base) = &path.base {
                    self.expr(base);
                    let keys = path.fields.iter().map(|name| (name.text.as_str(), key_span(name)));
                    self.code.fields(keys, &value.span);
                }
            }
        }
    }

    fn literal(&mut self, literal: &Literal, span: &Span) {
        match literal {
            Literal::Nil => self.code.constant(ConstantKind::Null, "", span),
            Literal::Bool(true) => self.code.constant(ConstantKind::True, "", span),
            Literal::Bool(false) => self.code.constant(ConstantKind::False, "", span),
            Literal::Number(value) => self.code.constant(ConstantKind::Number, &number::text(*value), span),
            Literal::Str(text) => self.code.constant(ConstantKind::String, text, span),
        }
    }

    /// Pushes the arguments of a call, before a piped one if there is one. `and` and `or` leave at the first that
    /// decides, by the jumps that this gives.
    fn arguments(&mut self, call: &CallExpr, piped: bool) -> Vec<usize> {
        let mut skips = Vec::new();
        let test = short_circuit(call.function);
        for (at, argument) in call.arguments.iter().enumerate() {
            self.expr(argument);
            if test.is_some() {
                self.code.note_top_tested();
            }
            let is_last = !piped && at + 1 == call.arguments.len();
            if let Some(test) = test
                && !is_last
            {
                skips.push(self.code.keep_unless(test, &argument.span));
            }
        }
        skips
    }

    fn apply(&mut self, call: &CallExpr, arguments: usize, skips: &[usize]) {
        if short_circuit(call.function).is_some() {
            return self.code.land(skips);
        }
        match Function::from_word(call.function.name()) {
            Some(function) => self.code.call(function, arguments, &call.span),
            None => self.code.fail(&call.name_span, "the function cannot be called like this"),
        }
    }

    /// A `gjson` that is more than a path: an index, or what is in each element.
    fn gjson(&mut self, call: &CallExpr, parts: &[Part]) {
        let span = gjson_span(call);
        let each = parts.iter().map(|part| if let Part::Each(keys) = part { keys.len() } else { 0 });
        if parts.len() + each.sum::<usize>() > MAX_PATH {
            return self.code.fail(span, format!("a path has more than {MAX_PATH} keys"));
        }
        let plain = parts.iter().map_while(plain_key).count();
        let (keys, rest) = parts.split_at_checked(plain).unwrap_or((parts, &[]));
        let mut reach = self.code.reach(ROOT, span);
        for key in keys.iter().filter_map(plain_key) {
            self.code.step(&mut reach, key, span);
        }
        if let ([Part::Each(inner), ..], Some(node)) = (rest, reach.node) {
            self.code.push_looped(reach, span);
            self.read_each(self.code.segments(node), inner, span);
        } else {
            self.code.push(reach, span);
        }
        for part in rest {
            match part {
                Part::Key(key) => {
                    self.code.constant(ConstantKind::String, key, span);
                    self.code.call(Function::GjsonKey, 2, &call.span);
                }
                Part::Each(keys) => {
                    for key in keys {
                        self.code.constant(ConstantKind::String, key, span);
                    }
                    self.code.call(Function::GjsonEach, keys.len() + 1, &call.span);
                }
                Part::Modifier(function) => self.code.call(*function, 1, &call.span),
            }
        }
    }

    /// Notes what `index` finds by keys that are written out.
    fn read_index(&mut self, call: &CallExpr) {
        let Some((value, keys)) = call.arguments.split_first() else { return };
        let keys = keys.iter().map_while(|key| match &key.kind {
            ExprKind::Literal(Literal::Str(text)) => Some((text, &key.span)),
            _ => None,
        });
        let keys: Vec<(&String, &Span)> = keys.collect();
        if let Some((text, span)) = keys.last()
            && let Some(node) = self.plain_expr(value).and_then(|reach| reach.node)
        {
            let mut path = self.code.segments(node);
            path.extend(keys.iter().map(|(key, _)| Segment::Key((*key).clone())));
            // Without its quotes, unless something in it is escaped.
            let inner = span.start + 1..span.end.saturating_sub(1);
            let span = if inner.len() == text.len() { inner } else { (*span).clone() };
            self.code.add_read(Read { path, span, looped: false });
        }
    }

    fn read_each(&mut self, mut path: Vec<Segment>, keys: &[String], span: &Span) {
        let keys: Vec<&String> = keys.iter().take_while(|key| !is_index(key)).collect();
        if !keys.is_empty() {
            path.push(Segment::Each);
            path.extend(keys.into_iter().map(|key| Segment::Key(key.clone())));
            self.code.add_read(Read { path, span: span.clone(), looped: false });
        }
    }
}

/// The test that lets the next argument decide.
fn short_circuit(function: GoFunction) -> Option<Test> {
    match function {
        GoFunction::And => Some(Test::TRUE),
        GoFunction::Or => Some(Test::FALSE),
        _ => None,
    }
}

/// The parts of a `gjson` path; `None` for other functions.
fn gjson_parts(call: &CallExpr) -> Option<Vec<Part>> {
    match call.arguments.first().map(|argument| &argument.kind) {
        Some(ExprKind::Literal(Literal::Str(path))) if call.function == GoFunction::Gjson => {
            gjson::parse_path(path).ok()
        }
        _ => None,
    }
}

fn gjson_span(call: &CallExpr) -> &Span {
    call.arguments.first().map_or(&call.span, |argument| &argument.span)
}

/// A key that cannot be the index of an element.
fn plain_key(part: &Part) -> Option<&str> {
    match part {
        Part::Key(key) if !is_index(key) => Some(key),
        _ => None,
    }
}

fn is_index(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_digit())
}

/// A field's name without its dot.
fn key_span(name: &Name) -> Span {
    name.span.end.saturating_sub(name.text.len())..name.span.end
}
