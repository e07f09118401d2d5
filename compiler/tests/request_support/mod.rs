//! From spec text to the request that a call becomes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses what it needs")]

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, BindError, Binder, Limits, PreparedTools, Request, Scratch, Values};
use mcp_bundle::format::{self, Trust};
use mcp_bundle::plan::Contents;
use mcpc::check::{MemoryFiles, check_files};
use serde_json::Value;

pub fn spec(tool: &str) -> String {
    format!("[[tool]]\nname = \"t\"\ndescription = \"A tool under test.\"\n{tool}")
}

/// What a proxy has of the spec: written, read and verified.
pub fn contents(text: &str) -> Contents {
    let report = check_files(&MemoryFiles::one("spec.toml", text));
    let messages: Vec<&String> = report.diagnostics.iter().map(|d| &d.message).collect();
    let contents = report.contents.unwrap_or_else(|| panic!("{messages:#?}"));
    let bytes = format::write(&contents).unwrap_or_else(|error| panic!("{error}\n{text}"));
    format::read(&bytes, &Trust::Any).unwrap().contents
}

#[derive(Debug, PartialEq)]
pub struct Sent {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Sent {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

pub fn send(contents: &Contents, arguments: &Value) -> Result<Sent, BindError> {
    let (_, plan) = contents.tool("t").unwrap();
    let (mut scratch, mut request) = (Scratch::default(), Request::default());
    let variables: Vec<Box<str>> =
        contents.variable_names().map(|name| format!("<{name}>\"/").into()).collect();
    let values = Values { tenant_id: Some("acme"), ..Values::default() };
    let (limits, matchers) = (Limits::default(), Matchers::new(contents));
    let prepared = PreparedTools::new(contents, &variables, &limits);
    let arguments = arguments.to_string();
    let mut binder = Binder { contents, matchers: &matchers, limits: &limits, scratch: &mut scratch };
    let tool = prepared.find("t").unwrap();
    binder.bind(tool, &Arguments::of_text(&arguments), &values, &mut request)?;
    let headers = request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let body = String::from_utf8(request.body().unwrap_or_default().to_vec()).unwrap();
    Ok(Sent { url: request.url(contents, plan), headers, body })
}

pub const POST: &str = "method = \"POST\"\nendpoint = \"https://a.example/x\"\n";

/// Texts that end, begin or change something somewhere.
pub const HOSTILE: [&str; 16] = [
    "\"",
    "'",
    "\\",
    "\"}",
    "\",\"admin\":true,\"x\":\"",
    "a\r\nx-evil: 1",
    "\n",
    "\u{0}",
    "../..",
    "..",
    "&x=1",
    "?a#b",
    "%2e%2e",
    "a/b",
    "grüße 🦀",
    "{{ .other }}${SECRET}",
];
