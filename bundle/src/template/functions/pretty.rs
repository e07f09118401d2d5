//! JSON over several lines.

use super::super::error::Fault;
use super::Answer;
use super::call::{FunctionCall, push};
use super::list::push_json;

pub(super) fn to_pretty_json(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let mut text = String::new();
    push_json(call, call.value(0), &mut text)?;
    indent(&text, out)?;
    Ok(Answer::Text)
}

/// Appends a JSON text with two blanks for each level.
pub(super) fn indent(text: &str, out: &mut String) -> Result<(), Fault> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { string_length(rest) } else { first.len_utf8() };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after.trim_start();
        match first {
            '{' | '[' if rest.starts_with(['}', ']']) => push(out, token)?,
            '{' | '[' => {
                depth += 1;
                push(out, token)?;
                new_line(depth, out)?;
            }
            '}' | ']' => {
                if !out.ends_with(['{', '[']) {
                    depth = depth.saturating_sub(1);
                    new_line(depth, out)?;
                }
                push(out, token)?;
            }
            ',' => {
                push(out, token)?;
                new_line(depth, out)?;
            }
            ':' => push(out, ": ")?,
            _ => push(out, token)?,
        }
    }
    Ok(())
}

fn new_line(depth: usize, out: &mut String) -> Result<(), Fault> {
    push(out, "\n")?;
    (0..depth).try_for_each(|_| push(out, "  "))
}

/// How long the string is that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use crate::template::Function;
    use proptest::prelude::*;

    #[test]
    fn levels_are_indented() {
        for (argument, expected) in [
            (
                r#"{"a": [1, {}, [ ]], "b]": "x,\"{"}"#,
                "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b]\": \"x,\\\"{\"\n}",
            ),
            ("[]", "[]"),
            ("\"a\"", "\"a\""),
            ("absent", "null"),
            ("2.50", "2.50"),
            ("[[[\"[\"]]]", "[\n  [\n    [\n      \"[\"\n    ]\n  ]\n]"),
        ] {
            assert_eq!(go(Function::ToPrettyJson, &[argument]).as_deref(), Ok(expected), "{argument}");
        }
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![any::<i32>().prop_map(Into::into), "\\PC{0,4}".prop_map(Into::into)];
        leaf.prop_recursive(4, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[a-z\"\\\\{}]{0,3}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_what_serde_writes(value in any_json()) {
            let pretty = go(Function::ToPrettyJson, &[&value.to_string()]);
            prop_assert_eq!(pretty, Ok(serde_json::to_string_pretty(&value).unwrap()));
        }
    }
}
