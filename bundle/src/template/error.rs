//! Why a program could not be run to its end.

use crate::json::ScanError;
use std::fmt;

/// What went wrong, and where in the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError {
    pub fault: Fault,
    /// Line and column in the template, from 1; `None` if it is not about one place.
    pub at: Option<(u32, u32)>,
    /// The instruction that failed, counted from the program's start.
    pub op: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The data are not JSON, or nested too deep.
    Data(ScanError),
    /// The data have more bytes than a program can count.
    DataTooLong,
    /// A limit was reached.
    Limit(Limit),
    /// A function or loop cannot do what it is asked with the value that it got.
    Value(String),
    /// The value is not allowed in its place.
    Refused(String),
}

/// What of [`super::Limits`] was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Steps,
    Iterations,
    Output,
    /// Values kept while the data are scanned.
    Values,
    /// Computed text.
    Text,
    Stack,
}

impl Fault {
    /// A stable name, for logs and metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Fault::Data(_) => "invalid_json",
            Fault::DataTooLong => "data_too_long",
            Fault::Limit(limit) => limit.name(),
            Fault::Value(_) => "value",
            Fault::Refused(_) => "refused",
        }
    }

    pub(crate) fn value(message: impl Into<String>) -> Fault {
        Fault::Value(message.into())
    }
}

impl Limit {
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Steps => "step_limit",
            Limit::Iterations => "iteration_limit",
            Limit::Output => "output_limit",
            Limit::Values => "value_limit",
            Limit::Text => "text_limit",
            Limit::Stack => "stack_limit",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Data(error) => write!(f, "not valid JSON: {error}"),
            Fault::DataTooLong => f.write_str("more than 4 GiB of data"),
            Fault::Limit(limit) => f.write_str(match limit {
                Limit::Steps => "it takes more steps than allowed",
                Limit::Iterations => "its loops run more often than allowed",
                Limit::Output => "its text gets longer than allowed",
                Limit::Values => "it keeps more values of the data than allowed",
                Limit::Text => "it computes more text than allowed",
                Limit::Stack => "its expressions nest deeper than allowed",
            }),
            Fault::Value(message) | Fault::Refused(message) => f.write_str(message),
        }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for RenderError {}
