//! The two template dialects: text in, a program or errors with positions out.
//!
//! [`go`] has its own lexer and parser for Go's `text/template`. [`handlebars`] uses the
//! `handlebars` crate as a parser and converts its tree to ours. Both refuse what the machine
//! cannot run, so their trees need no second check, and `lower` makes a program of them.
//! `constants` then refuses calls that can never succeed. Nothing else here renders, and nothing
//! reads files or knows about tool specs.
//!
//! Every function accepts any text: no panic, no unbounded recursion, no abort.

mod compiled;
mod constants;
mod destination;
mod error;
pub mod go;
pub mod handlebars;
mod infer;
mod line_ends;
mod lower;
#[cfg(test)]
mod robustness;

use line_ends::LineEnds;
use mcp_bundle::template::Destination;

pub(crate) use lower::listing;

pub use compiled::{Branch, BranchKind, Compiled, Read, Segment};
pub use destination::set_destination;
pub use error::{ErrorKind, TemplateError};
pub use infer::{Inferred, infer, infer_and_compile};

/// The longest template source, in bytes. The largest seen in the wild has less than one.
pub const MAX_SOURCE_BYTES: usize = 64 * 1024;

/// How deep blocks (`if`, `with`, `range`, `each`, …) may nest. An `else if` does not nest.
pub const MAX_BLOCK_DEPTH: usize = 32;

/// How deep parentheses may nest within one action.
pub const MAX_PAREN_DEPTH: usize = 64;

/// The template languages a spec may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Go,
    Handlebars,
}

impl From<Dialect> for mcp_bundle::wire_enums::Dialect {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Go => Self::Go,
            Dialect::Handlebars => Self::Handlebars,
        }
    }
}

/// Makes a program of `source`, or reports all that is wrong with it. Literals are not encoded yet.
pub fn compile(dialect: Dialect, source: &str) -> Result<Compiled, Vec<TemplateError>> {
    let ends = LineEnds::new(source);
    restored(compile_plain(dialect, &ends.text), &ends)
}

/// Makes a program that writes a place, ready to be linked.
pub fn compile_for(
    place: Destination,
    dialect: Dialect,
    source: &str,
) -> Result<Compiled, Vec<TemplateError>> {
    let mut compiled = compile(dialect, source)?;
    set_destination(&mut compiled, place)?;
    Ok(compiled)
}

fn compile_plain(dialect: Dialect, source: &str) -> Result<Compiled, Vec<TemplateError>> {
    match dialect {
        Dialect::Go => lower::go(source, &go::parse(source)?),
        Dialect::Handlebars => lower::handlebars(source, &handlebars::parse(source)?),
    }
}

/// A lowered template whose calls can succeed, with the spans of the source as it was given.
fn restored(
    lowered: Result<Compiled, Vec<TemplateError>>,
    ends: &LineEnds<'_>,
) -> Result<Compiled, Vec<TemplateError>> {
    let mut result = lowered.and_then(constants::check);
    match &mut result {
        Ok(compiled) => {
            compiled.find_literals();
            compiled.map_spans(|span| ends.restore(span));
        }
        Err(errors) => errors.iter_mut().for_each(|error| ends.restore(&mut error.span)),
    }
    result
}

/// Refuses a source over [`MAX_SOURCE_BYTES`], before anything looks at it.
fn check_size(source: &str) -> Result<(), Vec<TemplateError>> {
    if source.len() <= MAX_SOURCE_BYTES {
        return Ok(());
    }
    let start = source.floor_char_boundary(MAX_SOURCE_BYTES);
    let message =
        format!("the template has {} bytes, more than the limit of {MAX_SOURCE_BYTES}", source.len());
    Err(vec![TemplateError::too_complex(start..source.len(), message)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::format::MAX_NAME_LENGTH;

    #[test]
    fn a_template_that_reads_data_says_so_in_both_dialects() {
        for (dialect, source, reads) in [
            (Dialect::Go, "{{ .a }}", true),
            (Dialect::Go, "plain", false),
            (Dialect::Handlebars, "{{a}}", true),
            (Dialect::Handlebars, "plain", false),
        ] {
            assert_eq!(compile(dialect, source).unwrap().reads_data, reads, "{source}");
        }
    }

    #[test]
    fn a_key_that_no_bundle_takes_is_too_complex_in_both_dialects() {
        for (dialect, before) in [(Dialect::Go, "{{ ."), (Dialect::Handlebars, "{{b.")] {
            let source = |length| format!("{before}{}}}}}", "a".repeat(length));
            assert!(compile(dialect, &source(MAX_NAME_LENGTH)).is_ok());
            let errors = compile(dialect, &source(MAX_NAME_LENGTH + 1)).unwrap_err();
            assert_eq!(errors[0].kind, ErrorKind::TooComplex);
            assert_eq!(errors[0].span, 4..4 + MAX_NAME_LENGTH + 1);
        }
    }

    #[test]
    fn a_source_over_the_limit_is_too_complex_in_both_dialects() {
        let fits = "é".repeat(MAX_SOURCE_BYTES / 2);
        let long = format!("{fits}é");
        for dialect in [Dialect::Go, Dialect::Handlebars] {
            assert!(compile(dialect, &fits).is_ok());
            let errors = compile(dialect, &long).unwrap_err();
            assert_eq!(errors[0].kind, ErrorKind::TooComplex);
            assert_eq!(errors[0].span, MAX_SOURCE_BYTES..MAX_SOURCE_BYTES + 2);
        }
    }
}
