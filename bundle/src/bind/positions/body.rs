//! Body: a JSON object, a form, one argument as a whole, or what a template writes. Those with bytes in them are in
//! `multipart.rs`.
//!
//! Into JSON, values go as the text they came in, which the scanner has validated: digits, escapes and
//! order stay as they are. Variables go in as escaped text.

use super::query::Pairs;
use crate::bind::pass::{Pass, Source};
use crate::bind::prepared::{Body, StepValue};
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::bind::shorten;
use crate::json::{self, Kind, Value};
use crate::wire_enums::BodyKind;

impl<R: Report> Pass<'_, '_, R> {
    pub(super) fn write_body(&mut self) -> Result<(), Refused> {
        let source = self.source;
        let steps = &source.tool.steps;
        let Body { kind, content_type } = steps.body;
        self.request.has_body = match kind {
            BodyKind::None => false,
            BodyKind::Json => self.write_json()?,
            BodyKind::Form => self.write_form()?,
            BodyKind::Whole => self.write_whole(),
            BodyKind::Template => self.write_body_template()?,
            BodyKind::Multipart => self.write_multipart()?,
            BodyKind::Bytes => self.write_bytes()?,
        };
        if !self.request.has_body {
            return Ok(());
        }
        // Text from the arguments is copied as it is, so before this it grows no further than they do.
        let limit = source.limits.body;
        if self.request.body.len() > limit {
            self.report.problem(ProblemKind::TooLarge, || {
                (
                    String::new(),
                    format!("the arguments make a body longer than the {limit} bytes that are allowed"),
                )
            })?;
        }
        // The plan may have one that this call leaves out.
        let is_set = steps.may_set_type && self.request.has_header("content-type");
        if let Some(content_type) = content_type.filter(|_| !is_set) {
            let line = self.request.begin_header(b"content-type");
            self.request.head_mut().extend_from_slice(source.bytes(content_type));
            if kind == BodyKind::Multipart {
                self.request.head_mut().extend_from_slice(&self.scratch.boundary);
            }
            self.request.end_header(line, true);
        }
        Ok(())
    }

    fn write_json(&mut self) -> Result<bool, Refused> {
        let source = self.source;
        self.scratch.marks.clear();
        self.request.body.push(b'{');
        for step in source.tool.steps.body() {
            let out = &mut self.request.body;
            let before = out.len();
            match step.value {
                StepValue::Parameter(index) => {
                    if let Some(argument) = source.argument(&self.scratch.slots, index) {
                        begin_member(source.bytes(step.name), out);
                        out.extend_from_slice(argument.value.text.as_bytes());
                    }
                }
                StepValue::Open => {
                    self.scratch.marks.push(before);
                    begin_member(source.bytes(step.name), out);
                    out.push(b'{');
                }
                StepValue::Close => match self.scratch.marks.pop() {
                    // Nothing was written since it was opened.
                    Some(mark) if out.last() == Some(&b'{') => out.truncate(mark),
                    _ => out.push(b'}'),
                },
                StepValue::Literal(id) => {
                    begin_member(source.bytes(step.name), out);
                    out.extend_from_slice(source.bytes(id));
                }
                StepValue::Parts(parts) => {
                    begin_member(source.bytes(step.name), out);
                    let parts = parts.of(&source.tools.parts);
                    source.fixed.write_parts(parts, &mut self.report, out, |text, out| {
                        json::write_escaped(text, out);
                        Ok(())
                    })?;
                }
                StepValue::Template(_) | StepValue::File(_) => self.misplaced()?,
            }
        }
        if !self.scratch.extras.is_empty() {
            self.write_extras()?;
        }
        self.request.body.push(b'}');
        Ok(true)
    }

    /// Writes the arguments that no parameter names.
    #[inline(never)]
    fn write_extras(&mut self) -> Result<(), Refused> {
        let source = self.source;
        for &place in &self.scratch.extras {
            let (key, value) = (source.value_at(place), source.value_at(place + 1));
            if is_declared(&source, key, &mut self.scratch.text) {
                self.report.problem(ProblemKind::UnknownArgument, || {
                    let name = shorten(key.unescaped(&mut String::new()));
                    let message = format!("`{name}` is not an argument: the tool sets that member itself");
                    (name, message)
                })?;
            }
            let out = &mut self.request.body;
            begin_member(key.text.as_bytes(), out);
            out.push(b':');
            out.extend_from_slice(value.text.as_bytes());
        }
        Ok(())
    }

    fn write_form(&mut self) -> Result<bool, Refused> {
        let source = self.source;
        for step in source.tool.steps.body() {
            if matches!(step.value, StepValue::Open | StepValue::Close) {
                continue;
            }
            let Pass { request, scratch, report, .. } = self;
            let mut pairs = Pairs {
                out: &mut request.body,
                start: 0,
                first: None,
                limit: source.limits.body,
                text: &mut scratch.text,
                name: &mut scratch.bytes,
            };
            pairs.write(&source, &scratch.slots, step, report)?;
        }
        Ok(true)
    }

    fn write_whole(&mut self) -> bool {
        let source = self.source;
        let Some(StepValue::Parameter(index)) = source.tool.steps.body().first().map(|step| step.value)
        else {
            return false;
        };
        let Some(argument) = source.argument(&self.scratch.slots, index) else { return false };
        let text = match argument.value.kind {
            Kind::String => argument.value.unescaped(&mut self.scratch.text),
            _ => argument.value.text,
        };
        self.request.body.extend_from_slice(text.as_bytes());
        true
    }

    fn write_body_template(&mut self) -> Result<bool, Refused> {
        match self.source.tool.steps.body().first().map(|step| step.value) {
            Some(StepValue::Template(template)) => self.write_body_of_template(template),
            _ => Ok(false),
        }
    }
}

/// Whether the plan itself writes a member of that name at the top of the body. A second one could
/// override it upstream, and many an upstream does not distinguish `A` from `a`.
fn is_declared(source: &Source<'_>, key: Value<'_>, text: &mut String) -> bool {
    text.clear();
    json::unescape(key.raw(), text);
    let length = text.len();
    let mut depth = 0_usize;
    for step in source.tool.steps.body() {
        if matches!(step.value, StepValue::Close) {
            depth = depth.saturating_sub(1);
            continue;
        }
        if depth == 0 {
            text.truncate(length);
            json::unescape(Value::of_valid(source.string(step.name).trim_end_matches(':')).raw(), text);
            if text.split_at_checked(length).is_some_and(|(key, name)| folded(key).eq(folded(name))) {
                return true;
            }
        }
        depth += usize::from(matches!(step.value, StepValue::Open));
    }
    false
}

/// Characters without their case. By way of upper case, because `ſ` is an `S` there but no `s`.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Writes `"name":`, after a comma unless it is an object's first. No member ends with `{`.
fn begin_member(name: &[u8], out: &mut Vec<u8>) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.extend_from_slice(name);
}
