//! What holds for every program, for tests.

use mcp_bundle::template::{
    Encoding, Function, LoopItem, MAX_PATH, MAX_REGISTERS, NONE, OpCode, Programs, Run,
};

use crate::template::Compiled;

fn within(run: Run, table: usize) {
    assert!((run.start + run.count) as usize <= table);
}

/// Checks every index, every span, and that the stack fits however one jumps.
pub fn verify(compiled: &Compiled, source: &str) {
    let programs = &compiled.programs;
    let [program] = programs.programs.as_slice() else { panic!("one program") };
    assert_eq!(program.ops, Run { start: 0, count: programs.ops.len() as u32 });
    assert_eq!(compiled.spans.len(), programs.ops.len());
    assert!(program.registers >= 1 && program.registers <= MAX_REGISTERS);
    within(program.spots, programs.spots.len());
    tables(programs, program.registers, compiled.strings.len());
    stack(programs, program.registers, program.loops, compiled.strings.len());

    let literals: Vec<u32> =
        programs.ops.iter().filter(|op| op.code == OpCode::Literal).map(|op| op.a).collect();
    let others = programs.steps.iter().map(|step| step.key).chain(programs.constants.iter().map(|c| c.text));
    assert!(others.chain(programs.fields.iter().map(|f| f.key)).all(|id| !literals.contains(&id.0)));

    let reads = compiled.reads.iter().map(|read| &read.span);
    let branches = compiled.branches.iter().map(|branch| &branch.span);
    for span in compiled.spans.iter().chain(reads).chain(branches) {
        assert!(source.get(span.clone()).is_some(), "{span:?}");
    }
    assert!(compiled.branches.iter().all(|branch| branch.op < program.ops.count));
    assert!(programs.spots.is_sorted_by(|a, b| a.op < b.op && (a.line, a.column) != (b.line, b.column)));
    assert!(compiled.reads_data || compiled.reads.is_empty());
}

fn tables(programs: &Programs, registers: u32, strings: usize) {
    for path in &programs.paths {
        assert!(path.base < registers && path.steps.count as usize <= MAX_PATH);
        within(path.steps, programs.steps.len());
    }
    assert!(programs.steps.iter().all(|step| (step.key.0 as usize) < strings));
    assert!(programs.constants.iter().all(|constant| (constant.text.0 as usize) < strings));
    let mut depths = Vec::new();
    for (at, shape) in programs.shapes.iter().enumerate() {
        within(shape.fields, programs.fields.len());
        let fields = shape.fields.of(&programs.fields);
        assert!(shape.items == NONE || fields.is_empty());
        let children =
            fields.iter().map(|field| field.shape).chain((shape.items != NONE).then_some(shape.items));
        let below = children.map(|child| {
            assert!((child as usize) < at);
            depths[child as usize]
        });
        let depth = below.max().unwrap_or(0) + 1;
        assert!(depth <= MAX_PATH);
        depths.push(depth);
    }
    assert!(programs.fields.iter().all(|field| (field.key.0 as usize) < strings));
}

/// Runs through the program by all its jumps: at each instruction the stack has one depth, whatever the way there.
fn stack(programs: &Programs, registers: u32, loops: u32, strings: usize) {
    let ops = &programs.ops;
    let mut depths = vec![None; ops.len() + 1];
    let mut todo = vec![(0, 0)];
    while let Some((at, depth)) = todo.pop() {
        match depths[at] {
            Some(known) => assert_eq!(known, depth, "at {at}"),
            None => {
                depths[at] = Some(depth);
                let Some(op) = ops.get(at) else { continue };
                let paths = |id: u32| assert!((id as usize) < programs.paths.len());
                let looping = || assert!(op.a < loops && op.c + 1 < registers);
                let (pops, pushes, jump) = match op.code {
                    OpCode::Literal => {
                        assert!((op.a as usize) < strings);
                        (0, 0, None)
                    }
                    OpCode::Emit => {
                        paths(op.a);
                        assert_eq!(op.b, u32::from(Encoding::Text.tag()));
                        (0, 0, None)
                    }
                    OpCode::EmitTop => {
                        assert_eq!(op.a, u32::from(Encoding::Text.tag()));
                        (1, 0, None)
                    }
                    OpCode::Push => {
                        paths(op.a);
                        (0, 1, None)
                    }
                    OpCode::Constant => {
                        assert!((op.a as usize) < programs.constants.len());
                        (0, 1, None)
                    }
                    OpCode::LoopItem => {
                        assert!(op.a < loops && LoopItem::from_tag(op.b as u8).is_some());
                        (0, 1, None)
                    }
                    OpCode::Call => {
                        assert!(Function::from_tag(op.a as u8).is_some());
                        (op.b as usize, 1, None)
                    }
                    OpCode::Store => {
                        assert!(op.a < registers && op.a > 0);
                        (1, 0, None)
                    }
                    OpCode::Fields => {
                        paths(op.a);
                        (1, 1, None)
                    }
                    OpCode::Jump => (0, 0, Some((op.a, depth))),
                    OpCode::JumpUnless => (1, 0, Some((op.a, depth - 1))),
                    OpCode::Branch => {
                        paths(op.a);
                        (0, 0, Some((op.b, depth)))
                    }
                    OpCode::KeepUnless => (1, 0, Some((op.a, depth))),
                    OpCode::Loop => {
                        looping();
                        (1, 0, Some((op.b, depth - 1)))
                    }
                    OpCode::Next => {
                        looping();
                        (0, 0, Some((op.b, depth)))
                    }
                    OpCode::Drop => (1, 0, None),
                    OpCode::Variable => panic!("templates of answers have no variables"),
                };
                assert!(depth >= pops, "at {at}");
                todo.extend(jump.map(|(target, depth)| (target as usize, depth)));
                if op.code != OpCode::Jump {
                    todo.push((at + 1, depth - pops + pushes));
                }
            }
        }
    }
    assert!(depths[ops.len()].is_none_or(|depth| depth == 0));
}
