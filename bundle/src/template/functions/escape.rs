//! Go's escaping functions. Several arguments are joined as by `print`.

use super::super::error::Fault;
use super::call::{FunctionCall, push, push_char};
use super::quoted::is_printable;
use super::{Answer, print};

pub(super) fn html(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for character in print::joined(call)?.chars() {
        match character {
            '\0' => push(out, "\u{fffd}"),
            '"' => push(out, "&#34;"),
            '\'' => push(out, "&#39;"),
            '&' => push(out, "&amp;"),
            '<' => push(out, "&lt;"),
            '>' => push(out, "&gt;"),
            _ => push_char(out, character),
        }?;
    }
    Ok(Answer::Text)
}

pub(super) fn js(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for character in print::joined(call)?.chars() {
        match character {
            '\\' => push(out, "\\\\"),
            '\'' => push(out, "\\'"),
            '"' => push(out, "\\\""),
            '\0'..' ' | '<' | '>' | '&' | '=' => push(out, &format!("\\u{:04X}", u32::from(character))),
            _ if character.is_ascii() || is_printable(character) => push_char(out, character),
            _ => push(out, &format!("\\u{:04X}", u32::from(character))),
        }?;
    }
    Ok(Answer::Text)
}

pub(super) fn url_query(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    for byte in print::joined(call)?.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                push_char(out, char::from(byte))
            }
            b' ' => push(out, "+"),
            _ => push(out, &format!("%{byte:02X}")),
        }?;
    }
    Ok(Answer::Text)
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_texts;
    use crate::template::Function;

    #[test]
    fn texts_are_escaped() {
        assert_texts(&[
            (
                Function::Html,
                &["\"<a href=\\\"x\\\">'&\\u0000\""],
                "&lt;a href=&#34;x&#34;&gt;&#39;&amp;\u{fffd}",
            ),
            (Function::Html, &["\"<b>\""], "&lt;b&gt;"),
            (Function::Html, &["1", "2", "\"<\""], "1 2&lt;"),
            (Function::Html, &["[\"a\"]"], "[&#34;a&#34;]"),
            (Function::Html, &["absent"], ""),
            (
                Function::Js,
                &["\"it'd <a> & \\\"b\\\\ = \\n\\u0000\""],
                "it\\'d \\u003Ca\\u003E \\u0026 \\\"b\\\\ \\u003D \\u000A\\u0000",
            ),
            (Function::Js, &["\"é\\u2028\\u007f\""], "é\\u2028\u{7f}"),
            (Function::UrlQuery, &["\"a b\""], "a+b"),
            (Function::UrlQuery, &["\"http://x.org/é?a=1&b~\""], "http%3A%2F%2Fx.org%2F%C3%A9%3Fa%3D1%26b~"),
            (Function::UrlQuery, &["5", "true"], "5+true"),
        ]);
    }
}
