//! `${NAME}` in the text of a template.

use mcp_bundle::template::{Op, OpCode};
use mcp_bundle::wire_enums::PartKind;

use crate::language::variables::{TextPart, Variable, split_variables};

use crate::template::{Compiled, ErrorKind, TemplateError};

/// Makes instructions of the variables in literals.
pub(super) fn split(compiled: &mut Compiled) -> Result<(), Vec<TemplateError>> {
    let mut errors = Vec::new();
    let old = std::mem::take(&mut compiled.programs.ops);
    let spans = std::mem::take(&mut compiled.spans);
    // Where each old instruction is now; one more for the end.
    let mut moved = Vec::with_capacity(old.len() + 1);
    for (op, span) in old.into_iter().zip(spans) {
        moved.push(compiled.programs.ops.len() as u32);
        let text = match op.code {
            OpCode::Literal => compiled.strings.get(op.a as usize).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        if !text.contains("${") {
            compiled.programs.ops.push(op);
            compiled.spans.push(span);
            continue;
        }
        let (parts, problems) = split_variables(&text);
        for problem in problems {
            // Where the text is not the source's own, all of it is meant.
            let place = match problem.range {
                range if text.len() == span.len() => span.start + range.start..span.start + range.end,
                _ => span.clone(),
            };
            let error = TemplateError::new(ErrorKind::Variable, place, problem.message);
            errors.push(error.with_help(problem.help));
        }
        for part in parts {
            let op = match part {
                TextPart::Literal(text) => {
                    compiled.strings.push(text);
                    Op::new(OpCode::Literal, compiled.strings.len() as u32 - 1, 0, 0)
                }
                TextPart::Variable(variable) => variable_op(compiled, variable),
            };
            compiled.programs.ops.push(op);
            compiled.spans.push(span.clone());
        }
    }
    moved.push(compiled.programs.ops.len() as u32);
    if errors.is_empty() {
        renumber(compiled, &moved);
        Ok(())
    } else {
        Err(errors)
    }
}

fn variable_op(compiled: &mut Compiled, variable: Variable) -> Op {
    let (kind, id) = match variable {
        Variable::TenantId => (PartKind::TenantId, 0),
        Variable::PrincipalSub => (PartKind::PrincipalSub, 0),
        Variable::Named(name) => {
            let known = compiled.variables.iter().position(|known| *known == name);
            let id = known.unwrap_or_else(|| {
                compiled.variables.push(name);
                compiled.variables.len() - 1
            });
            (PartKind::Variable, id as u32)
        }
    };
    Op::new(OpCode::Variable, u32::from(kind.tag()), id, 0)
}

/// Has everything that refers to an instruction refer to where it is now.
fn renumber(compiled: &mut Compiled, moved: &[u32]) {
    let now = |at: &mut u32| *at = moved.get(*at as usize).copied().unwrap_or(*at);
    for op in &mut compiled.programs.ops {
        match op.code {
            OpCode::Jump | OpCode::JumpUnless | OpCode::KeepUnless => now(&mut op.a),
            OpCode::Branch | OpCode::Loop | OpCode::Next => now(&mut op.b),
            _ => {}
        }
    }
    for spot in &mut compiled.programs.spots {
        now(&mut spot.op);
    }
    for branch in &mut compiled.branches {
        now(&mut branch.op);
    }
    if let Some(program) = compiled.programs.programs.first_mut() {
        program.ops.count = compiled.programs.ops.len() as u32;
    }
}
