//! Sprig's functions on texts.

use super::super::error::{Fault, Limit};
use super::super::value::{Value, ValueKind};
use super::call::{FunctionCall, push, push_char};
use super::{Answer, Function, MAX_TEXT, quoted};
use crate::json;

/// Whether the last argument has the first in it, or begins or ends with it.
pub(super) fn test(call: &FunctionCall<'_>) -> Result<bool, Fault> {
    let (part, text) = (call.text(0)?, call.text(1)?);
    Ok(match call.function {
        Function::HasPrefix => text.starts_with(&*part),
        Function::HasSuffix => text.ends_with(&*part),
        _ => text.contains(&*part),
    })
}

/// Characters change one for one, as in Go: `ß` has no upper case of its own.
pub(super) fn change_case(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for character in call.text(0)?.chars() {
        push_char(out, if call.function == Function::Upper { upper(character) } else { lower(character) })?;
    }
    Ok(Answer::Text)
}

pub(super) fn upper(character: char) -> char {
    let mut changed = character.to_uppercase();
    match (changed.next(), changed.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

pub(super) fn lower(character: char) -> char {
    // Only `İ` becomes more than one, of which Go keeps the `i`.
    character.to_lowercase().next().unwrap_or(character)
}

pub(super) fn trim(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    if call.function == Function::Trim {
        push(out, call.text(0)?.trim())?;
        return Ok(Answer::Text);
    }
    let (part, text) = (call.text(0)?, call.text(1)?);
    let trimmed = match call.function {
        Function::TrimPrefix => text.strip_prefix(&*part),
        _ => text.strip_suffix(&*part),
    };
    push(out, trimmed.unwrap_or(&text))?;
    Ok(Answer::Text)
}

pub(super) fn replace(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (old, new, text) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let mut end = 0;
    for (at, found) in text.match_indices(&*old) {
        push(out, text.get(end..at).unwrap_or_default())?;
        push(out, &new)?;
        end = at + found.len();
    }
    push(out, text.get(end..).unwrap_or_default())?;
    Ok(Answer::Text)
}

/// The elements of a list, nulls left out as by sprig, or what is not a list by itself.
pub(super) fn join(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (separator, list) = (call.text(0)?, call.value(1));
    match call.kind(list) {
        ValueKind::Absent | ValueKind::Null => {}
        ValueKind::Array => {
            let is_shown = |&value: &Value| call.kind(value) != ValueKind::Null;
            for (at, element) in call.view.items(list).filter(is_shown).enumerate() {
                if at > 0 {
                    push(out, &separator)?;
                }
                push(out, &call.printed(element))?;
            }
        }
        _ => push(out, &call.printed(list))?,
    }
    Ok(Answer::Text)
}

/// A list; sprig's has its parts under the names `_0`, `_1` and so on.
pub(super) fn split(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let (separator, text) = (call.text(0)?, call.text(1)?);
    let mut list = vec![b'['];
    let mut add = |part: &str| {
        if list.len() + part.len() > MAX_TEXT {
            return Err(Fault::Limit(Limit::Text));
        }
        if list.len() > 1 {
            list.push(b',');
        }
        json::write_string(part, &mut list);
        Ok(())
    };
    if separator.is_empty() {
        for character in text.chars() {
            add(character.encode_utf8(&mut [0; 4]))?;
        }
    } else {
        for part in text.split(&*separator) {
            add(part)?;
        }
    }
    list.push(b']');
    push(out, &String::from_utf8_lossy(&list))?;
    Ok(Answer::Json)
}

/// All that is there, each in quotes.
pub(super) fn quote(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for &value in call.arguments {
        if matches!(call.kind(value), ValueKind::Absent | ValueKind::Null) {
            continue;
        }
        if !out.is_empty() {
            push(out, " ")?;
        }
        quoted::quote(&call.printed(value), false, out)?;
    }
    Ok(Answer::Text)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use super::MAX_TEXT;
    use crate::template::Function;

    #[test]
    fn texts_are_made() {
        assert_texts(&[
            (Function::Upper, &["\"A \\\"q\\\" & /x\""], "A \"Q\" & /X"),
            (Function::Upper, &["\"h\\u00e9llo✓ß\""], "HÉLLO✓ß"),
            (Function::Lower, &["\"ABC ΑΣ İ\""], "abc ασ i"),
            (Function::Upper, &["true"], "TRUE"),
            (Function::Upper, &["absent"], ""),
            (Function::Trim, &["\" \\u00a0a b \\n\""], "a b"),
            (Function::TrimPrefix, &["\"a\"", "\"aab\""], "ab"),
            (Function::TrimSuffix, &["\".x\"", "\"a.x\""], "a"),
            (Function::TrimSuffix, &["\".y\"", "\"a.x\""], "a.x"),
            (Function::Replace, &["\" \"", "\"-\"", "\"a b c\""], "a-b-c"),
            (Function::Replace, &["\"\"", "\"-\"", "\"hé\""], "-h-é-"),
            (Function::Replace, &["\"x\"", "\"y\"", "5"], "5"),
            (Function::Contains, &["\"a\"", "\"abc\""], "true"),
            (Function::Contains, &["\"\"", "\"abc\""], "true"),
            (Function::Contains, &["\"é\"", "\"h\\u00e9\""], "true"),
            (Function::HasPrefix, &["\"ab\"", "\"abc\""], "true"),
            (Function::HasPrefix, &["\"bc\"", "\"abc\""], "false"),
            (Function::HasSuffix, &["\"bc\"", "\"abc\""], "true"),
            (Function::Join, &["\", \"", "[\"a\", 1.50, true, null, [2]]"], "a, 1.50, true, [2]"),
            (Function::Join, &["\",\"", "\"x\""], "x"),
            (Function::Join, &["\",\"", "5"], "5"),
            (Function::Join, &["\",\"", "absent"], ""),
            (Function::Split, &["\",\"", "\"a,b,,\""], r#"["a","b","",""]"#),
            (Function::Split, &["\",\"", "\"\""], r#"[""]"#),
            (Function::Split, &["\"\"", "\"hé\\\"\""], r#"["h","é","\""]"#),
            (Function::Split, &["\"\"", "\"\""], "[]"),
            (Function::Quote, &["\"A \\\"q\\\" & /x\""], r#""A \"q\" & /x""#),
            (Function::Quote, &["5", "absent", "null", "\"a\\u0007\""], r#""5" "a\a""#),
            (Function::Quote, &["absent"], ""),
        ]);
    }

    #[test]
    fn lists_are_not_texts() {
        assert_eq!(go(Function::Upper, &["[1]"]).unwrap_err(), "`upper`: it needs text, not a list");
        assert_eq!(
            go(Function::Join, &["[\"x\"]", "\", \""]).unwrap_err(),
            "`join`: it needs text, not a list",
            "the arguments swapped"
        );
    }

    #[test]
    fn texts_do_not_grow_beyond_the_bound() {
        let long = format!("\"{}\"", "a".repeat(MAX_TEXT));
        let ones = format!("[{}1]", "1,".repeat(1000));
        for (function, arguments) in [
            (Function::Replace, &["\"a\"", &long, &long][..]),
            (Function::Replace, &["\"\"", &long, &long]),
            (Function::Join, &[&long, &ones]),
            (Function::Split, &["\"\"", &long]),
            (Function::Split, &["\"x\"", &long]),
            (Function::Quote, &[&long]),
        ] {
            let error = go(function, arguments).unwrap_err();
            assert_eq!(error, "it computes more text than allowed", "{function}");
        }
        assert!(go(Function::Upper, &[&long]).is_ok());
    }
}
