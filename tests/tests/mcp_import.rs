//! `mcpc import`, `lock` and `try` with MCP servers: one of the official Rust SDK, and scripted ones that misbehave.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use axum::Router;
use mcpc_tests::{Client, Upstream, answer, binary, call, legacy, mcp_edge};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// What the server lists.
type Listed = Arc<Mutex<Vec<Value>>>;

#[derive(Clone)]
struct Wiki {
    tools: Listed,
}

impl ServerHandler for Wiki {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("Wiki", "1.2.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.lock().unwrap().clone();
        let tools: Vec<Tool> = tools.into_iter().map(|tool| serde_json::from_value(tool).unwrap()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(CallToolResult::success(vec![ContentBlock::text(format!("{} {arguments}", request.name))]).into())
    }
}

/// A running server; it ends with its runtime.
struct Server {
    url: String,
    tools: Listed,
    _runtime: tokio::runtime::Runtime,
}

fn search(description: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    json!({"name": "search", "description": description, "inputSchema": schema, "annotations": {"readOnlyHint": true}})
}

fn page() -> Value {
    json!({"name": "page.get", "description": "Gets one page of the wiki.", "inputSchema": {"type": "object"}})
}

fn server() -> Server {
    let tools: Listed = Arc::new(Mutex::new(vec![search("Finds pages of the wiki."), page()]));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let wiki = Wiki { tools: Arc::clone(&tools) };
    let service = StreamableHttpService::new(
        move || Ok(wiki.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let router = Router::new().route_service("/mcp", service);
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    runtime.spawn(async move { axum::serve(listener, router).await });
    Server { url, tools, _runtime: runtime }
}

/// Exit code, standard output and standard error.
type Done = (i32, String, String);

fn mcpc(folder: &Path, arguments: &[&str]) -> Done {
    let mut command = Command::new(binary("mcpc"));
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    let output = command.current_dir(folder).args(arguments).env("WIKI_TOKEN", "hunter2").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn tools_are_imported_pinned_called_and_compared() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let run = |arguments: &[&str]| mcpc(folder.path(), arguments);
    let (code, _, err) = run(&["import", "mcp", &server.url]);
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("`--tool NAME`") && err.contains("wiki has 2 tools:\n  page.get  Gets one page"),
        "{err}"
    );
    let (code, _, err) = run(&["import", "mcp", &server.url, "--tool", "serch"]);
    assert_eq!((code, err.trim_end()), (2, "error: the server has no tool `serch`; did you mean `search`?"));

    let (code, out, err) = run(&["import", "mcp", &server.url, "--all", "--bearer-env", "WIKI_TOKEN"]);
    assert_eq!(code, 0, "{out}{err}");
    let spec = folder.path().join("wiki.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    assert!(
        text.starts_with(&format!("# Tools of the MCP server Wiki 1.2.0 ({}, MCP ", server.url)),
        "{text}"
    );
    assert!(text.contains("name = \"wiki_page_get\"") && text.contains("mcp_tool = \"page.get\""), "{text}");
    assert!(text.contains("token = \"${WIKI_TOKEN}\"") && !text.contains("hunter2"), "{text}");
    assert_eq!(run(&["check", "wiki.toml"]).0, 0);
    // What is there stays.
    let (code, _, err) = run(&["import", "mcp", &server.url, "--all", "--name", "wiki"]);
    assert!(code == 2 && err.contains("`wiki.toml` already exists"), "{err}");
    let again = run(&["import", "mcp", &server.url, "--all", "--bearer-env", "WIKI_TOKEN", "--force"]);
    assert_eq!(
        (again.0, std::fs::read_to_string(&spec).unwrap()),
        (0, text.clone()),
        "it is written as before"
    );

    let (code, out, err) = run(&["try", "wiki_search", "--args", r#"{"query":"a"}"#, "--send"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains(r#"search {"query":"a"}"#) && !out.contains("hunter2"), "{out}");

    let (code, out, err) = run(&["lock", "--check"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "2 tools as pinned\n", ""));
    *server.tools.lock().unwrap() = vec![
        search("Finds all pages of the wiki."),
        json!({"name": "new", "inputSchema": {"type": "object"}}),
    ];
    let (code, out, _) = run(&["lock", "--check"]);
    assert_eq!(code, 1, "{out}");
    for line in [
        "gone         wiki_page_get: `wiki` has no tool `page.get` any more\n",
        "changed      wiki_search\n  description\n    Finds {+all +}pages of the …\n",
        "note         `wiki` has 1 tool that no spec has: `new`\n",
        "0 tools as pinned, 2 tools not\n",
    ] {
        assert!(out.contains(line), "{line}{out}");
    }
    let (code, out, _) = run(&["lock", "--check", "--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    let states: Vec<&str> = document["servers"][0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["state"].as_str().unwrap())
        .collect();
    assert_eq!((code, states), (1, vec!["gone", "changed"]));

    // Nobody is there to say yes.
    let (code, _, err) = run(&["lock", "--update"]);
    assert!(code == 2 && err.contains("add `--yes`"), "{err}");
    assert_eq!(std::fs::read_to_string(&spec).unwrap(), text);
    let (code, out, err) = run(&["lock", "--update", "--yes"]);
    assert_eq!(code, 1, "a tool is gone: {out}{err}");
    let updated = std::fs::read_to_string(&spec).unwrap();
    let without_pins =
        |text: &str| text.lines().filter(|line| !line.starts_with("pin ")).collect::<Vec<_>>().join("\n");
    let expected = without_pins(&text).replace("Finds pages of", "Finds all pages of");
    assert_eq!(without_pins(&updated), expected);
    server.tools.lock().unwrap().push(page());
    assert_eq!(run(&["lock", "--check"]).0, 0);
}

#[test]
fn a_server_of_the_rust_sdk_is_called_through_the_edge_in_both_eras() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let run = |arguments: &[&str]| mcpc(folder.path(), arguments);
    // The scheme is written as in specs.
    let url = server.url.replacen("http://", "HTTP://", 1);
    let (code, _, err) = run(&["import", "mcp", &url, "--all"]);
    assert_eq!(code, 0, "{err}");
    let spec = std::fs::read_to_string(folder.path().join("wiki.toml")).unwrap();
    assert!(spec.contains(&format!("url = \"{}\"", server.url)), "{spec}");
    let (code, _, err) = run(&["build", "wiki.toml", "-o", "wiki.mcpk"]);
    assert_eq!(code, 0, "{err}");
    let bundle = folder.path().join("wiki.mcpk").display().to_string();
    let edge = mcp_edge([bundle.as_str(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let arguments = json!({"query": "grüße"});
    let old = json!({"name": "wiki_search", "arguments": arguments});
    for request in [call("wiki_search", arguments), legacy("tools/call", &old)] {
        assert_eq!(Client::connect(edge.address()).ask(request).text(), r#"search {"query":"grüße"}"#);
    }
    let wrong = Client::connect(edge.address()).ask(call("wiki_search", json!({"query": 1})));
    assert!(wrong.is_error() && wrong.text().contains("query"), "{}", wrong.text());
    let page = Client::connect(edge.address()).ask(call("wiki_page_get", json!({})));
    assert_eq!(page.text(), "page.get {}");
}

/// A server of revision 2025-06-18.
#[cfg(unix)]
const GREETER: &str = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[!0-9]*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"greet","description":"Greets whoever calls.","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"Hello!"}]}';;
    *'"server/discover"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}'; continue;;
    *) continue;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'"$result"'}'
done
"#;

#[cfg(unix)]
#[test]
fn a_tool_of_a_program_is_tried_with_the_message_that_it_gets() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("server.sh"), GREETER).unwrap();
    // Another entry that cannot be understood is nobody's business here.
    let file = r#"{"mcpServers": {
        "greeter": {"command": "sh", "args": ["server.sh"], "cwd": "."},
        "asks": {"command": "sh", "args": ["${input:token}"]}
    }}"#;
    std::fs::write(folder.path().join("mcp.json"), file).unwrap();
    let run = |arguments: &[&str]| mcpc(folder.path(), arguments);
    let (code, _, err) = run(&["import", "mcp", "--stdio", "greeter", "--mcp-servers", "mcp.json", "--all"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&["import", "mcp", "--stdio", "asks", "--mcp-servers", "mcp.json", "--all"]);
    assert!(code == 2 && err.contains("an argument has a `${…}` that is not a variable"), "{err}");
    let only_greeter = file.replace("${input:token}", "x");
    std::fs::write(folder.path().join("mcp.json"), only_greeter).unwrap();
    let (code, out, err) =
        run(&["try", "greeter_greet", "--args", "{}", "--send", "--mcp-servers", "mcp.json"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, _, not_named) = run(&["try", "greeter_greet", "--args", "{}", "--send"]);
    assert_eq!((code, not_named.matches("nothing else is started").count()), (2, 1), "{not_named}");
    let line = r#"{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"greet","arguments":{}"#;
    assert!(out.starts_with(line) && !out.contains("POST"), "{out}");
    assert!(out.contains("text:\nHello!\n"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_server_that_takes_too_long_is_told_how_to_get_more_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = r#"{"mcpServers": {"silent": {"command": "sleep", "args": ["1000"]}}}"#;
    std::fs::write(folder.path().join("mcp.json"), file).unwrap();
    let (code, _, err) =
        mcpc(folder.path(), &["import", "mcp-servers", "mcp.json", "--all", "--timeout", "1"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("(MCP_TIMEOUT). Give it more time with `--timeout SECONDS`"), "{err}");
    assert!(!err.contains("timeout_seconds"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_chooses_tools_or_leaves() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let arguments = format!("import mcp {} -o specs", server.url);
    // Escape, Control-C, and Control-C when a tool is taken already.
    for (keys, left) in [("\u{1b}", 2), ("\u{3}", 130), ("\u{1b}[B \u{3}", 130)] {
        let mut terminal = mcpc_tests::Terminal::start(folder.path(), &arguments);
        terminal.wait("space: take or leave");
        terminal.press(keys);
        let (code, text) = terminal.end();
        assert_eq!(code, left, "{text}");
        assert_eq!(code == 2, text.contains("cancelled; nothing was written"), "{text}");
        assert!(!folder.path().join("specs").exists(), "{text}");
    }
    let mut terminal = mcpc_tests::Terminal::start(folder.path(), &arguments);
    terminal.wait("Tools of wiki:");
    terminal.wait("space: take or leave");
    // Down to the second tool, take it, done.
    terminal.press("\u{1b}[B \r");
    let (code, text) = terminal.end();
    assert_eq!(code, 0, "{text}");
    let spec = std::fs::read_to_string(folder.path().join("specs/wiki.toml")).unwrap();
    assert!(spec.contains("name = \"wiki_search\"") && !spec.contains("page.get"), "{spec}");
    assert_eq!(spec.matches("[[tool]]").count(), 1, "{spec}");
}

#[test]
fn servers_that_fail_are_named_with_code_and_advice() {
    let folder = tempfile::tempdir().unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, _, err) =
        mcpc(folder.path(), &["import", "mcp", &format!("http://{closed}/mcp"), "--all", "--name", "a"]);
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("`a` cannot be listed: ")
            && err.contains("(MCP_UNREACHABLE). Check that the server runs"),
        "{err}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
    let upstream = Upstream::start();
    upstream.always_answers(answer(401, "text/plain", "no"));
    let url = format!("http://{}/mcp", upstream.address);
    let (code, _, err) = mcpc(folder.path(), &["import", "mcp", &url, "--all"]);
    assert!(code == 2 && err.contains("(MCP_AUTH_FAILED). "), "{err}");
}

#[test]
fn what_cannot_be_a_server_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], why: &str| {
        let (code, _, err) = mcpc(folder.path(), &[&["import"], arguments].concat());
        assert!(code == 2 && err.contains(why), "{arguments:?}: {err}");
    };
    refused(&["mcp", "ftp://a.example/mcp"], "a server's URL begins with `http://` or `https://`");
    refused(&["mcp", "http://a.example/mcp", "--header", "x-key=hunter2"], "write `x-key=${NAME}`");
    refused(&["mcp", "http://a.example/mcp", "--bearer-env", "Bearer x"], "is not the name of a variable");
    refused(&["mcp", "--preset", "modelscope/fech"], "did you mean `modelscope/fetch`?");
    refused(&["mcp", "http://a.example/mcp", "--name", "My Server"], "write `my_server`");
    let write = |text: &str| std::fs::write(folder.path().join("mcp.json"), text).unwrap();
    write(r#"{"mcpServers": {"a": {"command": "x", "url": "https://a.example/"}}}"#);
    refused(&["mcp-servers", "mcp.json"], "the server `a` has both `command` and `url`");
    write(r#"{"mcpServers": {"a": {"url": "ftp://a.example/"}}}"#);
    refused(&["mcp-servers", "mcp.json"], "neither an `http` nor an `https` URL");
}

#[test]
fn the_servers_of_a_file_are_imported_and_one_that_is_down_stops_no_other() {
    let (server, folder) = (server(), tempfile::tempdir().unwrap());
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let text = format!(
        r#"{{ // comments, members of others and last commas are fine
            "theme": 1,
            "mcpServers": {{
                "My Wiki": {{"url": "{}", "headers": {{"X-Key": "s3cr3t"}}, "icon": "x"}},
                "down": {{"type": "http", "url": "http://{closed}/mcp"}},
                "not there": {{"command": "no-such-program-anywhere"}},
                "ends": {{"command": "sh", "args": ["-c", "echo 'Error: Cannot find module foo' >&2; exit 1"]}},
                "asks": {{"command": "cat", "args": ["${{input:token}}"]}},
                "odd": {{"command": "cat", "env": {{"A": "${{x%%.*}}"}}}},
                "two": {{"command": "cat", "url": "https://a.example/"}},
                "bad header": {{"url": "{}", "headers": {{"a b": "x"}}}},
                "own header": {{"url": "{}", "headers": {{"Connection": "close"}}}},
                "my_wiki": {{"url": "{}"}},
                "no argument": {{"command": "cat", "args": ["${{NO_SUCH_VARIABLE}}"]}},
                "no header": {{"url": "{}", "headers": {{"X-Key": "${{NO_SUCH_VARIABLE}}${{A:-b}}"}}}},
            }},
        }}"#,
        server.url, server.url, server.url, server.url, server.url
    );
    std::fs::write(folder.path().join("mcp.json"), text).unwrap();
    let chosen = ["import", "mcp-servers", "mcp.json", "--server", "My Wiki", "--all", "-o", "chosen"];
    let (code, out, err) = mcpc(folder.path(), &chosen);
    assert_eq!(code, 0, "nothing is said of those that are not chosen: {out}{err}");
    assert_eq!(err, "note: `MY_WIKI_X_KEY` stands for a value of the file; set it where the specs run\n");
    let (code, out, err) =
        mcpc(folder.path(), &["import", "mcp-servers", "mcp.json", "--all", "-o", "specs"]);
    assert_eq!(code, 2, "{out}{err}");
    for error in [
        "`not_there` cannot be listed: the program `not there` cannot be started: ",
        "`ends` cannot be listed: the program has ended (exit status: 1); it wrote `Error: Cannot find module foo` (MCP_UNREACHABLE)",
        "`asks` cannot be listed: mcp.json:8:53: an argument has a `${…}` that is not a variable (write",
        "`odd` cannot be listed: mcp.json:9:56: `A` has a `${…}` that is not a variable",
        "`two` cannot be listed: mcp.json:10:50: the server `two` has both `command` and `url`",
        "`bad_header` cannot be listed: ",
        "`own_header` cannot be listed: ",
        "`no_argument` cannot be listed: `NO_SUCH_VARIABLE` has no value: set it",
        "`no_header` cannot be listed: `NO_SUCH_VARIABLE` has no value: set it",
    ] {
        assert!(err.contains(error), "{error:?} is not in {err}");
    }
    assert!(
        !err.contains("_A_B`") && !err.contains("CONNECTION`"),
        "what is not imported has no variables: {err}"
    );
    assert!(err.contains("`down` cannot be listed: ") && err.contains("`MY_WIKI_X_KEY` stands for"), "{err}");
    let spec = std::fs::read_to_string(folder.path().join("specs/my_wiki.toml")).unwrap();
    assert!(
        spec.contains("headers = { x-key = \"${MY_WIKI_X_KEY}\" }") && !spec.contains("s3cr3t"),
        "{spec}"
    );
    assert!(!folder.path().join("specs/down.toml").exists());
}
