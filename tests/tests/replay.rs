//! What `mcpc replay` derives from the audit log is what the upstream got.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcp_bundle::format::{self, Trust};
use mcp_edge::edge::Hooks;
use mcp_edge::observe::Observer;
use mcp_edge::settings::{AuditArguments, AuditSettings};
use mcp_edge::telemetry::audit::Audit;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::exercise::replay::{Format, Replayer, Report, replay};
use mcpc_tests::{World, post, spec};
use serde_json::Value;
use std::sync::Arc;

const CREATE: &str = r#"
method = "POST"
endpoint = "/orders/{id}"
headers = { x-time = '{{ now | date "2006-01-02 15:04:05" }}', x-chance = '{{ uuidv4 | upper }}', authorization = "Bearer ${TOKEN}" }
parameters = [
    { name = "id", description = "Id", required = true, position = "path" },
    { name = "q", description = "A word", position = "query" },
    { name = "item", description = "What", type = "object" },
]
"#;

fn audit(folder: &std::path::Path) -> Arc<Audit> {
    let file = Some(folder.join("audit.jsonl"));
    let arguments = AuditArguments::Full;
    Audit::start(&AuditSettings { file, arguments, ..AuditSettings::default() }).unwrap().unwrap()
}

#[test]
fn a_request_is_derived_byte_for_byte_as_the_upstream_got_it() {
    let folder = tempfile::tempdir().unwrap();
    let audit = audit(folder.path());
    let mut hooks = Hooks::default();
    hooks.observers.push(Arc::clone(&audit) as Arc<dyn Observer>);
    let spec = spec(&[("create", CREATE)]);
    let world = World::with_hooks(&spec, hooks);
    let bodies = [
        r#"{"tool_name":"create","params":{"id":"a/b ü","q":"x&y","item":{"b" : 1.50,  "a":[ 1e3,"\u00e9" ]}}}"#,
        "{\"tool_name\":\"create\",\"params\":{\n \"item\":\t{\"z\":1,\r\n\"a\":2},\"id\":\"\\ud83d\\ude00\"}}",
        r#"{"tool_name":"create","params":{"id":"plain"}}"#,
    ];
    for body in bodies {
        assert_eq!(world.ask(post("/mcp/invoke", &[], body)).status, 200);
    }
    audit.flush();

    let report = check_files(&MemoryFiles::one("world.toml", &world.spec_text(&spec)));
    let bytes = format::write(&report.contents.unwrap()).unwrap();
    let mut replayer = Replayer::new(format::read(&bytes, &Trust::Any).unwrap());
    let log = std::fs::read(folder.path().join("audit.jsonl")).unwrap();
    let mut out = Vec::new();
    let counts = replay(&log[..], &mut replayer, None, &mut Report::new(Format::Json, &mut out)).unwrap();
    assert!(counts.is_clean() && counts.derived == bodies.len() as u64, "{counts:?}");
    let told: Value = serde_json::from_slice(&out).unwrap();
    for (number, line) in told["lines"].as_array().unwrap().iter().enumerate() {
        let (sent, derived) = (world.upstream.request(number), &line["request"]);
        let url = derived["url"].as_str().unwrap();
        let target = url.strip_prefix(&format!("http://{}", world.upstream.address)).unwrap();
        assert_eq!(sent.line(), format!("POST {target} HTTP/1.1"));
        assert_eq!(derived["body"].as_str().unwrap(), sent.body());
        for name in ["x-time", "x-chance", "content-type"] {
            assert_eq!(derived["headers"][name].as_str().unwrap(), sent.header(name).join(","), "{name}");
        }
        assert_eq!(derived["headers"]["authorization"], "Bearer ${TOKEN}");
    }
}
