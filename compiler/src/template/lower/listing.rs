//! Programs as text, for tests.

use std::fmt::Write;

use mcp_bundle::template::{ConstantKind, Function, LoopItem, NONE, OpCode, Program, Programs};

/// One line for each instruction: its place, its name, and what it works on. A step that is searched has a `?`.
pub fn listing(programs: &Programs, program: &Program, text: impl Fn(u32) -> String) -> String {
    let mut out = String::new();
    let path = |id: u32| {
        let path = &programs.paths[id as usize];
        let mut out = format!("r{}", path.base);
        for step in path.steps.of(&programs.steps) {
            let mark = if step.field == NONE { "?".to_owned() } else { step.field.to_string() };
            write!(out, ".{}:{mark}", text(step.key.0)).unwrap();
        }
        out
    };
    let tag = |id: u32| u8::try_from(id).unwrap();
    for (at, op) in program.ops.of(&programs.ops).iter().enumerate() {
        write!(out, "{at} {}", op.code).unwrap();
        match op.code {
            OpCode::Literal => write!(out, " {:?}", text(op.a)),
            OpCode::Emit | OpCode::Push | OpCode::Fields => write!(out, " {}", path(op.a)),
            OpCode::EmitTop | OpCode::Drop => Ok(()),
            OpCode::Constant => {
                let constant = programs.constants[op.a as usize];
                match constant.kind {
                    ConstantKind::String => write!(out, " {:?}", text(constant.text.0)),
                    ConstantKind::Number => write!(out, " {}", text(constant.text.0)),
                    kind => write!(out, " {kind}"),
                }
            }
            OpCode::LoopItem => write!(out, " {} of {}", LoopItem::from_tag(tag(op.b)).unwrap(), op.a),
            OpCode::Call => write!(out, " {} {}", Function::from_tag(tag(op.a)).unwrap(), op.b),
            OpCode::Store => write!(out, " r{}", op.a),
            OpCode::Jump => write!(out, " -> {}", op.a),
            OpCode::JumpUnless | OpCode::KeepUnless => write!(out, " {} -> {}", op.b, op.a),
            OpCode::Branch => write!(out, " {} {} -> {}", path(op.a), op.c, op.b),
            OpCode::Loop | OpCode::Next => write!(out, " {} r{} -> {}", op.a, op.c, op.b),
            OpCode::Variable => write!(out, " {} {}", op.a, op.b),
        }
        .unwrap();
        out.push('\n');
    }
    out
}

/// The shape of a program's data: `{key: …}` for fields, `[…]` for items.
pub fn shape(programs: &Programs, id: u32, text: &impl Fn(u32) -> String) -> String {
    let shape = programs.shapes[id as usize];
    if shape.items != NONE {
        assert!(shape.items < id && shape.fields.count == 0);
        return format!("[{}]", self::shape(programs, shape.items, text));
    }
    let field = |field: &mcp_bundle::template::Field| {
        assert!(field.shape < id);
        let inner = self::shape(programs, field.shape, text);
        text(field.key.0) + if inner.is_empty() { "" } else { ": " } + &inner
    };
    let fields: Vec<_> = shape.fields.of(&programs.fields).iter().map(field).collect();
    if fields.is_empty() { String::new() } else { format!("{{{}}}", fields.join(", ")) }
}
