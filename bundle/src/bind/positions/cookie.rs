//! Cookies: one `cookie` header, values percent-encoded.

use super::text::{self, Separator, TextPosition};
use super::{Refusal, header, percent};
use crate::bind::pass::Pass;
use crate::bind::prepared::StepValue;
use crate::bind::problem::{ProblemKind, Refused, Report};

/// A cookie's value holds no comma, space or semicolon (RFC 6265): separators are encoded as well.
struct Cookie;

impl<R: Report> Pass<'_, '_, R> {
    #[inline(never)]
    pub(super) fn write_cookies(&mut self) -> Result<(), Refused> {
        let source = self.source;
        let line = self.request.begin_header(b"cookie");
        for step in source.tool.steps.cookies() {
            let out = self.request.head_mut();
            let before = out.len();
            if before > line.value() {
                out.extend_from_slice(b"; ");
            }
            out.extend_from_slice(source.bytes(step.name));
            out.push(b'=');
            let complete = match step.value {
                StepValue::Literal(id) => {
                    out.extend_from_slice(source.bytes(id));
                    true
                }
                StepValue::Parameter(index) => {
                    let argument = source.argument(&self.scratch.slots, index);
                    argument.is_some_and(|argument| {
                        let text = &mut self.scratch.text;
                        // Percent-encoding refuses nothing.
                        text::write(argument.value, argument.parameter.style, &mut Cookie, text, out) != Ok(0)
                    })
                }
                StepValue::Parts(parts) => {
                    let parts = parts.of(&source.tools.parts);
                    source.fixed.write_parts(parts, &mut self.report, out, |text, out| {
                        Cookie.piece(text, None, out)
                    })?
                }
                StepValue::Template(_) | StepValue::File(_) | StepValue::Open | StepValue::Close => {
                    self.misplaced()?;
                    false
                }
            };
            if !complete {
                self.request.head_mut().truncate(before);
            }
        }
        let length = self.request.head().len() - line.value();
        let checked = header::check_length(length, source.limits.header_value);
        self.request.end_header(line, checked.is_ok() && length > 0);
        match checked {
            Ok(()) => Ok(()),
            Err(Refusal { message, .. }) => self
                .report
                .problem(ProblemKind::TooLarge, || (String::new(), format!("the `cookie` header {message}"))),
        }
    }
}

impl TextPosition for Cookie {
    fn piece(&mut self, text: &str, _separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        percent::encode(text, out);
        Ok(())
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>) {
        out.extend_from_slice(match separator {
            Separator::Comma => b"%2C",
            Separator::Space => b"%20",
            Separator::Pipe => b"%7C",
        });
    }
}
