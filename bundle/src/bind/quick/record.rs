//! What is known of a tool, in bytes: all of it side by side, so that few pages of memory are touched for a call.
//!
//! With tens of thousands of tools in use, reading from a page that was not read for long costs more than all steps of the quick
//! way together. So a record is one row of bytes: head, name, parameters, steps; the texts that they refer to stand just before it.
//! What is written here is only read here, and any bytes can be read: whatever they say, texts and checks are looked up with bounds.

use super::{Checked, Elements, Ids, Name, Parameter, Step, Tables, Tool};
use crate::far;
use crate::strings::StrId;
use crate::template::Run;
use crate::wire_enums::Method;

/// Bytes of all records that the nearer caches hold.
const NEAR: usize = 1 << 20;
/// Bytes of a line of memory, and lines of most records with their texts, of which some bytes are before the record.
const LINE: usize = 64;
const LINES: usize = 6;
const BEFORE: usize = 2 * LINE;

const HEAD: usize = 28;
const PARAMETER: usize = 32;
const STEP: usize = 12;

/// Marks in [`Tool`]'s head.
const JSON_BODY: u8 = 1;
const MIRRORED: u8 = 2;

/// `None` of a default.
const NONE: Run = Run { start: u32::MAX, count: 0 };

impl Tool<'_> {
    /// How long a record is, but for its head and name.
    pub(super) fn length(parameters: &[Parameter], steps: &[Step]) -> usize {
        parameters.len() * PARAMETER + steps.len() * STEP
    }

    /// Appends the record; gives where it begins.
    pub(super) fn write(
        ids: Ids,
        name: &[u8],
        quick: Option<(u32, &[Parameter], &[Step])>,
        (method, json_body, mirrored): (Method, bool, bool),
        out: &mut Vec<u8>,
    ) -> u32 {
        let start = out.len() as u32;
        let counts = quick.and_then(|(_, parameters, steps)| {
            Some((u8::try_from(parameters.len()).ok()?, u8::try_from(steps.len()).ok()?))
        });
        let (required, parameters, steps) = quick.filter(|_| counts.is_some()).unwrap_or_default();
        let (parameter_count, step_count) = counts.unwrap_or_default();
        let marks = (u8::from(json_body) * JSON_BODY) | (u8::from(mirrored) * MIRRORED);
        let Ids { index, headers, course, name_id } = ids;
        for word in [index, headers, course, name_id.0, required, name.len() as u32] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&[parameter_count, step_count, method.tag(), marks]);
        out.extend_from_slice(name);
        parameters.iter().for_each(|parameter| parameter.write(out));
        steps.iter().for_each(|step| step.write(out));
        start
    }
}

impl Tables {
    /// Whether there are more records than caches hold.
    #[inline(always)]
    pub(in crate::bind) fn are_far(&self) -> bool {
        self.bytes.len() > NEAR
    }

    /// Asks for the memory of the record that begins at `start`, and of its texts.
    #[inline]
    pub(in crate::bind) fn fetch(&self, start: u32) {
        for line in 0..LINES {
            let at = (start as usize).wrapping_add(line * LINE).wrapping_sub(BEFORE);
            if let Some(byte) = self.bytes.get(at) {
                far::fetch(byte);
            }
        }
    }

    /// The record that begins at `start`.
    #[inline(always)]
    pub(in crate::bind) fn tool(&self, start: u32) -> Option<Tool<'_>> {
        let (head, rest) = self.bytes.get(start as usize..)?.split_first_chunk::<HEAD>()?;
        let [.., parameters, steps, method, marks] = *head;
        let (name, rest) = rest.split_at_checked(word(head, 20) as usize)?;
        let (parameters, rest) = rest.split_at_checked(usize::from(parameters) * PARAMETER)?;
        let steps = rest.get(..usize::from(steps) * STEP)?;
        Some(Tool {
            ids: Ids {
                index: word(head, 0),
                headers: word(head, 4),
                course: word(head, 8),
                name_id: StrId(word(head, 12)),
            },
            required: word(head, 16),
            name,
            parameters: parameters.as_chunks().0,
            steps: steps.as_chunks().0,
            method: Method::from_tag(method)?,
            json_body: marks & JSON_BODY != 0,
            mirrored: marks & MIRRORED != 0,
        })
    }
}

impl Parameter {
    fn write(&self, out: &mut Vec<u8>) {
        let Parameter { name, check, default } = self;
        let default = default.unwrap_or(NONE);
        out.extend_from_slice(&name.start.to_le_bytes());
        for word in [name.text.start, name.text.count, check.index, default.start, default.count] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&[check.any, 0, 0, 0]);
    }

    #[inline(always)]
    pub(super) fn read(bytes: &[u8; PARAMETER]) -> Parameter {
        let start = u64::from(word(bytes, 0)) | u64::from(word(bytes, 4)) << 32;
        let default = run(bytes, 20);
        let [.., any, _, _, _] = *bytes;
        Parameter {
            name: Name { start, text: run(bytes, 8) },
            check: Checked { index: word(bytes, 16), any },
            default: (default.start != NONE.start).then_some(default),
        }
    }
}

impl Step {
    fn write(&self, out: &mut Vec<u8>) {
        let (tag, parameter, elements, text) = match *self {
            Step::Path(text) => (0, 0, 0, text),
            Step::PathValue(parameter) => (1, parameter, 0, NONE),
            Step::Query(text) => (2, 0, 0, text),
            Step::QueryValue(text, parameter, elements) => (3, parameter, elements as u8, text),
            Step::HeaderValue(text, parameter) => (4, parameter, 0, text),
            Step::ContentType(text) => (5, 0, 0, text),
            Step::Open(text) => (6, 0, 0, text),
            Step::Close => (7, 0, 0, NONE),
            Step::Field(text) => (8, 0, 0, text),
            Step::FieldValue(text, parameter) => (9, parameter, 0, text),
        };
        out.extend_from_slice(&[tag, parameter, elements, 0]);
        out.extend_from_slice(&text.start.to_le_bytes());
        out.extend_from_slice(&text.count.to_le_bytes());
    }

    #[inline(always)]
    pub(super) fn read(bytes: &[u8; STEP]) -> Option<Step> {
        let [tag, parameter, elements, ..] = *bytes;
        let text = run(bytes, 4);
        Some(match tag {
            0 => Step::Path(text),
            1 => Step::PathValue(parameter),
            2 => Step::Query(text),
            3 => Step::QueryValue(text, parameter, Elements::read(elements)),
            4 => Step::HeaderValue(text, parameter),
            5 => Step::ContentType(text),
            6 => Step::Open(text),
            7 => Step::Close,
            8 => Step::Field(text),
            9 => Step::FieldValue(text, parameter),
            _ => return None,
        })
    }
}

impl Elements {
    #[inline(always)]
    fn read(tag: u8) -> Elements {
        match tag {
            0 => Elements::Repeated,
            1 => Elements::Comma,
            2 => Elements::Space,
            3 => Elements::Pipe,
            _ => Elements::Other,
        }
    }
}

#[inline(always)]
fn run(bytes: &[u8], at: usize) -> Run {
    Run { start: word(bytes, at), count: word(bytes, at + 4) }
}

/// The word at a place, which all callers have: then this is one instruction.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: Run = Run { start: 7, count: 9 };

    #[test]
    fn records_are_read_as_they_were_written() {
        let parameters = [None, Some(TEXT)].map(|default| Parameter {
            name: Name { start: u64::MAX - 5, text: TEXT },
            check: Checked { index: 3, any: 5 },
            default,
        });
        let each = [Elements::Repeated, Elements::Comma, Elements::Space, Elements::Pipe, Elements::Other];
        let mut steps = vec![
            Step::Path(TEXT),
            Step::PathValue(1),
            Step::Query(TEXT),
            Step::HeaderValue(TEXT, 2),
            Step::ContentType(TEXT),
            Step::Open(TEXT),
            Step::Close,
            Step::Field(TEXT),
            Step::FieldValue(TEXT, 3),
        ];
        steps.extend(each.map(|elements| Step::QueryValue(TEXT, 4, elements)));
        let mut tables = Tables { bytes: b"before".to_vec(), ..Tables::default() };
        let quick = Some((5, &parameters[..], steps.as_slice()));
        let ids = Ids { index: 1, headers: 2, course: 3, name_id: StrId(4) };
        let start = Tool::write(ids, b"name", quick, (Method::Post, true, false), &mut tables.bytes);
        let bare = Tool::write(ids, b"", None, (Method::Get, false, true), &mut tables.bytes);

        let tool = tables.tool(start).unwrap();
        assert_eq!((tool.ids, tool.required, tool.name), (ids, 5, &b"name"[..]));
        assert_eq!((tool.method, tool.json_body, tool.mirrored), (Method::Post, true, false));
        assert_eq!(tool.parameters.iter().map(Parameter::read).collect::<Vec<_>>(), parameters);
        assert_eq!(tool.steps.iter().filter_map(Step::read).collect::<Vec<_>>(), steps);

        let tool = tables.tool(bare).unwrap();
        assert_eq!((tool.ids, tool.name, tool.steps.len()), (ids, &b""[..], 0));
        assert_eq!((tool.method, tool.json_body, tool.mirrored), (Method::Get, false, true));
        assert!(tables.tool(bare + 1).is_none() && tables.tool(u32::MAX).is_none());
        // It only asks for memory, wherever it is told that a record is.
        for start in [0, start, bare, u32::MAX] {
            tables.fetch(start);
        }
    }
}
