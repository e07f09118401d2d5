//! Templates of a request: their data are the arguments. The compiler found the place of every
//! value; the encoders of the positions encode the value for it.

use super::header::{self, Header};
use super::path::{PathValue, Segment};
use super::text::TextPosition as _;
use super::{Refusal, percent};
use crate::bind::names::Names;
use crate::bind::pass::{Pass, Source};
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::bind::shorten;
use crate::json::{self, Span, utf8};
use crate::plan::Part;
use crate::template::{
    Destination, Encoding, Fault, OpCode, Output, Program, Ran, RenderError, Scratch, Trace, render,
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
    pub(super) fn write_target_template(&mut self, part: Part, segment: &mut Segment) -> Result<(), Refused> {
        let source = &self.source;
        let scratch = &mut *self.scratch;
        let (out, buffer) = (&mut self.request.target, &mut scratch.bytes);
        let site = Target { source, part, segment, in_query: false, out, buffer };
        let mut out = Encoded { source, site, refusal: None };
        let rendered = run(source, part, &scratch.data, &mut scratch.template, &mut scratch.trace, &mut out);
        let refusal = match rendered {
            Ok(()) => out.site.end_path().err(),
            Err(_) => out.refusal,
        };
        report(source, part, "endpoint", rendered, refusal, &mut self.report)
    }

    /// Writes a header, unless nothing is written into it.
    #[inline(never)]
    pub(super) fn write_header_template(&mut self, part: Part, name: &[u8]) -> Result<(), Refused> {
        let source = &self.source;
        let scratch = &mut *self.scratch;
        let line = self.request.begin_header(name);
        let head = self.request.head_mut();
        let mut out = Encoded { source, site: HeaderValue { out: head }, refusal: None };
        let rendered = run(source, part, &scratch.data, &mut scratch.template, &mut scratch.trace, &mut out);
        let (refusal, failed) = (out.refusal, rendered.is_err());
        let length = self.request.head().len() - line.value();
        self.request.end_header(line, !failed && length > 0);
        let label = || format!("header {}", String::from_utf8_lossy(name));
        if failed {
            report(source, part, &label(), rendered, refusal, &mut self.report)?;
        }
        match header::check_length(length, source.limits.header_value) {
            Ok(()) => Ok(()),
            Err(refusal) => refusal.report(&label(), &mut self.report),
        }
    }

    /// Writes the body.
    #[inline(never)]
    pub(super) fn write_body_of_template(&mut self, part: Part) -> Result<bool, Refused> {
        let source = &self.source;
        let scratch = &mut *self.scratch;
        let site = Body { out: &mut self.request.body, last: None };
        let mut out = Encoded { source, site, refusal: None };
        let rendered = run(source, part, &scratch.data, &mut scratch.template, &mut scratch.trace, &mut out);
        let (refusal, failed) = (out.refusal, rendered.is_err());
        report(source, part, "body_template", rendered, refusal, &mut self.report)?;
        let is_json = program(source, part).is_some_and(|program| program.place == Destination::Json);
        if is_json
            && !failed
            && let Err(error) = validate(&self.request.body, &mut scratch.body, &mut scratch.names)
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

/// Whether a body is JSON, with no member twice: of two, an upstream might read another one than the template's.
fn validate(body: &[u8], tape: &mut Vec<Span>, names: &mut Names) -> Result<(), String> {
    let text = utf8::read(body).map_err(|_| "it is not text".to_owned())?;
    let value = json::record(text, json::MAX_DEPTH, tape).map_err(|error| error.to_string())?;
    names.clear();
    match names.read_inside(text, tape, 0, value.kind, text.len()) {
        Ok(_) => Ok(()),
        Err(twice) => {
            Err(format!("it has two members `{}`", shorten(twice.of(text).unescaped(&mut String::new()))))
        }
    }
}

fn program<'a>(source: &Source<'a>, part: Part) -> Option<&'a Program> {
    source.contents.templates.programs.get(part.id as usize)
}

fn run(
    source: &Source<'_>,
    part: Part,
    data: &[u8],
    scratch: &mut Scratch,
    trace: &mut Option<Ran>,
    out: &mut impl Output,
) -> Result<(), RenderError> {
    let Some(program) = program(source, part) else { return Ok(()) };
    trace.program(part.id);
    // It was put together from texts.
    let data = utf8::read(data).unwrap_or("{}");
    let (ambient, limits) = (&source.values.ambient, &source.limits.template);
    render(source.contents, program, data, ambient, limits, scratch, trace, out)
}

fn report(
    source: &Source<'_>,
    part: Part,
    label: &str,
    rendered: Result<(), RenderError>,
    refusal: Option<Refusal>,
    report: &mut impl Report,
) -> Result<(), Refused> {
    if let Some(refusal) = refusal {
        let op = rendered.err().and_then(|error| error.op);
        // A caller sees its arguments, not the template that they go into.
        return refusal.report(argument_name(source, part, op).unwrap_or(label), report);
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
fn argument_name<'a>(source: &Source<'a>, part: Part, op: Option<u32>) -> Option<&'a str> {
    let programs = &source.contents.templates;
    let ops = program(source, part)?.ops.of(&programs.ops);
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
