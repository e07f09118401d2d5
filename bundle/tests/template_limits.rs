//! Every limit of a render: what it stops, and what it lets pass just below.
#![expect(clippy::indexing_slicing, reason = "a failed helper is a failed test")]

use mcp_bundle::json::{ScanError, ScanErrorKind};
use mcp_bundle::plan::Contents;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::template::{
    Ambient, Constant, ConstantKind, Destination, Encoding, Fault, Field, Function, Limit, Limits, NONE, Op,
    OpCode, Path, Program, Programs, Run, Scratch, Shape, Spot, Step, render_text,
};
use mcp_bundle::wire_enums::Dialect;

const ABC: u32 = 0;
const KEY_A: u32 = 1;

/// The data, and `.a` with and without a shape.
const THIS: u32 = 0;
const A: u32 = 1;
const A_SEARCHED: u32 = 2;

/// Nothing is found; `.a`; the items; the items of `.a`.
const LEAF: u32 = 0;
const FIELD_A: u32 = 1;
const ITEMS: u32 = 2;
const ITEMS_OF_A: u32 = 3;

fn contents(shape: u32, ops: &[Op]) -> Contents {
    let mut pool = PoolBuilder::new();
    pool.intern("abc");
    pool.intern("a");
    let field = |field| Step { key: StrId(KEY_A), field };
    let items = |items| Shape { fields: Run::default(), items };
    let fields = |start| Shape { fields: Run { start, count: 1 }, items: NONE };
    let mut spots = vec![Spot { op: 0, line: 1, column: 1 }];
    spots.extend((1..ops.len() as u32).map(|op| Spot { op, line: 2, column: op }));
    let program = Program {
        dialect: Dialect::Go,
        place: Destination::Text,
        ops: Run { start: 0, count: ops.len() as u32 },
        registers: 4,
        loops: 2,
        shape,
        spots: Run { start: 0, count: spots.len() as u32 },
    };
    let templates = Programs {
        programs: vec![program],
        ops: ops.to_vec(),
        paths: vec![
            Path { base: 0, steps: Run::default() },
            Path { base: 0, steps: Run { start: 0, count: 1 } },
            Path { base: 0, steps: Run { start: 1, count: 1 } },
        ],
        steps: vec![field(0), field(NONE)],
        constants: vec![Constant { kind: ConstantKind::String, text: StrId(ABC) }],
        shapes: vec![items(NONE), fields(0), items(LEAF), fields(1)],
        fields: vec![Field::new(StrId(KEY_A), "a", LEAF), Field::new(StrId(KEY_A), "a", ITEMS)],
        spots,
    };
    Contents { strings: pool.finish(), templates, ..Contents::default() }
}

fn run(contents: &Contents, data: &str, limits: &Limits) -> Result<String, Fault> {
    let mut out = Vec::new();
    let program = &contents.templates.programs[0];
    let ambient = Ambient::default();
    render_text(contents, program, data, &ambient, limits, &mut Scratch::default(), &mut (), &mut out)
        .map_err(|error| error.fault)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Runs with the least that is enough, and with one less.
fn meets(contents: &Contents, data: &str, enough: usize, limits: fn(usize) -> Limits, expected: Limit) {
    assert!(mcp_bundle::format::write(contents).is_ok());
    let result = run(contents, data, &limits(enough));
    assert!(result.is_ok(), "{expected:?} {enough}: {result:?}");
    let fault = Fault::Limit(expected);
    assert_eq!(run(contents, data, &limits(enough - 1)), Err(fault.clone()), "{}", fault.name());
}

fn literal() -> Op {
    Op::new(OpCode::Literal, ABC, 0, 0)
}

fn push(path: u32) -> Op {
    Op::new(OpCode::Push, path, 0, 0)
}

fn emit(path: u32) -> Op {
    Op::new(OpCode::Emit, path, u32::from(Encoding::Text.tag()), 0)
}

/// Runs a literal for each element.
fn looped(path: u32) -> [Op; 4] {
    [push(path), Op::new(OpCode::Loop, 0, 4, 1), literal(), Op::new(OpCode::Next, 0, 2, 1)]
}

fn steps(steps: usize) -> Limits {
    Limits { steps: steps as u32, ..Limits::default() }
}

#[test]
fn steps_count_instructions() {
    meets(&contents(LEAF, &[literal(); 3]), "1", 3, steps, Limit::Steps);
    // What loops for ever does not.
    let forever = contents(LEAF, &[Op::new(OpCode::Jump, 0, 0, 0)]);
    assert_eq!(run(&forever, "1", &Limits::default()), Err(Fault::Limit(Limit::Steps)));
}

#[test]
fn steps_count_what_is_searched_and_printed() {
    // 640 bytes are ten steps.
    let data = format!(r#"{{"a":1,"b":"{}"}}"#, "x".repeat(640 - 14));
    assert_eq!(data.len(), 640);
    meets(&contents(LEAF, &[push(A_SEARCHED)]), &data, 11, steps, Limit::Steps);
    meets(&contents(LEAF, &[emit(THIS)]), &data, 11, steps, Limit::Steps);
    meets(&contents(FIELD_A, &[push(A)]), &data, 1, steps, Limit::Steps);
    let call = Op::new(OpCode::Call, u32::from(Function::Len.tag()), 1, 0);
    meets(&contents(LEAF, &[push(THIS), call]), &data, 12, steps, Limit::Steps);
    meets(&contents(LEAF, &looped(THIS)), &data, 2 + 10 + 4, steps, Limit::Steps);
}

#[test]
fn iterations_count_those_of_all_loops() {
    let iterations = |iterations: usize| Limits { iterations: iterations as u32, ..Limits::default() };
    meets(&contents(ITEMS, &looped(THIS)), "[1,2,3]", 3, iterations, Limit::Iterations);
    meets(&contents(LEAF, &looped(THIS)), r#"{"x":1,"y":2}"#, 2, iterations, Limit::Iterations);
    meets(&contents(LEAF, &looped(THIS)), "7", 7, iterations, Limit::Iterations);
    let twice = [
        push(THIS),
        Op::new(OpCode::Loop, 0, 6, 0),
        push(THIS),
        Op::new(OpCode::Loop, 1, 5, 2),
        Op::new(OpCode::Next, 1, 4, 2),
        Op::new(OpCode::Next, 0, 2, 0),
    ];
    meets(&contents(LEAF, &twice), "[[1],[1,2]]", 5, iterations, Limit::Iterations);
    let huge = "12345678901234567890123";
    assert_eq!(
        run(&contents(LEAF, &looped(THIS)), huge, &Limits::default()),
        Err(Fault::Limit(Limit::Iterations))
    );
}

#[test]
fn output_counts_bytes_as_they_are_written() {
    let output = |output: usize| Limits { output, ..Limits::default() };
    meets(&contents(LEAF, &[literal(); 2]), "1", 6, output, Limit::Output);
    meets(&contents(LEAF, &[emit(THIS)]), r#""é\n""#, 4, output, Limit::Output);
    meets(&contents(LEAF, &[emit(THIS)]), "-12.50", 6, output, Limit::Output);
    meets(&contents(LEAF, &[emit(THIS)]), "null", 4, output, Limit::Output);
    // Its quotes are escaped.
    meets(&contents(LEAF, &[emit(THIS)]), r#"["a"]"#, 7, output, Limit::Output);
    // What was there before does not count.
    let (contents, mut out) = (contents(LEAF, &[literal()]), b"before".to_vec());
    let (program, ambient) = (&contents.templates.programs[0], Ambient::default());
    let result = render_text(
        &contents,
        program,
        "1",
        &ambient,
        &output(3),
        &mut Scratch::default(),
        &mut (),
        &mut out,
    );
    assert_eq!((result, out.as_slice()), (Ok(()), b"beforeabc".as_slice()));
}

#[test]
fn values_count_what_is_kept() {
    let values = |values: usize| Limits { values: values as u32, ..Limits::default() };
    meets(&contents(LEAF, &[]), r#"{"a":[1,2,3]}"#, 1, values, Limit::Values);
    meets(&contents(FIELD_A, &[]), r#"{"a":[1,2,3]}"#, 2, values, Limit::Values);
    meets(&contents(ITEMS_OF_A, &[]), r#"{"a":[1,2,3]}"#, 5, values, Limit::Values);
    // A member has a name.
    meets(&contents(ITEMS_OF_A, &[]), r#"{"a":{"x":1,"y":2}}"#, 6, values, Limit::Values);
    // What is gathered later is kept as well, each time.
    meets(&contents(LEAF, &looped(THIS)), "[1,2,3]", 5, values, Limit::Values);
    let again = [&looped(THIS)[..], &[push(THIS), Op::new(OpCode::Loop, 1, 6, 1)]].concat();
    meets(&contents(LEAF, &again), "[1,2,3]", 9, values, Limit::Values);
    meets(&contents(ITEMS, &again), "[1,2,3]", 4, values, Limit::Values);
}

#[test]
fn text_counts_what_is_computed_and_kept() {
    let text = |text: usize| Limits { text, ..Limits::default() };
    let upper = Op::new(OpCode::Call, u32::from(Function::Upper.tag()), 1, 0);
    let constant = Op::new(OpCode::Constant, 0, 0, 0);
    let emit_top = Op::new(OpCode::EmitTop, u32::from(Encoding::Text.tag()), 0, 0);
    meets(&contents(LEAF, &[constant, upper, emit_top]), "1", 3, text, Limit::Text);
    // What was written out is not kept.
    meets(
        &contents(LEAF, &[constant, upper, emit_top, constant, upper, emit_top]),
        "1",
        3,
        text,
        Limit::Text,
    );
    let store = Op::new(OpCode::Store, 1, 0, 0);
    meets(&contents(LEAF, &[constant, upper, store, constant, upper, emit_top]), "1", 6, text, Limit::Text);
}

#[test]
fn the_stack_has_an_end() {
    let pushes = |count| contents(LEAF, &vec![push(THIS); count]);
    assert_eq!(run(&pushes(1024), "1", &Limits::default()), Ok(String::new()));
    assert_eq!(run(&pushes(1025), "1", &Limits::default()), Err(Fault::Limit(Limit::Stack)));
    assert_eq!(Limit::Stack.name(), "stack_limit");
}

#[test]
fn depth_counts_open_brackets_whatever_is_kept() {
    for shape in [LEAF, FIELD_A, ITEMS, ITEMS_OF_A] {
        for data in [r#"{"a":[[0]]}"#, r#"{"b":[[0]]}"#, "[[[0]]]", r#"[{"a":{}}]"#] {
            let depth = |depth| Limits { depth, ..Limits::default() };
            let contents = contents(shape, &[]);
            assert_eq!(run(&contents, data, &depth(3)), Ok(String::new()), "{data}");
            let offset = data.rfind(['[', '{']).unwrap_or_default();
            let fault = Fault::Data(ScanError { kind: ScanErrorKind::TooDeep, offset });
            assert_eq!(run(&contents, data, &depth(2)), Err(fault), "{data}");
        }
    }
}
