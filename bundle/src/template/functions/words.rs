//! More of sprig's functions on texts. Where sprig would cut a character in two, the whole character is left out.

use super::super::error::Fault;
use super::super::value::ValueKind;
use super::call::{FunctionCall, push, push_char};
use super::{Answer, Function};

/// The first letter of each word in upper case. Words are letters, digits and `_`, as in Go's `strings.Title`.
pub(super) fn title(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut is_inside = false;
    for character in call.text(0)?.chars() {
        let is_word = character.is_alphanumeric()
            || character == '_'
            || !(character.is_ascii() || character.is_whitespace());
        push_char(out, if is_inside { character } else { super::text::upper(character) })?;
        is_inside = is_word;
    }
    Ok(Answer::Text)
}

/// At most so many bytes of the beginning, or with a negative number of the end.
pub(super) fn trunc(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (most, text) = (call.integer(call.value(0))?, call.text(1)?);
    let bytes = usize::try_from(most.unsigned_abs()).unwrap_or(usize::MAX);
    let part = match text.len().checked_sub(bytes) {
        None => &*text,
        Some(from) if most < 0 => text.get(text.ceil_char_boundary(from)..).unwrap_or_default(),
        Some(_) => text.get(..text.floor_char_boundary(bytes)).unwrap_or_default(),
    };
    push(out, part)?;
    Ok(Answer::Text)
}

/// The bytes from one index to another; from the beginning or to the end for a negative one.
pub(super) fn substr(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (start, end) = (call.integer(call.value(0))?, call.integer(call.value(1))?);
    let text = call.text(2)?;
    let start = text.ceil_char_boundary(usize::try_from(start).unwrap_or(0).min(text.len()));
    let end = text.floor_char_boundary(usize::try_from(end).unwrap_or(text.len()).min(text.len()));
    push(out, text.get(start..end).unwrap_or_default())?;
    Ok(Answer::Text)
}

/// All that is there, with blanks between.
pub(super) fn cat(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut is_first = true;
    for &value in call.arguments {
        if matches!(call.kind(value), ValueKind::Absent | ValueKind::Null) {
            continue;
        }
        if !is_first {
            push(out, " ")?;
        }
        is_first = false;
        push(out, &call.printed(value))?;
    }
    Ok(Answer::Text)
}

pub(super) fn no_space(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for part in call.text(0)?.split_whitespace() {
        push(out, part)?;
    }
    Ok(Answer::Text)
}

/// All that is there, each in single quotes; nothing is escaped, as in sprig.
pub(super) fn single_quote(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for &value in call.arguments {
        if matches!(call.kind(value), ValueKind::Absent | ValueKind::Null) {
            continue;
        }
        push(out, if out.is_empty() { "'" } else { " '" })?;
        push(out, &call.printed(value))?;
        push(out, "'")?;
    }
    Ok(Answer::Text)
}

pub(super) fn repeat(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (count, text) = (call.integer(call.value(0))?, call.text(1)?);
    if count < 0 {
        return Err(call.fault(format_args!("{count} is less than zero")));
    }
    if !text.is_empty() {
        for _ in 0..count {
            push(out, &text)?;
        }
    }
    Ok(Answer::Text)
}

/// Without the characters of the first text at both ends of the second.
pub(super) fn trim_all(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (set, text) = (call.text(0)?, call.text(1)?);
    push(out, text.trim_matches(|character| set.contains(character)))?;
    Ok(Answer::Text)
}

/// Blanks before each line; `nindent` begins with a line break.
pub(super) fn indent(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (count, text) = (call.integer(call.value(0))?, call.text(1)?);
    let most = super::MAX_TEXT as i64;
    let Ok(count) = usize::try_from(count.min(most)) else {
        return Err(call.fault(format_args!("{count} is less than zero")));
    };
    let blanks = " ".repeat(count);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 || call.function == Function::NIndent {
            push(out, "\n")?;
        }
        push(out, &blanks)?;
        push(out, line)?;
    }
    Ok(Answer::Text)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_made() {
        assert_texts(&[
            (Function::Title, &["\"hello wor-ld o'neil éa_b 9x\""], "Hello Wor-Ld O'Neil Éa_b 9x"),
            (Function::Title, &["\"你好 ab\""], "你好 Ab"),
            (Function::Title, &["absent"], ""),
            (Function::Trunc, &["5", "\"hello world\""], "hello"),
            (Function::Trunc, &["-5", "\"hello world\""], "world"),
            (Function::Trunc, &["50", "\"hello\""], "hello"),
            (Function::Trunc, &["-50", "\"hello\""], "hello"),
            (Function::Trunc, &["0", "\"hello\""], ""),
            (Function::Trunc, &["4", "\"你好\""], "你"),
            (Function::Trunc, &["-4", "\"你好\""], "好"),
            (Function::Substr, &["0", "5", "\"hello world\""], "hello"),
            (Function::Substr, &["6", "-1", "\"hello world\""], "world"),
            (Function::Substr, &["-1", "2", "\"hello\""], "he"),
            (Function::Substr, &["3", "99", "\"hello\""], "lo"),
            (Function::Substr, &["9", "99", "\"hello\""], ""),
            (Function::Substr, &["4", "2", "\"hello\""], ""),
            (Function::Substr, &["1", "5", "\"你好\""], ""),
            (Function::Cat, &["\"a\"", "5", "absent", "\"\"", "true"], "a 5  true"),
            (Function::Cat, &[], ""),
            (Function::NoSpace, &["\" a b\\n\\u00a0c \""], "abc"),
            (Function::SQuote, &["\"a\"", "null", "5"], "'a' '5'"),
            (Function::Repeat, &["3", "\"ab\""], "ababab"),
            (Function::Repeat, &["9223372036854775807", "\"\""], ""),
            (Function::TrimAll, &["\"$x\"", "\"$5x$\""], "5"),
            (Function::Indent, &["2", "\"a\\nb\""], "  a\n  b"),
            (Function::NIndent, &["1", "\"a\\n\\nb\""], "\n a\n \n b"),
        ]);
    }

    #[test]
    fn texts_are_bounded() {
        let long = format!("\"{}\"", "\\n".repeat(1000));
        for (function, arguments) in [
            (Function::Repeat, &["9223372036854775807", "\"a\""][..]),
            (Function::Indent, &["9223372036854775807", "\"a\""]),
            (Function::NIndent, &["1000", &long]),
        ] {
            assert_eq!(
                go(function, arguments).unwrap_err(),
                "it computes more text than allowed",
                "{function}"
            );
        }
        assert_eq!(go(Function::Repeat, &["-1", "\"a\""]).unwrap_err(), "`repeat`: -1 is less than zero");
        assert_eq!(go(Function::Indent, &["-1", "\"a\""]).unwrap_err(), "`indent`: -1 is less than zero");
    }

    proptest! {
        #[test]
        fn a_text_that_is_cut_is_a_part_of_it(text in "\\PC{0,12}", most in -20_i64..20) {
            let cut = go(Function::Trunc, &[&most.to_string(), &serde_json::to_string(&text).unwrap()]).unwrap();
            let is_end = if most < 0 { text.ends_with(&cut) } else { text.starts_with(&cut) };
            prop_assert!(is_end);
            prop_assert!(cut.len() == text.len() || cut.len() as u64 <= most.unsigned_abs());
        }
    }
}
