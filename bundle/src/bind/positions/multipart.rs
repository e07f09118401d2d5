//! Bodies with bytes in them: the parts of a form (`multipart/form-data`, RFC 7578), or one argument that is base64.

use crate::bind::pass::{Argument, Pass};
use crate::bind::prepared::StepValue;
use crate::bind::problem::{ProblemKind, Refused, Report};
use crate::json::{self, Kind, Value};
use crate::wire_enums::Style;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;
use sha2::{Digest, Sha256};

/// Padding is optional: models often forget it, and it says nothing.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A boundary, before its digits are known. They are 28 of a digest.
const UNKNOWN: &Boundary = b"mcp-............................";

pub(crate) type Boundary = [u8; 32];

/// Whether a part is text or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    /// From base64.
    Bytes,
}

impl<R: Report> Pass<'_, '_, R> {
    /// The argument as bytes. Without it there is no body.
    #[inline(never)]
    pub(super) fn write_bytes(&mut self) -> Result<bool, Refused> {
        let source = self.source;
        let Some(StepValue::Parameter(index)) = source.tool.steps.body().first().map(|step| step.value)
        else {
            return Ok(false);
        };
        let Some(argument) = source.argument(&self.scratch.slots, index) else { return Ok(false) };
        self.content(argument, argument.value, None, Content::Bytes)?;
        Ok(true)
    }

    /// Writes the parts with room for the boundary, and then chooses one that does not occur in them.
    #[inline(never)]
    pub(super) fn write_multipart(&mut self) -> Result<bool, Refused> {
        let source = self.source;
        self.scratch.marks.clear();
        for step in source.tool.steps.body() {
            let head = source.bytes(step.name);
            match step.value {
                StepValue::Parameter(index) => self.parts(head, index, Content::Text)?,
                StepValue::File(index) => self.parts(head, index, Content::Bytes)?,
                StepValue::Literal(id) => {
                    self.begin_part(head);
                    self.request.body.extend_from_slice(source.bytes(id));
                }
                StepValue::Parts(parts) => {
                    self.begin_part(head);
                    let parts = parts.of(&source.tools.parts);
                    let out = &mut self.request.body;
                    source.fixed.write_parts(parts, &mut self.report, out, |text, out| {
                        out.extend_from_slice(text.as_bytes());
                        Ok(())
                    })?;
                }
                StepValue::Template(_) | StepValue::Open | StepValue::Close => self.misplaced()?,
            }
        }
        self.begin_delimiter();
        self.request.body.extend_from_slice(b"--\r\n");
        self.close_boundary();
        Ok(true)
    }

    /// One part of an argument, or one of each element of a list.
    fn parts(&mut self, head: &[u8], index: u32, content: Content) -> Result<(), Refused> {
        let Some(argument) = self.source.argument(&self.scratch.slots, index) else { return Ok(()) };
        let Argument { parameter, value } = argument;
        if value.kind != Kind::Array || parameter.style == Style::Json {
            return if value.kind == Kind::Null {
                Ok(())
            } else {
                self.part(head, argument, value, None, content)
            };
        }
        for (number, element) in json::elements(value).enumerate() {
            // Heads are written for each element and so grow faster than the arguments: the check that follows sees that.
            if element.kind != Kind::Null && self.request.body.len() <= self.source.limits.body {
                self.part(head, argument, element, Some(number), content)?;
            }
        }
        Ok(())
    }

    fn part(
        &mut self,
        head: &[u8],
        argument: Argument<'_>,
        value: Value<'_>,
        element: Option<usize>,
        content: Content,
    ) -> Result<(), Refused> {
        self.begin_part(head);
        self.content(argument, value, element, content)
    }

    fn content(
        &mut self,
        argument: Argument<'_>,
        value: Value<'_>,
        element: Option<usize>,
        content: Content,
    ) -> Result<(), Refused> {
        let text = match value.kind {
            Kind::String => value.unescaped(&mut self.scratch.text),
            _ => value.text,
        };
        let out = &mut self.request.body;
        if content == Content::Text {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        if value.kind == Kind::String && BASE64.decode_vec(text, out).is_ok() {
            return Ok(());
        }
        let mut name = self.source.string(argument.parameter.name.text).to_owned();
        if let Some(number) = element {
            name.push_str(&format!("[{number}]"));
        }
        self.report.problem(ProblemKind::Format, || {
            let message = format!(
                "`{name}` must be bytes in base64: letters, digits, `+` and `/`, without spaces, line ends or a \
                 `data:` prefix"
            );
            (name, message)
        })
    }

    fn begin_part(&mut self, head: &[u8]) {
        self.begin_delimiter();
        let out = &mut self.request.body;
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(head);
        out.extend_from_slice(b"\r\n\r\n");
    }

    fn begin_delimiter(&mut self) {
        let out = &mut self.request.body;
        out.extend_from_slice(if out.is_empty() { b"--" } else { b"\r\n--" });
        self.scratch.marks.push(out.len());
        out.extend_from_slice(UNKNOWN);
    }

    /// The boundary follows from the arguments, so a request is always the same; that it does not occur in the parts is not left to
    /// chance.
    fn close_boundary(&mut self) {
        let arguments = self.source.arguments.trim_ascii().as_bytes();
        let body = &mut self.request.body;
        let mut boundary = *UNKNOWN;
        for attempt in 0_u32.. {
            let digest = Sha256::new().chain_update(attempt.to_le_bytes()).chain_update(arguments).finalize();
            for (digits, byte) in
                boundary.iter_mut().skip(4).zip(digest.iter().flat_map(|byte| [byte >> 4, byte & 15]))
            {
                *digits = b"0123456789abcdef".get(usize::from(byte)).copied().unwrap_or_default();
            }
            if memmem::find(body, &boundary).is_none() {
                break;
            }
        }
        for &at in &self.scratch.marks {
            if let Some(place) = body.get_mut(at..at + UNKNOWN.len()) {
                place.copy_from_slice(&boundary);
            }
        }
        self.scratch.boundary = boundary;
    }
}
