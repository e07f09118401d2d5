//! Templates without conditions, loops and functions: every call writes the same texts around its values.
//!
//! Such a program needs neither a machine nor data to run over. What it writes is listed once, when a bundle is
//! activated, and a call copies literals and encodes arguments, one after the other. All other programs run on the
//! machine, and so would these: what is written is the same.

use crate::bind::names::{Names, sound_json};
use crate::json::{Kind, MAX_DEPTH};
use crate::plan::{Contents, Parameter, Part};
use crate::strings::StrId;
use crate::template::{Destination, Encoding, OpCode};
use crate::wire_enums::{Dialect, PartKind};

/// What one of them writes.
#[derive(Debug, Clone)]
pub(crate) struct Straight {
    pub dialect: Dialect,
    pub pieces: Box<[Piece]>,
    /// It is a body of JSON that is sound whatever the arguments are. Others are looked at when they are written.
    pub is_sound: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// The instruction that writes it.
    pub op: u32,
    pub value: PieceValue,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum PieceValue {
    /// Encoded for its place.
    Literal(StrId),
    /// An argument, by the index of its parameter.
    Argument(u32, Encoding),
    Variable(Part, Encoding),
}

impl Straight {
    /// `None` for a program that needs the machine. Arguments nest less deep than `depth`.
    pub(super) fn of(
        contents: &Contents,
        parameters: &[Parameter],
        program: u32,
        depth: usize,
    ) -> Option<Straight> {
        let programs = &contents.templates;
        let program = programs.programs.get(program as usize)?;
        let argument = |path: u32| {
            // No instruction below sets a register, so the first one holds the arguments.
            let path = programs.paths.get(path as usize).filter(|path| path.base == 0)?;
            let [step] = path.steps.of(&programs.steps) else { return None };
            let key = contents.strings.bytes(step.key);
            let index = parameters.iter().position(|parameter| contents.strings.is(parameter.name, key))?;
            Some(index as u32)
        };
        let mut pieces = Vec::new();
        let mut pushed = None;
        for (at, op) in (0_u32..).zip(program.ops.of(&programs.ops)) {
            let value = match (op.code, pushed) {
                (OpCode::Literal, None) => PieceValue::Literal(StrId(op.a)),
                (OpCode::Emit, None) => PieceValue::Argument(argument(op.a)?, encoding(op.b)?),
                (OpCode::Variable, None) => {
                    let kind = u8::try_from(op.a).ok().and_then(PartKind::from_tag)?;
                    PieceValue::Variable(Part { kind, id: op.b }, encoding(op.c)?)
                }
                (OpCode::Push, None) => {
                    pushed = Some(argument(op.a)?);
                    continue;
                }
                // The compiler leaves this of a `toJson` where all values are written as JSON.
                (OpCode::Jump, _) if op.a == at + 1 => continue,
                (OpCode::EmitTop, Some(index)) => {
                    pushed = None;
                    PieceValue::Argument(index, encoding(op.a)?)
                }
                _ => return None,
            };
            pieces.push(Piece { op: at, value });
        }
        if pushed.is_some() {
            return None;
        }
        let is_sound = program.place == Destination::Json && is_sound(contents, parameters, &pieces, depth);
        Some(Straight { dialect: program.dialect, pieces: pieces.into(), is_sound })
    }
}

/// Whether a body is JSON without a member twice, whatever the values are. They are sound themselves: arguments are checked
/// before they are written. So it is enough to look at what is around them, with stand-ins that are only good
/// where every value is.
fn is_sound(contents: &Contents, parameters: &[Parameter], pieces: &[Piece], depth: usize) -> bool {
    let (mut tape, mut names) = (Vec::new(), Names::default());
    // As deep as a value can be. It is no name, and its quotes would end a string around it.
    let deepest = depth.clamp(2, MAX_DEPTH) - 1;
    let value = ["[".repeat(deepest), "\"\"".to_owned(), "]".repeat(deepest)].concat();
    let (mut body, mut texts) = (String::new(), Vec::new());
    for piece in pieces {
        let encoding = match piece.value {
            PieceValue::Literal(id) => {
                body.push_str(contents.strings.get(id));
                continue;
            }
            PieceValue::Argument(index, encoding) => {
                let default = parameters.get(index as usize).and_then(|parameter| parameter.default);
                let default = default.map_or("null", |id| contents.strings.get(id));
                if encoding == Encoding::Json
                    && sound_json(default.as_bytes(), deepest, &mut tape, &mut names).is_err()
                {
                    return false;
                }
                encoding
            }
            PieceValue::Variable(_, encoding) => encoding,
        };
        if encoding == Encoding::Json {
            body.push_str(&value);
        } else {
            texts.push(body.len());
            // Outside of a string nothing is an `x`, nor is it a part of an escape.
            body.push('x');
        }
    }
    if sound_json(body.as_bytes(), MAX_DEPTH, &mut tape, &mut names).is_err() {
        return false;
    }
    // A name with a value in it may be the same as another one.
    texts.iter().all(|&at| {
        let around =
            tape.iter().find(|span| span.kind == Kind::String && (span.start()..span.end()).contains(&at));
        around.is_none_or(|span| !body.get(span.end()..).unwrap_or_default().trim_start().starts_with(':'))
    })
}

fn encoding(tag: u32) -> Option<Encoding> {
    u8::try_from(tag).ok().and_then(Encoding::from_tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::PoolBuilder;
    use crate::template::{Op, Path, Program, Programs, Run, Step};
    use crate::wire_enums::{Position, Style};

    /// A program that writes texts and, for `$`, the argument `a` inside a string, for `@` as a value of its own; `!` is
    /// something that only the machine does.
    fn of(source: &str, default: Option<&str>, depth: usize) -> Option<Straight> {
        let mut pool = PoolBuilder::new();
        let name = pool.intern("a");
        let mut ops = Vec::new();
        for piece in source.split_inclusive(['$', '@', '!']) {
            let (text, last) = piece.split_at(piece.trim_end_matches(['$', '@', '!']).len());
            ops.push(Op::new(OpCode::Literal, pool.intern(text).0, 0, 0));
            match last {
                "$" => ops.push(Op::new(OpCode::Emit, 0, u32::from(Encoding::Text.tag()), 0)),
                "@" => {
                    let json = u32::from(Encoding::Json.tag());
                    let next = ops.len() as u32 + 2;
                    ops.push(Op::new(OpCode::Push, 0, 0, 0));
                    ops.push(Op::new(OpCode::Jump, next, 0, 0));
                    ops.push(Op::new(OpCode::EmitTop, json, 0, 0));
                }
                "!" => ops.push(Op::new(OpCode::Jump, 0, 0, 0)),
                _ => {}
            }
        }
        let parameter = Parameter {
            name,
            position: Position::Body,
            style: Style::Json,
            required: false,
            default: default.map(|text| pool.intern(text)),
            check: 0,
            sensitive: false,
            mcp_header: None,
        };
        let program = Program {
            dialect: Dialect::Go,
            place: Destination::Json,
            ops: Run { start: 0, count: ops.len() as u32 },
            registers: 1,
            loops: 0,
            shape: 0,
            spots: Run::default(),
        };
        let templates = Programs {
            programs: vec![program],
            ops,
            paths: vec![Path { base: 0, steps: Run { start: 0, count: 1 } }],
            steps: vec![Step { key: name, field: 0 }],
            ..Programs::default()
        };
        let contents = Contents { templates, strings: pool.finish(), ..Contents::default() };
        Straight::of(&contents, &[parameter], 0, depth)
    }

    #[test]
    fn a_body_is_sound_if_only_its_values_change() {
        for source in
            ["@", r#"{"a": @, "b": [@, "x$y $"]}"#, r#""$""#, r#"[{"a":1}, {"a":@}]"#, r#"["$", ":"]"#]
        {
            assert!(of(source, None, 64).unwrap().is_sound, "{source}");
        }
        for source in [
            r#"{"a": @, "a": 1}"#,
            r#"{"$": 1, "b": 2}"#,
            r#"{"b$" : 1}"#,
            r#"{@: 1}"#,
            r#""@""#,
            "$",
            "1$",
            "1@",
            "[@ @]",
            r#""\u00$""#,
            r#""\$""#,
            r#"{"a": @"#,
            "",
        ] {
            assert!(!of(source, None, 64).unwrap().is_sound, "{source}");
        }
    }

    #[test]
    fn a_value_may_not_bring_what_the_template_could_not() {
        assert!(of("[@]", Some(r#"{"b":{"c":1}}"#), 64).unwrap().is_sound);
        assert!(!of("[@]", Some(r#"{"b":1,"b":2}"#), 64).unwrap().is_sound);
        // With arguments of that depth, the whole could nest too deep.
        assert!(of("[@]", None, MAX_DEPTH).unwrap().is_sound);
        assert!(!of("[[@]]", None, MAX_DEPTH).unwrap().is_sound);
        assert!(!of("{@:1}", None, 1).unwrap().is_sound);
    }

    #[test]
    fn what_does_more_than_write_needs_the_machine() {
        assert!(of("a@!", None, 64).is_none());
        assert_eq!(
            of("a@b$", None, 64).unwrap().pieces.iter().map(|piece| piece.op).collect::<Vec<_>>(),
            [0, 3, 4, 5]
        );
    }
}
