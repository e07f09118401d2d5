//! Go's `print` and `println`.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::Answer;
use super::call::{FunctionCall, push};
use std::borrow::Cow;

pub(super) fn print(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    append(call, call.arguments, out)?;
    Ok(Answer::Text)
}

pub(super) fn println(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for (at, &value) in call.arguments.iter().enumerate() {
        if at > 0 {
            push(out, " ")?;
        }
        push(out, &call.printed(value))?;
    }
    push(out, "\n")?;
    Ok(Answer::Text)
}

pub(super) fn to_string(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    if call.kind(value) == ValueKind::String {
        return Ok(Answer::Value(value));
    }
    push(out, &call.printed(value))?;
    Ok(Answer::Text)
}

/// What Go calls a value of this kind: a whole number is an `int`, any other a `float64`.
pub(super) fn kind_of(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    let name = match call.kind(value) {
        ValueKind::Absent | ValueKind::Null => "invalid",
        ValueKind::Bool => "bool",
        ValueKind::Number if call.printed(value).contains(['.', 'e', 'E']) => "float64",
        ValueKind::Number => "int",
        ValueKind::String => "string",
        ValueKind::Array => "slice",
        ValueKind::Object => "map",
    };
    push(out, name)?;
    Ok(Answer::Text)
}

/// All arguments as `print` joins them.
pub(super) fn joined<'a>(call: &FunctionCall<'a>) -> Result<Cow<'a, str>, Fault> {
    if let [only] = call.arguments {
        return Ok(call.printed(*only));
    }
    let mut text = String::new();
    append(call, call.arguments, &mut text)?;
    Ok(Cow::Owned(text))
}

/// A space goes only between two values of which neither is a text.
fn append(call: &FunctionCall<'_>, values: &[Value], out: &mut String) -> Result<(), Fault> {
    let mut after_text = true;
    for &value in values {
        let is_text = call.kind(value) == ValueKind::String;
        if !is_text && !after_text {
            push(out, " ")?;
        }
        push(out, &call.printed(value))?;
        after_text = is_text;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_texts;
    use crate::template::Function;

    #[test]
    fn values_are_printed() {
        assert_texts(&[
            (Function::Print, &["1", "true", "\"x\"", "1", "2"], "1 truex1 2"),
            (Function::Print, &["\"a\"", "\"b\""], "ab"),
            (Function::Print, &["[1, 2]", "{}", "null"], "[1, 2] {} null"),
            (Function::Print, &["\"a\"", "absent", "\"b\""], "ab"),
            (Function::Print, &[], ""),
            (Function::Println, &["\"a\"", "\"b\"", "1.50"], "a b 1.50\n"),
            (Function::Println, &[], "\n"),
            (Function::ToString, &["12345678901234567890"], "12345678901234567890"),
            (Function::ToString, &["\"a\\n\""], "a\n"),
            (Function::ToString, &["{\"k\": 1}"], "{\"k\": 1}"),
            (Function::ToString, &["absent"], ""),
            (Function::KindOf, &["absent"], "invalid"),
            (Function::KindOf, &["true"], "bool"),
            (Function::KindOf, &["5"], "int"),
            (Function::KindOf, &["5.0"], "float64"),
            (Function::KindOf, &["\"5\""], "string"),
            (Function::KindOf, &["[]"], "slice"),
            (Function::KindOf, &["{}"], "map"),
        ]);
    }
}
