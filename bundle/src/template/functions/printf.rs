//! Go's `printf`: which arguments a format prints, and what is said of those it does not fit.

use super::super::error::Fault;
use super::super::value::{Value, ValueKind};
use super::Answer;
use super::call::{FunctionCall, describe, push};
use super::spec::Spec;
use super::verb::{write_number, write_text};

pub(super) fn printf(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let kind = call.kind(call.value(0));
    if kind != ValueKind::String {
        return Err(
            call.fault(format_args!("its first argument is the format, a text, not {}", describe(kind)))
        );
    }
    let format = call.printed(call.value(0));
    let mut arguments = call.rest(1).iter();
    let mut rest = &*format;
    while let Some((plain, after)) = rest.split_once('%') {
        push(out, plain)?;
        let (spec, after) = Spec::parse(call, after)?;
        let mut characters = after.chars();
        let verb = characters.next();
        rest = characters.as_str();
        match verb {
            None => push(out, "%!(NOVERB)")?,
            Some('%') => push(out, "%")?,
            Some(verb @ ('*' | '[')) => {
                return Err(call.fault(format_args!("`{verb}` in a format is not supported")));
            }
            Some(verb) => match arguments.next() {
                Some(&value) => write(call, value, verb, &spec, out)?,
                None => push(out, &format!("%!{verb}(MISSING)"))?,
            },
        }
    }
    push(out, rest)?;
    write_extra(call, arguments.as_slice(), out)?;
    Ok(Answer::Text)
}

fn write(
    call: &FunctionCall<'_>,
    value: Value,
    verb: char,
    spec: &Spec,
    out: &mut String,
) -> Result<(), Fault> {
    let text = call.printed(value);
    let is_known = match (call.kind(value), verb) {
        (ValueKind::String, _) => write_text(&text, verb, spec, out)?,
        (ValueKind::Number, _) => write_number(call, &text, verb, spec, out)?,
        (ValueKind::Bool, 't' | 'v')
        | (ValueKind::Absent | ValueKind::Null | ValueKind::Array | ValueKind::Object, 's' | 'v') => {
            spec.pad(&text, out)?;
            true
        }
        _ => false,
    };
    if is_known {
        return Ok(());
    }
    push(out, &format!("%!{verb}("))?;
    write_with_type(call, value, spec, out)?;
    push(out, ")")
}

fn write_extra(call: &FunctionCall<'_>, values: &[Value], out: &mut String) -> Result<(), Fault> {
    let mut separator = "%!(EXTRA ";
    for &value in values {
        push(out, separator)?;
        write_with_type(call, value, &Spec::default(), out)?;
        separator = ", ";
    }
    if values.is_empty() { Ok(()) } else { push(out, ")") }
}

/// Go's name of the type, and the value.
fn write_with_type(
    call: &FunctionCall<'_>,
    value: Value,
    spec: &Spec,
    out: &mut String,
) -> Result<(), Fault> {
    let text = call.printed(value);
    let name = match call.kind(value) {
        ValueKind::Absent | ValueKind::Null => return push(out, "<nil>"),
        ValueKind::Bool => "bool",
        ValueKind::Number if text.contains(['.', 'e', 'E']) => "float64",
        ValueKind::Number => "int",
        ValueKind::String => "string",
        ValueKind::Array => "[]interface {}",
        ValueKind::Object => "map[string]interface {}",
    };
    push(out, name)?;
    push(out, "=")?;
    match call.kind(value) {
        ValueKind::String => write_text(&text, 'v', spec, out).map(drop),
        ValueKind::Number => write_number(call, &text, 'v', spec, out).map(drop),
        _ => spec.pad(&text, out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{argument, go};
    use crate::template::Function;
    use proptest::prelude::*;

    fn printf(format: &str, arguments: &[&str]) -> Result<String, String> {
        let format = serde_json::to_string(format).unwrap();
        let arguments: Vec<&str> = std::iter::once(&*format).chain(arguments.iter().copied()).collect();
        go(Function::Printf, &arguments)
    }

    #[test]
    fn formats_print_as_gos() {
        for (format, arguments, expected) in [
            ("%s-%s", &["\"x\"", "\"y\""][..], "x-y"),
            ("%s-%d", &["\"A \\\"q\\\" & /x\"", "5"], "A \"q\" & /x-5"),
            ("%05d", &["5"], "00005"),
            ("%q", &["\"a\\\"b\""], "\"a\\\"b\""),
            ("%.2f", &["3.14159"], "3.14"),
            ("%5s|%-5s", &["\"ab\"", "\"ab\""], "   ab|ab   "),
            ("%v!", &["7"], "7!"),
            ("100%%", &[], "100%"),
            ("%v %v %v", &["2.50", "12345678901234567890", "1e400"], "2.50 12345678901234567890 1e400"),
            ("%v|%s|%v|%s", &["absent", "absent", "null", "null"], "||null|null"),
            ("%v %s", &["[1, 2]", "{\"a\": 1}"], "[1, 2] {\"a\": 1}"),
            ("%t|%6v|%-6t|", &["true", "true", "false"], "true|  true|false |"),
            ("%3v", &["absent"], "   "),
            ("é%5sé", &["\"é\""], "é    éé"),
        ] {
            assert_eq!(printf(format, arguments).as_deref(), Ok(expected), "{format} {arguments:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_shown_as_by_go() {
        for (format, arguments, expected) in [
            ("a", &["\"x\""][..], "a%!(EXTRA string=x)"),
            ("a", &["\"x\"", "1", "null", "1.5"], "a%!(EXTRA string=x, int=1, <nil>, float64=1.5)"),
            ("%d", &[], "%!d(MISSING)"),
            ("%s %s", &["\"a\""], "a %!s(MISSING)"),
            ("%", &[], "%!(NOVERB)"),
            ("%5", &[], "%!(NOVERB)"),
            ("%z", &["\"x\""], "%!z(string=x)"),
            ("%d", &["\"x\""], "%!d(string=x)"),
            ("%s", &["5"], "%!s(int=5)"),
            ("%s", &["1.5"], "%!s(float64=1.5)"),
            ("%d", &["1.5"], "%!d(float64=1.5)"),
            ("%s", &["true"], "%!s(bool=true)"),
            ("%d", &["null"], "%!d(<nil>)"),
            ("%d", &["[1]"], "%!d([]interface {}=[1])"),
            ("%x", &["{}"], "%!x(map[string]interface {}={})"),
            ("%é", &["\"x\""], "%!é(string=x)"),
            ("%5z", &["\"x\""], "%!z(string=    x)"),
        ] {
            assert_eq!(printf(format, arguments).as_deref(), Ok(expected), "{format} {arguments:?}");
        }
    }

    #[test]
    fn some_formats_are_refused() {
        for (format, expected) in [
            ("%*d", "`printf`: `*` in a format is not supported"),
            ("%[1]d", "`printf`: `[` in a format is not supported"),
            ("%257d", "`printf`: a width of at most 256 is supported"),
            ("%99999999999999999999999d", "`printf`: a width of at most 256 is supported"),
            ("%.65f", "`printf`: a precision of at most 64 is supported"),
        ] {
            assert_eq!(printf(format, &["1"]).unwrap_err(), expected);
        }
        assert_eq!(
            go(Function::Printf, &["5"]).unwrap_err(),
            "`printf`: its first argument is the format, a text, not a number"
        );
        assert_eq!(printf("%f", &["1e400"]).unwrap_err(), "`printf`: 1e400 is too large for %f");
    }

    proptest! {
        #[test]
        fn no_format_panics(
            format in "([ab%]|%[-+# 0]{0,3}[0-9]{0,3}(\\.[0-9]{0,2})?[svdfFgGeEqtxXcobz%])*",
            arguments in prop::collection::vec(argument(), 0..5),
        ) {
            let arguments: Vec<&str> = arguments.iter().map(|text| &**text).collect();
            let _ = printf(&format, &arguments);
        }

        #[test]
        fn no_text_panics(format in any::<String>()) {
            let _ = printf(&format, &["\"x\"", "1", "1.5"]);
        }
    }
}
