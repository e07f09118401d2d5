//! What can be wrong with a call, and how all of it is told at once.

use std::fmt;

/// Problems told for one call; the rest is only counted.
pub const MAX_PROBLEMS: usize = 20;

/// Why a call was not bound. Its text is meant for the model that made the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindError {
    pub tool: String,
    /// Never empty.
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub omitted: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// As in `items[2].name`, shortened; a variable as `${NAME}`; empty for the arguments as a whole.
    pub argument: String,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    NotJson,
    NotAnObject,
    TooDeep,
    TooManyArguments,
    UnknownArgument,
    DuplicateArgument,
    Missing,
    MissingPathParameter,
    InvalidPathParameter,
    InvalidHeaderValue,
    /// A name that cannot stand where the member goes.
    InvalidMemberName,
    WrongType,
    OutOfRange,
    NotInEnum,
    /// Of a string, an array or an object.
    Length,
    Pattern,
    Format,
    Schema,
    UnresolvedVariable,
    TooLarge,
    /// A template of the request cannot be rendered with these arguments.
    Template,
}

impl ProblemKind {
    /// A stable name, for logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProblemKind::NotJson => "not_json",
            ProblemKind::NotAnObject => "not_an_object",
            ProblemKind::TooDeep => "too_deep",
            ProblemKind::TooManyArguments => "too_many_arguments",
            ProblemKind::UnknownArgument => "unknown_argument",
            ProblemKind::DuplicateArgument => "duplicate_argument",
            ProblemKind::Missing => "missing",
            ProblemKind::MissingPathParameter => "missing_path_parameter",
            ProblemKind::InvalidPathParameter => "invalid_path_parameter",
            ProblemKind::InvalidHeaderValue => "invalid_header_value",
            ProblemKind::InvalidMemberName => "invalid_member_name",
            ProblemKind::WrongType => "wrong_type",
            ProblemKind::OutOfRange => "out_of_range",
            ProblemKind::NotInEnum => "not_in_enum",
            ProblemKind::Length => "length",
            ProblemKind::Pattern => "pattern",
            ProblemKind::Format => "format",
            ProblemKind::Schema => "schema",
            ProblemKind::UnresolvedVariable => "unresolved_variable",
            ProblemKind::TooLarge => "too_large",
            ProblemKind::Template => "template",
        }
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len() + self.omitted;
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} problem{plural} with the arguments of `{}`:", self.tool)?;
        for problem in &self.problems {
            write!(f, "\n- {}", problem.message)?;
        }
        if self.omitted > 0 {
            write!(f, "\n- and {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for BindError {}

/// Collects problems; costs nothing while there are none.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    omitted: usize,
}

impl Problems {
    /// `describe` gives argument and message, and is only called while there is room.
    pub(crate) fn push(&mut self, kind: ProblemKind, describe: impl FnOnce() -> (String, String)) {
        if self.list.len() < MAX_PROBLEMS {
            let (argument, message) = describe();
            self.list.push(Problem { kind, argument, message });
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// Whether a problem of this kind is told.
    pub(crate) fn has(&self, kind: ProblemKind) -> bool {
        self.list.iter().any(|problem| problem.kind == kind)
    }

    /// Whether one of the first `count` problems is about an argument.
    pub(crate) fn mentions(&self, argument: &str, count: usize) -> bool {
        self.list.iter().take(count).any(|problem| problem.argument == argument)
    }

    #[inline]
    pub(crate) fn into_result(self, tool: &str) -> Result<(), BindError> {
        if self.list.is_empty() {
            return Ok(());
        }
        Err(BindError { tool: tool.to_owned(), problems: self.list, omitted: self.omitted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_beyond_the_bound_are_counted() {
        let mut problems = Problems::default();
        for number in 0..25 {
            problems.push(ProblemKind::WrongType, || (String::new(), format!("problem {number}")));
        }
        let text = problems.into_result("get_order").unwrap_err().to_string();
        assert!(text.starts_with("25 problems with the arguments of `get_order`:\n- problem 0\n"), "{text}");
        assert!(text.ends_with("\n- problem 19\n- and 5 more"), "{text}");
    }

    #[test]
    fn one_problem_is_told_in_the_singular() {
        let mut problems = Problems::default();
        problems.push(ProblemKind::Missing, || ("a".to_owned(), "`a` is required".to_owned()));
        assert!(problems.mentions("a", 1) && !problems.mentions("b", 1) && !problems.mentions("a", 0));
        let text = problems.into_result("t").unwrap_err().to_string();
        assert_eq!(text, "1 problem with the arguments of `t`:\n- `a` is required");
    }

    #[test]
    fn no_problem_is_no_error() {
        assert_eq!(Problems::default().into_result("t"), Ok(()));
    }
}
