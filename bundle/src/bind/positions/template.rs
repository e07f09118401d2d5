//! Templates of a request: their data are the arguments, and every value in them is encoded for the place that the
//! compiler found it to stand in, by the encoders of the positions.

use super::header::{self, Header};
use super::path::{PathValue, Segment};
use super::text::Place as _;
use super::{Refusal, Sink, Source, percent};
use crate::bind::{Mark, Names, ProblemKind, Problems, shorten};
use crate::json::{self, Kind, ScanError, Scanner, Value};
use crate::plan::Part;
use crate::template::{
    Encoding, Fault, OpCode, Output, Place, Program, Ran, RenderError, Scratch, Trace, render,
};

/// Appends the arguments as templates see them: those given and the defaults of the others.
pub(super) fn write_data(source: &Source<'_>, out: &mut String) {
    out.push('{');
    let parameters = (0..source.tool.parameters.len() as u32).filter_map(|index| source.argument(index));
    for argument in parameters {
        let mut name = Vec::new();
        json::write_string(source.string(argument.parameter.name), &mut name);
        write_member(&String::from_utf8_lossy(&name), argument.value.text, out);
    }
    for extra in source.extras {
        let (key, value) = (extra.key.of(source.arguments), extra.value.of(source.arguments));
        write_member(key.text, value.text, out);
    }
    out.push('}');
}

fn write_member(name: &str, value: &str, out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
    out.push_str(name);
    out.push(':');
    out.push_str(value);
}

/// Writes the end of the path, and maybe a query.
pub(super) fn target(source: &Source<'_>, sink: &mut Sink<'_>, part: Part, segment: &mut Segment) {
    let Sink { request, problems, bytes, data, template, trace, .. } = sink;
    let site = Target { source, part, segment, in_query: false, out: &mut request.target, buffer: bytes };
    let mut out = Encoded { source, site, refusal: None };
    let rendered = run(source, part, data, template, trace, &mut out);
    let refusal = match rendered {
        Ok(()) => out.site.end_path().err(),
        Err(_) => out.refusal,
    };
    report(source, part, "endpoint", rendered, refusal, problems);
}

/// Writes a header, unless nothing is written into it.
pub(super) fn header(source: &Source<'_>, sink: &mut Sink<'_>, part: Part, name: &str) {
    let Sink { request, problems, data, template, trace, .. } = sink;
    let label = format!("header {name}");
    let written: Result<(), Refusal> = request.header(name, |head| {
        let start = head.len();
        let mut out = Encoded { source, site: HeaderValue { out: head }, refusal: None };
        let rendered = run(source, part, data, template, trace, &mut out);
        let failed = rendered.is_err();
        report(source, part, &label, rendered, out.refusal, problems);
        header::check_length(head.len() - start, source.limits.header_value)?;
        Ok(!failed && head.len() > start)
    });
    if let Err(refusal) = written {
        refusal.report(&label, problems);
    }
}

/// Writes the body; `false` if there is none.
pub(super) fn body(source: &Source<'_>, sink: &mut Sink<'_>) -> bool {
    let Some(&part) = source.http.body.ops.first().and_then(|op| op.value.first()) else { return false };
    let Sink { request, problems, data, template, trace, names, .. } = sink;
    let mut out = Encoded { source, site: Body { out: &mut request.body, last: None }, refusal: None };
    let rendered = run(source, part, data, template, trace, &mut out);
    let (refusal, failed) = (out.refusal, rendered.is_err());
    report(source, part, "body_template", rendered, refusal, problems);
    let is_json = program(source, part).is_some_and(|program| program.place == Place::Json);
    if is_json
        && !failed
        && let Err(error) = validate(&request.body, names)
    {
        problems.push(ProblemKind::Template, || {
            let message = format!("`body_template` does not write sound JSON with these arguments: {error}");
            ("body_template".to_owned(), message)
        });
    }
    true
}

/// Whether a body is JSON, with no member twice: of two, an upstream might read another one than the template's.
fn validate(body: &[u8], names: &mut Names) -> Result<(), String> {
    let text = std::str::from_utf8(body).map_err(|_| "it is no text".to_owned())?;
    let mut scanner = Scanner::of_text(text, json::MAX_DEPTH);
    let mut walk = || -> Result<Option<Value<'_>>, ScanError> {
        // The open containers, and of objects where their names begin.
        let mut open: Vec<Option<Mark>> = Vec::new();
        names.clear();
        loop {
            match scanner.peek()? {
                Kind::Object => {
                    scanner.enter_object()?;
                    open.push(Some(names.open()));
                }
                Kind::Array => {
                    scanner.enter_array()?;
                    open.push(None);
                }
                _ => drop(scanner.value()?),
            }
            // Goes on to the next value, closing what ends before it.
            loop {
                let Some(&container) = open.last() else {
                    scanner.finish()?;
                    return Ok(None);
                };
                match container {
                    None if scanner.next_item()? => break,
                    None => {}
                    Some(mark) => {
                        if let Some(key) = scanner.next_key()? {
                            names.push(text, key);
                            break;
                        }
                        if let Some(twice) = names.close(mark, text) {
                            return Ok(Some(twice));
                        }
                    }
                }
                open.pop();
            }
        }
    };
    match walk() {
        Ok(None) => Ok(()),
        Ok(Some(twice)) => {
            Err(format!("it has two members `{}`", shorten(twice.unescaped(&mut String::new()))))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn program<'a>(source: &Source<'a>, part: Part) -> Option<&'a Program> {
    source.contents.templates.programs.get(part.id as usize)
}

fn run(
    source: &Source<'_>,
    part: Part,
    data: &str,
    scratch: &mut Scratch,
    trace: &mut Option<Ran>,
    out: &mut impl Output,
) -> Result<(), RenderError> {
    let Some(program) = program(source, part) else { return Ok(()) };
    trace.program(part.id);
    let (ambient, limits) = (&source.values.ambient, &source.limits.template);
    render(source.contents, program, data, ambient, limits, scratch, trace, out)
}

fn report(
    source: &Source<'_>,
    part: Part,
    label: &str,
    rendered: Result<(), RenderError>,
    refusal: Option<Refusal>,
    problems: &mut Problems,
) {
    if let Some(refusal) = refusal {
        let op = rendered.err().and_then(|error| error.op);
        // A caller knows its arguments, not the template that they go into.
        refusal.report(argument_name(source, part, op).unwrap_or(label), problems);
    } else if let Err(error) = rendered {
        let is_secret = source.tool.parameters.iter().any(|parameter| parameter.sensitive);
        problems.push(ProblemKind::Template, || {
            let reason = match (&error.fault, error.at) {
                // Words about a value may hold it.
                (Fault::Value(_), Some((line, column))) if is_secret => {
                    format!("line {line}, column {column} cannot use what it is given")
                }
                (Fault::Value(_), None) if is_secret => "it cannot use what it is given".to_owned(),
                _ => error.to_string(),
            };
            (label.to_owned(), format!("`{label}` cannot be rendered with these arguments: {reason}"))
        });
    }
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
struct Encoded<'a, S> {
    source: &'a Source<'a>,
    site: S,
    refusal: Option<Refusal>,
}

impl<S> Encoded<'_, S> {
    fn keep(&mut self, written: Result<(), Refusal>) -> Result<(), Box<Fault>> {
        written.map_err(|refusal| {
            let message = refusal.message.clone();
            self.refusal = Some(refusal);
            Box::new(Fault::Refused(message))
        })
    }
}

impl<S: Site> Output for Encoded<'_, S> {
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
        let Some(text) = self.source.variable_text(part) else {
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
    source: &'a Source<'a>,
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
