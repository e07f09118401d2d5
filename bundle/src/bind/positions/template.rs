//! Templates of a request: their data are the arguments. The compiler found the place of every
//! value; the encoders of the positions encode the value for it.
//!
//! Only a template with conditions, loops or functions runs on the machine, over the arguments as one JSON object.

use super::header::{self, Header};
use super::path::{PathValue, Segment};
use super::text::TextPosition as _;
use super::{Refusal, percent};
use crate::bind::names::sound_json;
use crate::bind::pass::{Pass, Scratch, Slot, Source};
use crate::bind::prepared::{PieceValue, Straight, Template};
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::json::{self, Kind, MAX_DEPTH, utf8};
use crate::plan::Part;
use crate::template::{
    self, Destination, Encoding, Fault, Limit, OpCode, Output, Program, RenderError, TextOutput, Trace,
    render,
};

impl<R: Report> Pass<'_, '_, R> {
    /// Writes the arguments as templates see them: those given and the defaults of the others.
    #[inline(never)]
    pub(super) fn write_data(&mut self) {
        let source = self.source;
        let out = &mut self.scratch.data;
        out.clear();
        out.push(b'{');
        for index in 0..source.tool.parameters.len() as u32 {
            if let Some(argument) = source.argument(&self.scratch.slots, index) {
                begin_member(out);
                json::write_string(source.string(argument.parameter.name.text), out);
                out.push(b':');
                out.extend_from_slice(argument.value.text.as_bytes());
            }
        }
        for &place in &self.scratch.extras {
            begin_member(out);
            out.extend_from_slice(source.value_at(place).text.as_bytes());
            out.push(b':');
            out.extend_from_slice(source.value_at(place + 1).text.as_bytes());
        }
        out.push(b'}');
    }

    /// Writes the end of the path, and maybe a query.
    #[inline(never)]
    pub(super) fn write_target_template(
        &mut self,
        template: Template,
        segment: &mut Segment,
    ) -> Result<(), Refused> {
        let source = &self.source;
        let mut buffer = std::mem::take(&mut self.scratch.bytes);
        let (part, out) = (Part::template(template.program), &mut self.request.target);
        let site = Target { source, part, segment, in_query: false, out, buffer: &mut buffer };
        let mut out = Encoded { source, site, refusal: None };
        let rendered = run(source, template, self.scratch, &mut out);
        let refusal = match rendered {
            Ok(()) => out.site.end_path().err(),
            Err(_) => out.refusal,
        };
        self.scratch.bytes = buffer;
        report(source, template, "endpoint", rendered, refusal, &mut self.report)
    }

    /// Writes a header, unless nothing is written into it.
    #[inline(never)]
    pub(super) fn write_header_template(&mut self, template: Template, name: &[u8]) -> Result<(), Refused> {
        let source = &self.source;
        let line = self.request.begin_header(name);
        let head = self.request.head_mut();
        let mut out = Encoded { source, site: HeaderValue { out: head }, refusal: None };
        let rendered = run(source, template, self.scratch, &mut out);
        let (refusal, failed) = (out.refusal, rendered.is_err());
        let length = self.request.head().len() - line.value();
        self.request.end_header(line, !failed && length > 0);
        let label = || format!("header {}", String::from_utf8_lossy(name));
        if failed {
            report(source, template, &label(), rendered, refusal, &mut self.report)?;
        }
        match header::check_length(length, source.limits.header_value) {
            Ok(()) => Ok(()),
            Err(refusal) => refusal.report(&label(), &mut self.report),
        }
    }

    /// Writes the body.
    #[inline(never)]
    pub(super) fn write_body_of_template(&mut self, template: Template) -> Result<bool, Refused> {
        let source = &self.source;
        let site = Body { out: &mut self.request.body, last: None };
        let mut out = Encoded { source, site, refusal: None };
        let rendered = run(source, template, self.scratch, &mut out);
        let (refusal, failed) = (out.refusal, rendered.is_err());
        report(source, template, "body_template", rendered, refusal, &mut self.report)?;
        let is_json = program(source, template).is_some_and(|program| program.place == Destination::Json);
        let is_sound = straight(source, template).is_some_and(|straight| straight.is_sound);
        let Scratch { body: tape, names, .. } = &mut *self.scratch;
        // Of two members of one name, an upstream might read another one than the template's.
        if is_json
            && !is_sound
            && !failed
            && let Err(error) = sound_json(&self.request.body, MAX_DEPTH, tape, names)
        {
            self.report.problem(ProblemKind::Template, || {
                let message =
                    format!("`body_template` does not write sound JSON with these arguments: {error}");
                ("body_template".to_owned(), message)
            })?;
        }
        Ok(true)
    }
}

/// Writes what comes before a member.
fn begin_member(out: &mut Vec<u8>) {
    if out.len() > 1 {
        out.push(b',');
    }
}

fn program<'a>(source: &Source<'a>, template: Template) -> Option<&'a Program> {
    source.contents.templates.programs.get(template.program as usize)
}

fn straight<'a>(source: &Source<'a>, template: Template) -> Option<&'a Straight> {
    source.tools.straight.get(template.straight as usize)
}

fn run(
    source: &Source<'_>,
    template: Template,
    scratch: &mut Scratch,
    out: &mut impl Output,
) -> Result<(), RenderError> {
    let Some(program) = program(source, template) else { return Ok(()) };
    scratch.trace.program(template.program);
    let limits = &source.limits.template;
    if let Some(straight) = straight(source, template) {
        return write_straight(source, program, straight, scratch, out);
    }
    // It was put together from texts.
    let data = utf8::read(&scratch.data).unwrap_or("{}");
    let ambient = &source.values.ambient;
    render(source.contents, program, data, ambient, limits, &mut scratch.template, &mut scratch.trace, out)
}

/// Writes what the machine would.
fn write_straight(
    source: &Source<'_>,
    program: &Program,
    straight: &Straight,
    scratch: &mut Scratch,
    out: &mut impl Output,
) -> Result<(), RenderError> {
    let end = out.len().saturating_add(source.limits.template.output);
    let mut traced = 0;
    for piece in &straight.pieces {
        if let Some(trace) = &mut scratch.trace {
            // Also those that write nothing.
            (traced..=piece.op as usize).for_each(|op| trace.op(op));
            traced = piece.op as usize + 1;
        }
        let written = match piece.value {
            PieceValue::Literal(id) => out.literal(source.bytes(id)),
            PieceValue::Variable(part, encoding) => out.variable(part, encoding),
            PieceValue::Argument(index, encoding) => {
                let (slots, text) = (&scratch.slots, &mut scratch.text);
                write_argument(source, straight, slots, index, encoding, text, out)
            }
        };
        let written = match written {
            Ok(()) if out.len() > end => Err(Box::new(Fault::Limit(Limit::Output))),
            written => written,
        };
        if let Err(fault) = written {
            let at = template::place(&source.contents.templates, program, piece.op as usize);
            return Err(RenderError { fault: *fault, at, op: Some(piece.op) });
        }
    }
    Ok(())
}

/// Writes an argument, or what stands for one that is not there: nothing, in JSON null.
fn write_argument(
    source: &Source<'_>,
    straight: &Straight,
    slots: &[Slot],
    index: u32,
    encoding: Encoding,
    buffer: &mut String,
    out: &mut impl Output,
) -> Result<(), Box<Fault>> {
    let value = source.argument(slots, index).map(|argument| argument.value);
    match (value, encoding) {
        (None, Encoding::Json) => out.json("null"),
        (None, _) => out.text(encoding, ""),
        (Some(value), Encoding::Json) => out.json(value.text),
        (Some(value), _) if value.kind == Kind::String => {
            out.string(encoding, value.raw().as_bytes(), value.escaped, buffer)
        }
        (Some(value), _) => {
            buffer.clear();
            template::print_json(straight.dialect, value, buffer);
            out.text(encoding, buffer)
        }
    }
}

fn report(
    source: &Source<'_>,
    template: Template,
    label: &str,
    rendered: Result<(), RenderError>,
    refusal: Option<Refusal>,
    report: &mut impl Report,
) -> Result<(), Refused> {
    if let Some(refusal) = refusal {
        let op = rendered.err().and_then(|error| error.op);
        // A caller sees its arguments, not the template that they go into.
        return refusal.report(argument_name(source, template, op).unwrap_or(label), report);
    }
    let Err(error) = rendered else { return Ok(()) };
    report.problem(ProblemKind::Template, || {
        let reason = match (&error.fault, error.at) {
            // Words about a value may hold it.
            (Fault::Value(_), Some((line, column))) if source.tool.is_sensitive => {
                format!("line {line}, column {column} cannot use what it is given")
            }
            (Fault::Value(_), None) if source.tool.is_sensitive => {
                "it cannot use what it is given".to_owned()
            }
            _ => error.to_string(),
        };
        (label.to_owned(), format!("`{label}` cannot be rendered with these arguments: {reason}"))
    })
}

/// The argument that an instruction writes, or the last one before it: a path segment is judged where it ends.
fn argument_name<'a>(source: &Source<'a>, template: Template, op: Option<u32>) -> Option<&'a str> {
    let programs = &source.contents.templates;
    let ops = program(source, template)?.ops.of(&programs.ops);
    let so_far = ops.get(..op.map_or(ops.len(), |op| op as usize + 1))?;
    let last = so_far.iter().rfind(|op| matches!(op.code, OpCode::Emit | OpCode::EmitTop))?;
    let path =
        programs.paths.get(last.a as usize).filter(|path| last.code == OpCode::Emit && path.base == 0)?;
    Some(source.string(path.steps.of(&programs.steps).first()?.key))
}

/// A place of a request that a template writes.
trait Site {
    fn out(&mut self) -> &mut Vec<u8>;

    fn len(&self) -> usize;

    fn literal(&mut self, text: &[u8]) -> Result<(), Refusal> {
        self.out().extend_from_slice(text);
        Ok(())
    }

    fn value(&mut self, encoding: Encoding, text: &str) -> Result<(), Refusal>;
}

/// Writes into a site, and remembers why that refused something.
struct Encoded<'s, 'a, S> {
    source: &'s Source<'a>,
    site: S,
    refusal: Option<Refusal>,
}

impl<S> Encoded<'_, '_, S> {
    fn keep(&mut self, written: Result<(), Refusal>) -> Result<(), Box<Fault>> {
        written.map_err(|refusal| {
            let message = refusal.message.clone();
            self.refusal = Some(refusal);
            Box::new(Fault::Refused(message))
        })
    }
}

impl<S: Site> Output for Encoded<'_, '_, S> {
    fn len(&self) -> usize {
        self.site.len()
    }

    fn literal(&mut self, text: &[u8]) -> Result<(), Box<Fault>> {
        let written = self.site.literal(text);
        self.keep(written)
    }

    fn text(&mut self, encoding: Encoding, text: &str) -> Result<(), Box<Fault>> {
        let written = self.site.value(encoding, text);
        self.keep(written)
    }

    /// Inside a string of a body, it goes over as it is, like the text of a result.
    #[inline]
    fn string(
        &mut self,
        encoding: Encoding,
        raw: &[u8],
        escaped: bool,
        buffer: &mut String,
    ) -> Result<(), Box<Fault>> {
        if encoding == Encoding::Text {
            return TextOutput(self.site.out()).string(encoding, raw, escaped, buffer);
        }
        self.text(encoding, template::unescaped(raw, escaped, buffer))
    }

    fn variable(&mut self, part: Part, encoding: Encoding) -> Result<(), Box<Fault>> {
        let Some(text) = self.source.fixed.variable_text(part) else {
            let name = self.source.part_name(part);
            let message = format!("needs `{name}`, which has no value for this call");
            return self.keep(Err(Refusal { kind: ProblemKind::UnresolvedVariable, message }));
        };
        let mut quoted = Vec::new();
        let text = match encoding {
            Encoding::Json => {
                json::write_string(text, &mut quoted);
                &String::from_utf8_lossy(&quoted)
            }
            _ => text,
        };
        let written = self.site.value(encoding, text);
        self.keep(written)
    }
}

struct Target<'a, 's> {
    source: &'s Source<'a>,
    part: Part,
    segment: &'s mut Segment,
    in_query: bool,
    out: &'s mut Vec<u8>,
    buffer: &'s mut Vec<u8>,
}

impl Target<'_, '_> {
    /// Whatever came together in the last segment must not lead anywhere else.
    fn end_path(&mut self) -> Result<(), Refusal> {
        if self.in_query {
            return Ok(());
        }
        self.in_query = true;
        self.segment.close(self.out, self.buffer).map_err(|(_, refusal)| refusal)
    }
}

impl Site for Target<'_, '_> {
    fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    fn len(&self) -> usize {
        self.out.len()
    }

    fn literal(&mut self, text: &[u8]) -> Result<(), Refusal> {
        if self.in_query {
            self.out.extend_from_slice(text);
            return Ok(());
        }
        let end = text.iter().position(|&byte| byte == b'?');
        let (path, query) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or_default();
        // Also literals alone could come together to a dot segment.
        self.segment.own_any(self.part);
        self.segment.literal(path, self.out, self.buffer).map_err(|(_, refusal)| refusal)?;
        self.segment.own_any(self.part);
        if end.is_some() {
            self.end_path()?;
            self.out.extend_from_slice(query);
        }
        Ok(())
    }

    fn value(&mut self, encoding: Encoding, text: &str) -> Result<(), Refusal> {
        if encoding == Encoding::Query || self.in_query {
            percent::encode(text, self.out);
            return Ok(());
        }
        let mut place = PathValue::default();
        place.piece(text, None, self.out)?;
        place.check(self.source.limits.path_value)?;
        self.segment.own(self.part, &place);
        Ok(())
    }
}

struct HeaderValue<'s> {
    out: &'s mut Vec<u8>,
}

impl Site for HeaderValue<'_> {
    fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    fn len(&self) -> usize {
        self.out.len()
    }

    fn value(&mut self, _: Encoding, text: &str) -> Result<(), Refusal> {
        Header.piece(text, None, self.out)
    }
}

struct Body<'s> {
    out: &'s mut Vec<u8>,
    /// The last byte written that is not space.
    last: Option<u8>,
}

impl Site for Body<'_> {
    fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    fn len(&self) -> usize {
        self.out.len()
    }

    fn literal(&mut self, text: &[u8]) -> Result<(), Refusal> {
        self.last = text.iter().rev().find(|byte| !byte.is_ascii_whitespace()).copied().or(self.last);
        self.out.extend_from_slice(text);
        Ok(())
    }

    fn value(&mut self, encoding: Encoding, text: &str) -> Result<(), Refusal> {
        match encoding {
            Encoding::Text => json::write_escaped(text, self.out),
            Encoding::Json => {
                // Beside other text, a value would become a part of it: `1` and `2` would be 12.
                if self.last.is_some_and(|byte| !b"[{:,".contains(&byte)) {
                    let message = "puts a value where JSON cannot have one".to_owned();
                    return Err(Refusal { kind: ProblemKind::Template, message });
                }
                self.out.extend_from_slice(text.as_bytes());
                self.last = text.bytes().next_back();
            }
            _ => percent::encode(text, self.out),
        }
        Ok(())
    }
}
