//! What holds for every call, however hostile.

use crate::built::Built;
use crate::support::tool;
use mcp_bundle::bind::Request;
use mcp_bundle::json::{Kind, ScanErrorKind, Scanner, decimal, parse_strict};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::sync::LazyLock;

static URL: LazyLock<Built> = LazyLock::new(|| {
    tool("GET", "/v1/{a}/x/{b}.json")
        .with("path", "a", json!({"style": "comma"}))
        .with("path", "b", json!({"default": "d", "style": "json"}))
        .with("query", "q1", json!({"style": "repeat"}))
        .with("query", "q2", json!({"style": "comma"}))
        .with("query", "q3", json!({"style": "deep"}))
        .with("query", "q4", json!({"style": "json"}))
        .with("header", "h1", json!({"style": "pipe"}))
        .with("header", "h2", json!({"style": "json"}))
        .fixed("header", "authorization", "Bearer ${KEY}")
        .with("cookie", "c1", json!({}))
        .with("cookie", "c2", json!({"style": "space"}))
        .build()
});

static BODY: LazyLock<Built> = LazyLock::new(|| {
    tool("POST", "/v1/{a}")
        .body("json")
        .with("path", "a", json!({"default": "d"}))
        .with("body", "q1", json!({"items": {"properties": {"k": {"type": "string"}}}}))
        .with("body", "q2", json!({}))
        .additional(json!({}))
        .build()
});

static FORM: LazyLock<Built> = LazyLock::new(|| {
    tool("POST", "/")
        .body("form")
        .with("body", "q1", json!({"style": "repeat"}))
        .with("body", "q2", json!({"style": "comma"}))
        .with("body", "q3", json!({"style": "deep"}))
        .schema(json!({"type": "object"}))
        .build()
});

/// A JSON value as a caller might spell it.
#[derive(Debug, Clone)]
enum Json {
    Word(&'static str),
    Number(String),
    Text(String, bool),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn write(&self, out: &mut String) {
        match self {
            Json::Word(word) => out.push_str(word),
            Json::Number(text) => out.push_str(text),
            Json::Text(text, false) => out.push_str(&Value::from(text.as_str()).to_string()),
            Json::Text(text, true) => {
                out.push('"');
                text.encode_utf16().for_each(|unit| out.push_str(&format!("\\u{unit:04X}")));
                out.push('"');
            }
            Json::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { " ,\n" } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "\t, " } else { " " });
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push_str(" :");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(vec![
            "..", ".", "/", "\\", "%2e", "%2E", "%252e", "%2f", "%5c", "%", ";", "\r\n", "\n", "\0", " ", "\t", "?", "#", "&",
            "=", ",", "|", "@", ":", "//evil.example", "x-injected: 1", "\"", "{", "}", "é", "\u{202e}", "😀", "a", "1",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|number| json!(number).to_string()),
        vec(0..10_u8, 20..40)
            .prop_map(|digits| digits.iter().fold("1".to_owned(), |text, d| format!("{text}{d}"))),
        select(vec!["0", "-0", "1.0", "1e3", "0.10E-05", "2e+07"]).prop_map(str::to_owned),
    ]
}

fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        select(vec!["null", "true", "false"]).prop_map(Json::Word),
        number().prop_map(Json::Number),
        (hostile_text(), any::<bool>()).prop_map(|(text, escape)| Json::Text(text, escape)),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            vec((hostile_text(), inner), 0..4).prop_map(|mut members| {
                members.sort_by(|a, b| a.0.cmp(&b.0));
                members.dedup_by(|a, b| a.0 == b.0);
                Json::Object(members)
            }),
        ]
    })
}

/// Arguments of the given names; the first is always there.
fn arguments(names: &'static [&'static str]) -> impl Strategy<Value = Json> {
    let first = (Just(names[0]), json_value());
    (first, vec((select(names), json_value()), 0..5)).prop_map(|(first, mut members)| {
        members.push(first);
        members.sort_by_key(|member| member.0);
        members.dedup_by_key(|member| member.0);
        Json::Object(members.into_iter().rev().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let hex = text.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.filter(|_| text[at] == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

fn assert_encoded(text: &str, extra: &str) {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            assert!(
                bytes.next().unwrap().is_ascii_hexdigit() && bytes.next().unwrap().is_ascii_hexdigit(),
                "{text}"
            );
            continue;
        }
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        assert!(plain || extra.as_bytes().contains(&byte), "{text}");
    }
}

/// What every request must be like, whatever its arguments.
fn assert_contained(tool: &Built, request: &Request, segments: usize, max_headers: usize) {
    let target = std::str::from_utf8(&request.target).unwrap();
    assert_eq!(request.url(&tool.contents, tool.plan()), format!("https://api.example.com{target}"));
    assert!(target.starts_with('/'), "{target}");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    assert_eq!(path.split('/').count(), segments, "{target}");
    assert_encoded(path, "/,");
    assert_encoded(query, "=&,");
    let mut layer = path.as_bytes().to_vec();
    for _ in 0..3 {
        for segment in layer.split(|byte| b"/\\".contains(byte)) {
            assert!(segment != b"." && segment != b"..", "{target}");
        }
        layer = decoded(&layer);
    }
    let head = std::str::from_utf8(request.head()).unwrap();
    assert_eq!(head.matches("\r\n").count(), request.headers().len());
    assert!(request.headers().len() <= max_headers, "{head}");
    let mut lines = head.split("\r\n");
    for (name, value) in request.headers() {
        assert_eq!(lines.next(), Some(format!("{name}: {value}").as_str()));
        assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t'), "{value:?}");
    }
    assert_eq!(lines.next(), Some(""));
    assert!(
        head.is_empty()
            || tool.plan().http().is_none_or(|http| http.headers.is_empty())
            || head.contains("authorization: Bearer s3cret\r\n")
    );
}

/// A scaled integer and a spelling of it.
fn decimal() -> impl Strategy<Value = (i128, String)> {
    (any::<bool>(), 0..2000_u32, vec(0..10_u8, 0..4), -5..5_i32, any::<bool>()).prop_map(
        |(negative, whole, fraction, exponent, spelled)| {
            let fraction: String = fraction.iter().map(u8::to_string).collect();
            let digits: i128 = format!("{whole}{fraction}").parse().unwrap();
            let shift = if spelled { exponent } else { 0 } + 20 - fraction.len() as i32;
            let value = digits * 10_i128.pow(shift as u32);
            let point = if fraction.is_empty() { "" } else { "." };
            let exponent = if spelled { format!("e{exponent:+}") } else { String::new() };
            let sign = if negative { "-" } else { "" };
            (if negative { -value } else { value }, format!("{sign}{whole}{point}{fraction}{exponent}"))
        },
    )
}

fn mutated_json() -> impl Strategy<Value = Vec<u8>> {
    let edits = vec(
        (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), select(b"\"\\{}[],:0-.eEu \n".to_vec())]),
        0..3,
    );
    (json_value(), edits, any::<bool>()).prop_map(|(value, edits, remove)| {
        let mut bytes = value.text().into_bytes();
        for (at, byte) in edits {
            if remove {
                bytes.remove(at.index(bytes.len()));
            } else {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    })
}

fn assert_scans_like_serde(bytes: &[u8]) {
    let mut scanner = match Scanner::new(bytes, 128) {
        Ok(scanner) => scanner,
        Err(error) => {
            assert_eq!(error.kind, ScanErrorKind::NotUtf8);
            assert!(std::str::from_utf8(bytes).is_err());
            return;
        }
    };
    let ours = scanner.value().and_then(|value| scanner.finish().map(|()| value));
    let theirs = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
    match ours {
        Ok(value) => {
            assert!(theirs.is_ok(), "{theirs:?}");
            if let (Kind::Object | Kind::Array, Ok(strict)) = (value.kind, parse_strict(bytes, 128)) {
                assert_eq!(strict, serde_json::from_slice::<Value>(bytes).unwrap());
            }
        }
        // The two refusals of our own.
        Err(error) if matches!(error.kind, ScanErrorKind::LoneSurrogate | ScanErrorKind::TooDeep) => {}
        Err(error) => assert!(theirs.is_err(), "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_argument_leaves_its_place_in_url_and_headers(arguments in arguments(&["a", "b", "q1", "q2", "q3", "q4", "h1", "h2", "c1", "c2"])) {
        let mut request = Request::new();
        if URL.bind(arguments.text().as_bytes(), &mut request).is_ok() {
            assert_contained(&URL, &request, 5, 4);
            prop_assert_eq!(request.body(), None);
        }
    }

    #[test]
    fn path_values_stay_one_segment(a in hostile_text(), b in hostile_text(), escape: bool) {
        let arguments = Json::Object(vec![("a".into(), Json::Text(a.clone(), escape)), ("b".into(), Json::Text(b.clone(), !escape))]);
        let mut request = Request::new();
        if URL.bind(arguments.text().as_bytes(), &mut request).is_ok() {
            assert_contained(&URL, &request, 5, 4);
            let target = String::from_utf8(request.target.clone()).unwrap();
            let segments: Vec<&str> = target.split('/').collect();
            prop_assert_eq!(decoded(segments[2].as_bytes()), a.into_bytes());
            prop_assert_eq!(decoded(segments[4].strip_suffix(".json").unwrap().as_bytes()), b.into_bytes());
        }
    }

    #[test]
    fn json_bodies_mean_what_the_arguments_mean(arguments in arguments(&["q2", "a", "q1", "other", "more"])) {
        let text = arguments.text();
        let mut request = Request::new();
        if BODY.bind(text.as_bytes(), &mut request).is_ok() {
            assert_contained(&BODY, &request, 3, 1);
            let mut sent: Value = serde_json::from_str(&text).unwrap();
            sent.as_object_mut().unwrap().remove("a");
            let body: Value = serde_json::from_slice(request.body().unwrap()).unwrap();
            prop_assert_eq!(body, sent);
        }
    }

    #[test]
    fn forms_hold_only_encoded_pairs(arguments in arguments(&["q1", "q2", "q3"])) {
        let mut request = Request::new();
        if FORM.bind(arguments.text().as_bytes(), &mut request).is_ok() {
            assert_contained(&FORM, &request, 2, 1);
            let body = std::str::from_utf8(request.body().unwrap()).unwrap();
            assert_encoded(body, "=&,");
            let declared = |pair: &str| ["q1=", "q2=", "q3=", "q3%5B"].iter().any(|name| pair.starts_with(name));
            prop_assert!(body.is_empty() || body.split('&').all(declared), "{}", body);
        }
    }

    #[test]
    fn no_bytes_make_binding_panic(bytes in prop_oneof![vec(any::<u8>(), 0..64), mutated_json()]) {
        for tool in [&*URL, &*BODY, &*FORM] {
            let _ = tool.bind(&bytes, &mut Request::new()).map_err(|error| error.to_string());
        }
    }

    #[test]
    fn mutated_arguments_never_make_binding_panic(arguments in arguments(&["a", "q1", "q2", "q3", "h1", "zz"]), at: prop::sample::Index, byte: u8) {
        let mut bytes = arguments.text().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for tool in [&*URL, &*BODY, &*FORM] {
            let _ = tool.bind(&bytes, &mut Request::new()).map_err(|error| error.to_string());
        }
    }

    #[test]
    fn the_scanner_accepts_what_serde_json_accepts(bytes in mutated_json()) {
        assert_scans_like_serde(&bytes);
    }

    #[test]
    fn the_scanner_accepts_no_bytes_that_serde_json_refuses(bytes in vec(prop_oneof![any::<u8>(), select(b"\"\\{}[],:0123.-+eEtrufalsn \n".to_vec())], 0..12)) {
        assert_scans_like_serde(&bytes);
    }

    #[test]
    fn decimals_compare_like_big_integers((left, left_text) in decimal(), (right, right_text) in decimal()) {
        prop_assert_eq!(decimal::compare(&left_text, &right_text), left.cmp(&right), "{} {}", left_text, right_text);
        prop_assert_eq!(decimal::is_integer(&left_text), left % 10_i128.pow(20) == 0, "{}", left_text);
    }

    #[test]
    fn numbers_of_any_digits_compare_without_panic(left in number(), right in number(), exponent: i64) {
        let scaled = format!("{}e{exponent}", right.split(['e', 'E']).next().unwrap());
        prop_assert_eq!(decimal::compare(&left, &scaled), decimal::compare(&scaled, &left).reverse());
        prop_assert_eq!(decimal::compare(&scaled, &scaled), std::cmp::Ordering::Equal);
    }
}

#[test]
fn deep_nests_are_refused_and_not_followed() {
    for open in ["[", "{\"a\":", "{\"q3\":", "[{\"\":"] {
        let bytes = open.repeat(200_000);
        for tool in [&*URL, &*BODY, &*FORM] {
            assert!(tool.bind(bytes.as_bytes(), &mut Request::new()).is_err());
            assert!(tool.bind(format!("{{\"q3\":{bytes}").as_bytes(), &mut Request::new()).is_err());
        }
    }
}
