//! Templates without conditions and loops are written without the template machine, which would write the same.

mod request_support;

use mcp_bundle::plan::Contents;
use mcp_bundle::template::{Op, OpCode};
use proptest::prelude::*;
use request_support::{HOSTILE, POST, contents, send, spec};
use serde_json::{Value, json};
use std::sync::LazyLock;

const PARAMETERS: &str = "input_schema = { type = \"object\", properties = { a = {}, b = { type = [\"string\", \"null\"] }, \
                          d = { default = [1, \"x\\\"y\"] }, s = { type = \"string\", x-sensitive = true } }, additionalProperties = false }";

/// Each has one template.
const TOOLS: [&str; 9] = [
    r#"body_template = '{"a": {{ .a }}, "b": [{{ toJson .b }}], "t": "<{{ .a }}|{{ .d }}|{{ .s }}>", "d": {{ .d }}}'"#,
    r#"body_template = '{"a": {{a}}, "b": [{{b}}], "t": "<{{a}}|{{{d}}}|{{s}}>", "d": {{d}}}'"#,
    // These may be no sound JSON.
    r#"body_template = '{"{{ .a }}": 1, "{{ .b }}": ${KEY}}'"#,
    r#"body_template = '{ {{ .a }}: "${KEY}", "x": {{ .b }} }'"#,
    "body = \"form\"\nbody_template = 'a={{ .a }}&b={{ .b }}&k=${KEY}&d={{ .d }}'",
    "headers = { x-a = \"{{ .a }};{{ .d }} {{ .s }}\" }",
    "headers = { x-a = \"{{a}};{{d}} {{s}}${KEY}\" }",
    "endpoint = \"https://a.example/v1/{{ .a }}/{{ .b }}-x.{{ .d }}?q={{ .a }}&r={{ .d }}\"",
    "endpoint = \"https://a.example/v1/${tenant.id}.{{ .b }}?d={{ .d }}\"",
];

static PAIRS: LazyLock<Vec<(Contents, Contents)>> = LazyLock::new(|| {
    let pair = |tool: &&str| {
        let endpoint = if tool.starts_with("endpoint") { "method = \"POST\"\n" } else { POST };
        let straight = contents(&spec(&format!("{endpoint}{tool}\n{PARAMETERS}\n")));
        let mut machine = straight.clone();
        let templates = &mut machine.templates;
        assert_eq!(templates.programs.len(), 1, "{tool}");
        // It changes nothing, but the program is more than literals and values.
        templates.ops.extend([Op::new(OpCode::Push, 0, 0, 0), Op::new(OpCode::Drop, 0, 0, 0)]);
        templates.programs.iter_mut().for_each(|program| program.ops.count += 2);
        (straight, machine)
    };
    TOOLS.iter().map(pair).collect()
});

fn argument() -> impl Strategy<Value = Option<Value>> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Value::from),
        prop::sample::select(&HOSTILE[..]).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 64.0)),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    let any = leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::option::weighted(0.9, any)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_written_and_refused_is_what_the_machine_writes_and_refuses(
        a in argument(), b in prop::option::of("[a-z\"\\\\/. é]{0,3}"), d in argument(), s in prop::option::of(any::<String>())
    ) {
        let given = [("a", a), ("b", b.map(Value::from)), ("d", d), ("s", s.map(Value::from))];
        let arguments: serde_json::Map<String, Value> =
            given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let arguments = Value::Object(arguments);
        for ((straight, machine), tool) in PAIRS.iter().zip(TOOLS) {
            prop_assert_eq!(send(straight, &arguments), send(machine, &arguments), "{} of {}", tool, arguments);
        }
    }
}

#[test]
fn the_tools_are_called() {
    let arguments = json!({ "a": "1\u{e9}/\"", "b": "b" });
    let bodies: Vec<String> =
        PAIRS.iter().take(4).map(|(contents, _)| send(contents, &arguments).unwrap().body).collect();
    assert_eq!(bodies[0], r#"{"a": "1é/\"", "b": ["b"], "t": "<1é/\"|[1,\"x\\\"y\"]|>", "d": [1,"x\"y"]}"#);
    assert_eq!(bodies[1], r#"{"a": "1é/\"", "b": ["b"], "t": "<1é/\"|[1, x\"y]|>", "d": [1,"x\"y"]}"#);
    assert_eq!(bodies[2], r#"{"1é/\"": 1, "b": "<KEY>\"/"}"#);
    assert_eq!(bodies[3], r#"{ "1é/\"": "<KEY>\"/", "x": "b" }"#);
}
