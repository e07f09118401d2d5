//! Functions that pass on one of their arguments.

use super::super::value::Value;
use super::call::FunctionCall;

pub(super) fn default(call: &FunctionCall<'_>) -> Value {
    if call.is_true(1) { call.value(1) } else { call.value(0) }
}

pub(super) fn coalesce(call: &FunctionCall<'_>) -> Value {
    call.arguments.iter().copied().find(|&value| call.view.is_true(value)).unwrap_or(Value::Absent)
}

/// The condition comes last, so that it can be piped in. Sprig needs a boolean; here anything that `if` can test will do.
pub(super) fn ternary(call: &FunctionCall<'_>) -> Value {
    if call.is_true(2) { call.value(0) } else { call.value(1) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_texts;
    use crate::template::Function;

    #[test]
    fn an_argument_is_chosen() {
        assert_texts(&[
            (Function::Default, &["\"d\"", "absent"], "d"),
            (Function::Default, &["\"d\"", "\"\""], "d"),
            (Function::Default, &["\"d\"", "5"], "5"),
            (Function::Default, &["3", "null"], "3"),
            (Function::Default, &["[1, 2]", "[ ]"], "[1, 2]"),
            (Function::Default, &["\"d\""], "d"),
            (Function::Coalesce, &["absent", "0", "\"\"", "\"x\"", "\"y\""], "x"),
            (Function::Coalesce, &["absent", "false"], ""),
            (Function::Ternary, &["\"y\"", "\"n\"", "true"], "y"),
            (Function::Ternary, &["\"y\"", "\"n\"", "false"], "n"),
            (Function::Ternary, &["\"y\"", "\"n\"", "absent"], "n"),
            (Function::Empty, &["absent"], "true"),
            (Function::Empty, &["\"\""], "true"),
            (Function::Empty, &["0.0"], "true"),
            (Function::Empty, &["[0]"], "false"),
            (Function::Not, &["0"], "true"),
            (Function::Not, &["\"0\""], "false"),
        ]);
    }
}
