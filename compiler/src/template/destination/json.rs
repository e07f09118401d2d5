//! A JSON body.
//!
//! Only what decides encodings is followed: whether a value is in a string, and what it touches.
//! Whether the whole is JSON is checked when it is written; until then, no value can change what is
//! around it. A template without conditions and loops always writes the same text around its
//! values, so it is checked here.

use std::collections::BTreeSet;

use mcp_bundle::json::{self, MAX_DEPTH, Scanner, Value};
use mcp_bundle::template::{Encoding, OpCode};

use super::{Problem, States, Syntax, name, span, span_within};
use crate::template::{Compiled, TemplateError};

pub(super) struct Json;

/// A value may begin here: at the start, after `[`, `{`, `,` or `:`.
const OPEN: States = States(1);
/// After a value or bracket of the template.
const DONE: States = States(1 << 1);
/// Right after a value that was put in.
const PUT: States = States(1 << 2);
const IN_STRING: States = States(1 << 3);
const AFTER_BACKSLASH: States = States(1 << 4);
/// After `\u`, by how many digits are to come.
const HEX: [States; 4] = [States(1 << 5), States(1 << 6), States(1 << 7), States(1 << 8)];

const OUTSIDE: States = OPEN.with(DONE).with(PUT);
const IN_ESCAPE: States = AFTER_BACKSLASH.with(HEX[0]).with(HEX[1]).with(HEX[2]).with(HEX[3]);
const ALL: [States; 9] = [OPEN, DONE, PUT, IN_STRING, AFTER_BACKSLASH, HEX[0], HEX[1], HEX[2], HEX[3]];

impl Syntax for Json {
    const START: States = OPEN;

    fn literal(states: States, text: &str) -> Result<States, Problem> {
        let mut after = States::default();
        for start in ALL.into_iter().filter(|state| states.contains(*state)) {
            let end = text.char_indices().try_fold(start, |state, (at, c)| {
                next(state, c).map_err(|problem| problem.within(at..at + c.len_utf8()))
            })?;
            after = after.with(end);
        }
        Ok(after)
    }

    fn value(states: States) -> Result<(Encoding, States), Problem> {
        if states == IN_STRING {
            return Ok((Encoding::Text, states));
        }
        if states.touches(IN_ESCAPE) {
            return Err(Problem::new("a value cannot be part of an escape such as `\\n` or `\\u00e9`")
                .help("put the value after it; escaping is automatic"));
        }
        if states.touches(IN_STRING) && states.touches(OUTSIDE) {
            return Err(Problem::new(
                "this may be inside or outside a JSON string: its encoding cannot be worked out",
            )
            .help("put both quotes of a string on the same side of each condition and loop"));
        }
        if !states.contains(OPEN) {
            return Err(Problem::new("a value is not allowed here: JSON needs a `,` or `:` before it")
                .help("to put it into a string, write it between the quotes"));
        }
        // What else is in the set comes from ways that a condition may exclude; it is refused when it happens.
        Ok((Encoding::Json, PUT))
    }

    fn end(states: States) -> Result<(), Problem> {
        if states.touches(IN_STRING.with(IN_ESCAPE)) {
            return Err(
                Problem::new("the template may end inside a JSON string").help("close it with a `\"`")
            );
        }
        Ok(())
    }

    fn whole(compiled: &Compiled) -> Result<(), TemplateError> {
        whole(compiled)
    }
}

fn next(state: States, c: char) -> Result<States, Problem> {
    if state == AFTER_BACKSLASH {
        return match c {
            'u' => Ok(HEX[3]),
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => Ok(IN_STRING),
            c => Err(Problem::new(format!("JSON has no escape `\\{}`", c.escape_debug()))
                .help("write `\\\\` for a backslash")),
        };
    }
    if let Some(left) = HEX.iter().position(|hex| *hex == state) {
        return match left.checked_sub(1).and_then(|left| HEX.get(left)) {
            _ if !c.is_ascii_hexdigit() => {
                Err(Problem::new("`\\u` must be followed by four hexadecimal digits"))
            }
            Some(fewer) => Ok(*fewer),
            None => Ok(IN_STRING),
        };
    }
    if state == IN_STRING {
        return match c {
            '"' => Ok(DONE),
            '\\' => Ok(AFTER_BACKSLASH),
            '\0'..='\u{1f}' => {
                Err(Problem::new("a JSON string cannot have line breaks or control characters")
                    .help("write `\\n` for a line break"))
            }
            _ => Ok(IN_STRING),
        };
    }
    match c {
        '[' | '{' | ',' | ':' => Ok(OPEN),
        ']' | '}' => Ok(DONE),
        ' ' | '\n' | '\r' | '\t' if state == PUT => Ok(DONE),
        ' ' | '\n' | '\r' | '\t' => Ok(state),
        _ if state == PUT => {
            Err(Problem::new(format!("{} cannot directly follow a value that is put in", name(c)))
                .help("put the value and what belongs to it into one pair of quotes"))
        }
        '"' => Ok(IN_STRING),
        _ => Ok(DONE),
    }
}

/// Whether a template that does the same for all data writes JSON.
fn whole(compiled: &Compiled) -> Result<(), TemplateError> {
    let ops = &compiled.programs.ops;
    let mut text = String::new();
    // Where each instruction's text begins.
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let encoding = match op.code {
            OpCode::Literal => {
                starts.push((text.len(), at));
                text.push_str(compiled.strings.get(op.a as usize).map_or("", String::as_str));
                continue;
            }
            OpCode::Emit => op.b,
            OpCode::EmitTop => op.a,
            OpCode::Variable => op.c,
            OpCode::JumpUnless | OpCode::KeepUnless | OpCode::Branch | OpCode::Loop | OpCode::Next => {
                return Ok(());
            }
            // Beside conditions, only what is left of a `toJson` jumps, and that to the next instruction.
            _ => continue,
        };
        starts.push((text.len(), at));
        // A string can stand for any value, and also for a name; none of them is the same as another.
        let stand_in = format!("\u{e000}{at}");
        match encoding == u32::from(Encoding::Json.tag()) {
            true => text.push_str(&format!("\"{stand_in}\"")),
            false => text.push_str(&stand_in),
        }
    }
    let mut scanner = Scanner::of_text(&text, MAX_DEPTH);
    let (offset, length, message) = match scanner.value().and_then(|value| scanner.finish().map(|()| value)) {
        Ok(value) => {
            let Some(name) = repeated_name(value) else { return Ok(()) };
            let offset = name.text.as_ptr().addr() - text.as_ptr().addr();
            let unescaped = name.unescaped(&mut String::new()).to_owned();
            let message = format!("the template writes member `{unescaped}` of an object twice");
            (offset, name.text.len(), message)
        }
        Err(error) => {
            let rest = text.get(error.offset..).unwrap_or_default();
            let length = rest.chars().next().map_or(1, char::len_utf8);
            (error.offset, length, format!("the template does not write JSON: {}", error.kind.as_str()))
        }
    };
    let place = starts.iter().rev().find(|(start, _)| *start <= offset && offset < text.len());
    let span = match place {
        Some(&(start, op)) => span_within(compiled, op, offset - start..offset - start + length),
        None => span(compiled, ops.len()),
    };
    Err(TemplateError::syntax(span, message))
}

/// A member whose name is that of one before it in the same object. Such a body is never sent: of the two, an upstream might
/// read another one than the template's author. Recursion is bounded by the scanner's depth.
fn repeated_name(value: Value<'_>) -> Option<Value<'_>> {
    let mut names = BTreeSet::new();
    let members = json::members(value).find_map(|(name, member)| {
        let is_new = names.insert(name.unescaped(&mut String::new()).to_owned());
        if is_new { repeated_name(member) } else { Some(name) }
    });
    members.or_else(|| json::elements(value).find_map(repeated_name))
}
