//! What an example states, against what binding and shaping made of it.

use super::{ActualRequest, ActualResult, TestFailure};
use crate::language::json::Json;
use crate::spec::{ExampleRequest, ExampleSpec};
use mcp_bundle::shape::{self, McpFault, Shaped};

impl TestFailure {
    /// Something that should not have happened.
    pub(super) fn of(what: &str, message: String) -> TestFailure {
        TestFailure { what: what.to_owned(), expected: None, actual: Some(message) }
    }

    fn differs(what: impl Into<String>, expected: String, actual: Option<String>) -> TestFailure {
        TestFailure { what: what.into(), expected: Some(expected), actual }
    }
}

/// Compares what the example names; what it leaves out may be anything.
pub fn request(expected: &ExampleRequest, actual: Option<&ActualRequest>, failures: &mut Vec<TestFailure>) {
    let mut same = |what: String, expected: &str, actual: Option<&str>| {
        if actual != Some(expected) {
            failures.push(TestFailure::differs(what, expected.to_owned(), actual.map(str::to_owned)));
        }
    };
    if let Some(method) = &expected.method {
        same("request.method".into(), method.value.as_str(), actual.and_then(|actual| actual.method));
    }
    if let Some(url) = &expected.url {
        same("request.url".into(), &url.value, actual.and_then(|actual| actual.url.as_deref()));
    }
    for header in &expected.headers {
        let name = header.name.value.to_ascii_lowercase();
        let found = actual.and_then(|actual| header_value(actual, &name, &header.value.value));
        same(format!("request.headers.{name}"), &header.value.value, found);
    }
    if let Some(body) = &expected.body {
        let sent = actual.and_then(|actual| actual.body.as_deref());
        failures.extend(body_differs(&body.value, sent));
    }
}

/// The value of a header; of several, one that is as expected.
fn header_value<'a>(actual: &'a ActualRequest, name: &str, expected: &str) -> Option<&'a str> {
    let mut values = actual.headers.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
    let first = values.clone().next();
    values.find(|value| *value == expected).or(first)
}

/// A string is compared as text, anything else as JSON.
fn body_differs(expected: &Json, sent: Option<&str>) -> Option<TestFailure> {
    match expected {
        // Who writes an empty string means that nothing is sent.
        Json::String(text) => (sent.unwrap_or_default() != text)
            .then(|| TestFailure::differs("request.body", text.clone(), sent.map(str::to_owned))),
        expected => match sent.and_then(Json::parse) {
            Some(actual) => json_differs("request.body", expected, Some(&actual)),
            None => {
                let sent = sent.map(str::to_owned);
                Some(TestFailure::differs("request.body", expected.to_pretty(), sent))
            }
        },
    }
}

/// Compares a result. `broken` says why an example should not state it, unless it does.
pub fn result(
    example: &ExampleSpec,
    actual: &ActualResult,
    broken: Option<TestFailure>,
    failures: &mut Vec<TestFailure>,
) {
    let stated = example.text.as_ref().is_some_and(|text| text.value == actual.text);
    let content = example.content.as_ref();
    let differs = content.and_then(|content| content_differs(&content.value, actual.content.as_ref()));
    failures.extend(broken.filter(|_| !stated && (content.is_none() || differs.is_some())));
    if let Some(text) = example.text.as_ref().filter(|_| !stated) {
        failures.push(TestFailure::differs("text", text.value.clone(), Some(actual.text.clone())));
    }
    failures.extend(differs);
    if let Some(expected) = &example.structured_content {
        failures.extend(structured_differs(&expected.value, actual.structured.as_ref()));
    }
}

pub fn content_differs(expected: &Json, actual: Option<&Json>) -> Option<TestFailure> {
    value_differs("content", expected, actual)
}

pub fn structured_differs(expected: &Json, actual: Option<&Json>) -> Option<TestFailure> {
    value_differs("structured_content", expected, actual)
}

/// A string may be the JSON text of the value: TOML cannot write all of JSON.
fn value_differs(what: &str, expected: &Json, actual: Option<&Json>) -> Option<TestFailure> {
    let read = match (expected, actual) {
        (Json::String(_), Some(Json::String(_))) => None,
        (Json::String(text), _) => Json::parse(text),
        _ => None,
    };
    json_differs(what, read.as_ref().unwrap_or(expected), actual)
}

/// What cannot be compared is not a success.
pub fn without_response(example: &ExampleSpec, failures: &mut Vec<TestFailure>) {
    let stated = [
        ("text", example.text.is_some()),
        ("content", example.content.is_some()),
        ("structured_content", example.structured_content.is_some()),
    ];
    for (what, _) in stated.into_iter().filter(|(_, stated)| *stated) {
        let message = "cannot be compared: the example has no `response` to make it of";
        failures.push(TestFailure::of(what, message.to_owned()));
    }
}

/// A failure of the tool itself; an error status may well be what an example is about.
pub fn broken(shaped: &Shaped) -> Option<TestFailure> {
    match shaped.failure.as_ref()? {
        shape::ShapeFailure::Status(_) | shape::ShapeFailure::Mcp(McpFault::ToolFailed) => None,
        shape::ShapeFailure::Template { key, error } => Some(TestFailure::of(key, error.to_string())),
        shape::ShapeFailure::Select(reason) => Some(TestFailure::of("select", reason.clone())),
        shape::ShapeFailure::OutputSchema(problems) => {
            Some(TestFailure::of("output_schema", problems.clone()))
        }
        failure @ (shape::ShapeFailure::NotText { .. }
        | shape::ShapeFailure::Multipart(_)
        | shape::ShapeFailure::TooLarge { .. }
        | shape::ShapeFailure::Mcp(_)) => Some(TestFailure::of("response", failure.to_string())),
    }
}

/// Whether an item of a result is text.
pub fn is_text(item: &Json) -> bool {
    item.get("type").and_then(Json::as_str) == Some("text")
}

/// The texts of a result, one below the other.
pub fn text_of(result: &Json) -> String {
    let contents = result.get("content").and_then(Json::as_array).unwrap_or_default().iter();
    let texts = contents
        .filter(|item| is_text(item))
        .filter_map(|content| content.get("text").and_then(Json::as_str));
    texts.collect::<Vec<_>>().join("\n")
}

fn json_differs(what: &str, expected: &Json, actual: Option<&Json>) -> Option<TestFailure> {
    if actual.is_some_and(|actual| expected.same(actual)) {
        return None;
    }
    let actual = actual.map(|actual| arranged(actual, expected).to_pretty());
    Some(TestFailure::differs(what, expected.to_pretty(), actual))
}

/// The same value with the members and digits of another where they mean the same, so that only
/// what differs does.
fn arranged(value: &Json, like: &Json) -> Json {
    match (value, like) {
        _ if value.same(like) => like.clone(),
        (Json::Array(items), Json::Array(likes)) => {
            let like =
                |index: usize, item: &Json| likes.get(index).map_or(item.clone(), |l| arranged(item, l));
            Json::Array(items.iter().enumerate().map(|(index, item)| like(index, item)).collect())
        }
        (Json::Object(members), Json::Object(likes)) => {
            let place = |key: &str| likes.iter().position(|(k, _)| k == key).unwrap_or(likes.len());
            let mut members: Vec<(String, Json)> = members
                .iter()
                .map(|(key, value)| {
                    (key.clone(), like.get(key).map_or(value.clone(), |l| arranged(value, l)))
                })
                .collect();
            members.sort_by_key(|(key, _)| place(key));
            Json::Object(members)
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn only_what_differs_differs() {
        let expected = json(r#"{"a":1.0,"b":{"x":1,"y":2},"c":[1]}"#);
        let actual = json(r#"{"d":0,"c":[1,2],"b":{"y":3,"x":1},"a":1}"#);
        let text = arranged(&actual, &expected).to_text();
        assert_eq!(text, r#"{"a":1.0,"b":{"x":1,"y":3},"c":[1,2],"d":0}"#);
    }

    #[test]
    fn texts_are_joined_and_other_contents_left_out() {
        let result = json(
            r#"{"content":[{"type":"text","text":"a"},{"type":"image","text":"no"},{"type":"text","text":"b"}]}"#,
        );
        assert_eq!(text_of(&result), "a\nb");
        assert_eq!(text_of(&json("{}")), "");
    }

    #[test]
    fn a_body_is_text_or_json() {
        assert_eq!(body_differs(&json(r#""a=1""#), Some("a=1")), None);
        assert_eq!(body_differs(&json(r#""""#), None), None);
        assert_eq!(body_differs(&json(r#"{"a":1,"b":2}"#), Some(r#"{"b":2.0,"a":1}"#)), None);
        assert!(body_differs(&json(r#""{\"a\":1}""#), Some(r#"{"a": 1}"#)).is_some(), "a string is exact");
        let none = body_differs(&json("{}"), None).unwrap();
        assert_eq!((none.expected.as_deref(), none.actual), (Some("{}"), None));
    }

    #[test]
    fn structured_content_may_be_json_text() {
        let actual = json(r#"{"a":null}"#);
        assert_eq!(structured_differs(&json(r#""{\"a\": null}""#), Some(&actual)), None);
        assert!(structured_differs(&json(r#"{"a":1}"#), Some(&actual)).is_some());
        assert!(structured_differs(&json("{}"), None).is_some());
    }
}
