//! Bodies with bytes in them, from the spec to the request.

mod cli_support;

use cli_support::{Done, Workplace};

const SPEC: &str = r#"[upstream.photos]
url = "https://api.example.com/v1"

[[tool]]
name        = "upload_photo"
description = "Uploads a photo to an album, with words about it."
upstream    = "photos"
method      = "POST"
endpoint    = "/photos"
body        = "multipart"

[[tool.parameters]]
name         = "photo"
description  = "The photo"
required     = true
encoding     = "base64"
file_name    = 'my "photo".png'
content_type = "image/png"

[[tool.parameters]]
name        = "pages"
description = "More files"
type        = "array"
items       = { type = "string" }
encoding    = "base64"
wire_name   = "pages[]"

[[tool.parameters]]
name        = "place"
description = "Where it was taken"
type        = "object"
properties  = { lat = { type = "number" } }

[[tool.parameters]]
name        = "report"
description = "A table of its colors"
file_name   = "report.csv"
content_type = "text/csv"

[[tool.parameters]]
name        = "key"
description = "The key of the API"
value       = "k-${PHOTO_KEY}"

[[tool.examples]]
arguments = { photo = "iVBORw==", pages = ["aGk=", "aG8"], place = { lat = 1.5 }, report = "a;b" }
request   = { body = [
    { name = "photo", file_name = "my %22photo%22.png", content_type = "image/png", base64 = "iVBORw==" },
    { name = "pages[]", file_name = "pages[]", content_type = "application/octet-stream", text = "hi" },
    { name = "pages[]", file_name = "pages[]", content_type = "application/octet-stream", text = "ho" },
    { name = "place", content_type = "application/json", text = '{"lat":1.5}' },
    { name = "report", file_name = "report.csv", content_type = "text/csv", text = "a;b" },
    { name = "key", text = "k-${PHOTO_KEY}" },
] }

[[tool]]
name        = "replace_photo"
description = "Replaces a photo by another one."
upstream    = "photos"
method      = "PUT"
endpoint    = "/photos/{id}"
headers     = { content-type = "image/png" }
body        = "bytes:photo"

[[tool.parameters]]
name        = "id"
description = "Id of the photo"
position    = "path"
required    = true

[[tool.parameters]]
name        = "photo"
description = "The photo"
required    = true

[[tool.examples]]
arguments = { id = "7", photo = "iVBORw" }
request   = { headers = { content-type = "image/png" }, body = "iVBORw==" }
"#;

fn ran(arguments: &[&str]) -> Done {
    Workplace::with_spec(SPEC).run(arguments)
}

#[test]
fn the_spec_is_fine_and_its_examples_hold() {
    let checked = ran(&["check"]);
    assert_eq!(checked.code, 0);
    assert!(checked.out.contains("2 tools, no problems"), "{}{}", checked.out, checked.err);
    let tested = ran(&["test"]);
    assert_eq!(tested.code, 0, "{}{}", tested.out, tested.err);
}

#[test]
fn an_example_that_says_otherwise_fails_and_is_updated() {
    let place = Workplace::with_spec(
        SPEC.replace("text = \"ho\"", "text = \"xx\"").replace("\"iVBORw==\" }\n", "\"aGk=\" }\n"),
    );
    let tested = place.run(&["test"]);
    assert_eq!(tested.code, 1);
    assert!(tested.out.contains("request.body"), "{}", tested.out);
    place.run(&["test", "--update"]);
    assert_eq!(place.run(&["test"]).code, 0, "{}", String::from_utf8_lossy(&place.read("spec.toml")));
}

#[test]
fn models_are_told_to_encode() {
    let place = Workplace::with_spec(SPEC);
    assert_eq!(place.run(&["build", "-o", "a.mcpk"]).code, 0);
    let shown = place.run(&["inspect", "a.mcpk", "--tool", "upload_photo"]).out;
    assert!(
        shown.contains(r#""photo":{"type":"string","description":"The photo","contentEncoding":"base64"}"#),
        "{shown}"
    );
    assert!(shown.contains(r#""items":{"type":"string","contentEncoding":"base64"}"#), "{shown}");
    assert!(shown.contains(r#"name="photo"; filename="my %22photo%22.png"; image/png: {photo}"#), "{shown}");
    assert!(shown.contains("body       multipart"), "{shown}");
    let shown = place.run(&["inspect", "a.mcpk", "--tool", "replace_photo"]).out;
    assert!(shown.contains(r#""description":"The photo","contentEncoding":"base64""#), "{shown}");
    assert!(place.run(&["inspect", "a.mcpk"]).out.contains("byte-bodies"));
}

#[test]
fn a_try_shows_the_parts_and_as_curl_the_bytes() {
    let arguments = ["--args", r#"{"photo": "iVBORw==", "report": "a'b"}"#];
    let tried = ran(&[&["try", "upload_photo"], &arguments[..]].concat());
    assert!(tried.out.contains("content-type: multipart/form-data; boundary=mcp-"), "{}", tried.out);
    assert!(tried.out.contains(r#""base64":"iVBORw=="}"#), "{}", tried.out);
    assert!(tried.out.contains(r#"{"name":"key","text":"k-${PHOTO_KEY}"}"#), "{}", tried.out);
    let curl = ran(&[&["try", "upload_photo", "--curl"], &arguments[..]].concat());
    assert!(curl.out.contains(r#"; printf %s "$PHOTO_KEY"; "#), "{}", curl.out);
    assert!(curl.out.contains("--data-binary @-"), "{}", curl.out);
    let one = ran(&["try", "replace_photo", "--curl", "--args", r#"{"id": "7", "photo": "iVBORw"}"#]);
    assert!(one.out.starts_with("printf %s 'iVBORw==' | base64 -d | curl"), "{}", one.out);
    let bad = ran(&["try", "replace_photo", "--args", r#"{"id": "7", "photo": "no base64"}"#]);
    assert_eq!(bad.code, 1);
    assert!((bad.out + &bad.err).contains("`photo` must be bytes in base64"));
}

#[test]
fn wrong_specs_are_told_what_to_write() {
    for (from, to, expected) in [
        ("\"multipart\"", "\"parts\"", "`parts` is not a kind of body"),
        ("bytes:photo", "bytes:", "`bytes:` is not a kind of body"),
        ("bytes:photo", "bytes:foto", "no parameter `foto` for the whole body"),
        (
            "body        = \"multipart\"",
            "body = \"multipart\"\nbody_template = '{}'",
            "writes JSON or a form, not a multipart body",
        ),
        ("\"base64\"\nfile_name", "\"hex\"\nfile_name", "`hex` is not a value of `encoding`"),
        (
            "\"POST\"\n",
            "\"POST\"\nheaders = { content-type = \"multipart/form-data\" }\n",
            "hides the boundary",
        ),
        (
            "body        = \"multipart\"",
            "body = \"form\"",
            "`encoding` has no effect on `photo`, which goes into a body of text",
        ),
    ] {
        let place = Workplace::with_spec(SPEC.replacen(from, to, 1));
        let checked = place.run(&["check"]);
        let said = checked.out + &checked.err;
        assert!(said.contains(expected), "{to}: {said}");
        assert_eq!(checked.code, 1);
    }
}
