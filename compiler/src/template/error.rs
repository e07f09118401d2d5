//! What a front end reports. Errors are values; rendering them is somebody else's work.

use std::fmt;
use std::ops::Range;

/// Why a template is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text is not a template of its dialect, or a call in it could never succeed.
    Syntax,
    /// A function or helper that does not exist here.
    UnknownFunction,
    /// The dialect has it, this project refuses it.
    Unsupported,
    /// Over a limit on size or nesting.
    TooComplex,
    /// A `${…}` in its text that is not a variable.
    Variable,
}

/// One finding, with the byte range of the template source that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    pub kind: ErrorKind,
    pub span: Range<usize>,
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl TemplateError {
    pub(crate) fn new(kind: ErrorKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), help: None }
    }

    pub(crate) fn syntax(span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Syntax, span, message)
    }

    pub(crate) fn unsupported(span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, span, message)
    }

    pub(crate) fn too_complex(span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooComplex, span, message)
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_adds_the_help_in_parentheses() {
        let error = TemplateError::syntax(0..1, "unexpected `?`").with_help("remove it");
        assert_eq!(error.to_string(), "unexpected `?` (remove it)");
    }
}
