//! What becomes of an upstream's answer.
#![expect(clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcpc_tests::{Script, World, answer, json, raw, reply, spec};
use serde_json::json;
use std::io::Write;

const PLAIN: (&str, &str) = ("plain", "method = \"GET\"\nendpoint = \"/plain\"");

fn world() -> World {
    World::new(&spec(&[PLAIN]))
}

/// The content of the result of a call that is answered like this.
fn content(world: &World, script: Script) -> serde_json::Value {
    world.upstream.answers(script);
    let called = world.call("plain", json!({}));
    assert!(!called.is_error(), "{}", called.body);
    called.result()["content"].clone()
}

#[test]
fn text_in_any_encoding_arrives_as_it_was_meant() {
    let world = world();
    let text = "déjà vu ".repeat(1000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let mut br = Vec::new();
    brotli::CompressorWriter::new(&mut br, 4096, 5, 20).write_all(text.as_bytes()).unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    for (coding, body) in [("gzip", gzip.finish().unwrap()), ("br", br), ("zstd", zstd)] {
        assert!(body.len() < text.len());
        let head = format!("200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: {coding}");
        assert_eq!(content(&world, reply(&head, body)), json!([{"type": "text", "text": text}]), "{coding}");
    }
    let latin = answer(200, "text/plain; charset=iso-8859-1", b"d\xe9j\xe0 vu");
    assert_eq!(content(&world, latin), json!([{"type": "text", "text": "déjà vu"}]));
    assert_eq!(world.upstream.connections(), 1, "encodings leave the connection in order");
}

#[test]
fn framing_of_all_kinds_is_read_to_its_end() {
    let world = world();
    let hello = json!([{"type": "text", "text": "hello"}]);
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    assert_eq!(content(&world, raw(format!("{chunked}2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"))), hello);
    let early = raw("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
    assert_eq!(content(&world, early.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")), hello);
    assert_eq!(world.upstream.connections(), 1);
    assert_eq!(content(&world, raw("HTTP/1.0 200 OK\r\n\r\nhello").close()), hello);
    // In pieces, each of which the edge has seen before the next is sent or not: no matter.
    let slow = raw("HTTP/1.1 200 OK\r\nconte").hold().send("nt-length: 5\r\n\r\nhe").hold().send("llo");
    world.upstream.release();
    world.upstream.release();
    assert_eq!(content(&world, slow), hello);
    assert_eq!(world.upstream.connections(), 2, "one that is closed is not used again");
}

#[test]
fn answers_without_content_say_so() {
    let world = world();
    let nothing = content(&world, raw("HTTP/1.1 204 No Content\r\n\r\n"));
    assert_eq!(
        nothing,
        json!([{"type": "text", "text": "The call succeeded (204 No Content, without content)."}])
    );
    let empty = content(&world, json(""));
    assert_eq!(empty, json!([{"type": "text", "text": "The call succeeded (200 OK, without content)."}]));
    assert_eq!(world.upstream.connections(), 1);
}

#[test]
fn the_answer_to_a_head_request_has_no_body_to_wait_for() {
    let world = World::new(&spec(&[PLAIN, ("head", "method = \"HEAD\"\nendpoint = \"/head\"")]));
    world.upstream.answers(raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"));
    let called = world.call("head", json!({}));
    assert_eq!(called.text(), "The call succeeded (200 OK, without content).");
    assert_eq!(world.upstream.request(0).line(), "HEAD /head HTTP/1.1");
    content(&world, json("[]"));
    assert_eq!(world.upstream.connections(), 1);
}

#[test]
fn bytes_become_images_audio_resources_and_parts() {
    let world = world();
    let image = content(&world, answer(200, "image/png", b"\x89PNG"));
    assert_eq!(image, json!([{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}]));
    let audio = content(&world, answer(200, "audio/wav", b"RIFF"));
    assert_eq!(audio, json!([{"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}]));
    let pdf = content(&world, answer(200, "application/pdf", b"%PDF\xff"));
    let resource = json!({"uri": "answer:plain", "mimeType": "application/pdf", "blob": "JVBERv8="});
    assert_eq!(pdf, json!([{"type": "resource", "resource": resource}]));
    let parts = "--b\r\n\r\nhello\r\n--b\r\nContent-Type: image/gif\r\n\r\nGIF\r\n--b--\r\n";
    let parts = content(&world, answer(200, "multipart/mixed; boundary=b", parts));
    let image = json!({"type": "image", "data": "R0lG", "mimeType": "image/gif"});
    assert_eq!(parts, json!([{"type": "text", "text": "hello"}, image]));
}

#[test]
fn select_templates_and_schemas_shape_the_result() {
    let tools = [
        ("selected", "method = \"GET\"\nendpoint = \"/x\"\nselect = [\"id\", \"items[].name\"]"),
        (
            "rendered",
            "method = \"GET\"\nendpoint = \"/x\"\nresponse_template = \"order {{ .id }}{{ range .items }}, {{ .name }}{{ end }}\"",
        ),
        ("failing", "method = \"GET\"\nendpoint = \"/x\"\nerror_template = \"no luck: {{ .reason }}\""),
        (
            "typed",
            "method = \"GET\"\nendpoint = \"/x\"\noutput_schema = { type = \"object\", required = [\"id\"], properties = { id = { type = \"integer\" } } }",
        ),
        ("listed", "method = \"GET\"\nendpoint = \"/x\"\noutput_schema = { type = \"array\" }"),
        ("fixed", "respond = \"Always the same.\""),
    ];
    let world = World::new(&spec(&tools));
    let order = r#"{"id":7,"secret":1,"items":[{"name":"a","n":1},{"name":"b"}]}"#;
    world.upstream.always_answers(json(order));
    let text = |tool: &str| world.call(tool, json!({})).text();
    assert_eq!(text("selected"), r#"{"id":7,"items":[{"name":"a"},{"name":"b"}]}"#);
    assert_eq!(text("rendered"), "order 7, a, b");
    let typed = world.call("typed", json!({})).result();
    assert_eq!(typed["structuredContent"]["id"], 7);
    assert_eq!(world.legacy_call("typed", json!({})).result()["structuredContent"]["id"], 7);
    // Lists are structured content only since the stateless revision.
    world.upstream.always_answers(json("[1,2]"));
    assert_eq!(world.call("listed", json!({})).result()["structuredContent"], json!([1, 2]));
    let listed = world.legacy_call("listed", json!({})).result();
    assert_eq!((&listed["content"][0]["text"], listed.get("structuredContent")), (&json!("[1,2]"), None));

    world.upstream.always_answers(answer(409, "application/json", r#"{"reason":"sold out"}"#));
    let failed = world.call("failing", json!({}));
    assert_eq!((failed.text().as_str(), failed.is_error()), ("no luck: sold out", true));
    let before = world.upstream.count();
    assert_eq!(text("fixed"), "Always the same.");
    assert_eq!(world.upstream.count(), before, "a fixed answer needs no upstream");
}

#[test]
fn an_empty_template_gives_the_raw_response() {
    let empty = "method = \"GET\"\nendpoint = \"/x\"\nresponse_template = \"\"";
    let world = World::new(&spec(&[("empty", empty)]));
    world.upstream.always_answers(json(r#"{"id": 7}"#));
    assert_eq!(world.call("empty", json!({})).text(), r#"{"id": 7}"#);
}

#[test]
fn redirects_are_followed_on_the_same_origin_only() {
    let world = world();
    let elsewhere = mcpc_tests::Upstream::start();
    world.upstream.answers(reply("302 Found\r\nlocation: /moved?to=here", ""));
    assert_eq!(content(&world, json("[1]"))[0]["text"], "[1]");
    assert_eq!(world.upstream.request(1).line(), "GET /moved?to=here HTTP/1.1");
    let away = format!("302 Found\r\nlocation: http://{}/x", elsewhere.address);
    world.upstream.answers(reply(&away, ""));
    let refused = world.call("plain", json!({}));
    assert!(refused.is_error());
    assert_eq!(refused.text(), "The upstream answered 302 Found, which is not followed.");
    assert_eq!((elsewhere.connections(), world.upstream.count()), (0, 3));
}

#[test]
fn only_calls_that_may_be_repeated_are_repeated() {
    let tools = [
        ("read", "method = \"GET\"\nendpoint = \"/x\"\nretry_count = 2"),
        ("write", "method = \"POST\"\nendpoint = \"/x\"\nretry_count = 2"),
        ("put", "method = \"POST\"\nendpoint = \"/x\"\nretry_count = 1\nidempotent = true"),
    ];
    let world = World::new(&spec(&tools));
    let busy = || reply("503 Busy\r\nretry-after: 0", "");
    let count = |tool: &str| {
        let before = world.upstream.count();
        let failed = world.call(tool, json!({})).is_error();
        (world.upstream.count() - before, failed)
    };
    [busy(), busy()].into_iter().for_each(|script| world.upstream.answers(script));
    assert_eq!(count("read"), (3, false), "the third attempt was good");
    world.upstream.answers(raw("").close());
    assert_eq!(count("read"), (2, false), "closed before an answer");
    world.upstream.always_answers(busy());
    assert_eq!(count("read"), (3, true));
    assert_eq!(count("put"), (2, true));
    assert_eq!(count("write"), (1, true));
    world.upstream.always_answers(answer(500, "text/plain", "broken"));
    assert_eq!(count("read"), (1, true), "a status that will not change");
    world.upstream.always_answers(reply("429 Slow Down\r\nretry-after: 0", ""));
    assert_eq!((count("read"), count("put"), count("write")), ((3, true), (2, true), (1, true)));
}
