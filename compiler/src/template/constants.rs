//! Finds calls that can never succeed whatever the data are, by running them with the constants that they are given.

use mcp_bundle::plan::Contents;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::template::{
    Ambient, Constant, ConstantKind, Destination, Encoding, Fault, Function, Limits, NONE, Op, OpCode,
    Program, Programs, Run, Scratch, Shape, render_text,
};
use std::collections::BTreeSet;
use std::ops::Range;

use super::{Compiled, TemplateError};

/// Two times that no element of a layout writes alike, each with the zone that it is written in.
const MOMENTS: [[&str; 2]; 2] = [["2020-01-02T03:04:05Z", "UTC"], ["1999-11-30T16:47:58.987Z", "+05:30"]];

/// Refuses a template with a call or loop that fails each time it is run, or does not what it was written for.
pub(super) fn check(compiled: Compiled) -> Result<Compiled, Vec<TemplateError>> {
    let mut errors = Checker { compiled: &compiled, scratch: Scratch::default(), errors: Vec::new() }.run();
    if errors.is_empty() {
        return Ok(compiled);
    }
    errors.sort_by_key(|error| error.span.start);
    Err(errors)
}

/// A constant, and the instruction that pushes it.
#[derive(Debug, Clone, Copy)]
struct Known<'c> {
    kind: ConstantKind,
    text: &'c str,
    op: usize,
}

/// A value that is pushed: a constant, or one that depends on the data or on another call.
type Slot<'c> = Option<Known<'c>>;

struct Checker<'c> {
    compiled: &'c Compiled,
    scratch: Scratch,
    errors: Vec<TemplateError>,
}

impl<'c> Checker<'c> {
    /// Follows the instructions in their order. Blocks begin and end with nothing pushed, so that only a value that is
    /// kept by a jump, as by `or`, may be another one than the instruction before says.
    fn run(mut self) -> Vec<TemplateError> {
        let compiled = self.compiled;
        let ops = &compiled.programs.ops;
        let kept: BTreeSet<usize> =
            ops.iter().filter(|op| op.code == OpCode::KeepUnless).map(|op| op.a as usize).collect();
        let mut stack: Vec<Slot<'c>> = Vec::new();
        for (at, op) in ops.iter().enumerate() {
            if kept.contains(&at)
                && let Some(top) = stack.last_mut()
            {
                *top = None;
            }
            match op.code {
                OpCode::Push | OpCode::LoopItem => stack.push(None),
                OpCode::Constant => stack.push(self.constant(op.a, at)),
                OpCode::Call => {
                    let arguments = stack.split_off(stack.len().saturating_sub(op.b as usize));
                    let function = u8::try_from(op.a).ok().and_then(Function::from_tag);
                    if let Some(error) = function.and_then(|function| self.call(function, &arguments, at)) {
                        self.errors.push(error);
                    }
                    stack.push(None);
                }
                OpCode::Loop => {
                    let over = stack.pop().flatten();
                    if let Some(error) = over.and_then(|over| self.over(over)) {
                        self.errors.push(error);
                    }
                }
                OpCode::Fields => {
                    stack.pop();
                    stack.push(None);
                }
                OpCode::EmitTop | OpCode::Store | OpCode::Drop | OpCode::JumpUnless | OpCode::KeepUnless => {
                    stack.pop();
                }
                OpCode::Literal
                | OpCode::Emit
                | OpCode::Jump
                | OpCode::Branch
                | OpCode::Next
                | OpCode::Variable => {}
            }
        }
        self.errors
    }

    fn constant(&self, index: u32, op: usize) -> Slot<'c> {
        let constant = self.compiled.programs.constants.get(index as usize)?;
        let text = self.compiled.strings.get(constant.text.0 as usize)?;
        Some(Known { kind: constant.kind, text, op })
    }

    fn span(&self, op: usize) -> Range<usize> {
        self.compiled.spans.get(op).cloned().unwrap_or(0..0)
    }

    /// A loop over a constant.
    fn over(&mut self, over: Known<'_>) -> Option<TemplateError> {
        let ops = [Op::new(OpCode::Loop, 0, 3, 1), Op::new(OpCode::Next, 0, 2, 1)];
        let fault = self.render(&[over], &ops).err()?;
        Some(TemplateError::syntax(self.span(over.op), fault))
    }

    fn call(&mut self, function: Function, arguments: &[Slot<'_>], at: usize) -> Option<TemplateError> {
        if let Some(error) = self.misplaced(function, arguments, at) {
            return Some(error);
        }
        if arguments.iter().all(Option::is_none) {
            return None;
        }
        let neutral: &[&str] = match function {
            Function::Date | Function::DateInZone => &["2006", "2020-01-02T03:04:05Z", "UTC"],
            Function::Printf => &[],
            // A pattern is checked whatever it is looked for in.
            function if function.has_pattern() => &[],
            _ if arguments.iter().any(Option::is_none) => return None,
            _ => &[],
        };
        let filled = arguments.iter().enumerate().map(|(place, argument)| {
            argument.unwrap_or_else(|| text(neutral.get(place).copied().unwrap_or_default()))
        });
        let filled: Vec<Known<'_>> = filled.collect();
        if let Err(fault) = self.evaluate(function, &filled) {
            return Some(TemplateError::syntax(self.span(at), fault));
        }
        match (function, arguments.first().copied().flatten()) {
            (Function::Date | Function::DateInZone, Some(layout)) => self.layout(layout),
            (Function::Printf, Some(format)) => self.format(format, arguments.len() - 1, at),
            _ => None,
        }
    }

    /// Constants of the wrong kind, or in the place of another argument.
    fn misplaced(&self, function: Function, arguments: &[Slot<'_>], at: usize) -> Option<TemplateError> {
        let texts = match function {
            Function::Replace => 2,
            Function::Join
            | Function::Split
            | Function::Contains
            | Function::HasPrefix
            | Function::HasSuffix
            | Function::TrimPrefix
            | Function::TrimSuffix
            | Function::TrimAll => 1,
            _ => return None,
        };
        let known = |place: usize| arguments.get(place).copied().flatten();
        for number in (0..texts).filter_map(known).filter(|known| known.kind == ConstantKind::Number) {
            let span = self.span(number.op);
            let source = self.compiled.source.get(span.clone()).unwrap_or_default();
            if let Some(rune) = source.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
                let rune = rune.replace("\\'", "'").replace('"', "\\\"");
                let message = format!("`{function}` needs text here, not a number");
                let help = format!("`{source}` is a number in Go; write `\"{rune}\"`");
                return Some(TemplateError::syntax(span, message).with_help(help));
            }
        }
        let list = known(1).filter(|list| function == Function::Join && list.kind == ConstantKind::String);
        list.map(|_| {
            TemplateError::syntax(self.span(at), "`join` needs a list as its second argument, not text")
                .with_help("the separator comes first: `join \", \" .list`")
        })
    }

    /// A layout that writes every time alike.
    fn layout(&mut self, layout: Known<'_>) -> Option<TemplateError> {
        let [first, second] = MOMENTS.map(|[time, zone]| {
            self.evaluate(Function::DateInZone, &[layout, text(time), text(zone)]).unwrap_or_default()
        });
        (first == second).then(|| {
            TemplateError::syntax(
                self.span(layout.op),
                "the layout has no element, so every date looks the same",
            )
            .with_help("Go writes a date as `2006-01-02`")
        })
    }

    fn format(&self, format: Known<'_>, given: usize, at: usize) -> Option<TemplateError> {
        let wanted = verbs(format.text);
        // Go shows a value too many; one that is missing is never meant.
        (wanted > given).then(|| {
            let verbs = if wanted == 1 { "verb" } else { "verbs" };
            let values = if given == 1 { "value" } else { "values" };
            let message = format!("the format of `printf` has {wanted} {verbs} for {given} {values}");
            TemplateError::syntax(self.span(at), message)
        })
    }

    fn evaluate(&mut self, function: Function, arguments: &[Known<'_>]) -> Result<Vec<u8>, String> {
        let call = Op::new(OpCode::Call, u32::from(function.tag()), arguments.len() as u32, 0);
        self.render(arguments, &[call, Op::new(OpCode::EmitTop, u32::from(Encoding::Text.tag()), 0, 0)])
    }

    /// What instructions write that follow constants, or why they never can. A limit may be another one elsewhere.
    fn render(&mut self, constants: &[Known<'_>], ops: &[Op]) -> Result<Vec<u8>, String> {
        let mut pool = PoolBuilder::new();
        pool.intern("");
        let mut programs = Programs::default();
        for (index, constant) in constants.iter().enumerate() {
            let text: StrId = pool.intern(constant.text);
            programs.constants.push(Constant { kind: constant.kind, text });
            programs.ops.push(Op::new(OpCode::Constant, index as u32, 0, 0));
        }
        programs.ops.extend_from_slice(ops);
        programs.shapes.push(Shape { fields: Run::default(), items: NONE });
        let program = Program {
            dialect: self.compiled.dialect.into(),
            place: Destination::Text,
            ops: Run { start: 0, count: programs.ops.len() as u32 },
            registers: 3,
            loops: 1,
            shape: 0,
            spots: Run::default(),
        };
        let contents = Contents { strings: pool.finish(), templates: programs, ..Contents::default() };
        let (limits, ambient) = (Limits { iterations: 10, ..Limits::default() }, Ambient::default());
        let mut out = Vec::new();
        let scratch = &mut self.scratch;
        match render_text(&contents, &program, "null", &ambient, &limits, scratch, &mut (), &mut out) {
            Err(error) if matches!(error.fault, Fault::Value(_)) => Err(error.fault.to_string()),
            _ => Ok(out),
        }
    }
}

fn text(text: &str) -> Known<'_> {
    Known { kind: ConstantKind::String, text, op: 0 }
}

/// How many values a format prints.
fn verbs(format: &str) -> usize {
    let mut count = 0;
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        let after = after.trim_start_matches(['-', '+', '#', ' ', '0']);
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = after
            .strip_prefix('.')
            .map_or(after, |precision| precision.trim_start_matches(|c: char| c.is_ascii_digit()));
        let mut characters = after.chars();
        count += usize::from(characters.next().is_some_and(|verb| verb != '%'));
        rest = characters.as_str();
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::template::{Dialect, ErrorKind, compile};

    /// What is underlined, the message and the help.
    fn refused(dialect: Dialect, source: &str) -> Option<(String, String)> {
        let error = compile(dialect, source).err()?.remove(0);
        assert_eq!(error.kind, ErrorKind::Syntax, "{source}");
        Some((source.get(error.span.clone()).unwrap().to_owned(), error.to_string()))
    }

    #[test]
    fn calls_that_never_succeed_are_refused() {
        for (source, place, message) in [
            ("{{ div 3 0 }}", "div 3 0", "`div`: "),
            ("a {{ b64dec \"!!\" }}", "b64dec \"!!\"", "`b64dec`: "),
            ("{{ if gt \"a\" 1 }}x{{ end }}", "gt \"a\" 1", "`gt`: "),
            ("{{ add \"x\" 1 }}", "add \"x\" 1", "`add`: "),
            ("{{ printf \"%d\" (div 3 0) }}", "div 3 0", "`div`: "),
            ("{{ 3 | div 1 | printf \"%d %v\" (mod 1 0) }}", "mod 1 0", "`mod`: "),
            ("{{ .a }}\r\n{{ div 3 0 }}", "div 3 0", "`div`: "),
            ("{{ range \"abc\" }}x{{ end }}", "\"abc\"", "cannot loop over a string"),
            ("{{ range true }}x{{ end }}", "true", "cannot loop over a boolean"),
            (
                "{{ dateInZone \"2006\" .t \"Mars/Olympus\" }}",
                "dateInZone \"2006\" .t \"Mars/Olympus\"",
                "no time zone",
            ),
            ("{{ date \"2006\" \"soon\" }}", "date \"2006\" \"soon\"", "is not a time"),
            ("{{ date \"YYYY-MM-DD\" .t }}", "\"YYYY-MM-DD\"", "Go writes a date as `2006-01-02`"),
            ("{{ .t | date \"%Y\" }}", "\"%Y\"", "has no element"),
            ("{{ printf \"%s %s\" .a }}", "printf \"%s %s\" .a", "has 2 verbs for 1 value"),
            ("{{ .a | printf \"%s %5.2f%%\" }}", "printf \"%s %5.2f%%\"", "has 2 verbs for 1 value"),
            ("{{ printf \"%*d\" .a .b }}", "printf \"%*d\" .a .b", "`*` in a format is not supported"),
            ("{{ join ',' .l }}", "','", "(`','` is a number in Go; write `\",\"`)"),
            ("{{ replace \"a\" '\\'' .l }}", "'\\''", "write `\"'\"`"),
            ("{{ regexMatch \"(\" .s }}", "regexMatch \"(\" .s", "unclosed group"),
            ("{{ toDate \"2006\" \"soon\" }}", "toDate \"2006\" \"soon\"", "expected a year"),
            ("{{ join .l \", \" }}", "join .l \", \"", "the separator comes first: `join \", \" .list`"),
        ] {
            let (found, text) = refused(Dialect::Go, source).unwrap_or_else(|| panic!("{source}"));
            assert_eq!(found, place, "{source}");
            assert!(text.contains(message), "{source}: {text}");
        }
    }

    #[test]
    fn calls_that_may_succeed_are_taken() {
        for source in [
            "{{ div 3 1 }}{{ div .a 0 }}",
            "{{ div 3 (or .a 0) }}{{ div 3 (or 0 1) }}",
            "{{ range 3 }}x{{ end }}{{ range 100000 }}{{ end }}",
            "{{ range .l }}x{{ end }}",
            "{{ date \"2006\" .t }}{{ date .l .t }}{{ date \"MST\" now }}{{ date \".999\" .t }}",
            "{{ date \"Jan\" 0 }}{{ date \"Mon\" 0 }}{{ date \"PM\" 0 }}{{ date \"002\" 0 }}{{ date \"Z07:00\" 0 }}",
            "{{ dateInZone \"-0700\" .t .z }}{{ dateInZone \"15:04\" .t \"Asia/Shanghai\" }}",
            "{{ printf \"100%%\" }}{{ printf \"%-5s|% d|%06.2f\" .a .b .c }}{{ printf .f .a }}",
            "{{ join \", \" .l }}{{ .s | split \",\" | join \" \" }}{{ replace 1 2 .s }}",
        ] {
            assert_eq!(refused(Dialect::Go, source), None, "{source}");
        }
        assert_eq!(
            refused(Dialect::Handlebars, "{{#if (gt \"a\" 1)}}x{{/if}}{{#each \"a\"}}x{{/each}}"),
            None
        );
    }

    #[test]
    fn every_one_is_reported() {
        let errors = compile(Dialect::Go, "{{ add1 (div 1 0) }}{{ range \"a\" }}{{ join 'a' .l }}{{ end }}");
        assert_eq!(errors.unwrap_err().len(), 3);
    }
}
