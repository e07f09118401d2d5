//! Programs that no compiler would write.

use mcp_bundle::plan::Contents;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::template::{
    Constant, ConstantKind, Destination, Encoding, Field, Function, LoopItem, MAX_REGISTERS, NONE, Op,
    OpCode, Path, Program, Programs, Run, Shape, Spot, Step,
};
use mcp_bundle::wire_enums::Dialect;

use super::choices::Choices;

/// What constants, keys and literals are made of. The first one is not allowed in a text.
const STRINGS: &[&str] = &[
    "a\"\n",
    "",
    "a",
    "b",
    "c",
    "0",
    "1",
    "x y",
    "-2.5",
    "7",
    "1e400",
    "\\u0041\\n",
    "%5.2q|%-9s|%x|%v",
    "2006-01-02",
    "2024-02-29T10:11:12Z",
    "UTC",
    "YWJj",
    "[1,{\"a\":\"b\"}]",
    "aéa\u{1f600}",
];

/// How a generator picks numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Manner {
    /// Within their tables, as a bundle that is loaded has them.
    Sound,
    /// Anywhere.
    Hostile,
}

struct Maker<'c, 'b> {
    choices: &'c mut Choices<'b>,
    manner: Manner,
    ids: Vec<StrId>,
}

/// Contents with one program, and what it needs.
pub fn contents(choices: &mut Choices<'_>, manner: Manner) -> Contents {
    let mut pool = PoolBuilder::new();
    let ids = STRINGS.iter().map(|text| pool.intern(text)).collect();
    let mut maker = Maker { choices, manner, ids };
    let templates = maker.programs();
    Contents { strings: pool.finish(), templates, ..Contents::default() }
}

impl Maker<'_, '_> {
    fn programs(&mut self) -> Programs {
        let dialect = self.choices.one(&[Dialect::Go, Dialect::Handlebars]);
        let mut tables = Programs::default();
        for _ in 0..=self.choices.below(6) {
            tables
                .constants
                .push(Constant { kind: self.choices.one(ConstantKind::ALL), text: self.string() });
        }
        for constant in &mut tables.constants {
            if constant.kind == ConstantKind::Number && self.manner == Manner::Sound {
                constant.text = self.ids[self.choices.one(&[5, 6, 8, 9, 10])];
            }
        }
        self.shapes(&mut tables);
        for _ in 0..=self.choices.below(5) {
            let start = tables.steps.len();
            for _ in 0..self.choices.below(4) {
                // A program may look for a field that its value was not scanned with.
                let field = if self.choices.rarely(2) { NONE } else { self.below(3) };
                tables.steps.push(Step { key: self.string(), field });
            }
            let steps = Run { start: start as u32, count: (tables.steps.len() - start) as u32 };
            tables.paths.push(Path { base: self.below(4), steps });
        }
        let count = 1 + self.choices.below(30);
        for _ in 0..count {
            let op = self.op(&tables, count);
            tables.ops.push(op);
        }
        tables.spots = vec![Spot { op: 0, line: 1, column: 1 }, Spot { op: 3, line: 2, column: 7 }];
        let shape = self.below(tables.shapes.len());
        let registers = if self.manner == Manner::Sound { 6 } else { self.below(8) };
        let (ops, spots) = (self.run(tables.ops.len()), self.run(tables.spots.len()));
        let loops = if self.manner == Manner::Sound { 3 } else { self.below(4) };
        tables.programs.push(Program {
            dialect,
            place: Destination::Text,
            ops,
            registers,
            loops,
            shape,
            spots,
        });
        tables
    }

    /// A tree of shapes, each after those that it refers to.
    pub fn shapes(&mut self, tables: &mut Programs) {
        tables.shapes.push(Shape { fields: Run::default(), items: NONE });
        for number in 1..=1 + self.choices.below(6) {
            let mut shape =
                Shape { fields: Run { start: tables.fields.len() as u32, count: 0 }, items: NONE };
            if self.choices.rarely(3) {
                shape.items = self.below(number);
            } else {
                shape.fields.count = self.choices.below(4) as u32;
                for _ in 0..shape.fields.count {
                    let at = self.choices.below(STRINGS.len());
                    let mut field = Field::new(self.ids[at], STRINGS[at], self.below(number));
                    if self.manner == Manner::Hostile && self.choices.rarely(6) {
                        field.key = self.string();
                    }
                    tables.fields.push(field);
                }
            }
            if self.manner == Manner::Hostile && self.choices.rarely(6) {
                shape.items = self.below(8);
            }
            tables.shapes.push(shape);
        }
    }

    fn op(&mut self, tables: &Programs, count: usize) -> Op {
        let code = self.choices.one(OpCode::ALL);
        let path = self.below(tables.paths.len());
        let text = u32::from(Encoding::Text.tag());
        // Forwards more often than not, so that something else is run than one short loop.
        let jump = if self.choices.rarely(4) { self.below(count + 1) } else { count as u32 };
        let test = self.below(4);
        let (number, register) = (self.below(3), self.below(5));
        let [a, b, c] = match code {
            OpCode::Literal => [self.literal().0, 0, 0],
            OpCode::Emit => [path, text, 0],
            OpCode::EmitTop => [text, 0, 0],
            OpCode::Push | OpCode::Fields => [path, 0, 0],
            OpCode::Constant => [self.below(tables.constants.len()), 0, 0],
            OpCode::LoopItem => [number, u32::from(self.choices.one(LoopItem::ALL).tag()), 0],
            OpCode::Call => [u32::from(self.choices.one(Function::ALL).tag()), self.below(4), 0],
            OpCode::Store => [register, 0, 0],
            OpCode::Jump => [jump, 0, 0],
            OpCode::JumpUnless | OpCode::KeepUnless => [jump, test, 0],
            OpCode::Branch => [path, jump, test],
            OpCode::Loop | OpCode::Next => [number, jump, register],
            // No text has one.
            OpCode::Variable if self.manner == Manner::Sound => return Op::new(OpCode::Drop, 0, 0, 0),
            OpCode::Variable => [self.below(5), self.below(3), text],
            OpCode::Drop => [0; 3],
        };
        let mut op = Op::new(code, a, b, c);
        if self.manner == Manner::Hostile && self.choices.rarely(4) {
            op.b = self.below(40);
            op.c = self.below(10);
        }
        op
    }

    fn string(&mut self) -> StrId {
        let at = self.choices.below(self.ids.len());
        self.ids[at]
    }

    fn literal(&mut self) -> StrId {
        // The rest of those without anything that has to be escaped.
        if self.manner == Manner::Hostile {
            self.string()
        } else {
            self.ids[self.choices.one(&[2, 7, 11, 12, 18])]
        }
    }

    fn run(&mut self, length: usize) -> Run {
        match self.manner {
            Manner::Hostile if self.choices.rarely(8) => Run { start: self.below(9), count: self.below(40) },
            _ => Run { start: 0, count: length as u32 },
        }
    }

    fn below(&mut self, count: usize) -> u32 {
        if self.manner == Manner::Hostile && self.choices.rarely(16) {
            return self.choices.one(&[NONE, NONE - 1, 1 << 31, MAX_REGISTERS, 200, 17]);
        }
        self.choices.below(count) as u32
    }
}
