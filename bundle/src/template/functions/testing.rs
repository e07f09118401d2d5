//! Calls functions as the machine does, for tests.

use super::super::value::{Node, Source, Value, View};
use super::{Ambient, Answer, Function, Patterns, call};
use crate::json::{self, Kind};
use crate::strings::{PoolBuilder, Strings};
use crate::wire_enums::Dialect;
use proptest::prelude::*;

/// 2026-11-16T09:01:51.120Z
pub(super) const NOW: i64 = 1_794_819_711_120;

/// What a function prints in Go's dialect. An argument is a JSON text, or `absent`.
pub(super) fn go(function: Function, arguments: &[&str]) -> Result<String, String> {
    run(Dialect::Go, function, arguments)
}

/// What functions print in Go's dialect.
#[track_caller]
pub(super) fn assert_texts(cases: &[(Function, &[&str], &str)]) {
    for (function, arguments, expected) in cases {
        assert_eq!(go(*function, arguments).as_deref(), Ok(*expected), "{function} {arguments:?}");
    }
}

/// Calls twice, with the scalar arguments from the data and from the template, which must make no difference.
pub(super) fn run(dialect: Dialect, function: Function, arguments: &[&str]) -> Result<String, String> {
    let texts: Vec<&str> =
        arguments.iter().map(|&text| if text == "absent" { "null" } else { text }).collect();
    let data = format!("[{}]", texts.join(" , "));
    let empty = Strings::default();
    let view = View { dialect, strings: &empty, data: &data, computed: "" };
    let whole = Value::Json(node(&data, Source::Data));
    let mut values: Vec<Value> = view.items(whole).collect();
    assert_eq!(values.len(), arguments.len(), "{data}");
    let mut pool = PoolBuilder::new();
    let mut constants = values.clone();
    for ((text, value), constant) in arguments.iter().zip(&mut values).zip(&mut constants) {
        if *text == "absent" {
            (*value, *constant) = (Value::Absent, Value::Absent);
        } else if let Value::Json(node) = *value {
            *constant = match node.kind {
                Some(Kind::Null) => Value::Null,
                Some(Kind::Boolean) => Value::Bool(*text == "true"),
                Some(Kind::Number) => {
                    text.parse().map_or_else(|_| Value::ConstantNumber(pool.intern(text)), Value::Int)
                }
                Some(Kind::String) => {
                    Value::Constant(pool.intern(view.string(*value, &mut String::new()).unwrap()))
                }
                _ => *value,
            };
        }
    }
    let pool = pool.finish();
    let of_data = run_values(&view, function, &values);
    let of_template = run_values(&View { strings: &pool, ..view }, function, &constants);
    // A pattern is never data.
    if !function.has_pattern() {
        assert_eq!(of_data, of_template, "{function} {arguments:?}");
    }
    of_template
}

fn run_values(view: &View<'_>, function: Function, values: &[Value]) -> Result<String, String> {
    let (ambient, mut buffer) = (Ambient { now_ms: NOW, seed: 7 }, String::new());
    let answer = call(view, function, values, &ambient, 1, &mut Patterns::default(), &mut buffer)
        .map_err(|fault| fault.to_string())?;
    let mut out = String::new();
    match answer {
        Answer::Value(value) => view.print(value, &mut out),
        Answer::Text => out = buffer,
        Answer::Json => {
            assert!(serde_json::from_str::<serde::de::IgnoredAny>(&buffer).is_ok(), "{buffer}");
            let value = Value::Json(node(&buffer, Source::Computed));
            View { computed: &buffer, ..*view }.print(value, &mut out);
        }
    }
    Ok(out)
}

fn node(text: &str, source: Source) -> Node {
    let value = json::Value::of_valid(text);
    Node { end: text.len() as u32, kind: Some(value.kind), escaped: value.escaped, source, ..Node::ABSENT }
}

/// Any argument, among them those that are likely to cause trouble.
pub(super) fn argument() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<i64>().prop_map(|number| number.to_string()),
        (-3_i64..9).prop_map(|number| number.to_string()),
        "-?[1-9][0-9]{0,30}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,5})?",
        prop_oneof![
            Just("absent"),
            Just("null"),
            Just("true"),
            Just("\"UTC\""),
            Just("\"%5.2f|%q|%x\""),
            Just("[1, \"é\", null, [2.50]]"),
            Just("{\"a\": 1, \"\\u0061\": {}, \"\": [1e400]}"),
        ]
        .prop_map(str::to_owned),
    ]
}
