//! Shaping, seen from outside: a tool and an answer in, the parsed result out.

mod bodies;
mod charsets;
mod failures;
mod mcp;
mod multiparts;
mod properties;
mod selections;
mod successes;

use super::{Answer, Limits, Scratch, Shaped, shape};
use crate::bind::matchers::Matchers;
use crate::json::Scanner;
use crate::plan::{Backend, BodyPlan, Contents, HttpPlan, Policy, ResponsePlan, ToolPlan};
use crate::strings::{PoolBuilder, StrId};
use crate::template::{Ambient, Destination, NONE, Program, Run, Shape};
use crate::wire_enums::{BodyKind, Dialect, Method};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// A tool that is being described.
struct Tool {
    strings: PoolBuilder,
    contents: Contents,
    fixed: Option<StrId>,
    response: ResponsePlan,
    policy: Policy,
    limits: Limits,
    location: Option<String>,
    message: Option<u64>,
}

/// What a result says.
#[derive(Debug)]
struct Seen {
    /// All of `content`.
    items: Vec<Value>,
    texts: Vec<String>,
    structured: Option<Value>,
    /// As it was written, without braces.
    members: String,
    shaped: Shaped,
}

impl Seen {
    fn has_audio(&self) -> bool {
        self.items.iter().any(|item| item["type"] == "audio")
    }
}

fn tool() -> Tool {
    Tool {
        strings: PoolBuilder::new(),
        contents: Contents::default(),
        fixed: None,
        response: ResponsePlan::default(),
        policy: Policy {
            timeout_ms: 1000,
            retry_count: 0,
            idempotent: true,
            cache_seconds: 0,
            max_response_bytes: None,
            max_text_bytes: None,
            max_results: None,
            attempt_timeout_ms: None,
            scopes: Vec::new(),
        },
        limits: Limits::default(),
        location: None,
        message: None,
    }
}

fn plan(name: StrId, fixed: Option<StrId>, response: ResponsePlan) -> ToolPlan {
    let http = HttpPlan {
        upstream: 0,
        method: Method::Get,
        path: Vec::new(),
        query: Vec::new(),
        headers: Vec::new(),
        cookies: Vec::new(),
        body: BodyPlan { kind: BodyKind::None, content_type: None, ops: Vec::new(), whole: None },
    };
    ToolPlan {
        name,
        toolset: 0,
        backend: fixed.map_or(Backend::Http(http), Backend::Fixed),
        parameters: Vec::new(),
        additional: None,
        checks: Vec::new(),
        schema: None,
        policy: 0,
        response,
    }
}

impl Tool {
    fn select(mut self, paths: &[&str]) -> Tool {
        self.response.select = paths.iter().map(|path| self.strings.intern(path)).collect();
        self
    }

    fn schema(mut self, schema: Value) -> Tool {
        self.contents.manifest.schemas = vec![self.strings.intern(&schema.to_string())];
        self.response.output_schema = Some(0);
        self
    }

    fn respond(mut self, text: &str) -> Tool {
        self.fixed = Some(self.strings.intern(text));
        self
    }

    /// A template that the bundle does not have, so that rendering it fails.
    fn broken_template(mut self) -> Tool {
        self.response.template = Some(7);
        self
    }

    fn broken_error_template(mut self) -> Tool {
        self.response.error_template = Some(7);
        self
    }

    /// Templates that write nothing.
    fn silent_templates(mut self) -> Tool {
        let run = Run::default();
        let program = Program {
            dialect: Dialect::Go,
            place: Destination::Text,
            ops: run,
            registers: 1,
            loops: 0,
            shape: 0,
            spots: run,
        };
        self.contents.templates.programs.push(program);
        self.contents.templates.shapes.push(Shape { fields: run, items: NONE });
        self.response.template = Some(0);
        self.response.error_template = Some(0);
        self
    }

    fn max_text(mut self, bytes: u32) -> Tool {
        self.policy.max_text_bytes = Some(bytes);
        self
    }

    fn max_response(mut self, bytes: u32) -> Tool {
        self.policy.max_response_bytes = Some(bytes);
        self
    }

    fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Tool {
        change(&mut self.limits);
        self
    }

    /// The `content-location` of the answer.
    fn location(mut self, location: &str) -> Tool {
        self.location = Some(location.to_owned());
        self
    }

    /// The result of a successful JSON answer.
    fn ok(self, body: &str) -> Seen {
        self.answer(200, Some("application/json"), body.as_bytes())
    }

    /// The one text of a result that is not a failure.
    fn text(self, body: &str) -> String {
        let seen = self.ok(body);
        assert!(!seen.shaped.is_error, "{seen:?}");
        seen.text().to_owned()
    }

    fn answer(self, status: u16, content_type: Option<&str>, body: &[u8]) -> Seen {
        let is_own = self.message.is_none();
        let (members, shaped) = self.members(status, content_type, body);
        let seen = Seen::read(members, shaped);
        // The blocks of an MCP server are its own.
        seen.items.iter().filter(|_| is_own).for_each(assert_is_item);
        seen
    }

    /// What is written.
    fn members(mut self, status: u16, content_type: Option<&str>, body: &[u8]) -> (String, Shaped) {
        let name = self.strings.intern("get_order");
        self.contents.tools.push(plan(name, self.fixed, self.response));
        self.contents.policies.push(self.policy);
        self.contents.strings = self.strings.finish();
        let contents = &self.contents;
        let (matchers, tool) = (Matchers::new(contents), &contents.tools[0]);
        let answer = Answer {
            status,
            content_type,
            content_location: self.location.as_deref(),
            message: self.message,
            body,
        };
        let ambient = Ambient { now_ms: 0, seed: 0 };
        let scratch = &mut Scratch::default();
        let mut out = b"before".to_vec();
        let shaped =
            shape(contents, &matchers, tool, &answer, &ambient, &self.limits, scratch, &mut (), &mut out);
        let members = std::str::from_utf8(&out).unwrap().strip_prefix("before").unwrap();
        (members.to_owned(), shaped)
    }
}

impl Seen {
    /// Reads a result, which must be one whatever the answer was.
    fn read(members: String, shaped: Shaped) -> Seen {
        let object = format!("{{{members}}}");
        let mut scanner = Scanner::of_text(&object, 128);
        scanner.value().and_then(|_| scanner.finish()).unwrap_or_else(|error| panic!("{error}: {object}"));
        assert!(!members.contains('\n'), "{members}");
        let result: Value = serde_json::from_str(&object).unwrap();
        let items = result["content"].as_array().unwrap().clone();
        let texts = items.iter().filter(|item| item["type"] == "text");
        let texts = texts.map(|item| item["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(result.get("isError"), shaped.is_error.then_some(&Value::Bool(true)));
        assert_eq!(shaped.failure.is_some(), shaped.is_error);
        let structured = result.get("structuredContent").cloned();
        assert_eq!(structured.as_ref().map(Value::is_object), shaped.structured.map(|s| s.is_object));
        if let Some(structured) = shaped.structured {
            let without = members.get(..structured.start - "before".len()).unwrap();
            assert!(without.ends_with(']'), "{without}");
        }
        Seen { items, texts, structured, members, shaped }
    }

    fn text(&self) -> &str {
        assert_eq!(self.texts.len(), 1, "{self:?}");
        &self.texts[0]
    }

    /// The name of the failure and the texts.
    fn failure(&self) -> (&'static str, Vec<&str>) {
        let name = self.shaped.failure.as_ref().unwrap_or_else(|| panic!("{self:?}")).name();
        (name, self.texts.iter().map(String::as_str).collect())
    }
}

/// Has exactly the members that the protocol has for its type.
fn assert_is_item(item: &Value) {
    let names = |value: &Value| {
        let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        names.join(" ")
    };
    let decodes = |value: &Value| STANDARD.decode(value.as_str().unwrap()).is_ok();
    match item["type"].as_str().unwrap() {
        "text" => assert_eq!(names(item), "text type"),
        "image" | "audio" => {
            assert_eq!(names(item), "data mimeType type");
            assert!(decodes(&item["data"]), "{item}");
        }
        "resource" => {
            assert_eq!(names(item), "resource type");
            let resource = &item["resource"];
            assert!(resource["uri"].as_str().unwrap().contains(':'), "{item}");
            match resource.get("blob") {
                Some(blob) => {
                    assert_eq!(names(resource), "blob mimeType uri");
                    assert!(decodes(blob), "{item}");
                }
                None => assert_eq!(names(resource), "mimeType text uri"),
            }
        }
        other => panic!("{other}"),
    }
}
