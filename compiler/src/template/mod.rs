//! The front ends of the two template dialects: text in, a checked tree or errors with positions out.
//!
//! [`go`] holds an own lexer and parser for Go's `text/template`; [`handlebars`] uses the `handlebars` crate as a
//! parser and turns its tree into ours. Both refuse what the machine cannot run, so a tree that comes out of here
//! needs no second check. Nothing here renders, reads files or knows about tool specs.
//!
//! Every function accepts any text: no panic, no unbounded recursion, no abort.

mod error;
pub mod go;
pub mod handlebars;
mod infer;
#[cfg(test)]
mod robustness;

pub use error::{ErrorKind, TemplateError};
pub use infer::{Inferred, infer, infer_and_read};

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

/// What a template can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// Whether any part of the data can reach the output or a decision; `false` means the text is constant up to
    /// the clock and random functions.
    pub reads_data: bool,
}

/// Parses `source` and reports all that is wrong with it.
pub fn check(dialect: Dialect, source: &str) -> Result<Reads, Vec<TemplateError>> {
    let reads_data = match dialect {
        Dialect::Go => go::parse(source)?.reads_data(),
        Dialect::Handlebars => handlebars::parse(source)?.reads_data(),
    };
    Ok(Reads { reads_data })
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

    #[test]
    fn a_template_that_reads_data_says_so_in_both_dialects() {
        for (dialect, source, reads) in [
            (Dialect::Go, "{{ .a }}", true),
            (Dialect::Go, "plain", false),
            (Dialect::Handlebars, "{{a}}", true),
            (Dialect::Handlebars, "plain", false),
        ] {
            assert_eq!(check(dialect, source), Ok(Reads { reads_data: reads }), "{source}");
        }
    }

    #[test]
    fn a_source_over_the_limit_is_too_complex_in_both_dialects() {
        let fits = "é".repeat(MAX_SOURCE_BYTES / 2);
        let long = format!("{fits}é");
        for dialect in [Dialect::Go, Dialect::Handlebars] {
            assert!(check(dialect, &fits).is_ok());
            let errors = check(dialect, &long).unwrap_err();
            assert_eq!(errors[0].kind, ErrorKind::TooComplex);
            assert_eq!(errors[0].span, MAX_SOURCE_BYTES..MAX_SOURCE_BYTES + 2);
        }
    }
}
