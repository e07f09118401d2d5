//! Examples of tools whose results are more than text.

mod cli_support;

use cli_support::{Done, Workplace};

const HEAD: &str = r#"[[tool]]
name        = "get_chart"
description = "Draws the sales of a week as a chart."
method      = "GET"
endpoint    = "https://api.example.com/chart"

[[tool.examples]]
arguments = {}
request   = { method = "GET", url = "https://api.example.com/chart" }
"#;

const IMAGE: &str = r#"response  = { headers = { content-type = "image/png" }, body_base64 = "iVBO Rw==" }"#;

fn test(lines: &[&str]) -> Done {
    Workplace::with_spec(format!("{HEAD}{}\n", lines.join("\n"))).run(&["test"])
}

#[test]
fn content_is_compared_as_json() {
    for good in [
        r#"content = '[{"mimeType":"image/png", "data":"iVBORw==", "type":"image"}]'"#,
        r#"content = [{ type = "image", data = "iVBORw==", mimeType = "image/png" }]"#,
    ] {
        let done = test(&[IMAGE, good]);
        assert_eq!(done.code, 0, "{good}: {}{}", done.out, done.err);
    }
    for bad in [
        r#"content = [{ type = "image", data = "AAAA", mimeType = "image/png" }]"#,
        r#"content = [{ type = "image", data = "iVBORw==" }]"#,
        "content = []",
        "content = 'no JSON'",
    ] {
        let done = test(&[IMAGE, bad]);
        assert_eq!(done.code, 1, "{bad}");
        assert!(done.out.contains("\n  content"), "{}", done.out);
    }
}

#[test]
fn parts_and_locations_are_tested() {
    let body = "--b\\r\\nContent-Type: text/plain\\r\\nContent-Location: test://one\\r\\n\\r\\none\\r\\n--b\\r\\n\\r\\ntwo\\r\\n--b--";
    let response = format!(
        r#"response = {{ headers = {{ content-type = "multipart/mixed; boundary=b" }}, body = "{body}" }}"#
    );
    let content = r#"content = '[{"type":"resource","resource":{"uri":"test://one","mimeType":"text/plain","text":"one"}},{"type":"text","text":"two"}]'"#;
    let done = test(&[&response, content, "text = \"two\""]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);

    let response = r#"response = { headers = { Content-Type = "application/pdf", Content-Location = "https://a.example/1" }, body = "%PDF" }"#;
    let content = r#"content = [{ type = "resource", resource = { uri = "https://a.example/1", mimeType = "application/pdf", blob = "JVBERg==" } }]"#;
    let done = test(&[response, content]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn a_body_in_another_charset_is_tested() {
    let response = r#"response = { headers = { content-type = "text/plain; charset=iso-8859-1" }, body_base64 = "Y2Fm6Q==" }"#;
    let done = test(&[response, "text = \"café\""]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn a_message_that_cannot_be_read_fails_unless_it_is_stated() {
    let response = r#"response = { headers = { content-type = "multipart/mixed" }, body = "x" }"#;
    let done = test(&[response]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("multipart: the content type has no valid `boundary`"), "{}", done.out);
    let content = r#"content = '[{"type":"text","text":"The answer is not a multipart message that can be read: the content type has no valid `boundary`"},{"type":"text","text":"x"}]'"#;
    let done = test(&[response, content]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn content_without_a_response_is_not_a_success() {
    let done = test(&["content = []"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("cannot be compared"), "{}", done.out);
}

#[test]
fn odd_bodies_are_refused() {
    for (response, message) in [
        (r#"body = "a", body_base64 = "YQ==""#, "an example's response has one body"),
        (r#"body_base64 = "Y*==""#, "`body_base64` is not base64: `*` is not allowed there"),
        (r#"body_base64 = "YWJjY""#, "`body_base64` is not base64: it is cut somewhere"),
        (r#"body_base64 = "YQ""#, "`body_base64` is not base64: it is not filled up with `=`"),
        (
            r#"body_base64 = "YR==""#,
            "`body_base64` is not base64: its last character does not encode a whole byte",
        ),
        ("body_base64 = 1", "must be a string"),
    ] {
        let place = Workplace::with_spec(format!("{HEAD}response = {{ {response} }}\n"));
        let done = place.run(&["check", "--format", "concise"]);
        assert_eq!(done.code, 1, "{response}");
        assert!(done.out.contains(message), "{response}: {}", done.out);
    }
}

#[test]
fn an_update_writes_content_where_there_is_more_than_text() {
    let content = r#"'[{"type":"image","data":"iVBORw==","mimeType":"image/png"}]'"#;
    let after = format!("{HEAD}{IMAGE}\ncontent = {content}\n");
    for before in [format!("{HEAD}{IMAGE}\n"), format!("{HEAD}{IMAGE}\ncontent = '[]'\n")] {
        let place = Workplace::with_spec(before);
        let done = place.run(&["test", "--update"]);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let text = String::from_utf8(place.read("spec.toml")).unwrap();
        assert_eq!(text.replace("content   =", "content ="), after);
    }
}

#[test]
fn a_trial_says_what_it_cannot_show() {
    let place = Workplace::with_spec(format!("{HEAD}{IMAGE}\n"));
    place.write("chart.png", b"\x89PNG");
    let try_it = |content_type: &str| {
        place.run(&["try", "get_chart", "--response", "chart.png", "--content-type", content_type])
    };
    let done = try_it("image/png");
    assert_eq!((done.code, done.out.as_str()), (0, "image: image/png, 4 bytes\n\nisError: false\n"));
    let done = try_it("application/pdf");
    assert_eq!(done.out, "resource: answer:get_chart, application/pdf, 4 bytes\n\nisError: false\n");

    let message =
        "--b\n\none\n--b\nContent-Location: a:b\n\ntwo\n--b\nContent-Type: audio/wav\n\nRIFF\n--b--";
    place.write("chart.png", message);
    let done = try_it("multipart/mixed; boundary=b");
    let expected =
        "text:\none\nresource: a:b, text/plain:\ntwo\naudio: audio/wav, 4 bytes\n\nisError: false\n";
    assert_eq!(done.out, expected);
}
