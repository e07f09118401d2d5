//! What can be wrong with a call, and how all of it is reported at once.

use std::fmt;

/// Problems reported for one call; the rest is only counted.
pub const MAX_PROBLEMS: usize = 20;

/// The message of a refusal that has no explanation, which tests and fuzzing never see.
pub const UNEXPLAINED: &str = "the arguments cannot be bound";

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
    /// A name that is not allowed where the member goes.
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
            ProblemKind::Template => "template_render",
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

/// A problem was found, and no details are needed: the call is not bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused;

/// What becomes of problems. Binding and explaining are the same code: one stops at the first problem, the other
/// goes on and collects all. So whatever one refuses, the other has a reason for.
pub(crate) trait Report {
    /// `describe` gives argument and message, and is only called where they are reported.
    fn problem(
        &mut self,
        kind: ProblemKind,
        describe: impl FnOnce() -> (String, String),
    ) -> Result<(), Refused>;

    /// How many there were.
    fn count(&self) -> usize;

    /// The problems that will be reported.
    fn reported(&self) -> &[Problem];
}

/// For binding.
#[derive(Debug)]
pub(crate) struct StopAtFirst;

impl Report for StopAtFirst {
    #[inline(always)]
    fn problem(&mut self, _: ProblemKind, _: impl FnOnce() -> (String, String)) -> Result<(), Refused> {
        Err(Refused)
    }

    #[inline(always)]
    fn count(&self) -> usize {
        0
    }

    fn reported(&self) -> &[Problem] {
        &[]
    }
}

/// For explaining.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    omitted: usize,
}

impl Report for Problems {
    fn problem(
        &mut self,
        kind: ProblemKind,
        describe: impl FnOnce() -> (String, String),
    ) -> Result<(), Refused> {
        if self.list.len() < MAX_PROBLEMS {
            let (argument, message) = describe();
            self.list.push(Problem { kind, argument, message });
        } else {
            self.omitted += 1;
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.list.len() + self.omitted
    }

    fn reported(&self) -> &[Problem] {
        &self.list
    }
}

impl Problems {
    pub(crate) fn into_error(self, tool: &str) -> BindError {
        if self.list.is_empty() {
            return BindError::unexplained(tool);
        }
        BindError { tool: tool.to_owned(), problems: self.list, omitted: self.omitted }
    }
}

impl BindError {
    /// A safety net: a refused call always has a message, even without a known reason.
    pub fn unexplained(tool: &str) -> BindError {
        let (kind, message) = (ProblemKind::Schema, UNEXPLAINED.to_owned());
        let problems = vec![Problem { kind, argument: String::new(), message }];
        BindError { tool: tool.to_owned(), problems, omitted: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(messages: impl Iterator<Item = String>) -> Problems {
        let mut problems = Problems::default();
        for message in messages {
            problems.problem(ProblemKind::WrongType, || (String::new(), message)).unwrap();
        }
        problems
    }

    #[test]
    fn problems_beyond_the_bound_are_counted() {
        let problems = problems((0..25).map(|number| format!("problem {number}")));
        assert_eq!(problems.count(), 25);
        let text = problems.into_error("get_order").to_string();
        assert!(text.starts_with("25 problems with the arguments of `get_order`:\n- problem 0\n"), "{text}");
        assert!(text.ends_with("\n- problem 19\n- and 5 more"), "{text}");
    }

    #[test]
    fn one_problem_is_reported_in_the_singular() {
        let text = problems(["`a` is required".to_owned()].into_iter()).into_error("t").to_string();
        assert_eq!(text, "1 problem with the arguments of `t`:\n- `a` is required");
    }

    #[test]
    fn an_error_is_never_empty() {
        assert_eq!(Problems::default().into_error("t").problems[0].message, UNEXPLAINED);
        assert_eq!(StopAtFirst.problem(ProblemKind::Missing, || unreachable!()), Err(Refused));
    }
}
