//! Programs as text: the same for two programs that do the same, whatever bundles they are in.

use mcp_bundle::template::{ConstantKind, Function, LoopItem, NONE, Op, OpCode, Program, Programs};

/// One line for each instruction: its place, its name, and what it works on. A step that is searched has a `?`. `text` gives a
/// string, `variable` the part of a kind and an id.
pub fn listing(
    programs: &Programs,
    program: &Program,
    text: &dyn Fn(u32) -> String,
    variable: &dyn Fn(u32, u32) -> String,
) -> String {
    let path = |id: u32| {
        let Some(path) = programs.paths.get(id as usize) else { return String::new() };
        let steps = path.steps.of(&programs.steps).iter().map(|step| {
            let mark = if step.field == NONE { "?".to_owned() } else { step.field.to_string() };
            format!(".{}:{mark}", text(step.key.0))
        });
        format!("r{}{}", path.base, steps.collect::<String>())
    };
    let tag = |id: u32| u8::try_from(id).unwrap_or_default();
    let item = |id: u32| LoopItem::from_tag(tag(id)).map_or("", LoopItem::as_str);
    let function = |id: u32| Function::from_tag(tag(id)).map_or("", Function::as_str);
    let constant = |id: u32| match programs.constants.get(id as usize) {
        None => String::new(),
        Some(constant) => match constant.kind {
            ConstantKind::String => format!("{:?}", text(constant.text.0)),
            ConstantKind::Number => text(constant.text.0),
            kind => kind.to_string(),
        },
    };
    let line = |(at, op): (usize, &Op)| {
        let works_on = match op.code {
            OpCode::Literal => format!(" {:?}", text(op.a)),
            OpCode::Emit | OpCode::Push | OpCode::Fields => format!(" {}", path(op.a)),
            OpCode::EmitTop | OpCode::Drop => String::new(),
            OpCode::Constant => format!(" {}", constant(op.a)),
            OpCode::LoopItem => format!(" {} of {}", item(op.b), op.a),
            OpCode::Call => format!(" {} {}", function(op.a), op.b),
            OpCode::Store => format!(" r{}", op.a),
            OpCode::Jump => format!(" -> {}", op.a),
            OpCode::JumpUnless | OpCode::KeepUnless => format!(" {} -> {}", op.b, op.a),
            OpCode::Branch => format!(" {} {} -> {}", path(op.a), op.c, op.b),
            OpCode::Loop | OpCode::Next => format!(" {} r{} -> {}", op.a, op.c, op.b),
            OpCode::Variable => format!(" {}", variable(op.a, op.b)),
        };
        format!("{at} {}{works_on}\n", op.code)
    };
    program.ops.of(&programs.ops).iter().enumerate().map(line).collect()
}

#[cfg(test)]
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
