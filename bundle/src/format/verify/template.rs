//! Programs: every index they use is in range, and no literal can break out of its place.
//!
//! That a program is sensible is not checked and need not be: the machine bounds what any program can do.

use super::scan::{Class, Scanner, name};
use super::shared::{Checked, ensure, index, quote, text};
use super::{Invalid, Subject, at};
use crate::json;
use crate::plan::Contents;
use crate::strings::StrId;
use crate::template::{
    ConstantKind, Destination, Encoding, Field, Function, LoopItem, MAX_FIELDS, MAX_PATH, MAX_REGISTERS,
    NONE, Op, OpCode, Program, Programs, Run, Test,
};
use crate::wire_enums::PartKind;

pub(super) fn programs(contents: &Contents) -> Result<(), Box<Invalid>> {
    let mut verifier = Verifier {
        contents,
        programs: &contents.templates,
        scanner: Scanner::new(&contents.strings),
        ops: 0,
        spots: 0,
    };
    verifier.tables().map_err(at(Subject::Bundle))?;
    for (number, program) in contents.templates.programs.iter().enumerate() {
        verifier.program(program).map_err(at(Subject::Template(number)))?;
    }
    verifier.nothing_left().map_err(at(Subject::Bundle))
}

struct Verifier<'a> {
    contents: &'a Contents,
    programs: &'a Programs,
    scanner: Scanner<'a>,
    /// How much of the tables belongs to the programs so far.
    ops: usize,
    spots: usize,
}

impl Verifier<'_> {
    /// What the programs share.
    fn tables(&mut self) -> Checked {
        let (programs, strings) = (self.programs, &self.contents.strings);
        for path in &programs.paths {
            within(path.steps, programs.steps.len(), "steps of a path")?;
            ensure(path.steps.count as usize <= MAX_PATH, || {
                format!("a path of {} steps, the most is {MAX_PATH}", path.steps.count)
            })?;
        }
        for step in &programs.steps {
            name(strings, step.key, "key of a step")?;
        }
        for constant in &programs.constants {
            match constant.kind {
                ConstantKind::Number => {
                    self.scanner.text(constant.text, Class::JsonNumber, "constant").map(drop)?;
                }
                _ => drop(text(strings, constant.text, "constant")?),
            }
        }
        let mut fields = 0;
        for (number, shape) in programs.shapes.iter().enumerate() {
            within(shape.fields, programs.fields.len(), "fields of a shape")?;
            // Each belongs to one shape, so that looking at all of them takes one pass.
            if shape.fields.count > 0 {
                ensure(shape.fields.start as usize == fields, || {
                    format!("the fields of shape {number} do not follow those before")
                })?;
                fields += shape.fields.count as usize;
            }
            ensure(shape.fields.count <= MAX_FIELDS, || {
                format!("shape {number} has {} fields, the most is {MAX_FIELDS}", shape.fields.count)
            })?;
            ensure(shape.items == NONE || shape.fields.count == 0, || {
                format!("shape {number} has fields and items")
            })?;
            ensure(shape.items == NONE || (shape.items as usize) < number, || {
                format!("the items of shape {number} are shape {}, which is not before it", shape.items)
            })?;
            for field in shape.fields.of(&programs.fields) {
                ensure((field.shape as usize) < number, || {
                    format!("a field of shape {number} is shape {}, which is not before it", field.shape)
                })?;
            }
        }
        for field in &programs.fields {
            let key = name(strings, field.key, "key of a field")?;
            ensure(field.prefix == Field::prefix_of(key.as_bytes()), || {
                format!("the prefix of field {} is not its own", quote(key))
            })?;
        }
        Ok(())
    }

    fn program(&mut self, program: &Program) -> Checked {
        // Each table entry belongs to one program, so that looking at all of them takes one pass.
        follows(program.ops, &mut self.ops, self.programs.ops.len(), "instructions")?;
        follows(program.spots, &mut self.spots, self.programs.spots.len(), "spots")?;
        ensure((1..=MAX_REGISTERS).contains(&program.registers), || {
            format!("{} registers, there may be 1 to {MAX_REGISTERS}", program.registers)
        })?;
        ensure(program.loops <= MAX_REGISTERS, || {
            format!("{} loops, the most is {MAX_REGISTERS}", program.loops)
        })?;
        index(program.shape, self.programs.shapes.len(), "shape")?;
        let mut last = None;
        for spot in program.spots.of(&self.programs.spots) {
            ensure(last.replace(spot.op).is_none_or(|last| last < spot.op), || {
                "its spots are not in order".to_owned()
            })?;
        }
        for (number, op) in program.ops.of(&self.programs.ops).iter().enumerate() {
            self.op(program, op).map_err(|problem| format!("instruction {number}: {problem}"))?;
        }
        Ok(())
    }

    fn op(&mut self, program: &Program, op: &Op) -> Checked {
        let jump = |target: u32| {
            ensure(target <= program.ops.count, || format!("a jump to {target}, which is behind the end"))
        };
        let register = |number: u32| index(number, program.registers as usize, "register");
        let loop_number = |number: u32| index(number, program.loops as usize, "loop");
        match op.code {
            OpCode::Literal => self.literal(program.place, StrId(op.a)),
            OpCode::Emit => self.path(program, op.a).and_then(|()| encoding(program.place, op.b)),
            OpCode::EmitTop => encoding(program.place, op.a),
            OpCode::Push | OpCode::Fields => self.path(program, op.a),
            OpCode::Constant => index(op.a, self.programs.constants.len(), "constant"),
            OpCode::LoopItem => {
                loop_number(op.a)?;
                known(op.b, LoopItem::from_tag, "item of a loop").map(drop)
            }
            OpCode::Call => known(op.a, Function::from_tag, "function").map(drop),
            OpCode::Store => register(op.a),
            OpCode::Jump => jump(op.a),
            OpCode::JumpUnless | OpCode::KeepUnless => jump(op.a).and_then(|()| test(op.b)),
            OpCode::Branch => {
                self.path(program, op.a)?;
                jump(op.b)?;
                test(op.c)
            }
            OpCode::Loop | OpCode::Next => {
                loop_number(op.a)?;
                jump(op.b)?;
                register(op.c)?;
                register(op.c.saturating_add(1))
            }
            OpCode::Variable => {
                encoding(program.place, op.c)?;
                ensure(program.place != Destination::Text, || {
                    "a variable in the text of a result".to_owned()
                })?;
                match known(op.a, PartKind::from_tag, "kind of part")? {
                    PartKind::Variable => index(op.b, self.contents.manifest.variables.len(), "variable"),
                    PartKind::TenantId | PartKind::PrincipalSub => Ok(()),
                    kind => Err(format!("`{kind}` is not a variable")),
                }
            }
            OpCode::Drop => Ok(()),
        }
    }

    fn path(&self, program: &Program, number: u32) -> Checked {
        index(number, self.programs.paths.len(), "path")?;
        let path = self.programs.paths.get(number as usize);
        path.map_or(Ok(()), |path| index(path.base, program.registers as usize, "register"))
    }

    fn literal(&mut self, place: Destination, id: StrId) -> Checked {
        let class = match place {
            Destination::Text => Class::JsonInside,
            Destination::Target => Class::TargetLiteral,
            Destination::Header => Class::HeaderLiteral,
            Destination::Form => Class::FormLiteral,
            // The body as a whole is validated when it is written.
            Destination::Json => return text(&self.contents.strings, id, "literal").map(drop),
        };
        self.scanner.text(id, class, "literal").map(drop)
    }

    fn nothing_left(&self) -> Checked {
        ensure(self.ops == self.programs.ops.len() && self.spots == self.programs.spots.len(), || {
            "instructions or spots that belong to no template".to_owned()
        })
    }
}

/// Whether a value may be encoded like this where a program writes.
fn encoding(place: Destination, tag: u32) -> Checked {
    let encoding = known(tag, Encoding::from_tag, "encoding")?;
    let fits = match place {
        Destination::Text => encoding == Encoding::Text,
        Destination::Json => matches!(encoding, Encoding::Text | Encoding::Json),
        Destination::Target => matches!(encoding, Encoding::PathSegment | Encoding::Query),
        Destination::Form => encoding == Encoding::Query,
        Destination::Header => encoding == Encoding::Header,
    };
    ensure(fits, || format!("a value encoded as {encoding} is not allowed in a {place}"))
}

fn test(bits: u32) -> Checked {
    let all = Test::FALSE.union(Test::INCLUDE_ZERO);
    ensure(all.contains(Test(bits)), || format!("test {bits} does not exist"))
}

fn known<T>(tag: u32, from_tag: fn(u8) -> Option<T>, what: &str) -> Checked<T> {
    u8::try_from(tag).ok().and_then(from_tag).ok_or_else(|| format!("{what} {tag} does not exist"))
}

fn within(run: Run, length: usize, what: &str) -> Checked {
    let end = u64::from(run.start) + u64::from(run.count);
    ensure(end <= length as u64, || format!("{what} end at {end}, there are {length}"))
}

/// A part of a table that begins where the one before it ends.
fn follows(run: Run, end: &mut usize, length: usize, what: &str) -> Checked {
    within(run, length, what)?;
    ensure(run.start as usize == *end, || {
        format!("its {what} begin at {}, those before end at {end}", run.start)
    })?;
    *end += run.count as usize;
    Ok(())
}

/// What the quotes of a JSON string can enclose.
pub(super) fn is_json_inside(text: &str) -> bool {
    let quoted = format!("\"{text}\"");
    let mut scanner = json::Scanner::of_text(&quoted, 1);
    scanner.value().is_ok_and(|value| value.text.len() == quoted.len())
}
