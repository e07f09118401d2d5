//! What is counted.

use crate::{AnyError, Calls};
use mcpc_instructions::bodies::{self, list};
use std::hint::black_box;

/// One call, or a part of one.
pub struct Case {
    /// Cases that begin with `value: ` are there for comparison, with the `bind: ` case of the same name.
    pub name: String,
    body: String,
    work: Work,
}

enum Work {
    /// Envelope, lookup and bind.
    Bind,
    /// All of it, with this answer.
    Call(String),
    /// What a server does at least that knows requests as trees.
    ParseValue,
    /// The heads of a request, which repeats this one, and of its upstream's answer.
    Heads(&'static str),
}

const REQUESTS: [(&str, &str, &str, bool); 6] = [
    ("path and query", "get_record", r#"{"userId":"u 1","recordId":42,"details":true}"#, false),
    ("path and query, with _meta", "get_record", r#"{"userId":"u 1","recordId":42,"details":true}"#, true),
    (
        "five in query and header",
        "list_records",
        r#"{"state":"all","labels":["bug","later"],"page":2,"perPage":50,"traceId":"0e37df36-f698-11e6-8dd4-cb9ced3df976"}"#,
        false,
    ),
    (
        "nested JSON body",
        "create_record",
        r#"{"title":"pens and paper","note":"say \"hi\"","city":"Oslo","amount":12.50,"items":[{"sku":"PEN-1","quantity":3},{"sku":"INK-22","quantity":1}]}"#,
        false,
    ),
    ("form", "close_record", r#"{"recordId":42,"reason":"paid & shipped","notify":false}"#, false),
    (
        "body template",
        "annotate_record",
        r#"{"recordId":42,"author":"Ada Lovelace","text":"say \"hi\" to all of them","labels":["bug","later"]}"#,
        false,
    ),
];

const META: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"client","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

const HEADS: [&str; 2] = [
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nUser-Agent: mcp-client/1.0\r\n\
     Accept: application/json, text/event-stream\r\nAuthorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789\r\n\
     MCP-Protocol-Version: 2025-06-18\r\nContent-Type: application/json\r\nContent-Length: 111\r\n\r\n",
    "HTTP/1.1 200 OK\r\nServer: example\r\nDate: Tue, 17 Nov 2026 12:00:00 GMT\r\n\
     Content-Type: application/json\r\nContent-Length: 300\r\nConnection: keep-alive\r\n\r\n\
     and its body behind it",
];

const RAW: (&str, &str) = ("get_record", r#"{"userId":"u-1","recordId":42}"#);
const ORDER: (&str, &str) = ("show_order", r#"{"id":"ord-000042"}"#);
const ORDERS: (&str, &str) = ("show_orders", r#"{"id":"user 42"}"#);

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    for (name, tool, arguments, meta) in REQUESTS {
        let body = request(tool, arguments, if meta { META } else { "" });
        all.push(Case { name: format!("bind: {name}"), body: body.clone(), work: Work::Bind });
        all.push(Case { name: format!("value: {name}"), body, work: Work::ParseValue });
    }
    // As `json.dumps` of Python writes it.
    let spaced = request(RAW.0, RAW.1, "").replace("\":", "\": ").replace(",\"", ", \"");
    all.push(Case { name: "bind: path, with spaces".to_owned(), body: spaced, work: Work::Bind });
    let [head, answer_head] = HEADS;
    for (name, before) in [("first of a connection", ""), ("a later one", head)] {
        let body = [head, answer_head].concat();
        all.push(Case { name: format!("heads: {name}"), body, work: Work::Heads(before) });
    }
    let [order, short, long, _] = bodies::cases().map(|case| case.body);
    let huge = list("1 MiB list", 5_000, 0).body;
    let chinese = format!("[{}]", vec![r#""订单已经发货，预计三天内送达""#; 2_200].join(","));
    for (name, (tool, arguments), answer) in [
        ("raw, 300 B", RAW, order.clone()),
        ("raw, 100 KiB", RAW, long.clone()),
        ("raw, 100 KiB of Chinese", RAW, chinese),
        ("raw, 1 MiB", RAW, huge),
        ("template, 300 B", ORDER, order),
        ("template, 4 KiB", ORDERS, short),
        ("template, 100 KiB", ORDERS, long),
    ] {
        let body = request(tool, arguments, "");
        all.push(Case { name: format!("call: {name}"), body, work: Work::Call(answer) });
    }
    all
}

impl Case {
    pub fn run(&self, calls: &mut Calls) -> Result<(), AnyError> {
        let body = black_box(self.body.as_bytes());
        match &self.work {
            Work::Bind => calls.call(body, None),
            Work::Call(answer) => calls.call(body, Some(black_box(answer.as_bytes()))),
            Work::ParseValue => {
                black_box(serde_json::from_slice::<serde_json::Value>(body)?);
                Ok(())
            }
            Work::Heads(before) => calls.heads(body, black_box(before.as_bytes())),
        }
    }
}

fn request(tool: &str, arguments: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}{meta}}}}}"#
    )
}
