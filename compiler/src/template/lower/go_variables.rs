//! Which variables change, and where a value is bound on the way.

use std::collections::BTreeSet;

use crate::template::go::ast::{
    Base, BindMode, Branches, CallExpr, Expr, ExprKind, Node, Path, Pipe, Template, VariableId,
};

/// The variables that some `=` sets; all others keep the value that they are declared with.
pub(super) fn assigned(template: &Template) -> BTreeSet<VariableId> {
    let mut assigned = BTreeSet::new();
    let mut note = |mode: BindMode, id: VariableId| {
        if mode == BindMode::Assign {
            assigned.insert(id);
        }
    };
    for body in template.definitions.values().chain([&template.body]) {
        nodes(body, &mut note);
    }
    assigned
}

/// Whether evaluating a value binds a variable, so that it matters what is evaluated before it.
pub(super) fn binds(value: &Expr) -> bool {
    let mut found = false;
    expr(value, &mut |_, _| found = true);
    found
}

type Note<'n> = &'n mut dyn FnMut(BindMode, VariableId);

fn nodes(body: &[Node], note: Note<'_>) {
    for node in body {
        match node {
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
            Node::Action(action) => pipe(&action.pipe, note),
            Node::If(branches) | Node::With(branches) => arms(branches, note),
            Node::Range(range) => {
                if let Some(bind) = &range.bind {
                    note(bind.mode, bind.element.id);
                    if let Some(index) = &bind.index {
                        note(bind.mode, index.id);
                    }
                }
                pipe(&range.over, note);
                nodes(&range.body, note);
                nodes(&range.otherwise, note);
            }
            Node::Inclusion(inclusion) => inclusion.data.iter().for_each(|data| pipe(data, note)),
        }
    }
}

fn arms(branches: &Branches, note: Note<'_>) {
    for arm in &branches.arms {
        pipe(&arm.condition, note);
        nodes(&arm.body, note);
    }
    nodes(&branches.otherwise, note);
}

fn pipe(pipe: &Pipe, note: Note<'_>) {
    if let Some(bind) = &pipe.bind {
        note(bind.mode, bind.variable.id);
    }
    expr(&pipe.head, note);
    for stage in &pipe.stages {
        call(stage, note);
    }
}

fn expr(value: &Expr, note: Note<'_>) {
    match &value.kind {
        ExprKind::Literal(_) => {}
        ExprKind::Path(Path { base: Base::Value(base), .. }) => expr(base, note),
        ExprKind::Path(_) => {}
        ExprKind::Call(inner) => call(inner, note),
        ExprKind::Pipe(inner) => pipe(inner, note),
    }
}

fn call(call: &CallExpr, note: Note<'_>) {
    for argument in &call.arguments {
        expr(argument, note);
    }
}
