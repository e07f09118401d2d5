//! Query, and the pairs of a form, which are written alike.

use super::text::{self, Percent};
use super::{Argument, Content, Sink, Source, percent};
use crate::bind::{ProblemKind, Problems};
use crate::json::{self, Kind, Value};
use crate::plan::Part;
use crate::strings::StrId;
use crate::wire_enums::{PartKind, Style};
use std::io::Write;

/// Writes `name=value` pairs with `&` between them.
#[derive(Debug)]
pub(super) struct Pairs<'s> {
    pub out: &'s mut Vec<u8>,
    /// Where the first pair begins; `first` is written before it.
    pub start: usize,
    pub first: Option<u8>,
    /// How long `out` may become. Names are written for each leaf and so grow faster than the
    /// arguments: nothing more is written once it is longer, and whoever checks it then sees that.
    pub limit: usize,
    pub text: &'s mut String,
    /// The name of the pair being written, encoded, where one argument becomes several.
    pub name: &'s mut Vec<u8>,
}

pub(super) fn write(source: &Source<'_>, sink: &mut Sink<'_>) {
    let start = sink.request.target.len();
    let limit = source.limits.target;
    // A template may have begun the query.
    let templated = source.http.path.last().is_some_and(|part| part.kind == PartKind::Template);
    let first = if templated && sink.request.target.contains(&b'?') { Some(b'&') } else { Some(b'?') };
    let mut pairs =
        Pairs { out: &mut sink.request.target, start, first, limit, text: sink.text, name: sink.bytes };
    for placed in &source.http.query {
        pairs.write(source, placed.name, &placed.value, sink.problems);
    }
    if sink.request.target.len() > limit {
        sink.problems.push(ProblemKind::TooLarge, || {
            (
                String::new(),
                format!("the arguments make a URL longer than the {limit} bytes that are allowed"),
            )
        });
    }
}

/// Why a value is not written to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Full,
    /// A member's name would read as several.
    Name,
}

impl Pairs<'_> {
    /// Writes what a plan has under one name, which is already encoded.
    pub(super) fn write(
        &mut self,
        source: &Source<'_>,
        name: StrId,
        value: &[Part],
        problems: &mut Problems,
    ) {
        let name = source.string(name);
        match source.content(value) {
            Content::Argument(None) => {}
            Content::Argument(Some(argument)) => {
                if self.argument(name, argument) == Err(Stop::Name) {
                    problems.push(ProblemKind::InvalidMemberName, || {
                        let name = source.string(argument.parameter.name);
                        let message = format!(
                            "`{name}` is sent with the names of its members in brackets: none may be empty or \
                             contain `[` or `]`"
                        );
                        (name.to_owned(), message)
                    });
                }
            }
            Content::Fixed(parts) => {
                self.begin(name.as_bytes());
                source.write_fixed(parts, problems, self.out, |text, out| {
                    percent::encode(text, out);
                    Ok(())
                });
            }
        }
    }

    fn argument(&mut self, name: &str, Argument { parameter, value }: Argument<'_>) -> Result<(), Stop> {
        self.room()?;
        match (parameter.style, value.kind) {
            (Style::Repeat, Kind::Array) => {
                self.set_name(name);
                for element in json::elements(value).filter(|element| element.kind != Kind::Null) {
                    self.one(element)?;
                }
            }
            (Style::Deep, Kind::Array | Kind::Object) => {
                self.set_name(name);
                self.deep(value)?;
            }
            (style, _) => {
                let before = self.out.len();
                self.begin(name.as_bytes());
                // Percent-encoding refuses nothing.
                let written = text::write(value, style, &mut Percent, self.text, self.out);
                if written == Ok(0) {
                    self.out.truncate(before);
                }
            }
        }
        Ok(())
    }

    /// `a[b][0]=c`, with the brackets encoded. Recursion is bounded by the depth of the arguments.
    fn deep(&mut self, value: Value<'_>) -> Result<(), Stop> {
        let length = self.name.len();
        for (index, element) in json::elements(value).enumerate() {
            // Writing to a `Vec` cannot fail.
            let _ = write!(self.name, "%5B{index}%5D");
            self.deep(element)?;
            self.name.truncate(length);
        }
        for (key, member) in json::members(value) {
            let key = key.unescaped(self.text);
            // `a[b][0]` is what a member `b][0` would become too, past the checks of `b`.
            if key.is_empty() || key.contains(['[', ']']) {
                return Err(Stop::Name);
            }
            self.name.extend_from_slice(b"%5B");
            percent::encode(key, self.name);
            self.name.extend_from_slice(b"%5D");
            if self.name.len() > self.limit {
                self.begin_again();
                return Err(Stop::Full);
            }
            self.deep(member)?;
            self.name.truncate(length);
        }
        if !matches!(value.kind, Kind::Array | Kind::Object | Kind::Null) {
            self.one(value)?;
        }
        Ok(())
    }

    fn one(&mut self, value: Value<'_>) -> Result<(), Stop> {
        self.begin_again();
        // Percent-encoding refuses nothing.
        let _ = text::one(value, None, &mut Percent, self.text, self.out);
        self.room()
    }

    fn room(&self) -> Result<(), Stop> {
        if self.out.len() > self.limit { Err(Stop::Full) } else { Ok(()) }
    }

    fn set_name(&mut self, name: &str) {
        self.name.clear();
        self.name.extend_from_slice(name.as_bytes());
    }

    /// Begins a pair.
    fn begin(&mut self, name: &[u8]) {
        self.separate();
        self.out.extend_from_slice(name);
        self.out.push(b'=');
    }

    /// Begins a pair with [`Pairs::name`].
    fn begin_again(&mut self) {
        self.separate();
        self.out.extend_from_slice(self.name);
        self.out.push(b'=');
    }

    /// Writes what stands before a pair.
    #[inline]
    fn separate(&mut self) {
        if self.out.len() > self.start {
            self.out.push(b'&');
        } else if let Some(first) = self.first {
            self.out.push(first);
        }
    }
}
