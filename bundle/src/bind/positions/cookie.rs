//! Cookies: one `cookie` header, values percent-encoded.

use super::text::{self, Place, Separator};
use super::{Content, Refusal, Sink, Source, header, percent};
use crate::bind::ProblemKind;

/// A cookie's value holds no comma, space or semicolon (RFC 6265): separators are encoded as well.
struct Cookie;

pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>) {
    if source.http.cookies.is_empty() {
        return;
    }
    let Sink { request, problems, text, .. } = sink;
    let written: Result<(), Refusal> = request.header("cookie", |out| {
        let start = out.len();
        for placed in &source.http.cookies {
            let before = out.len();
            if before > start {
                out.extend_from_slice(b"; ");
            }
            out.extend_from_slice(source.placed_name(placed).as_bytes());
            out.push(b'=');
            let complete = match source.content(&placed.value) {
                Content::Argument(None) => false,
                Content::Argument(Some(argument)) => {
                    // Percent-encoding refuses nothing.
                    text::write(argument.value, argument.parameter.style, &mut Cookie, text, out) != Ok(0)
                }
                Content::Fixed(parts) => {
                    source.write_fixed(parts, problems, out, |text, out| Cookie.piece(text, None, out))
                }
            };
            if !complete {
                out.truncate(before);
            }
        }
        header::check_length(out.len() - start, source.limits.header_value)?;
        Ok(out.len() > start)
    });
    if let Err(Refusal { message, .. }) = written {
        problems.push(ProblemKind::TooLarge, || (String::new(), format!("the `cookie` header {message}")));
    }
}

impl Place for Cookie {
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
