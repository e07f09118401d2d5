//! Makes the flat tables of a program.

use std::collections::BTreeMap;

use mcp_bundle::strings::StrId;
use mcp_bundle::template::{Destination, NONE, Op, OpCode, Path, Program, Programs, Run, Spot, Step};

use super::code::{Code, Span};
use super::shape::Found;
use crate::template::{Compiled, Dialect, TemplateError};

pub(super) fn finish(
    mut code: Code,
    dialect: Dialect,
    source: &str,
    reads_data: bool,
) -> Result<Compiled, Vec<TemplateError>> {
    if let Some(error) = code.error.take() {
        return Err(vec![error]);
    }
    let mut programs = Programs::default();
    let found = code.shapes.found();
    let shape = code.shapes.write(&found, &code.names, &mut programs);
    write_paths(&code, &found, &mut programs);
    let mut strings = code.names;
    place_literals(&mut code.ops, code.literals, &mut strings);
    programs.spots = spots(source, &code.ops, &code.spans);
    programs.constants = code.constants;
    programs.ops = code.ops;
    programs.programs.push(Program {
        dialect: dialect.into(),
        place: Destination::Text,
        ops: Run { start: 0, count: programs.ops.len() as u32 },
        registers: code.registers.len() as u32,
        loops: code.loops,
        shape,
        spots: Run { start: 0, count: programs.spots.len() as u32 },
    });
    code.branches.sort_by_key(|branch| branch.op);
    Ok(Compiled {
        dialect,
        source: source.to_owned(),
        programs,
        strings,
        variables: Vec::new(),
        spans: code.spans,
        reads_data,
        reads: code.reads,
        tested: code.tested,
        branches: code.branches,
    })
}

fn write_paths(code: &Code, found: &Found, programs: &mut Programs) {
    for path in &code.paths {
        let steps = Run { start: programs.steps.len() as u32, count: path.steps.len() as u32 };
        programs.steps.extend(path.steps.iter().map(|step| Step {
            key: step.key,
            field: step.field.filter(|(node, _)| found.has(*node)).map_or(NONE, |(_, place)| place),
        }));
        programs.paths.push(Path { base: path.base, steps });
    }
}

/// Literals get strings of their own, as they are encoded later on, and keys and constants are not.
fn place_literals(ops: &mut [Op], literals: Vec<String>, strings: &mut Vec<String>) {
    let mut known: BTreeMap<String, StrId> = BTreeMap::new();
    let mut ids = Vec::with_capacity(literals.len());
    for literal in literals {
        ids.push(*known.entry(literal).or_insert_with_key(|literal| {
            strings.push(literal.clone());
            StrId(strings.len() as u32 - 1)
        }));
    }
    for op in ops.iter_mut().filter(|op| op.code == OpCode::Literal) {
        op.a = ids.get(op.a as usize).map_or(0, |id| id.0);
    }
}

/// Where the instructions that can fail come from.
fn spots(source: &str, ops: &[Op], spans: &[Span]) -> Vec<Spot> {
    let failing = || ops.iter().zip(spans).enumerate().filter(|(_, (op, _))| can_fail(op.code));
    let places = places(source, failing().map(|(_, (_, span))| span.start).collect());
    let mut spots: Vec<Spot> = Vec::new();
    for (at, (_, span)) in failing() {
        let (line, column) = places.get(&span.start).copied().unwrap_or((1, 1));
        if spots.last().is_none_or(|last| (last.line, last.column) != (line, column)) {
            spots.push(Spot { op: at as u32, line, column });
        }
    }
    spots
}

fn can_fail(code: OpCode) -> bool {
    use OpCode::{Branch, Call, Emit, EmitTop, Fields, Loop, LoopItem, Next, Push};
    matches!(code, Branch | Call | Emit | EmitTop | Fields | Loop | LoopItem | Next | Push)
}

/// Lines and columns of byte offsets, found in one pass over the source.
fn places(source: &str, mut offsets: Vec<usize>) -> BTreeMap<usize, (u32, u32)> {
    offsets.sort_unstable();
    let mut places = BTreeMap::new();
    let (mut at, mut line, mut column) = (0, 1, 1);
    for offset in offsets {
        for c in source.get(at..offset).unwrap_or_default().chars() {
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        at = offset;
        places.insert(offset, (line, column));
    }
    places
}
