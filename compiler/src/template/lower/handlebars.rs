//! Lowers a Handlebars template.

use mcp_bundle::template::{ConstantKind, Function, LoopItem, Test};

use super::code::{Code, ROOT, Span};
use super::reach::Reach;
use crate::template::handlebars::ast::{
    self, Arm, Branches, Each, Expr, HelperCall, Literal, LoopValue, Node, Path, ScopeId, Template, With,
};
use crate::template::handlebars::helpers::Helper;
use crate::template::{BranchKind, Read, Segment};

pub(super) fn lower(template: &Template) -> Code {
    let scopes = vec![Scope { register: ROOT, number: 0 }; template.scopes as usize];
    let mut handlebars = Handlebars { code: Code::new(), scopes, end: 0 };
    handlebars.body(&template.body);
    handlebars.code
}

struct Handlebars {
    code: Code,
    /// By [`ScopeId`].
    scopes: Vec<Scope>,
    /// Of the last tag: text has no place of its own.
    end: usize,
}

#[derive(Clone, Copy)]
struct Scope {
    register: u32,
    /// Of the loop, if it is an `each`'s.
    number: u32,
}

impl Handlebars {
    fn body(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Text(text) => self.code.text(text, &(self.end..self.end)),
                Node::Emit(emit) => {
                    self.end = emit.span.end;
                    match self.plain(&emit.value, &emit.span) {
                        Some(reach) => self.code.emit(reach, &emit.span),
                        None => {
                            self.expr(&emit.value, &emit.span);
                            self.code.emit_top(&emit.span);
                        }
                    }
                }
                Node::If(branches) => self.branches(branches),
                Node::Each(each) => self.each(each),
                Node::With(with) => self.with(with),
            }
        }
    }

    fn branches(&mut self, branches: &Branches) {
        let mut ends = Vec::new();
        let mut arms = branches.arms.iter().peekable();
        while let Some(arm) = arms.next() {
            let unless = self.condition(arm);
            self.arm(&arm.body, BranchKind::Taken, &arm.span);
            let is_last = arms.peek().is_none();
            if !is_last || !branches.otherwise.is_empty() {
                ends.push(self.code.jump(&arm.span));
            }
            self.code.land(&[unless]);
            if is_last {
                self.arm(&branches.otherwise, BranchKind::Else, &arm.span);
            }
        }
        self.code.land(&ends);
    }

    /// Gives the jump of the false condition.
    fn condition(&mut self, arm: &Arm) -> usize {
        self.end = arm.span.end;
        let mut test = if arm.negate { Test::FALSE } else { Test::TRUE };
        if arm.include_zero {
            test = test.union(Test::INCLUDE_ZERO);
        }
        match self.plain(&arm.condition, &arm.span) {
            Some(reach) => self.code.branch(reach, test, &arm.span),
            None => {
                self.expr(&arm.condition, &arm.span);
                self.code.jump_unless(test, &arm.span)
            }
        }
    }

    fn arm(&mut self, body: &[Node], kind: BranchKind, span: &Span) {
        let start = self.code.here();
        self.body(body);
        self.code.note_branch(kind, start, span);
    }

    fn each(&mut self, each: &Each) {
        let span = &each.span;
        self.end = span.end;
        let node = match self.plain(&each.over, span) {
            Some(reach) => {
                let node = reach.node;
                self.code.push_looped(reach, span);
                node
            }
            None => {
                self.expr(&each.over, span);
                None
            }
        };
        let open = self.code.open_loop(node, span);
        self.set_scope(each.scope, Scope { register: open.register, number: open.number });
        self.arm(&each.body, BranchKind::Loop, span);
        let empty = self.code.close_loop(&open, span);
        let mut ends = Vec::new();
        if !each.otherwise.is_empty() {
            ends.push(self.code.jump(span));
        }
        self.code.land(&[empty]);
        self.arm(&each.otherwise, BranchKind::Else, span);
        self.code.land(&ends);
    }

    fn with(&mut self, with: &With) {
        let span = &with.span;
        self.end = span.end;
        let node = match self.plain(&with.value, span) {
            Some(reach) => {
                let node = reach.node;
                self.code.push(reach, span);
                node
            }
            None => {
                self.expr(&with.value, span);
                None
            }
        };
        let register = self.code.new_register(node, true, span);
        self.code.store(register, span);
        let reach = self.code.reach(register, span);
        let unless = self.code.branch(reach, Test::TRUE, span);
        self.set_scope(with.scope, Scope { register, number: 0 });
        self.arm(&with.body, BranchKind::Taken, span);
        let mut ends = Vec::new();
        if !with.otherwise.is_empty() {
            ends.push(self.code.jump(span));
        }
        self.code.land(&[unless]);
        self.arm(&with.otherwise, BranchKind::Else, span);
        self.code.land(&ends);
    }

    /// A value that is nothing but a path.
    fn plain(&mut self, value: &Expr, span: &Span) -> Option<Reach> {
        match value {
            Expr::Path(path) => Some(self.path(path)),
            // The loop keeps it in the register behind the element's.
            Expr::Loop(LoopValue { scope, item: ast::LoopItem::KeyOrIndex }) => {
                let register = self.scope(*scope).register + 1;
                Some(self.code.reach(register, span))
            }
            Expr::Loop(_) | Expr::Literal(_) | Expr::Call(_) => None,
        }
    }

    fn path(&mut self, path: &Path) -> Reach {
        let mut reach = self.code.reach(self.scope(path.scope).register, &path.span);
        for (at, key) in path.keys.iter().enumerate() {
            let span = if at + 1 == path.keys.len() { &path.key_span } else { &path.span };
            if may_be_index(key) {
                self.code.step_by_search(&mut reach, key, span);
            } else {
                self.code.step(&mut reach, key, span);
            }
        }
        reach
    }

    fn expr(&mut self, value: &Expr, span: &Span) {
        if let Some(reach) = self.plain(value, span) {
            return self.code.push(reach, span);
        }
        match value {
            Expr::Literal(literal) => self.literal(literal, span),
            Expr::Loop(value) => {
                let number = self.scope(value.scope).number;
                self.code.loop_item(number, loop_item(value.item), span);
            }
            Expr::Call(call) => {
                for argument in &call.arguments {
                    self.expr(argument, span);
                }
                self.read_lookup(call, span);
                self.code.call(function(call.helper), call.arguments.len(), span);
            }
            // Always plain.
            Expr::Path(_) => {}
        }
    }

    /// Notes what `lookup` finds by a key that is written out.
    fn read_lookup(&mut self, call: &HelperCall, span: &Span) {
        if let (Helper::Lookup, [value, Expr::Literal(Literal::Str(key))]) =
            (call.helper, call.arguments.as_slice())
            && !may_be_index(key)
            && let Some(node) = self.plain(value, span).and_then(|reach| reach.node)
        {
            let mut path = self.code.segments(node);
            path.push(Segment::Key(key.clone()));
            self.code.add_read(Read { path, span: span.clone(), looped: false });
        }
    }

    fn literal(&mut self, literal: &Literal, span: &Span) {
        match literal {
            Literal::Null => self.code.constant(ConstantKind::Null, "", span),
            Literal::Bool(true) => self.code.constant(ConstantKind::True, "", span),
            Literal::Bool(false) => self.code.constant(ConstantKind::False, "", span),
            Literal::Number(number) => self.code.constant(ConstantKind::Number, &number.to_string(), span),
            Literal::Str(text) => self.code.constant(ConstantKind::String, text, span),
        }
    }

    fn scope(&self, id: ScopeId) -> Scope {
        self.scopes.get(id.0 as usize).copied().unwrap_or(Scope { register: ROOT, number: 0 })
    }

    fn set_scope(&mut self, id: ScopeId, scope: Scope) {
        if let Some(slot) = self.scopes.get_mut(id.0 as usize) {
            *slot = scope;
        }
    }
}

/// In an array, such a key is the index of an element.
fn may_be_index(key: &str) -> bool {
    key.parse::<usize>().is_ok() || key.bytes().all(|byte| byte.is_ascii_digit())
}

fn loop_item(item: ast::LoopItem) -> LoopItem {
    match item {
        ast::LoopItem::Index => LoopItem::Index,
        ast::LoopItem::Key => LoopItem::Key,
        ast::LoopItem::First => LoopItem::First,
        ast::LoopItem::Last => LoopItem::Last,
        ast::LoopItem::KeyOrIndex => LoopItem::KeyOrIndex,
    }
}

fn function(helper: Helper) -> Function {
    match helper {
        Helper::And => Function::HelperAnd,
        Helper::Eq => Function::HelperEq,
        Helper::Gt => Function::HelperGt,
        Helper::Gte => Function::HelperGte,
        Helper::Len => Function::HelperLen,
        Helper::Lookup => Function::HelperLookup,
        Helper::Lt => Function::HelperLt,
        Helper::Lte => Function::HelperLte,
        Helper::Ne => Function::HelperNe,
        Helper::Not => Function::HelperNot,
        Helper::Or => Function::HelperOr,
    }
}
