use super::*;
use crate::source::Location;
use proptest::prelude::*;

fn of(text: &str) -> (Vec<McpServer>, Problems) {
    let mut sources = Sources::default();
    let file = sources.add("mcp.json", text);
    let mut diagnostics = Vec::new();
    let servers = read(text, file, &mut diagnostics);
    (servers, Problems { sources, diagnostics })
}

fn servers(text: &str) -> Vec<McpServer> {
    let (servers, problems) = of(text);
    assert_eq!(problems.to_string(), "", "{text}");
    servers
}

fn problems(text: &str) -> String {
    of(text).1.to_string()
}

/// One entry, in a file of its own.
fn entry(members: &str) -> String {
    format!("{{\"mcpServers\": {{\n\"a\": {{{members}}}}}}}")
}

fn program(members: &str) -> Program {
    match servers(&entry(members)).remove(0).kind {
        McpServerKind::Program(program) => program,
        McpServerKind::Remote(_) => panic!("{members} is no program"),
    }
}

fn remote(members: &str) -> Remote {
    match servers(&entry(members)).remove(0).kind {
        McpServerKind::Remote(remote) => remote,
        McpServerKind::Program(_) => panic!("{members} is a program"),
    }
}

#[test]
fn an_entry_that_cannot_be_understood_stops_no_other() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let each = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        parse_each(file.path())
    };
    let entries = each(
        r#"{"servers": {
            "asks": {"command": "x", "args": ["${input:token}"]},
            "good": {"command": "x"},
            "off": {"disabled": true},
            "both": {"command": "x", "url": "https://a.example/"}
        }}"#,
    );
    let entries: Vec<(String, String)> = entries
        .unwrap()
        .into_iter()
        .map(|(name, server)| (name, server.map_or_else(|why| why.to_string(), |_| String::new())))
        .collect();
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["asks", "good", "both"]);
    assert!(entries[0].1.contains(":2:47: an argument has a `${…}` that is not a variable"), "{entries:?}");
    assert_eq!(entries[1].1, "");
    assert!(entries[2].1.contains("has both `command` and `url`"), "{entries:?}");
    assert!(matches!(each(r#"{"servers": {"a": {}, "a": {}}}"#), Err(McpServersError::Wrong(_))));
    assert!(matches!(each("x"), Err(McpServersError::Wrong(_))));
}

#[test]
fn a_file_that_cannot_be_read_says_so_once() {
    let error = load(Path::new("/no/such/folder/mcp.json")).unwrap_err();
    assert!(std::error::Error::source(&error).is_none(), "its text has the reason already: {error}");
}

#[test]
fn a_client_file_is_read_as_it_is() {
    let text = r#"{
        // the desktop client's own
        "globalShortcut": "Ctrl+Space",
        "mcpServers": {
            "filesystem": {
                "command": "npx", /* needs Node */
                "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/${TEAM:-all}"],
                "env": { "TOKEN": "${TOKEN}", "MODE": "a\tb" },
                "cwd": "/srv",
                "autoApprove": ["read_file"],
                "timeout": 60,
            },
            "wiki": { "type": "sse", "url": "https://mcp.example.com/sse", "headers": { "X-Key": "k" } },
            "off": { "command": "old", "disabled": true },
        },
    }"#;
    let found = servers(text);
    let names: Vec<&str> = found.iter().map(|server| server.name.value.as_str()).collect();
    assert_eq!(names, ["filesystem", "wiki", "off"]);
    let McpServerKind::Program(program) = &found[0].kind else { panic!("{found:?}") };
    assert_eq!(program.args, ["-y", "@modelcontextprotocol/server-filesystem", "/srv/${TEAM:-all}"]);
    assert_eq!((program.command.as_str(), program.env["TOKEN"].as_str()), ("npx", "${TOKEN}"));
    assert_eq!((program.env["MODE"].as_str(), program.directory.clone()), ("a\tb", Some("/srv".into())));
    let McpServerKind::Remote(remote) = &found[1].kind else { panic!("{found:?}") };
    assert!(
        remote.is_sse && remote.url.value == "https://mcp.example.com/sse" && remote.headers["X-Key"] == "k"
    );
    assert_eq!(found.iter().map(|server| server.disabled).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn an_editors_file_and_an_empty_one_are_read() {
    assert_eq!(servers(r#"{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}"#).len(), 1);
    assert_eq!(servers("\u{feff}{\"mcpServers\": {}}"), []);
}

#[test]
fn types_of_remote_servers_are_known_by_all_their_names() {
    assert!(remote(r#""type": "sse", "url": "http://127.0.0.1:1/sse""#).is_sse);
    for written in ["http", "streamable-http", "streamableHttp"] {
        assert!(!remote(&format!(r#""type": "{written}", "url": "${{URL}}/mcp""#)).is_sse);
    }
    assert!(!remote(r#""serverUrl": "HTTPS://a.example/mcp""#).is_sse);
}

#[test]
fn each_mistake_has_its_place_and_a_remedy() {
    let cases = [
        (r#""command": "a", "url": "http://x""#, "both `command` and `url` (keep `command` for a program"),
        (r#""args": []"#, "neither `command` nor `url` (write `command`"),
        (r#""comand": "x""#, "(`comand` is none of them; correct its name)"),
        (r#""command": 1"#, "`command` must be a text (put it in quotes)"),
        (r#""command": """#, "`command` is empty"),
        (r#""command": "a\u0000b""#, "`command` has a zero character in it"),
        (r#""command": "a", "args": "b""#, "`args` must be a list of texts"),
        (r#""command": "a", "args": [1]"#, "an argument must be a text"),
        (r#""command": "a", "env": {"A": 1}"#, "`A` must be a text"),
        (r#""command": "a", "env": {"A=": "b"}"#, "`A=` cannot be the name of a variable"),
        (r#""command": "a", "env": {"A": "${input:key}"}"#, "`A` has a `${…}` that is not a variable"),
        (r#""command": "a", "type": "http""#, "`type` is `http`, but the server has a `command`"),
        (r#""command": "a", "command": "b""#, "`command` is given twice"),
        (r#""url": "ftp://x""#, "`url` is neither an `http` nor an `https` URL"),
        (r#""url": "http://x", "type": "websocket""#, "`websocket` is not a type of servers with a `url`"),
    ];
    for (members, expected) in cases {
        let problems = problems(&entry(members));
        assert!(problems.starts_with("mcp.json:2:") && problems.contains(expected), "{members}: {problems}");
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    assert!(problems("[]").starts_with("mcp.json:1:1: the file must be an object"));
    assert!(problems("{}").starts_with("mcp.json:1:1: there is no `mcpServers` in this file (write `{"));
    assert!(problems("{\"mcp_servers\": {}}").contains("(rename `mcp_servers` to `mcpServers`)"));
    assert!(problems("{\"mcpServers\": 1}").contains("`mcpServers` must be an object"));
    assert!(problems("{\"mcpServers\": {\"a\": 1}}").contains("the server `a` must be an object"));
    let text = "{\n\"mcpServers\": {,}}";
    let (_, found) = of(text);
    assert_eq!(found.diagnostics[0].start(&found.sources), Location { line: 2, column: 16, offset: 17 });
    assert!(found.to_string().contains("this is not JSON: expected a member name in double quotes"));
}

#[test]
fn what_is_switched_off_need_not_be_right() {
    assert_eq!(servers(&entry(r#""command": 1, "disabled": true"#)), []);
}

#[test]
fn no_message_shows_a_secret() {
    for members in [
        r#""command": "a", "env": {"A": "hunter2 ${"}"#,
        r#""url": "x://hunter2""#,
        r#""command": "a", "env": {"A": "hunter2"} "args""#,
        r#""command": "a", "args": ["hunter2 ${}"]"#,
    ] {
        let (_, problems) = of(&entry(members));
        assert!(!problems.diagnostics.is_empty());
        let shown = format!("{problems}{}", problems.render(false));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let program = program(r#""command": "a", "args": ["hunter2"], "env": {"A": "hunter2"}"#);
    assert!(!format!("{program:?}").contains("hunter2"));
}

#[test]
fn a_file_is_read_from_disk_within_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    assert!(parse(&path).unwrap_err().to_string().contains("cannot be read"));
    std::fs::write(&path, entry(r#""command": "a""#)).unwrap();
    assert_eq!(parse(&path).unwrap().len(), 1);
    std::fs::write(&path, vec![b' '; LONGEST as usize + 1]).unwrap();
    assert!(parse(&path).unwrap_err().to_string().contains("too large"));
    std::fs::write(&path, [0xff]).unwrap();
    assert!(parse(&path).unwrap_err().to_string().contains("is not UTF-8"));
}

proptest! {
    #[test]
    fn anything_is_read_or_refused(text in "([{}\\[\\]:,\"/* \na]|\"command\"|\"mcpServers\"|\"url\"|\"env\"|\\PC){0,40}") {
        let (_, problems) = of(&text);
        for problem in &problems.diagnostics {
            prop_assert!(problem.span.range().end <= text.len());
        }
        problems.render(false);
    }
}
