//! Whatever the arguments, a bound request keeps its shape, and it is the same when they are read as part of a message; whatever
//! is refused has an explanation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{
    Arguments, BindError, Binder, Limits, PreparedTools, Request, Scratch, UNEXPLAINED, Values,
};
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::json::{ScanError, ScanErrorKind, StrictError, parse_strict};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcpc::check::{MemoryFiles, check_files};
use serde::de::IgnoredAny;
use std::sync::OnceLock;

const SPEC: &str = r#"
[[tool]]
name = "closed"
description = "A tool with an argument in every position."
method = "POST"
endpoint = "https://api.example.com/a/{p}/b/{list}"
headers = { accept = "application/json", authorization = "Bearer ${TOKEN}" }
parameters = [
  { name = "p", required = true, position = "path" },
  { name = "list", type = "array", required = true, position = "path", style = "comma", items = { type = "string" } },
  { name = "q", type = "object", position = "query", style = "deep" },
  { name = "h", position = "header", wire_name = "x-h" },
  { name = "c", position = "cookie" },
  { name = "b", type = "object", wire_name = "x.y" },
  { name = "n", type = "number", minimum = -1.5, maximum = 1e30 },
]

[[tool]]
name = "open"
description = "A tool that takes arguments of any name."
method = "POST"
endpoint = "https://api.example.com/a/b/c/d"
headers = { authorization = "Bearer ${TOKEN}" }
input_schema = { type = "object", properties = { n = { type = "integer" }, l = { type = "array", items = { type = "object", properties = { k = { type = "string" } }, additionalProperties = false } } }, additionalProperties = true }

[[tool]]
name = "form"
description = "A tool whose arguments become a form."
method = "POST"
endpoint = "https://api.example.com/a/b/c/d"
body = "form"
parameters = [
  { name = "n", type = "integer", minimum = 0 },
  { name = "list", type = "array", items = { type = "string" } },
  { name = "q", type = "object", style = "deep" },
]

[[tool]]
name = "lenient"
description = "A tool that converts arguments."
method = "POST"
endpoint = "https://api.example.com/a/b/c/d"
lenient = true
parameters = [
  { name = "n", type = "integer", minimum = 0 },
  { name = "text" },
  { name = "list", type = "array", items = { type = "boolean" } },
]

[[tool]]
name = "multipart"
description = "A tool whose arguments become parts."
method = "POST"
endpoint = "https://api.example.com/a/b/c/d"
body = "multipart"
parameters = [
  { name = "n", type = "integer" },
  { name = "text", encoding = "base64" },
  { name = "list", type = "array", items = { type = "string" } },
]

[[tool]]
name = "template"
description = "A tool whose body a template writes."
method = "POST"
endpoint = "https://api.example.com/a/b/c/d"
body_template = '{"n": {{ .n }}, "text": "{{ .text }}", "list": {{ toJson .list }}}'
parameters = [
  { name = "n", type = "number", required = true },
  { name = "text" },
  { name = "list", type = "array", items = { type = "string" }, default = [] },
]
"#;

struct World {
    contents: Contents,
    matchers: Matchers,
    limits: Limits,
    prepared: PreparedTools,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let contents = check_files(&MemoryFiles::one("spec.toml", SPEC)).contents.expect("the spec is clean");
        let variables = vec!["s3cret".into(); contents.manifest.variables.len()];
        let limits = Limits::default();
        let prepared = PreparedTools::new(&contents, &variables, &limits);
        World { matchers: Matchers::new(&contents), contents, limits, prepared }
    })
}

fuzz_target!(|arguments: &[u8]| {
    let Ok(arguments) = std::str::from_utf8(arguments) else { return };
    let contents = &world().contents;
    for tool in &contents.tools {
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let bound = bind(tool, &Arguments::of_text(arguments), &mut scratch, &mut request);
        assert_same_of_a_message(tool, arguments, scratch, &bound, &request);
        match bound {
            Ok(()) => assert_contained(contents, tool, &request),
            Err(error) => {
                assert!(!error.problems.is_empty());
                assert!(error.problems.iter().all(|problem| problem.message != UNEXPLAINED));
            }
        }
    }
});

fn bind(
    tool: &ToolPlan,
    arguments: &Arguments<'_>,
    scratch: &mut Scratch,
    request: &mut Request,
) -> Result<(), BindError> {
    let World { contents, matchers, limits, prepared } = world();
    let tool = prepared.find(contents.strings.get(tool.name)).expect("each tool is prepared");
    Binder { contents, matchers, limits, scratch }.bind(tool, arguments, &Values::default(), request)
}

fn assert_contained(contents: &Contents, tool: &ToolPlan, request: &Request) {
    let url = request.url(contents, tool);
    let path = url.strip_prefix("https://api.example.com/").expect("the host never changes");
    let path = path.split('?').next().unwrap_or_default();
    assert_eq!(path.split('/').count(), 4, "{url}");
    for (name, value) in request.headers() {
        assert!(!name.contains(['\r', '\n', ':']) && !value.contains(['\r', '\n', '\0']));
    }
    let is_json = !matches!(contents.strings.get(tool.name), "form" | "multipart");
    let Some(body) = request.body().filter(|_| is_json) else { return };
    // The scanner of the arguments is our own; the body's validity is judged by others.
    assert!(serde_json::from_slice::<IgnoredAny>(body).is_ok());
    // Numbers of any size are JSON, but not all are floats.
    let strict = parse_strict(body, 128);
    assert!(matches!(strict, Ok(_) | Err(StrictError::NumberOutOfRange { .. })), "{strict:?}");
}

/// A proxy knows where the arguments are in a message: the result must be the same.
///
/// `scratch` has been used, as that of a proxy.
fn assert_same_of_a_message(
    tool: &ToolPlan,
    arguments: &str,
    mut scratch: Scratch,
    bound: &Result<(), BindError>,
    request: &Request,
) {
    // Invalid JSON can become valid inside a message.
    if serde_json::from_str::<IgnoredAny>(arguments).is_err() {
        return assert!(bound.is_err());
    }
    let body = format!(r#"{{"method":"tools/call","params":{{"arguments":{arguments}}}}}"#);
    let mut place = None;
    // As deep as arguments may be and the two levels around them: what may be deeper is scanned again.
    let message = match envelope::read(body.as_bytes(), world().limits.depth + 2, 1, &mut place) {
        Ok(Body::One(message)) => message,
        // The scanner's two refusals; a message is two levels deeper than its arguments.
        Err(ScanError { kind: ScanErrorKind::LoneSurrogate | ScanErrorKind::TooDeep, .. }) => {
            return assert!(bound.is_err());
        }
        other => panic!("{other:?}"),
    };
    let Some(read) = Arguments::of_params(&message.params) else {
        return assert_eq!(arguments.trim_ascii(), "null");
    };
    let mut same = Request::default();
    assert_eq!(&bind(tool, &read, &mut scratch, &mut same), bound);
    if bound.is_ok() {
        assert_eq!(&same, request);
    }
}
