//! `{"HTTP": {…}}`, a tool as JSON configurations store it: one, a list, or an object of them by name.

use super::{
    Foreign, LIMIT_CHANGED, NOT_EXPRESSIBLE, RETRIES_DROPPED, Source, literal, milliseconds, rename,
    without_secret,
};
use crate::import::codes::{self, codes};
use crate::import::draft::{DraftParameter, DraftSpec, DraftTemplate, DraftTool};
use crate::import::secrets::is_secret;
use crate::import::{Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::{self, spec_name};
use crate::template::{Dialect, Inferred, infer};

codes! {
    pub NO_HTTP = "no-http", "The tool has no `HTTP` part, so nothing says which request answers it.";
}

/// Most retries that a spec can have.
const MAX_RETRIES: u64 = 10;
const POSITIONS: [&str; 5] = ["path", "query", "header", "cookie", "body"];
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A tool of the document: what holds it, and its name there.
struct Entry<'d> {
    place: String,
    /// The key or the file that it is named by, if it has no `name`.
    key: Option<String>,
    value: &'d Json,
}

pub fn import<'d>(source: &Source<'_>, document: &'d Json) -> Result<Imported<'d>, Foreign> {
    let ledger = Ledger::new(document);
    let entries = entries(&ledger, source, document)?;
    let (mut tools, mut refused) = (Vec::new(), 0);
    for entry in &entries {
        match tool(&ledger, entry) {
            Some(tool) => tools.push(tool),
            None => refused += 1,
        }
    }
    rename(&ledger, &mut tools);
    let name = source.stem.and_then(spec_name).unwrap_or_else(|| "imported".to_owned());
    let spec = DraftSpec { name, comments: source.comments("tool-json"), tools, ..DraftSpec::default() };
    Ok(Imported { specs: vec![spec], ledger, refused })
}

fn entries<'d>(
    ledger: &Ledger<'d>,
    source: &Source<'_>,
    document: &'d Json,
) -> Result<Vec<Entry<'d>>, Foreign> {
    let listed = |place: &str, list: &'d [Json]| {
        let entry = |(index, value)| Entry { place: format!("{place}/{index}"), key: None, value };
        list.iter().enumerate().map(entry).collect()
    };
    match document {
        Json::Array(list) => {
            ledger.open(document);
            Ok(listed("", list))
        }
        Json::Object(_) if is_tool(document) => {
            let key = source.stem.map(str::to_owned);
            Ok(vec![Entry { place: String::new(), key, value: document }])
        }
        Json::Object(_) if document.get("tools").is_some_and(|tools| tools.as_array().is_some()) => {
            ledger.open(document);
            Ok(listed("/tools", ledger.list(document, "tools")))
        }
        Json::Object(members) if members.iter().any(|(_, value)| is_tool(value)) => {
            ledger.open(document);
            let entry = |(key, value): &'d (String, Json)| Entry {
                place: format!("/{}", crate::import::ledger::escaped(key)),
                key: Some(key.clone()),
                value,
            };
            Ok(members.iter().map(entry).collect())
        }
        _ => Err(Foreign(
            "it holds no tool: a tool is an object with an `HTTP` part, which has an `endpoint` and a `method`; a list of \
             them and an object of them by name can be imported, too"
                .to_owned(),
        )),
    }
}

/// The tool itself, or what stores it as its `config`.
fn is_tool(value: &Json) -> bool {
    value.get("HTTP").is_some() || value.get("config").is_some_and(|config| config.get("HTTP").is_some())
}

fn tool<'d>(ledger: &Ledger<'d>, entry: &Entry<'d>) -> Option<DraftTool> {
    let value = entry.value;
    if !is_tool(value) {
        ledger.refuse(value, &NO_HTTP, "this has no `HTTP` part with an `endpoint` and a `method`");
        return None;
    }
    ledger.open(value);
    let holder = match value.get("config") {
        Some(config) if value.get("HTTP").is_none() => {
            ledger.open(config);
            config
        }
        _ => value,
    };
    let http = ledger.object(holder, "HTTP")?;
    let mut tool = DraftTool {
        place: entry.place.clone(),
        name: ledger.text(value, "name").map(str::to_owned).or(entry.key.clone()).unwrap_or_default(),
        description: ledger.text(value, "description").map(str::to_owned),
        endpoint: ledger.text(http, "endpoint").map(str::to_owned),
        ..DraftTool::default()
    };
    tool.method = method(ledger, http);
    headers(ledger, http, &mut tool);
    for value in ledger.list(http, "parameters") {
        match parameter(ledger, &tool.name, value) {
            Ok(parameter) => tool.parameters.push(parameter),
            Err(why) => {
                ledger.refuse(entry.value, &NOT_EXPRESSIBLE, why);
                return None;
            }
        }
    }
    timing(ledger, http, &mut tool);
    tool.response_template =
        ledger.text(http, "response_template").filter(|text| !text.is_empty()).map(template);
    Some(tool)
}

fn method<'d>(ledger: &Ledger<'d>, http: &'d Json) -> Option<String> {
    let upper = ledger.text(http, "method")?.to_ascii_uppercase();
    if !METHODS.contains(&upper.as_str()) {
        ledger.refuse(
            http.get("method")?,
            &codes::WRONG_KIND,
            format!("`{upper}` is not a method of HTTP that a tool can have"),
        );
    }
    Some(upper)
}

fn headers<'d>(ledger: &Ledger<'d>, http: &'d Json, tool: &mut DraftTool) {
    for (name, value) in ledger.members(http, "headers") {
        let Some(text) = value.as_str() else {
            ledger.refuse_kind(value, "a text");
            continue;
        };
        let variable = names::variable(&[&tool.name, name], "API_KEY");
        let text = match without_secret(name, text, &variable) {
            Some(replaced) => {
                ledger.change(
                    value,
                    &codes::SECRET_REPLACED,
                    format!("`{name}` has `${{{variable}}}` instead of its secret"),
                );
                replaced
            }
            None => {
                ledger.keep(value);
                literal(text)
            }
        };
        tool.headers.push((name.clone(), text));
    }
}

/// Without a name or with an unknown position, nobody knows what the argument would become.
fn parameter<'d>(ledger: &Ledger<'d>, tool: &str, value: &'d Json) -> Result<DraftParameter, String> {
    if ledger.members_of(value).is_none() {
        return Err("a parameter is not an object".to_owned());
    }
    let any = |names: [&str; 2]| {
        let found = names.into_iter().find_map(|name| value.get(name));
        found.inspect(|found| ledger.keep(found))
    };
    let kind = any(["parameter_type", "type"]).and_then(Json::as_str);
    let name = ledger.text(value, "name").ok_or("a parameter has no name")?;
    let position = match value.get("position") {
        None => None,
        Some(written) => {
            ledger.keep(written);
            let known = written.as_str().map(str::to_ascii_lowercase).unwrap_or_default();
            let found = POSITIONS.into_iter().find(|position| *position == known);
            Some(found.ok_or_else(|| {
                let written = written.to_text();
                format!("the position of `{name}` is {written}, not one of {}", POSITIONS.join(", "))
            })?)
        }
    };
    let default = any(["default_value", "default"]);
    if let Some(secret) = default.filter(|default| is_secret(name, default)) {
        let variable = names::variable(&[tool, name], "API_KEY");
        let why = format!("`{name}` is no argument: it is always `${{{variable}}}`");
        ledger.change(secret, &codes::SECRET_REPLACED, why);
        ledger.text(value, "description");
        ledger.boolean(value, "required");
        any(["enum_values", "enum"]);
        let value = Some(Json::String(format!("${{{variable}}}")));
        return Ok(DraftParameter { name: name.to_owned(), position, value, ..DraftParameter::default() });
    }
    Ok(DraftParameter {
        name: name.to_owned(),
        kind: kind.map(str::to_ascii_lowercase),
        description: ledger.text(value, "description").map(str::to_owned),
        required: ledger.boolean(value, "required").unwrap_or_default(),
        // `null` is how these configurations say that there is none.
        default: default.filter(|value| **value != Json::Null).cloned(),
        enumeration: any(["enum_values", "enum"]).and_then(Json::as_array).unwrap_or_default().to_vec(),
        position,
        ..DraftParameter::default()
    })
}

fn timing<'d>(ledger: &Ledger<'d>, http: &'d Json, tool: &mut DraftTool) {
    let number =
        |name: &str| http.get(name).filter(|value| **value != Json::Null && value.as_number().is_some());
    for name in ["timeout_seconds", "retry_count"] {
        match http.get(name) {
            Some(Json::Null | Json::Number(_)) => ledger
                .number(http, name)
                .map_or_else(|| http.get(name).into_iter().for_each(|value| ledger.keep(value)), drop),
            Some(other) => ledger.refuse_kind(other, "a number"),
            None => {}
        }
    }
    if let Some(value) = number("timeout_seconds") {
        tool.timeout_ms = value.as_number().and_then(milliseconds);
        if tool.timeout_ms.is_none() {
            ledger.change(
                value,
                &LIMIT_CHANGED,
                "a timeout is more than 0 and at most 86400 seconds; the default is used",
            );
        }
    }
    if let Some(value) = number("retry_count") {
        let count: u64 = value.as_number().and_then(|digits| digits.parse().ok()).unwrap_or(MAX_RETRIES + 1);
        if matches!(tool.method.as_deref(), Some("POST" | "PATCH")) && count > 0 {
            let why = "a retry may do twice what the call does; write `idempotent = true` and `retry_count` if that is fine";
            ledger.change(value, &RETRIES_DROPPED, why);
            return;
        }
        if count > MAX_RETRIES {
            ledger.change(value, &LIMIT_CHANGED, format!("at most {MAX_RETRIES} retries are possible"));
        }
        tool.retry_count = Some(count.min(MAX_RETRIES));
    }
}

/// With the dialect that the text itself shows.
fn template(text: &str) -> DraftTemplate {
    match infer(text) {
        Inferred::Handlebars => DraftTemplate::Handlebars(text.to_owned()),
        Inferred::Neither(Dialect::Handlebars, _) => DraftTemplate::Handlebars(text.to_owned()),
        _ => DraftTemplate::Go(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::gateways::testing::{any_json, findings, imported, mutated, refusal};
    use crate::import::{ToolCount, finish};
    use proptest::prelude::*;

    const ORDERS: &str = r#"{
        "name": "get_order", "description": "Gets one order of a user.",
        "config": {"HTTP": {
            "endpoint": "https://api.example.com/users/{userId}",
            "method": "post",
            "headers": {"X-Api-Key": "hunter2", "Accept": "a${b}"},
            "parameters": [
                {"name": "userId", "parameter_type": "String", "required": true, "position": "Path", "default_value": null},
                {"name": "kind", "type": "string", "enum_values": ["a", "b"], "position": "body"}
            ],
            "timeout_seconds": 2.5, "retry_count": 3, "response_template": "{{#if id}}{{id}}{{/if}}", "color": "red"
        }}
    }"#;

    #[test]
    fn what_changes_is_told() {
        let finished = imported(import, ORDERS);
        assert_eq!(finished.tools, ToolCount { imported: 1, refused: 0 });
        let [file] = finished.files.as_slice() else { panic!("one file") };
        for line in [
            "headers = { X-Api-Key = \"${GET_ORDER_X_API_KEY}\", Accept = \"a$${b}\" }",
            "timeout_seconds = 2.5",
            "handlebars = ",
            "enum = [\"a\", \"b\"]",
        ] {
            assert!(file.text.contains(line), "{line}:\n{}", file.text);
        }
        assert!(!file.text.contains("hunter2") && !file.text.contains("retry_count"), "{}", file.text);
        assert_eq!(
            findings(&finished),
            [
                ("secret-replaced", "/config/HTTP/headers/X-Api-Key"),
                ("retries-dropped", "/config/HTTP/retry_count"),
                ("unknown-member", "/config/HTTP/color"),
            ]
        );
    }

    #[test]
    fn tools_come_alone_in_lists_and_by_name() {
        let http = r#"{"HTTP": {"endpoint": "https://a.example/x", "method": "GET"}}"#;
        for (text, names) in [
            (http.to_owned(), "gateway"),
            (format!("[{http}, {http}]"), "tool_"),
            (format!("{{\"a b\": {http}, \"other\": {{}}}}"), "a_b"),
            (format!("{{\"tools\": [{http}]}}"), "tool_"),
        ] {
            let finished = imported(import, &text);
            assert!(
                finished.files[0].text.contains(&format!("name = \"{names}")),
                "{}",
                finished.files[0].text
            );
        }
    }

    #[test]
    fn other_documents_and_wrong_tools_are_refused() {
        assert!(
            refusal(import, "{\"openapi\": \"3.0.0\"}").starts_with("it holds no tool: a tool is an object")
        );
        assert!(refusal(import, "7").starts_with("it holds no tool"));
        let bad = ORDERS.replace("\"Path\"", "\"fragment\"");
        let finished = imported(import, &bad);
        assert_eq!(finished.tools, ToolCount { imported: 0, refused: 1 });
        let why = &finished.fidelity.findings[0].why;
        assert!(why.starts_with("the position of `userId` is \"fragment\", not one of path"), "{why}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn hostile_documents_are_imported_or_refused(choices in prop::collection::vec((0..200_u8, any_json()), 40)) {
            let document = mutated(&Json::parse(ORDERS).unwrap(), &mut choices.into_iter());
            if let Ok(imported) = import(&Source { name: "x", stem: None }, &document) {
                finish(imported);
            }
        }
    }
}
