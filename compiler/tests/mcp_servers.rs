//! Tools of MCP servers: from specs to plans, and what the commands say of them.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::Workplace;
use mcp_bundle::definition::Pin;
use mcp_bundle::format::{self, Trust};
use mcp_bundle::plan::{Contents, McpPlan, McpServer, Policy};
use mcp_bundle::wire_enums::{BodyKind, OnDrift, Scheme, Transport};
use mcpc::check::{MemoryFiles, check_files};
use mcpc::exercise::testing::{self, Selection};

const SPEC: &str = include_str!("../../tests/fixtures/mcp_servers.toml");

fn contents(files: &MemoryFiles) -> Contents {
    let report = check_files(files);
    assert_eq!(report.diagnostics, []);
    let contents = report.contents.unwrap();
    let bytes = format::write(&contents).unwrap();
    let bundle = format::read(&bytes, &Trust::Any).unwrap();
    assert_eq!(bundle.contents, contents, "the bundle holds what was planned");
    assert!(bundle.features.names().any(|name| name == "mcp-servers"));
    contents
}

fn tool<'c>(contents: &'c Contents, name: &str) -> (&'c McpPlan, &'c McpServer, &'c Policy) {
    let (_, plan) = contents.tool(name).unwrap();
    let call = plan.mcp().unwrap();
    (call, &contents.servers[call.server as usize], &contents.policies[plan.policy as usize])
}

#[test]
fn each_server_has_its_transport_and_its_upstream() {
    let contents = contents(&MemoryFiles::one("spec.toml", SPEC));
    let servers: Vec<_> = (0..contents.servers.len())
        .map(|index| {
            let server = &contents.servers[index];
            let upstream = &contents.upstreams[server.request.upstream as usize];
            let program = server.program.map(|program| contents.strings.get(program));
            (contents.server_name(index).unwrap(), server.transport, upstream.scheme, program)
        })
        .collect();
    let expected = [
        ("tickets", Transport::Sse, Scheme::Https, None),
        ("files", Transport::Stdio, Scheme::Stdio, Some("filesystem")),
        ("wiki", Transport::Http, Scheme::Https, None),
    ];
    assert_eq!(servers, expected);
    let names: Vec<&str> = contents.variable_names().collect();
    assert_eq!(names, ["TICKETS_KEY", "WIKI_TOKEN"]);
}

#[test]
fn a_tool_has_its_name_definition_and_retries() {
    let contents = contents(&MemoryFiles::one("spec.toml", SPEC));
    let text = |id| contents.strings.get(id);
    let (search, _, policy) = tool(&contents, "wiki_search");
    assert_eq!((text(search.name), search.on_drift), ("search", OnDrift::Refuse));
    assert_eq!(search.request.body.kind, BodyKind::Template);
    let definition = text(search.definition);
    assert!(definition.starts_with(r#"{"description":"Full-text search.","inputSchema":{"#), "{definition}");
    assert!(SPEC.contains(&Pin::of(definition).to_string()));
    assert_eq!((policy.idempotent, policy.retry_count, policy.cache_seconds), (true, 3, 60));

    let (close, _, policy) = tool(&contents, "close_ticket");
    assert_eq!((text(close.name), close.on_drift), ("close_ticket", OnDrift::Warn));
    assert_eq!(close.request.body.kind, BodyKind::Json);
    assert_eq!((policy.idempotent, policy.retry_count), (false, 0), "nothing says that it may be repeated");
    let (_, plan) = contents.tool("close_ticket").unwrap();
    assert!(plan.parameters.iter().all(|parameter| parameter.default.is_none()), "defaults are the server's");
    assert!(plan.additional.is_some(), "a schema that does not forbid other arguments allows them");
    assert!(contents.tool("wiki_search").unwrap().1.additional.is_none());
}

#[test]
fn two_files_share_a_server_that_they_describe_alike() {
    let spec = |tool: &str, path: &str| {
        format!(
            "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example{path}\"\n[[tool]]\nname = \"{tool}\"\n\
             description = \"Reads a thing of the server.\"\nupstream = \"u\"\nmcp_tool = \"read\"\n\
             pin = \"sha256:PIN\"\nexamples = [{{ arguments = {{}} }}]\n"
        )
    };
    let definition = r#"{"description":"Reads a thing of the server.","inputSchema":{"additionalProperties":false,"type":"object"},"name":"read"}"#;
    let pinned = |text: String| text.replace("sha256:PIN", &Pin::of(definition).to_string());
    let servers = |path: &str| {
        let mut files = MemoryFiles::one("one.toml", &pinned(spec("a", "/mcp")));
        files.add("two.toml", &pinned(spec("b", path)));
        contents(&files).servers.len()
    };
    assert_eq!((servers("/mcp"), servers("/other")), (1, 2));
}

#[test]
fn examples_are_arguments_and_results() {
    let report = check_files(&MemoryFiles::one("spec.toml", SPEC));
    let run = |spec: &str| {
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let contents = report.contents.as_ref().unwrap_or_else(|| panic!("{:?}", report.diagnostics));
        let results = testing::run(&report, contents, &Selection::default());
        results
            .tests
            .into_iter()
            .flat_map(|test| test.failures)
            .map(|failure| failure.what)
            .collect::<Vec<_>>()
    };
    let results = testing::run(&report, report.contents.as_ref().unwrap(), &Selection::default());
    assert_eq!((results.passed(), results.failed()), (3, 0));
    assert!(results.untested.is_empty() && results.uncovered.is_empty(), "{:?}", results.uncovered);
    for (from, to, failing) in [
        ("limit = 5, user", "limit = 6, user", "request.body"),
        ("text      = \"A\\nB\\n\"", "text      = \"A\"", "text"),
        ("structured_content = { content = \"# Wiki\" }", "structured_content = {}", "structured_content"),
        ("'{\"content\":[{\"type\"", "'{\"contents\":[{\"type\"", "response"),
    ] {
        assert!(SPEC.contains(from), "{from}");
        let failures = run(&SPEC.replace(from, to));
        assert!(failures.iter().any(|what| what == failing), "{from}: {failures:?}");
    }
}

#[test]
fn try_shows_the_message_and_never_a_secret() {
    let place = Workplace::with_spec(SPEC);
    let done = place.run(&["try", "wiki_search", "--args", r#"{"query":"a\"b"}"#]);
    assert_eq!(done.code, 0, "{}", done.err);
    let expected = r#"POST https://${WIKI_HOST:-mcp.example.com}/mcp?tenant=docs
authorization: Bearer ${WIKI_TOKEN}
content-type: application/json
accept: application/json, text/event-stream

{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"search","arguments":{"q": "a\"b", "limit": 5, "user": "${principal.sub}"}}}
"#;
    assert_eq!(done.out, expected);
    assert_eq!(done.err, "note: the edge opens a session first, if the server wants one\n");
    let stream = place.run(&["try", "close_ticket", "--args", r#"{"id":1}"#]);
    assert!(stream.err.contains("the edge opens the stream first"), "{stream:?}");
    let curl = place.run(&["try", "wiki_search", "--args", r#"{"query":"a"}"#, "--curl"]);
    let command = r#"--data-raw '{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"search","arguments":{"q": "a", "#;
    assert!(curl.code == 0 && curl.out.contains(command), "{curl:?}");
    let refused = place.run(&["try", "wiki_search", "--args", r#"{"querry":"a"}"#]);
    assert!(refused.code == 1 && refused.err.contains("did you mean `query`"), "{refused:?}");
}

#[test]
fn try_shows_the_line_for_a_program_and_what_to_name() {
    let place = Workplace::with_spec(SPEC);
    let arguments = ["try", "read_file", "--args", r#"{"path":"a","more":1}"#];
    let done = place.run(&arguments);
    let line = r#"{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a","more":1}}}"#;
    assert_eq!((done.code, done.out.as_str()), (0, format!("{line}\n").as_str()), "{}", done.err);
    assert!(done.err.contains("as `[stdio.filesystem]`"), "{}", done.err);
    let json = place.run(&[&arguments[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(document["request"]["program"], "filesystem");
    assert_eq!(document["request"]["message"], line);
    let curl = place.run(&[&arguments[..], &["--curl"]].concat());
    assert!(curl.code == 2 && curl.err.contains("`curl` cannot ask"), "{curl:?}");
}

#[test]
fn try_shapes_the_result_of_a_server() {
    let place = Workplace::with_spec(SPEC);
    let shaped = |tool: &str, result: &str| {
        place.write("result.json", result);
        place.run(&["try", tool, "--response", "result.json"])
    };
    let pages = shaped("wiki_search", r#"{"content":[],"structuredContent":{"pages":[{"title":"A"}]}}"#);
    assert!(pages.code == 0 && pages.out.contains("text:\nA\n"), "{pages:?}");
    let failed = shaped("close_ticket", r#"{"content":[{"type":"text","text":"No"}],"isError":true}"#);
    assert!(failed.code == 1 && failed.out.contains("text:\nNo\n"), "{failed:?}");
    let broken = shaped("close_ticket", r#"{"contents":[]}"#);
    assert!(broken.code == 1 && broken.out.contains("cannot be read"), "{broken:?}");
}

#[test]
fn inspect_shows_servers_pins_and_where_secrets_go() {
    let place = Workplace::with_spec(SPEC);
    assert_eq!(place.run(&["build", "-o", "x.mcpk"]).code, 0);
    let all = place.run(&["inspect", "x.mcpk"]).out;
    assert!(all.contains("(program `filesystem`)") && all.contains("mcp-servers"), "{all}");
    let tool = place.run(&["inspect", "x.mcpk", "--tool", "close_ticket"]).out;
    for line in ["server     tickets (sse), its tool `close_ticket`", "(on drift: warn)", "arguments  json"] {
        assert!(tool.contains(line), "{tool}");
    }
    let json = place.run(&["inspect", "x.mcpk", "--tool", "read_file", "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["server"]["program"], "filesystem");
    assert!(SPEC.contains(json["server"]["pin"].as_str().unwrap()));
    let secrets = place.run(&["inspect", "x.mcpk", "--secrets"]).out;
    assert!(secrets.contains("WIKI_TOKEN   https://${WIKI_HOST:-mcp.example.com}"), "{secrets}");
}

#[test]
fn update_writes_the_arguments_and_the_text() {
    let place = Workplace::with_spec(SPEC.replace("text      = \"No ticket 7\"\n", ""));
    let done = place.run(&["test", "--update", "--tool", "close_ticket"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = String::from_utf8(place.read("spec.toml")).unwrap();
    assert!(text.contains("text      = \"No ticket 7\""), "{text}");
    let without = SPEC.replace("request   = { body = '{\"id\":7,\"reason\":\"spam\"}' }\n", "");
    let place = Workplace::with_spec(without);
    assert_eq!(place.run(&["test", "--update", "--tool", "close_ticket"]).code, 0);
    let text = String::from_utf8(place.read("spec.toml")).unwrap();
    assert!(text.contains(r#"request   = { body = '{"id":7,"reason":"spam"}' }"#), "{text}");
}

#[test]
fn what_makes_no_sense_for_a_server_is_refused() {
    for (from, to, expected) in [
        (
            "mcp_tool           =",
            "endpoint = \"/x\"\nmcp_tool =",
            "`endpoint` is not a key of a tool of an MCP server",
        ),
        (
            "mcp_tool           =",
            "method = \"GET\"\nmcp_tool =",
            "`method` is not a key of a tool of an MCP server",
        ),
        (
            "mcp_tool           =",
            "select = [\"a\"]\nmcp_tool =",
            "`select` is not a key of a tool of an MCP server",
        ),
        (
            "server    =",
            "url = \"https://a.example\"\nserver =",
            "`url` is not a key of a server over `stdio`",
        ),
        (
            "server    =",
            "headers = { a = \"b\" }\nserver =",
            "`headers` is not a key of a server over `stdio`",
        ),
        ("server    = \"filesystem\"", "server = \"\"", "the name of a program is not empty"),
        ("transport = \"stdio\"\n", "", "an upstream needs `url`"),
        ("transport = \"stdio\"\n", "transport = \"stdo\"\n", "`stdo` is not a transport"),
        ("kind    = \"mcp\"\nurl", "kind    = \"mpc\"\nurl", "`mpc` is not a kind"),
        (
            "transport = \"sse\"",
            "transport = \"sse\"\nserver = \"x\"",
            "`server` is not a key of a server with a URL",
        ),
        (
            "transport = \"sse\"",
            "transport = \"sse\"\nerror_type = \"database\"",
            "`error_type` is not a key of an MCP server",
        ),
        ("https://tickets", "ftp://tickets", "unsupported scheme `ftp`"),
        ("on_drift    = \"warn\"", "on_drift = \"wrn\"", "`wrn` is not a value of `on_drift`"),
        (
            "description = \"Words to look for\"",
            "description = \"Words\"\nposition = \"query\"",
            "`position` is not a key of a parameter of an MCP server's tool",
        ),
        (
            "request   = { body",
            "request   = { url = \"https://a.example\", body",
            "`url` is not a key of an example of an MCP server's tool",
        ),
        (
            "response  = { body",
            "response  = { status = 200, body",
            "`status` is not a key of an example of an MCP server's tool",
        ),
        (
            "\"limit\": 5,",
            "\"limit\": \"5\",",
            "`search` of the server refuses the arguments that it gets for example 1",
        ),
    ] {
        assert!(SPEC.contains(from), "{from}");
        let report = check_files(&MemoryFiles::one("spec.toml", &SPEC.replacen(from, to, 1)));
        let messages: Vec<&str> = report.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.contains(&expected), "{to}: {messages:#?}");
        assert!(report.errors() > 0 && report.contents.is_none(), "{to}");
    }
}

#[test]
fn a_misspelt_word_is_one_error() {
    for (from, to, expected) in [
        ("\"mcp\"", "\"mpc\"", "`mpc` is not a kind"),
        ("\"stdio\"", "\"stdo\"", "`stdo` is not a transport"),
        ("\"sse\"", "\"see\"", "`see` is not a transport"),
    ] {
        let report = check_files(&MemoryFiles::one("spec.toml", &SPEC.replacen(from, to, 1)));
        let messages: Vec<&str> = report.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn keys_of_a_server_mean_nothing_elsewhere() {
    let tool = "[upstream.u]\nurl = \"https://a.example\"\nserver = \"x\"\n[[tool]]\nname = \"a\"\n\
                description = \"Reads a thing.\"\nupstream = \"u\"\nmethod = \"GET\"\nendpoint = \"/a\"\npin = \"x\"\n";
    let report = check_files(&MemoryFiles::one("spec.toml", tool));
    let found = report.diagnostics.iter().filter(|found| found.name() == "misplaced-key");
    let messages: Vec<&str> = found.map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        ["`server` is not a key of an HTTP API", "`pin` is not a key of a tool without an MCP server"]
    );
}

/// A plain server, of which a mapping or a schema is replaced.
fn mapped(mapping: &str, theirs: &str) -> Vec<String> {
    let spec = |pin: &str| {
        format!(
            "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n[[tool]]\nname = \"find\"\n\
             description = \"Finds things on the server.\"\nupstream = \"u\"\npin = \"{pin}\"\n{mapping}\n\
             pinned.input_schema = '{theirs}'\n\
             [[tool.parameters]]\nname = \"text\"\ndescription = \"Words\"\nrequired = true\n\
             [[tool.parameters]]\nname = \"count\"\ntype = \"integer\"\ndescription = \"How many\"\n"
        )
    };
    let report = check_files(&MemoryFiles::one("spec.toml", &spec("none")));
    let found = report.diagnostics.iter().find(|found| found.name() == "mismatched-pin").unwrap();
    let report =
        check_files(&MemoryFiles::one("spec.toml", &spec(&found.fix.as_ref().unwrap().edits[0].text)));
    let errors = report.diagnostics.iter().filter(|found| found.name() != "missing-example");
    errors.flat_map(|found| found.notes.clone()).collect()
}

#[test]
fn a_mapping_must_write_what_the_pinned_schema_takes() {
    let theirs = r#"{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","maximum":9},"mode":{"enum":["a","b"]}},"required":["q"],"additionalProperties":false}"#;
    let template = |text: &str| mapped(&format!("arguments_template = '{text}'"), theirs);
    assert_eq!(template(r#"{"q": {{ .text }}{{ if .count }}, "n": {{ .count }}{{ end }}}"#), [""; 0]);
    assert_eq!(template(r#"{"q": {{ .text }}, "mode": "b"{{ if .count }}{{ end }}}"#), [""; 0]);
    // Any text may be too long for them, and any number too large: that is the caller's to see.
    assert_eq!(template(r#"{"q": {{ .text }}, "n": {{ default 1 .count }}}"#), [""; 0]);
    for (text, path) in [
        (r#"{"query": {{ .text }}{{ if .count }}{{ end }}}"#, "`q`: is required"),
        (r#"{"q": {{ .text }}, "n": "{{ .count }}"}"#, "`n`: the value is not of type \"integer\""),
        (r#"{"q": {{ .text }}, "n": {{ .count }}}"#, "`n`: the value is not of type \"integer\""),
        (
            r#"{"q": {{ .text }}, "n": 10{{ if .count }}{{ end }}}"#,
            "`n`: the value is greater than the maximum of 9",
        ),
        (r#"{"q": {{ .text }}, "mode": "c"{{ if .count }}{{ end }}}"#, "`mode`: the value is not one of"),
        (r#"{"q": {{ .text }}, "x": 1{{ if .count }}{{ end }}}"#, "`x`: is not allowed"),
        (r#"[{{ .text }}{{ if .count }}{{ end }}]"#, "not of type \"object\""),
    ] {
        let notes = template(text);
        assert!(notes.iter().any(|note| note.contains(path)), "{text}: {notes:?}");
    }
    // What the edge fills in is a text; which one is not known here.
    let with =
        |text: &str| template(&format!("{{\"q\": {{{{ .text }}}}{{{{ if .count }}}}{{{{ end }}}}, {text}}}"));
    assert_eq!(with(r#""mode": "${MODE}""#), [""; 0]);
    assert!(with(r#""n": "${principal.sub}""#)[0].starts_with("`n`: the value is not of type"));
    let unmapped = mapped("", theirs);
    assert!(unmapped.iter().any(|note| note == "`text`: is not allowed"), "{unmapped:?}");
}

#[test]
fn the_example_of_the_docs_is_sound() {
    let docs = include_str!("../../docs/SPEC.md");
    let section = docs.split("\n## MCP servers\n").nth(1).unwrap();
    let block = section.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let report = check_files(&MemoryFiles::one("docs.toml", block));
    assert_eq!(report.diagnostics, []);
    let results = testing::run(&report, report.contents.as_ref().unwrap(), &Selection::default());
    assert!(results.failed() == 0 && results.passed() >= 2);
}
