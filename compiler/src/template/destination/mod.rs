//! Finds the place of each value of a request template, and with it the encoding of the value.
//!
//! The text around a value decides: before or after the `?` of a URL, inside or outside a JSON string. Text may depend
//! on conditions and loops, so all ways through the program are followed at once. Where they do not agree, the place
//! of a value is unknown, and that is an error: there is no raw interpolation to fall back to.

mod json;
mod target;
#[cfg(test)]
mod tests;
mod variables;

use std::ops::Range;

use mcp_bundle::template::{Destination, Encoding, Function, Op, OpCode};

use super::{Compiled, TemplateError};

/// What may have been written so far, over all ways to a point of the program: a set of states, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct States(u16);

impl States {
    fn contains(self, state: States) -> bool {
        self.0 & state.0 == state.0
    }

    fn touches(self, states: States) -> bool {
        self.0 & states.0 != 0
    }

    const fn with(self, other: States) -> States {
        States(self.0 | other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// How one kind of place reads the text of a template.
trait Syntax {
    /// Before anything is written.
    const START: States;

    /// What a literal makes of the states before it.
    fn literal(states: States, text: &str) -> Result<States, Problem>;

    /// How a value is encoded, and the states after it.
    fn value(states: States) -> Result<(Encoding, States), Problem>;

    /// Whether the text may end here.
    fn end(states: States) -> Result<(), Problem> {
        let _ = states;
        Ok(())
    }

    /// Looks at the program once its values have their encodings.
    fn whole(compiled: &Compiled) -> Result<(), TemplateError> {
        let _ = compiled;
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    message: String,
    help: Option<&'static str>,
    /// Of the literal, if it is about a part of it.
    range: Option<Range<usize>>,
}

impl Problem {
    fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), help: None, range: None }
    }

    fn help(mut self, help: &'static str) -> Problem {
        self.help = Some(help);
        self
    }

    fn within(mut self, range: Range<usize>) -> Problem {
        self.range = Some(range);
        self
    }

    fn into_error(self, compiled: &Compiled, at: usize) -> TemplateError {
        let span = match self.range {
            Some(range) => span_within(compiled, at, range),
            None => span(compiled, at),
        };
        let error = TemplateError::syntax(span, self.message);
        match self.help {
            Some(help) => error.with_help(help),
            None => error,
        }
    }
}

/// A header's value: one line of visible characters.
struct Header;

/// Pairs of a form.
struct Form;

/// Makes a compiled template one that writes `place`.
pub fn set_destination(compiled: &mut Compiled, place: Destination) -> Result<(), Vec<TemplateError>> {
    if place != Destination::Text {
        variables::split(compiled)?;
    }
    if let Some(program) = compiled.programs.programs.first_mut() {
        program.place = place;
    }
    match place {
        Destination::Text => {
            compiled.encode_as_text();
            Ok(())
        }
        Destination::Target => resolve::<target::Target>(compiled),
        Destination::Header => resolve::<Header>(compiled),
        Destination::Json => resolve::<json::Json>(compiled),
        Destination::Form => resolve::<Form>(compiled),
    }
}

/// Follows all ways through the program, then sets each value's encoding.
fn resolve<S: Syntax>(compiled: &mut Compiled) -> Result<(), Vec<TemplateError>> {
    let before = follow::<S>(compiled);
    let ops = &compiled.programs.ops;
    let problem = |(at, &states): (usize, &States)| {
        let found = match ops.get(at) {
            _ if states.is_empty() => return None,
            Some(op) => after::<S>(compiled, op, states).map(drop),
            None => S::end(states),
        };
        found.err().map(|problem| problem.into_error(compiled, at))
    };
    let errors: Vec<TemplateError> = before.iter().enumerate().filter_map(problem).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    for (at, &states) in before.iter().enumerate() {
        if states.is_empty() {
            drop_unreachable(&mut compiled.programs.ops, at);
        } else if let Ok((encoding, _)) = S::value(states) {
            encode(&mut compiled.programs.ops, at, encoding);
        }
    }
    S::whole(compiled).map_err(|error| vec![error])
}

/// The states before each instruction, and at the end. What is wrong on one way may be right together with others, so
/// nothing is judged here.
fn follow<S: Syntax>(compiled: &Compiled) -> Vec<States> {
    let ops = &compiled.programs.ops;
    let mut before = vec![States::default(); ops.len() + 1];
    let mut waiting = vec![(0, S::START)];
    while let Some((at, states)) = waiting.pop() {
        let Some(known) = before.get_mut(at).filter(|known| !known.contains(states)) else { continue };
        *known = known.with(states);
        let states = *known;
        let Some(op) = ops.get(at) else { continue };
        if let Ok(after) = after::<S>(compiled, op, states) {
            waiting.extend(successors(op, at).map(|next| (next, after)));
        }
    }
    before
}

/// The states after an instruction.
fn after<S: Syntax>(compiled: &Compiled, op: &Op, states: States) -> Result<States, Problem> {
    match op.code {
        OpCode::Literal => {
            let text = compiled.strings.get(op.a as usize).map_or("", String::as_str);
            S::literal(states, text)
        }
        OpCode::Emit | OpCode::EmitTop | OpCode::Variable => S::value(states).map(|(_, after)| after),
        _ => Ok(states),
    }
}

/// The source of an instruction; the end of the template for what follows the last one.
fn span(compiled: &Compiled, at: usize) -> Range<usize> {
    let end = compiled.spans.iter().map(|span| span.end).max().unwrap_or(0);
    compiled.spans.get(at).cloned().unwrap_or(end..end)
}

/// The source of a part of a literal; of all of it where the text is not the source's own.
fn span_within(compiled: &Compiled, at: usize, range: Range<usize>) -> Range<usize> {
    let span = span(compiled, at);
    let op = compiled.programs.ops.get(at).filter(|op| op.code == OpCode::Literal);
    let text = op.and_then(|op| compiled.strings.get(op.a as usize));
    match text {
        Some(text) if text.len() == span.len() && range.end <= text.len() => {
            span.start + range.start..span.start + range.end
        }
        _ => span,
    }
}

/// The instructions that may come next.
fn successors(op: &Op, at: usize) -> impl Iterator<Item = usize> {
    let next = (op.code != OpCode::Jump).then_some(at + 1);
    op.jump().map(|target| target as usize).into_iter().chain(next)
}

/// What no way leads to, such as text after a `break`, has no place; so it writes nothing.
fn drop_unreachable(ops: &mut [Op], at: usize) {
    let Some(op) = ops.get_mut(at) else { return };
    match op.code {
        OpCode::Literal | OpCode::Emit | OpCode::Variable => *op = Op::new(OpCode::Jump, at as u32 + 1, 0, 0),
        OpCode::EmitTop => *op = Op::new(OpCode::Drop, 0, 0, 0),
        _ => {}
    }
}

fn encode(ops: &mut [Op], at: usize, encoding: Encoding) {
    let tag = u32::from(encoding.tag());
    let Some(op) = ops.get_mut(at) else { return };
    match op.code {
        OpCode::Emit => op.b = tag,
        OpCode::EmitTop => op.a = tag,
        OpCode::Variable => op.c = tag,
        _ => return,
    }
    let is_top = op.code == OpCode::EmitTop;
    let Some(call) = at.checked_sub(1).and_then(|before| ops.get_mut(before)) else { return };
    if !is_top || call.code != OpCode::Call {
        return;
    }
    // Every value is encoded for its place, so that a function which does so would have it done twice.
    let function = u8::try_from(call.a).ok().and_then(Function::from_tag);
    match (function, encoding) {
        (Some(Function::ToJson), Encoding::Json) => *call = Op::new(OpCode::Jump, at as u32, 0, 0),
        (Some(Function::Quote), Encoding::Json) if call.b == 1 => {
            call.a = u32::from(Function::ToString.tag());
        }
        (Some(Function::UrlQuery), Encoding::Query | Encoding::PathSegment) if call.b == 1 => {
            call.a = u32::from(Function::ToString.tag());
        }
        _ => {}
    }
}

impl Syntax for Header {
    const START: States = States(1);

    fn literal(states: States, text: &str) -> Result<States, Problem> {
        match text.char_indices().find(|(_, c)| !matches!(c, ' '..='~' | '\t')) {
            None => Ok(states),
            Some((at, c)) => Err(Problem::new(format!("a header value cannot have {}", name(c)))
                .help("a header is one line of visible ASCII characters, spaces and tabs")
                .within(at..at + c.len_utf8())),
        }
    }

    fn value(states: States) -> Result<(Encoding, States), Problem> {
        Ok((Encoding::Header, states))
    }
}

impl Syntax for Form {
    const START: States = target::NAME;

    fn literal(states: States, text: &str) -> Result<States, Problem> {
        target::check_characters(text, "a form", b"/?:@!$&'()*+,=")?;
        target::follow(states, text)
    }

    fn value(states: States) -> Result<(Encoding, States), Problem> {
        target::pair_value(states)
    }
}

/// A character for a message.
fn name(c: char) -> String {
    match c {
        '\n' => "a line break".to_owned(),
        ' ' => "a space".to_owned(),
        c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
        c => format!("`{c}`"),
    }
}
