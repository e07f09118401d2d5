//! `mcpc test --update`: examples say what is, and nothing else in a file changes.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{Done, Workplace};

const HEAD: &str = r#"# Orders. Do not touch.
[[tool]]
name        = "get_order"   # the name
description = "Gets one order of one user, as the shop answers."
method      = "POST"
endpoint    = "https://api.example.com/orders/{orderId}"

[[tool.parameters]]
name        = "orderId"
description = "Id of the order"
required    = true
position    = "path"

[[tool.parameters]]
name        = "note"
type        = "object"
description = "Anything"

"#;

/// Updates a spec, and checks that this is the end of it: all pass, and updating again changes nothing.
fn updated(text: &str) -> (String, Done) {
    let place = Workplace::with_spec(text);
    let done = place.run(&["test", "--update"]);
    let after = String::from_utf8(place.read("spec.toml")).unwrap();
    assert_eq!(place.files(), ["spec.toml"], "nothing is left behind");
    let test = place.run(&["test"]);
    assert_eq!(test.code, done.code, "{}{}\n{after}", test.out, done.out);
    let again = place.run(&["test", "--update"]);
    assert!(!again.out.contains("\nupdated ") && !again.out.starts_with("updated "), "{}", again.out);
    assert_eq!(String::from_utf8(place.read("spec.toml")).unwrap(), after);
    (after, done)
}

fn becomes(before: &str, after: &str) {
    let (text, done) = updated(&format!("{HEAD}{before}"));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(text, format!("{HEAD}{after}"));
}

#[test]
fn what_differs_is_written_and_listed() {
    let before = r#"# one
[[tool.examples]]
arguments = { orderId = "a b" }   # spaces
request   = { url = "https://api.example.com/orders/", method = "GET" }  # old
response  = { body = '{"a":1}' }
text      = "old" # was it?
# two
"#;
    let after = r#"# one
[[tool.examples]]
arguments = { orderId = "a b" }   # spaces
request   = { url = "https://api.example.com/orders/a%20b", method = "POST" }  # old
response  = { body = '{"a":1}' }
text      = '{"a":1}' # was it?
# two
"#;
    becomes(before, after);
    let (_, done) = updated(&format!("{HEAD}{before}"));
    let listed = "updated spec.toml:20: get_order, example 1: request.method, request.url, text\n";
    assert_eq!(done.out, format!("{listed}1 tool, 1 example: 1 passed, 0 failed\n"));
}

#[test]
fn what_is_missing_is_added_where_a_person_would() {
    becomes(
        "[[tool.examples]]\ntitle     = \"x\"\narguments = { orderId = \"7\", note = { a = \"b\" } } # why\nresponse  = { body = \"it's\" }\n\n# end\n",
        "[[tool.examples]]\ntitle     = \"x\"\narguments = { orderId = \"7\", note = { a = \"b\" } } # why\nrequest   = { method = \"POST\", url = \"https://api.example.com/orders/7\", body = '{\"note\":{\"a\":\"b\"}}' }\nresponse  = { body = \"it's\" }\ntext      = \"it's\"\n\n# end\n",
    );
}

#[test]
fn only_a_request_is_added_without_a_response() {
    becomes(
        "[[tool.examples]]\narguments = { orderId = \"7\" }",
        "[[tool.examples]]\narguments = { orderId = \"7\" }\nrequest   = { method = \"POST\", url = \"https://api.example.com/orders/7\", body = \"{}\" }",
    );
}

#[test]
fn tables_with_headers_are_updated_in_place() {
    becomes(
        r#"  [[tool.examples]] # first
  [tool.examples.arguments]
  orderId = "7"
  [tool.examples.arguments.note]
  x = 1
  [tool.examples.request]
  url = 'https://old/' # the URL
  [tool.examples.request.headers]
  Content-Type = "text/plain"
  [tool.examples.request.body]
  note = { x = 2, y = 1 } # the note
  [tool.examples.response]
  body = "plain"
"#,
        r#"  [[tool.examples]] # first
  text = "plain"
  [tool.examples.arguments]
  orderId = "7"
  [tool.examples.arguments.note]
  x = 1
  [tool.examples.request]
  url = "https://api.example.com/orders/7" # the URL
  [tool.examples.request.headers]
  Content-Type = "application/json"
  [tool.examples.request.body]
  note = { x = 1 } # the note
  [tool.examples.response]
  body = "plain"
"#,
    );
}

#[test]
fn dotted_keys_are_updated_in_place() {
    becomes(
        "[[tool.examples]]\narguments.orderId = \"7\"\nrequest.url = \"x\" # u\nresponse.body = \"plain\"\n",
        "[[tool.examples]]\ntext = \"plain\"\narguments.orderId = \"7\"\nrequest.url = \"https://api.example.com/orders/7\" # u\nresponse.body = \"plain\"\n",
    );
}

#[test]
fn inline_examples_grow_in_place() {
    let spec = HEAD.replace(
        "endpoint    =",
        "examples    = [\n  { arguments = { orderId = \"1\" }, response = { body = \"a\\nb\" } }, # one\n  { arguments = { orderId = \"2\" }, text = \"no\", response = { body = \"yes\" } },\n]\nendpoint    =",
    );
    let expected = HEAD.replace(
        "endpoint    =",
        "examples    = [\n  { arguments = { orderId = \"1\" }, request = { method = \"POST\", url = \"https://api.example.com/orders/1\", body = \"{}\" }, response = { body = \"a\\nb\" }, text = \"a\\nb\" }, # one\n  { arguments = { orderId = \"2\" }, request = { method = \"POST\", url = \"https://api.example.com/orders/2\", body = \"{}\" }, text = \"yes\", response = { body = \"yes\" } },\n]\nendpoint    =",
    );
    let (text, done) = updated(&spec);
    assert_eq!((done.code, text), (0, expected), "{}{}", done.out, done.err);
}

#[test]
fn long_texts_get_lines_and_keep_their_form() {
    let request = "request   = { method = \"POST\" }\n";
    let with = |text: &str| {
        format!(
            "[[tool.examples]]\narguments = {{ orderId = \"7\" }}\n{request}response  = {{ body = \"one\\ntwo \\\\ \\\"\\\"\\\"\\n\" }}\n{text}"
        )
    };
    let lines = "text      = \"\"\"\none\ntwo \\\\ \"\"\\\"\n\"\"\"\n";
    becomes(&with(""), &with(lines));
    becomes(&with("text      = \"old\"\n"), &with(lines));
    becomes(&with("text      = '''old'''\n"), &with(lines));
    becomes(&with("text      = \"a\\nb\"\n"), &with("text      = \"one\\ntwo \\\\ \\\"\\\"\\\"\\n\"\n"));
}

#[test]
fn line_ends_of_the_file_are_kept() {
    let text = "[[tool.examples]]\narguments = { orderId = \"7\" }\nresponse  = { body = \"one\\ntwo\" }\n";
    let crlf = format!("{HEAD}{text}").replace('\n', "\r\n");
    let (after, done) = updated(&crlf);
    assert_eq!(done.code, 0, "{}", done.out);
    assert!(after.ends_with("text      = \"\"\"\r\none\r\ntwo\"\"\"\r\n"), "{after:?}");
    assert!(!after.replace("\r\n", "").contains('\n'));
}

#[test]
fn structured_content_is_updated_member_by_member() {
    let head = HEAD.replace("endpoint    =", "output_schema = { type = \"object\" }\nendpoint    =");
    let with = |content: &str| {
        format!(
            "{head}[[tool.examples]]\narguments = {{ orderId = \"7\" }}\nrequest   = {{ method = \"POST\" }}\nresponse  = {{ body = '{{\"a\":{{\"b\":2.50,\"c\":[1,2]}},\"d\":true}}' }}\n{content}"
        )
    };
    let (text, _) = updated(&with("structured_content = { a = { b = 1, c = [ 1,2 ] }, d   =   true } # c\n"));
    assert_eq!(text, with("structured_content = { a = { b = 2.50, c = [ 1,2 ] }, d   =   true } # c\n"));
    let (text, _) = updated(&with("[tool.examples.structured_content]\nd = false\na.b = 2.5\na.c = [1]\n"));
    assert_eq!(text, with("[tool.examples.structured_content]\nd = true\na.b = 2.5\na.c = [1, 2]\n"));
    let (text, _) = updated(&with("structured_content = {}\n"));
    assert_eq!(text, with("structured_content = { a = { b = 2.50, c = [1, 2] }, d = true }\n"));
    let null = with("structured_content = {}\n").replace("2.50", "null");
    let (text, _) = updated(&null);
    assert!(text.ends_with("structured_content = '{\"a\":{\"b\":null,\"c\":[1,2]},\"d\":true}'\n"), "{text}");
}

#[test]
fn what_cannot_be_written_is_listed_and_still_fails() {
    let example =
        "[[tool.examples]]\narguments = { orderId = \"7\" }\nrequest   = { headers = { x-old = \"1\" } }\n";
    let text = format!("{HEAD}{example}");
    let place = Workplace::with_spec(&text);
    let done = place.run(&["test", "--update"]);
    assert_eq!(done.code, 1);
    let listed = "not updated: get_order, example 1: request.headers.x-old: the request has no such header; remove it from the example\n";
    assert!(done.out.starts_with(listed), "{}", done.out);
    assert_eq!(place.read("spec.toml"), text.as_bytes());
}

#[test]
fn the_listed_line_is_the_new_one() {
    let example = "[[tool.examples]]\narguments = { orderId = \"7\" }\nresponse = { body = \"a\\nb\" }\n";
    let (text, done) = updated(&format!("{HEAD}{example}{example}"));
    for line in done.out.lines().filter_map(|line| line.strip_prefix("updated spec.toml:")) {
        let number: usize = line.split(':').next().unwrap().parse().unwrap();
        assert_eq!(text.lines().nth(number - 1), Some("[[tool.examples]]"), "{}", done.out);
    }
    assert_eq!(done.out.lines().count(), 3);
}

#[test]
fn only_selected_examples_are_updated() {
    let example = "[[tool.examples]]\narguments = { orderId = \"7\" }\nrequest   = { url = \"old\" }\n";
    let place = Workplace::with_spec(format!("{HEAD}{example}{example}"));
    let done = place.run(&["test", "--update", "--example", "2"]);
    assert_eq!(done.code, 0, "{}", done.out);
    let text = String::from_utf8(place.read("spec.toml")).unwrap();
    assert!(text.starts_with(&format!("{HEAD}{example}")) && text.matches("\"old\"").count() == 1, "{text}");
}

#[test]
fn other_formats_keep_standard_output_for_the_document() {
    let example = "[[tool.examples]]\narguments = { orderId = \"7\" }\nrequest   = { url = \"old\" }\n";
    let place = Workplace::with_spec(format!("{HEAD}{example}"));
    let done = place.run(&["test", "--update", "--format", "json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&done.out).is_ok(), "{}", done.out);
    assert_eq!(done.err, "updated spec.toml:19: get_order, example 1: request.url\n");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let text = format!(
        "{HEAD}[[tool.examples]]\narguments = {{ orderId = \"7\" }}\nrequest = {{ url = \"old\" }}\n"
    );
    let place = Workplace::with_spec(&text);
    let permissions = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(place.path("spec.toml"), permissions).unwrap();
    let done = place.run(&["test", "--update"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("error: `spec.toml` cannot be updated: it is read-only"), "{}", done.err);
    assert_eq!(place.read("spec.toml"), text.as_bytes());
}

#[test]
fn keys_are_aligned_only_where_the_file_aligns_them() {
    let head = HEAD.lines().map(|line| match line.split_once('=') {
        Some((key, value)) => format!("{} ={value}\n", key.trim_end()),
        None => format!("{line}\n"),
    });
    let head: String = head.collect();
    let before =
        "[[tool.examples]]\ntitle = \"x\"\narguments = { orderId = \"7\" }\nresponse = { body = \"a\" }\n";
    let (text, _) = updated(&format!("{head}{before}"));
    let after = "[[tool.examples]]\ntitle = \"x\"\narguments = { orderId = \"7\" }\n\
        request = { method = \"POST\", url = \"https://api.example.com/orders/7\", body = \"{}\" }\n\
        response = { body = \"a\" }\ntext = \"a\"\n";
    assert_eq!(text, format!("{head}{after}"));
    // Keys of one length show nothing; the rest of the file does.
    let (text, _) = updated(&format!("{head}[[tool.examples]]\narguments = {{ orderId = \"7\" }}\n"));
    assert!(text.contains("\nrequest = {"), "{text}");
}
