//! Writing a request step by step. Values are encoded by the functions of their positions, like those of the careful way.

use super::{Call, Elements, Given, Limits, Parameter, Request, Step, Tool};
use crate::bind::positions::copy::append_start;
use crate::bind::positions::{self, percent};
use crate::json::{Kind, Span};
use crate::template::Run;

/// What a parameter holds in this call.
#[derive(Clone, Copy)]
enum Value {
    /// Its place on the tape.
    Argument(usize),
    /// In [`super::Tables::bytes`].
    Default(Run),
}

/// The start of a text.
struct Piece<'a> {
    text: &'a [u8],
    length: usize,
}

impl<'a> Call<'a> {
    /// Writes what the arguments say, or gives up.
    #[inline(never)]
    pub(super) fn write(
        &self,
        tool: &Tool<'_>,
        given: &Given,
        limits: &Limits,
        marks: &mut Vec<usize>,
        request: &mut Request,
    ) -> Option<()> {
        // Where the path ends: with steps of the query, a pair begins there.
        let mut path = 0;
        for step in tool.steps {
            match Step::read(step)? {
                Step::Path(text) => {
                    self.append(text, &mut request.target);
                    path = request.target.len();
                }
                Step::PathValue(parameter) => {
                    let Piece { text, length } = self.piece(self.parameter(tool, given, parameter)?)?;
                    positions::write_plain_path_value(text, length, limits.path_value, &mut request.target)?;
                    path = request.target.len();
                }
                Step::Query(text) => self.append(text, &mut request.target),
                Step::QueryValue(name, parameter, elements) => {
                    if let Some(value) = self.parameter(tool, given, parameter) {
                        self.query_value(name, value, elements, &mut request.target)?;
                    }
                }
                Step::HeaderValue(name, parameter) => {
                    if let Some(value) = self.parameter(tool, given, parameter) {
                        let Piece { text, length } = self.piece(value)?;
                        let value = text.get(..length)?;
                        if value.len() > limits.header_value || !positions::is_header_value(value) {
                            return None;
                        }
                        request.plain_header(|head| self.append(name, head), value);
                    }
                }
                Step::ContentType(text) => {
                    let value = text.of(&self.tables.bytes);
                    request.plain_header(|head| head.extend_from_slice(b"content-type: "), value);
                }
                Step::Open(name) => {
                    marks.push(request.body.len());
                    self.append(name, &mut request.body);
                    marks.push(request.body.len());
                }
                Step::Close => {
                    let (inside, before) = (marks.pop()?, marks.pop()?);
                    if close_object(inside, &mut request.body).is_none() {
                        request.body.truncate(before);
                    }
                }
                Step::Field(text) => self.append(text, &mut request.body),
                Step::FieldValue(name, parameter) => {
                    if let Some(value) = self.parameter(tool, given, parameter) {
                        let Piece { text, length } = self.whole(value)?;
                        self.append(name, &mut request.body);
                        append_start(text, length, &mut request.body);
                    }
                }
            }
        }
        // All pairs were written like those after the first.
        if let Some(first) = request.target.get_mut(path) {
            *first = b'?';
        }
        if tool.json_body {
            request.has_body = true;
            if close_object(0, &mut request.body).is_none() {
                request.body.extend_from_slice(b"{}");
            }
        }
        (request.target.len() <= limits.target && request.body.len() <= limits.body).then_some(())
    }

    #[inline(always)]
    fn append(&self, text: Run, out: &mut Vec<u8>) {
        if let Some(Piece { text, length }) = self.fixed(text) {
            append_start(text, length, out);
        }
    }

    /// `None` for one that is left out.
    #[inline(always)]
    fn parameter(&self, tool: &Tool<'_>, given: &Given, index: u8) -> Option<Value> {
        let place = usize::from(*given.get(usize::from(index))?);
        if let Some(place) = place.checked_sub(1) {
            return Some(Value::Argument(place));
        }
        Parameter::read(tool.parameters.get(usize::from(index))?).default.map(Value::Default)
    }

    /// All of a value.
    #[inline(always)]
    fn whole(&self, value: Value) -> Option<Piece<'a>> {
        match value {
            Value::Argument(place) => {
                let span = self.tape.get(place)?;
                self.between(span.start(), span.end())
            }
            Value::Default(text) => self.fixed(text),
        }
    }

    /// The characters of a value, if it is one piece and has no escapes.
    #[inline(always)]
    fn piece(&self, value: Value) -> Option<Piece<'a>> {
        match value {
            Value::Argument(place) => self.characters(self.tape.get(place)?),
            Value::Default(text) => self.fixed(text),
        }
    }

    #[inline(always)]
    fn characters(&self, span: &Span) -> Option<Piece<'a>> {
        match span.kind {
            Kind::String if !span.escaped => self.between(span.start() + 1, span.end() - 1),
            Kind::Number | Kind::Boolean => self.between(span.start(), span.end()),
            Kind::String | Kind::Null | Kind::Array | Kind::Object => None,
        }
    }

    #[inline(always)]
    fn between(&self, start: usize, end: usize) -> Option<Piece<'a>> {
        Some(Piece { text: self.text.as_bytes().get(start..)?, length: end.wrapping_sub(start) })
    }

    #[inline(always)]
    fn fixed(&self, Run { start, count }: Run) -> Option<Piece<'a>> {
        Some(Piece { text: self.tables.bytes.get(start as usize..)?, length: count as usize })
    }

    #[inline(always)]
    fn query_value(&self, name: Run, value: Value, elements: Elements, target: &mut Vec<u8>) -> Option<()> {
        if let Value::Argument(place) = value
            && self.tape.get(place)?.kind == Kind::Array
        {
            return self.query_array(name, place, elements, target);
        }
        let Piece { text, length } = self.piece(value)?;
        self.append(name, target);
        percent::encode_start(text, length, 0, target)
    }

    #[inline(never)]
    fn query_array(&self, name: Run, place: usize, elements: Elements, target: &mut Vec<u8>) -> Option<()> {
        if elements == Elements::Other {
            return None;
        }
        let (array, after) = self.tape.get(place..)?.split_first()?;
        let mut is_first = true;
        for element in after.iter().take_while(|value| value.start() < array.end()) {
            if element.kind == Kind::Null {
                continue;
            }
            let Piece { text, length } = self.characters(element)?;
            match elements {
                Elements::Comma if !is_first => target.push(b','),
                Elements::Space if !is_first => target.extend_from_slice(b"%20"),
                Elements::Pipe if !is_first => target.extend_from_slice(b"%7C"),
                _ => self.append(name, target),
            }
            percent::encode_start(text, length, 0, target)?;
            is_first = false;
        }
        Some(())
    }
}

/// Ends an object whose members, each after a comma, begin at `start`: the first comma becomes its bracket. `None` if there is
/// no member.
#[inline(always)]
fn close_object(start: usize, body: &mut Vec<u8>) -> Option<()> {
    *body.get_mut(start)? = b'{';
    body.push(b'}');
    Some(())
}
