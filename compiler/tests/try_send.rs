//! `mcpc try --send` against a listener on this machine.
#![cfg(feature = "dev")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{Done, Workplace};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

/// Something that answers one request, or several, each on a connection of its own.
struct Upstream {
    port: u16,
    handle: JoinHandle<String>,
}

impl Upstream {
    /// The text of the request; empty if there was none.
    fn request(self) -> String {
        // If nobody came, this is who it waited for.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.handle.join().unwrap()
    }
}

fn upstream(answer: &'static str) -> (u16, Upstream) {
    upstream_of(vec![answer])
}

fn upstream_of(answers: Vec<&'static str>) -> (u16, Upstream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let handle = std::thread::spawn(move || {
        answers.into_iter().map(|answer| serve(&listener.accept().unwrap().0, answer)).collect()
    });
    (port, Upstream { port, handle })
}

/// Reads a request, answers it and returns its text.
fn serve(mut stream: &TcpStream, answer: &str) -> String {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    let mut length = 0;
    loop {
        let start = request.len();
        reader.read_line(&mut request).unwrap();
        let line = request.get(start..).unwrap().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    request.push_str(&String::from_utf8(body).unwrap());
    let _ = stream.write_all(answer.as_bytes());
    request
}

fn spec(port: u16) -> String {
    format!(
        r#"[upstream.shop]
url     = "http://127.0.0.1:{port}/v1"
headers = {{ authorization = "Bearer ${{SHOP_TOKEN}}" }}

[[tool]]
name        = "create_order"
description = "Places an order for some articles."
upstream    = "shop"
method      = "POST"
endpoint    = "/orders"
headers     = {{ x-tenant = "${{tenant.id}}" }}
response_template = "Order {{{{ .id }}}}"
max_response_bytes = 1000

[[tool.parameters]]
name        = "note"
description = "Words for the shop"
required    = true

[[tool.parameters]]
name        = "key"
description = "The key of the shop"
value       = "${{SHOP_KEY}}"
position    = "query"

[[tool]]
name        = "find_order"
description = "Finds an order, with a body on GET."
upstream    = "shop"
method      = "GET"
endpoint    = "/orders"
allow       = [{{ rule = "body-on-get", reason = "the shop wants it" }}]

[[tool.parameters]]
name        = "note"
description = "Words to find"
"#
    )
}

fn send(place: &Workplace, arguments: &[&str]) -> Done {
    let mut command = place.command(&[&["try"], arguments, &["--send"]].concat());
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    let output = command.env("SHOP_TOKEN", "hunter2").env("SHOP_KEY", "k&y").output().unwrap();
    Done {
        code: output.status.code().expect("it was not killed by a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

const CREATE: &[&str] = &["create_order", "--args", r#"{"note":"x"}"#, "--tenant", "acme"];

#[test]
fn a_token_is_fetched_as_the_edge_does_and_shown_nowhere() {
    const TOKEN: &str = "{\"access_token\":\"sesame\",\"expires_in\":60}";
    let (server, asked) = upstream(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 41\r\nconnection: close\r\n\r\n\
         {\"access_token\":\"sesame\",\"expires_in\":60}",
    );
    assert_eq!(TOKEN.len(), 41);
    let (port, request) = upstream("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
    let spec = format!(
        "[upstream.crm]\nurl = \"http://127.0.0.1:{port}\"\n[upstream.crm.auth]\nkind = \"oauth2\"\n\
         token_url = \"http://${{HOST:-127.0.0.1}}:{server}/token\"\nclient_id = \"edge\"\n\
         client_secret = \"${{SHOP_TOKEN}}\"\n[[tool]]\nname = \"get_contact\"\n\
         description = \"Reads a contact of the CRM.\"\nupstream = \"crm\"\nmethod = \"GET\"\nendpoint = \"/c\"\n"
    );
    let done = send(&Workplace::with_spec(spec), &["get_contact"]);
    let (asked, request) = (asked.request(), request.request());
    assert_eq!(done.code, 0, "{} {}", done.out, done.err);
    assert!(asked.starts_with("POST /token HTTP/1.1\r\n"), "{asked}");
    assert!(request.to_ascii_lowercase().contains("authorization: bearer sesame\r\n"), "{request}");
    let shown = done.out + &done.err;
    assert!(!shown.contains("hunter2") && !shown.contains("sesame"), "{shown}");
}

#[test]
fn the_request_goes_out_with_its_secrets_and_they_are_shown_nowhere() {
    let (port, request) = upstream(
        "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{\"id\":7}",
    );
    let place = Workplace::with_spec(spec(port));
    let done = send(&place, CREATE);
    let request = request.request();
    assert!(request.starts_with("POST /v1/orders?key=k%26y HTTP/1.1\r\n"), "{request}");
    let lower = request.to_ascii_lowercase();
    for line in
        ["authorization: bearer hunter2\r\n", "x-tenant: acme\r\n", "content-type: application/json\r\n"]
    {
        assert!(lower.contains(line), "{request}");
    }
    assert!(request.ends_with("\r\n\r\n{\"note\":\"x\"}"), "{request}");
    let expected = format!(
        "\
POST http://127.0.0.1:{port}/v1/orders?key=${{SHOP_KEY}}
authorization: Bearer ${{SHOP_TOKEN}}
x-tenant: ${{tenant.id}}
content-type: application/json

{{\"note\":\"x\"}}

status: 201

text:
Order 7

isError: false
"
    );
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, expected.as_str(), ""));
}

#[test]
fn a_body_on_get_is_sent() {
    let (port, request) = upstream("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]");
    let place = Workplace::with_spec(spec(port));
    let done = send(&place, &["find_order", "--args", r#"{"note":"x"}"#, "--format", "json"]);
    let request = request.request();
    assert!(
        request.starts_with("GET /v1/orders HTTP/1.1\r\n") && request.ends_with("{\"note\":\"x\"}"),
        "{request}"
    );
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (document["status"].as_u64(), document["result"]["content"][0]["text"].as_str()),
        (Some(200), Some("[]"))
    );
}

#[test]
fn a_redirect_within_the_origin_is_followed_as_at_the_edge() {
    let (port, requests) = upstream_of(vec![
        "HTTP/1.1 302 Found\r\nlocation: /v2/orders\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]",
    ]);
    let done = send(&Workplace::with_spec(spec(port)), &["find_order"]);
    let requests = requests.request();
    assert!(requests.contains("GET /v2/orders HTTP/1.1\r\n"), "{requests}");
    assert!(done.out.contains("\nstatus: 200\n"), "{}{}", done.out, done.err);
}

#[test]
fn a_redirect_to_another_origin_is_an_answer() {
    let (port, request) =
        upstream("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/steal\r\ncontent-length: 0\r\n\r\n");
    let done = send(&Workplace::with_spec(spec(port)), CREATE);
    request.request();
    assert_eq!(done.code, 1, "{}", done.err);
    let shown = "\nstatus: 302\nlocation: http://127.0.0.1:1/steal\n\n";
    assert!(done.out.contains(shown) && done.out.ends_with("isError: true\n"), "{}", done.out);
}

#[test]
fn the_place_of_a_redirect_is_in_the_document_without_secrets() {
    let (port, request) =
        upstream("HTTP/1.1 302 Found\r\nlocation: http://other/?t=hunter2\r\ncontent-length: 0\r\n\r\n");
    let place = Workplace::with_spec(spec(port));
    let done = send(&place, &[CREATE, &["--format", "json"]].concat());
    request.request();
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["location"], "http://other/?t=${SHOP_TOKEN}");
}

#[test]
fn an_answer_beyond_the_limit_is_refused() {
    let long = format!("HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n{}", " ".repeat(2000));
    let (port, request) = upstream(Box::leak(long.into_boxed_str()));
    let done = send(&Workplace::with_spec(spec(port)), CREATE);
    request.request();
    let message = format!("error: request to `127.0.0.1:{port}` failed: ");
    assert!(done.err.starts_with(&message) && done.err.contains("1000 bytes"), "{}", done.err);
    assert_eq!(done.code, 2);
}

#[test]
fn what_does_not_answer_is_named_without_secrets() {
    // Nobody listens there once the listener is gone.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let done = send(&Workplace::with_spec(spec(port)), CREATE);
    assert_eq!(done.code, 2);
    assert!(done.err.starts_with(&format!("error: request to `127.0.0.1:{port}` failed: ")), "{}", done.err);
    assert!(!done.out.contains("hunter2") && !done.err.contains("hunter2"));
    let (port, request) = upstream("SSH-2.0-OpenSSH_9.6\r\n\r\n");
    let done = send(&Workplace::with_spec(spec(port)), CREATE);
    request.request();
    assert_eq!(done.code, 2);
    assert!(done.err.contains("not valid HTTP"), "{}", done.err);
}

#[test]
fn missing_values_are_named_before_anything_is_sent() {
    let place = Workplace::with_spec(spec(1));
    let done = place.run(&["try", "create_order", "--args", r#"{"note":"x"}"#, "--send"]);
    let message = "error: `${SHOP_KEY}`, `${SHOP_TOKEN}`, `${tenant.id}` have no value: \
                   set `SHOP_KEY` in the environment or in an `--env-file`, \
                   set `SHOP_TOKEN` in the environment or in an `--env-file`, give `--tenant`\n";
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (2, "", message));
    // Arguments are checked first, and a tool needs only its own variables.
    assert_eq!(place.run(&["try", "create_order", "--send"]).code, 1);
    let done = place.run(&["try", "find_order", "--send"]);
    assert_eq!(
        done.err,
        "error: `${SHOP_TOKEN}` has no value: set `SHOP_TOKEN` in the environment or in an `--env-file`\n"
    );
}

#[test]
fn a_value_that_is_not_allowed_in_its_place_is_refused_without_being_shown() {
    let place = Workplace::with_spec(spec(1));
    let mut command = place.command(&[&["try"], CREATE, &["--send"]].concat());
    let output = command.env("SHOP_TOKEN", "hunter2\nx: y").env("SHOP_KEY", "k").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("`${SHOP_TOKEN}`") && !err.contains("hunter2"), "{err}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_answer_that_repeats_a_secret_does_not_show_it() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n\
                  {\"id\":\"hunter2 k&y\",\"auth\":\"is hunter2\"}";
    for format in ["human", "json"] {
        let (port, request) = upstream(answer);
        let place = Workplace::with_spec(spec(port));
        let done = send(&place, &[CREATE, &["--format", format]].concat());
        assert!(request.request().contains("hunter2"));
        assert_eq!(done.code, 0, "{}", done.err);
        // What is shorter than four bytes could be a part of anything.
        assert!(done.out.contains("Order ${SHOP_TOKEN} k&y"), "{}", done.out);
        assert!(!done.out.contains("hunter2") && !done.err.contains("hunter2"), "{}{}", done.out, done.err);
    }
}

#[test]
fn the_request_is_printed_before_the_wait_and_stays_when_nothing_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = Workplace::with_spec(spec(port));
    let mut child = place
        .command(&[&["try"], CREATE, &["--send"]].concat())
        .env("SHOP_TOKEN", "hunter2")
        .env("SHOP_KEY", "k&y")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (stream, _) = listener.accept().unwrap();
    // Nothing has been answered, and the request can be read.
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert_eq!(first, format!("POST http://127.0.0.1:{port}/v1/orders?key=${{SHOP_KEY}}\n"));
    drop((stream, listener));
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("{\"note\":\"x\"}\n"), "{rest}");
}

#[test]
fn a_document_has_the_request_when_nothing_answers() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let done = send(&Workplace::with_spec(spec(port)), &[CREATE, &["--format", "json"]].concat());
    assert_eq!(done.code, 2);
    let document: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["request"]["method"], "POST");
    assert!(document["status"].is_null() && document["result"].is_null(), "{document}");
}

#[test]
fn variables_come_from_a_file_and_the_environment_takes_precedence() {
    let (port, request) = upstream("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    let place = Workplace::with_spec(spec(port));
    place.write("shop.env", "SHOP_TOKEN=from-file # comment\nSHOP_KEY=file-key\n");
    let arguments = [&["try"], CREATE, &["--send", "--env-file", "shop.env"]].concat();
    let output = place.command(&arguments).env("SHOP_KEY", "outer").output().unwrap();
    let request = request.request();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(request.contains("key=outer") && request.contains("Bearer from-file\r\n"), "{request}");
    place.write("wrong.env", "secret\n");
    let arguments = [&["try"], CREATE, &["--send", "--env-file", "wrong.env"]].concat();
    let done = place.run(&arguments);
    assert_eq!((done.code, done.err.as_str()), (2, "error: `wrong.env` line 1: expected `NAME=value`\n"));
}
