//! Headers: visible ASCII, space and tab, or nothing at all.
//!
//! HTTP has no escape for anything else, so a value with other characters is refused rather than
//! changed. The same holds for a list element that contains what separates elements.

use super::Refusal;
use super::text::{self, Separator, TextPosition};
use crate::bind::pass::{Fixed, Pass, Source};
use crate::bind::prepared::StepValue;
use crate::bind::problem::{ProblemKind, Refused, Report, StopAtFirst};
use crate::bind::request::HeaderLines;
use crate::bind::{Limits, Request};
use crate::plan::{Contents, Part, Placed};
use std::fmt;
use std::io::Write;
use wide::u8x16;

pub(super) struct Header;

/// Headers that are the same for all calls of a tool; they hold secrets.
#[derive(Clone, Default)]
pub(crate) struct FixedHeaders {
    lines: HeaderLines,
    /// The headers of the plan that they are, from its first.
    covers: usize,
}

impl FixedHeaders {
    /// Nothing if one of them cannot be sent: that is reported call by call.
    pub(crate) fn write(
        contents: &Contents,
        headers: &[Placed],
        variables: &[Box<str>],
        limits: &Limits,
    ) -> FixedHeaders {
        let fixed = Fixed { contents, variables, tenant_id: None, principal_sub: None };
        let mut request = Request::default();
        let mut write = |placed: &Placed| {
            let name = contents.strings.bytes(placed.name);
            write_parts(&fixed, name, &placed.value, limits, &mut request, &mut StopAtFirst)
        };
        match headers.iter().try_for_each(&mut write) {
            Ok(()) => FixedHeaders { lines: request.header_lines(), covers: headers.len() },
            Err(Refused) => FixedHeaders::default(),
        }
    }
}

impl fmt::Debug for FixedHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedHeaders").field("covers", &self.covers).finish_non_exhaustive()
    }
}

impl<R: Report> Pass<'_, '_, R> {
    pub(super) fn write_headers(&mut self) -> Result<(), Refused> {
        let source = self.source;
        let mut steps = source.tool.steps.headers();
        // Any of them may contain a caller's own variables.
        let is_usual = source.values.variables.is_none();
        if let Some(fixed) = source.tools.fixed_headers(source.tool).filter(|_| is_usual) {
            self.request.copy_headers(&fixed.lines);
            steps = steps.get(fixed.covers..).unwrap_or_default();
        }
        let Source { limits, .. } = source;
        for step in steps {
            let name = source.bytes(step.name);
            match step.value {
                StepValue::Parameter(index) => self.write_header_value(name, index)?,
                StepValue::Template(template) => self.write_header_template(template, name)?,
                StepValue::Literal(id) => {
                    let parts = [Part::literal(id)];
                    write_parts(&source.fixed, name, &parts, limits, self.request, &mut self.report)?;
                }
                StepValue::Parts(parts) => {
                    let parts = parts.of(&source.tools.parts);
                    write_parts(&source.fixed, name, parts, limits, self.request, &mut self.report)?;
                }
                StepValue::File(_) | StepValue::Open | StepValue::Close => self.misplaced()?,
            }
        }
        Ok(())
    }

    fn write_header_value(&mut self, name: &[u8], index: u32) -> Result<(), Refused> {
        let source = self.source;
        let Some(argument) = source.argument(&self.scratch.slots, index) else { return Ok(()) };
        let line = self.request.begin_header(name);
        let (style, text) = (argument.parameter.style, &mut self.scratch.text);
        let head = self.request.head_mut();
        let written = text::write(argument.value, style, &mut Header, text, head).and_then(|pieces| {
            check_length(head.len() - line.value(), source.limits.header_value)?;
            Ok(pieces > 0)
        });
        self.request.end_header(line, written == Ok(true));
        match written {
            Ok(_) => Ok(()),
            Err(refusal) => refusal.report(source.string(argument.parameter.name.text), &mut self.report),
        }
    }
}

/// Writes a header of fixed parts.
fn write_parts(
    fixed: &Fixed<'_>,
    name: &[u8],
    parts: &[Part],
    limits: &Limits,
    request: &mut Request,
    report: &mut impl Report,
) -> Result<(), Refused> {
    let line = request.begin_header(name);
    let head = request.head_mut();
    let complete = fixed.write_parts(parts, report, head, |text, out| Header.piece(text, None, out))?;
    let checked = check_length(head.len() - line.value(), limits.header_value);
    request.end_header(line, checked.is_ok() && complete);
    match checked {
        Ok(()) => Ok(()),
        Err(Refusal { kind, message }) => report.problem(kind, || {
            (String::new(), format!("header `{}` {message}", String::from_utf8_lossy(name)))
        }),
    }
}

pub(super) fn check_length(length: usize, limit: usize) -> Result<(), Refusal> {
    if length <= limit {
        return Ok(());
    }
    Err(refused(format!("is a header value of {length} bytes, at most {limit} are allowed")))
}

impl TextPosition for Header {
    fn piece(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if !is_visible(text.as_bytes()) {
            return Err(refused(
                "is sent as a header and must consist of visible ASCII characters, spaces and tabs: no line breaks, \
                 no control characters, no other scripts"
                    .to_owned(),
            ));
        }
        if let Some(separator) = separator.filter(|separator| text.as_bytes().contains(&separator.byte())) {
            let separator = char::from(separator.byte());
            return Err(refused(format!(
                "is sent as a header whose elements `{separator}` separates: no element may contain it"
            )));
        }
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// JSON has an escape for what a header cannot hold.
    fn json(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if text.is_ascii() {
            return self.piece(text, separator, out);
        }
        let mut ascii = Vec::with_capacity(text.len() * 2);
        for character in text.chars() {
            let mut units = [0; 2];
            match character {
                ' '..='~' => ascii.push(character as u8),
                _ => {
                    for unit in character.encode_utf16(&mut units) {
                        // Writing to a `Vec` cannot fail.
                        let _ = write!(ascii, "\\u{unit:04x}");
                    }
                }
            }
        }
        self.piece(&String::from_utf8_lossy(&ascii), separator, out)
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>) {
        out.push(separator.byte());
    }
}

/// Whether a text has only visible characters, spaces and tabs. Of whole blocks, vector instructions look at all bytes at once;
/// the last one may overlap the one before it.
#[inline]
pub(super) fn is_visible(text: &[u8]) -> bool {
    let (blocks, rest) = text.as_chunks();
    match text.last_chunk() {
        Some(last) => blocks.iter().all(is_visible_block) && is_visible_block(last),
        None => rest.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t')),
    }
}

#[inline(always)]
fn is_visible_block(block: &[u8; 16]) -> bool {
    let block = u8x16::new(*block);
    // There is no comparison of bytes without sign.
    let is_in = block.max(u8x16::splat(b' ')).min(u8x16::splat(b'~')).simd_eq(block);
    (is_in | block.simd_eq(u8x16::splat(b'\t'))).to_bitmask() == 0xffff
}

fn refused(message: String) -> Refusal {
    Refusal { kind: ProblemKind::InvalidHeaderValue, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;
    use crate::wire_enums::Style;

    fn written(text: &str, style: Style) -> Option<String> {
        let mut out = Vec::new();
        text::write(Value::of_valid(text), style, &mut Header, &mut String::new(), &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn only_what_a_header_can_hold_passes() {
        assert_eq!(written(r#""a b\t~!""#, Style::Comma), Some("a b\t~!".into()));
        for text in [r#""a\r\nb: c""#, r#""a\nb""#, r#""\u0000""#, r#""é""#, r#""\u007f""#, r#""\u0085""#] {
            assert_eq!(written(text, Style::Comma), None, "{text}");
        }
    }

    #[test]
    fn what_a_header_cannot_hold_is_found_in_any_place() {
        for length in 0..50 {
            let mut text = vec![b'a'; length];
            assert!(is_visible(&text));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    text[at] = byte;
                    assert_eq!(is_visible(&text), byte == b'\t' || (b' '..=b'~').contains(&byte));
                }
                text[at] = b'a';
            }
        }
    }

    #[test]
    fn no_element_becomes_two() {
        assert_eq!(written(r#"["a b", "c|d"]"#, Style::Comma), Some("a b,c|d".into()));
        assert_eq!(written(r#"["a,b"]"#, Style::Comma), None);
        assert_eq!(written(r#"["a b"]"#, Style::Space), None);
        assert_eq!(written(r#"["a|b"]"#, Style::Pipe), None);
        assert_eq!(written(r#""a,b""#, Style::Comma), Some("a,b".into()), "a string is not a list");
    }

    #[test]
    fn json_is_written_in_ascii() {
        assert_eq!(written("{\"é\":\n\"😀 x\"}", Style::Json), Some(r#"{"\u00e9":"\ud83d\ude00 x"}"#.into()));
    }
}
