//! Path: every value stays inside the segment that the plan gives it.
//!
//! Encoding alone does not ensure that. Servers and frameworks decode once more than they should,
//! then split at `/` and `\`, drop what follows a `;`, `?` or `#`, trim spaces and resolve `..`. So a
//! segment is refused if a dot segment shows up however often it is decoded, and whatever literal
//! is beside the value.

use super::text::{self, Percent, Separator, TextPosition};
use super::{Refusal, percent};
use crate::bind::pass::{Pass, Source};
use crate::bind::prepared::StepValue;
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::plan::Part;

/// Layers of encoding that a value may have of its own, beyond ours.
const MAX_LAYERS: usize = 4;

const DOT_SEGMENT: &str = "is part of the path and must not contain `.` or `..` as a segment";

/// The segment being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    start: usize,
    /// The last part in it whose value needs a closer look.
    owner: Option<Part>,
    /// The last part in it that is a value.
    value: Option<Part>,
    /// A literal in it holds `%`, with which even digits can turn into something else.
    encoded: bool,
    /// A literal in it holds `.`, which can become a segment of its own by what a value cuts off.
    dotted: bool,
    /// The last part in it whose value has neither `.` nor `%` and so needs a look only beside a literal with `.`.
    dotless: Option<Part>,
    /// What separates the elements of a list in it.
    separator: Option<Separator>,
}

/// Percent-encoding that keeps an eye on what it encodes.
#[derive(Debug)]
pub(super) struct PathValue {
    /// Bytes, before encoding.
    length: usize,
    /// Not only empty pieces.
    filled: bool,
    /// As [`is_harmless`] says, so that the segment around it is not a dot segment.
    harmless: bool,
    /// Nothing of which a dot segment could be made, however often it is decoded.
    dotless: bool,
    control: bool,
    separator: Option<Separator>,
}

impl<R: Report> Pass<'_, '_, R> {
    pub(super) fn write_path(&mut self) -> Result<(), Refused> {
        if self.source.tool.steps.has_dotless_path && self.write_plain_path().is_some() {
            return Ok(());
        }
        self.request.target.clear();
        self.write_any_path()
    }

    /// Writes what most paths are: values that are short and ASCII, without `.`, `%` and control characters, so that no
    /// segment needs a look. `None` at the first other one.
    #[inline]
    fn write_plain_path(&mut self) -> Option<()> {
        let source = self.source;
        let target = &mut self.request.target;
        for step in source.tool.steps.path() {
            match step.value {
                StepValue::Literal(id) => target.extend_from_slice(source.bytes(id)),
                StepValue::Parameter(index) => {
                    let argument = source.argument(&self.scratch.slots, index)?;
                    let text = text::plain(argument.value)?;
                    if !(1..=source.limits.path_value).contains(&text.len()) {
                        return None;
                    }
                    percent::encode_unless(text, percent::ODD, target)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    #[inline(never)]
    fn write_any_path(&mut self) -> Result<(), Refused> {
        let source = self.source;
        let mut segment = Segment::after(b"", 0);
        for step in source.tool.steps.path() {
            let target = &mut self.request.target;
            match step.value {
                StepValue::Literal(id) => {
                    let closed = segment.literal(source.bytes(id), target, &mut self.scratch.bytes);
                    report(closed, &source, &mut self.report)?;
                }
                StepValue::Template(template) => {
                    // What follows the path is not a segment any more.
                    return self.write_target_template(template, &mut segment);
                }
                StepValue::Parameter(id) => {
                    let Some(argument) = source.argument(&self.scratch.slots, id) else { continue };
                    let mut place = PathValue::default();
                    let (style, text) = (argument.parameter.style, &mut self.scratch.text);
                    let written = text::write(argument.value, style, &mut place, text, target);
                    match written.and_then(|_| place.check(source.limits.path_value)) {
                        Ok(()) => segment.own(Part::parameter(id), &place),
                        Err(refusal) => {
                            refusal.report(&source.part_name(Part::parameter(id)), &mut self.report)?;
                        }
                    }
                }
                StepValue::Parts(parts) => {
                    for &part in parts.of(&source.tools.parts) {
                        source.fixed.write_parts(&[part], &mut self.report, target, |text, out| {
                            let mut place = PathValue::default();
                            place.piece(text, None, out)?;
                            place.check(source.limits.path_value)?;
                            segment.own(part, &place);
                            Ok(())
                        })?;
                    }
                }
                StepValue::File(_) | StepValue::Open | StepValue::Close => self.misplaced()?,
            }
        }
        let closed = segment.close(&self.request.target, &mut self.scratch.bytes);
        report(closed, &source, &mut self.report)
    }
}

/// Letters, digits, `-`, `_` and `~` only.
fn is_harmless(text: &[u8]) -> bool {
    percent::classes(text) == 0
}

/// Reports a segment that leads elsewhere, in the name of its owner.
fn report(
    closed: Result<(), (Option<Part>, Refusal)>,
    source: &Source<'_>,
    report: &mut impl Report,
) -> Result<(), Refused> {
    match closed {
        Ok(()) => Ok(()),
        Err((owner, refusal)) => {
            refusal.report(&owner.map(|part| source.part_name(part)).unwrap_or_default(), report)
        }
    }
}

impl Segment {
    /// A segment that a literal begins, which ends at `end`.
    fn after(literal: &[u8], end: usize) -> Segment {
        let start = end.saturating_sub(literal.len());
        let mut segment = Segment {
            start,
            owner: None,
            value: None,
            encoded: false,
            dotted: false,
            dotless: None,
            separator: None,
        };
        segment.stand_beside(literal);
        segment
    }

    fn stand_beside(&mut self, literal: &[u8]) {
        for byte in literal {
            self.encoded |= *byte == b'%';
            self.dotted |= *byte == b'.';
        }
    }

    /// Has the segment looked at when it ends, whatever is in it.
    pub(super) fn own_any(&mut self, part: Part) {
        self.owner = Some(part);
    }

    pub(super) fn own(&mut self, part: Part, value: &PathValue) {
        self.value = Some(part);
        self.separator = value.separator.or(self.separator);
        if value.harmless {
            return;
        }
        if value.dotless {
            self.dotless = Some(part);
        } else {
            self.owner = Some(part);
        }
    }

    /// Writes a literal, and ends the segment if there is a `/` in it.
    pub(super) fn literal(
        &mut self,
        literal: &[u8],
        target: &mut Vec<u8>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), (Option<Part>, Refusal)> {
        let Some(first) = literal.iter().position(|&byte| byte == b'/') else {
            target.extend_from_slice(literal);
            self.stand_beside(literal);
            return Ok(());
        };
        let (before, rest) = literal.split_at_checked(first).unwrap_or_default();
        if !before.is_empty() {
            target.extend_from_slice(before);
            self.stand_beside(before);
        }
        let closed = self.close(target, buffer);
        target.extend_from_slice(rest);
        let after = rest.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        *self = Segment::after(after, target.len());
        closed
    }

    /// Ends the segment: with a value in it, it must not lead anywhere else.
    #[inline]
    pub(super) fn close(&self, target: &[u8], buffer: &mut Vec<u8>) -> Result<(), (Option<Part>, Refusal)> {
        let dotless = self.dotless.filter(|_| self.dotted);
        let Some(owner) = self.owner.or(dotless).or(self.value.filter(|_| self.encoded)) else {
            return Ok(());
        };
        let written = target.get(self.start..).unwrap_or_default();
        check_segment(written, self.separator, buffer)
            .map_err(|message| (Some(owner), refused(message.to_owned())))
    }
}

impl Default for PathValue {
    fn default() -> PathValue {
        PathValue { length: 0, filled: false, harmless: true, dotless: true, control: false, separator: None }
    }
}

impl PathValue {
    pub(super) fn check(&self, limit: usize) -> Result<(), Refusal> {
        if !self.filled {
            return Err(refused("is part of the path and must not be empty".to_owned()));
        }
        if self.length > limit {
            let length = self.length;
            return Err(refused(format!(
                "is part of the path and has {length} bytes, at most {limit} are allowed"
            )));
        }
        if self.control {
            return Err(refused("is part of the path and must not contain control characters".to_owned()));
        }
        Ok(())
    }
}

impl TextPosition for PathValue {
    fn piece(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        self.length += text.len();
        self.filled |= !text.is_empty();
        // An upstream that takes the list apart may use an element as a segment.
        if separator.is_some() && is_dot_segment(text.as_bytes()) {
            return Err(refused(DOT_SEGMENT.to_owned()));
        }
        if is_harmless(text.as_bytes()) {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        self.harmless = false;
        self.dotless &= !text.bytes().any(|byte| matches!(byte, b'.' | b'%'));
        self.control |= text.chars().any(char::is_control);
        Percent.piece(text, separator, out)
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>) {
        self.length += 1;
        self.harmless = false;
        self.separator = Some(separator);
        Percent.separate(separator, out);
    }
}

fn check_segment(
    segment: &[u8],
    separator: Option<Separator>,
    buffer: &mut Vec<u8>,
) -> Result<(), &'static str> {
    buffer.clear();
    buffer.extend_from_slice(segment);
    let separator = separator.map(Separator::byte);
    let mut layers = 0;
    loop {
        let splits = |&byte: &u8| matches!(byte, b'/' | b'\\') || Some(byte) == separator;
        if buffer.split(splits).any(is_dot_segment) {
            return Err(DOT_SEGMENT);
        }
        if !percent::decode(buffer) {
            break;
        }
        layers += 1;
        if layers > MAX_LAYERS + 1 {
            return Err("is part of the path and is percent-encoded too many times");
        }
    }
    // 0xC0 and 0xC1 only occur in overlong encodings, which lax decoders read as ASCII.
    if layers > 1 && buffer.iter().any(|byte| byte.is_ascii_control() || matches!(byte, 0xC0 | 0xC1)) {
        return Err("is part of the path and must not contain control characters, even percent-encoded");
    }
    Ok(())
}

/// As those see it that cut off parameters, a query or a fragment.
fn is_dot_segment(segment: &[u8]) -> bool {
    let name = segment.split(|byte| matches!(byte, b';' | b'?' | b'#')).next().unwrap_or_default();
    matches!(name.trim_ascii(), b"." | b"..")
}

fn refused(message: String) -> Refusal {
    Refusal { kind: ProblemKind::InvalidPathParameter, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(value: &str) -> bool {
        let mut segment = Vec::new();
        percent::encode(value, &mut segment);
        check_segment(&segment, None, &mut Vec::new()).is_err()
    }

    #[test]
    fn dot_segments_are_refused_in_any_disguise() {
        for value in [
            ".",
            "..",
            "../x",
            "x/..",
            "x/../y",
            "./x",
            "a/./b",
            "..\\x",
            "x\\..",
            "%2e",
            "%2E%2e",
            "..%2f",
            "%252e%252e",
            "%25252e.",
            "x%2f..",
            "x%5c..%5cy",
            "..;",
            "..;x=1",
            ".;/x",
            "..%3bx",
            "a/..;b/c",
            "%2e%2e%3b",
            "%c0%ae%c0%ae",
            "..?x",
            "..%3fx",
            "..#",
            ".. ",
            "%20..%20;x",
        ] {
            assert!(is_refused(value), "{value}");
        }
    }

    #[test]
    fn values_that_only_look_like_dot_segments_pass() {
        for value in [
            "...", "a..b", ".hidden", "x.", "1.5", "a/b", "..a", "%", "100%", "%zz", "a;..", "50%25",
            "x%20y", "é", "a%2Fb", "a?..", ". .",
        ] {
            assert!(!is_refused(value), "{value}");
        }
    }

    #[test]
    fn values_that_decode_to_control_characters_are_refused() {
        for value in ["%00", "a%0d%0a", "%2500", "%7f"] {
            assert!(is_refused(value), "{value}");
        }
    }

    #[test]
    fn encoding_without_end_is_refused() {
        assert!(!is_refused("%25252541"));
        assert!(is_refused("%2525252541"));
    }
}
