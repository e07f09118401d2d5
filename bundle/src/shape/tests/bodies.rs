//! Bodies that are not text.

use super::tool;
use serde_json::{Value, json};

/// The only item of a good result.
fn item(seen: super::Seen) -> Value {
    assert!(!seen.shaped.is_error, "{seen:?}");
    assert_eq!(seen.items.len(), 1, "{seen:?}");
    seen.items.into_iter().next().unwrap()
}

fn blob(uri: &str, mime_type: &str, data: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "blob": data}})
}

#[test]
fn images_and_audio_are_items_of_their_own() {
    for (content_type, kind, mime_type) in [
        ("image/png", "image", "image/png"),
        ("Image/JPEG; q=1", "image", "image/jpeg"),
        ("audio/wav", "audio", "audio/wav"),
    ] {
        let seen = tool().location("https://a.example/x").answer(200, Some(content_type), b"\x89PNG");
        assert_eq!(seen.has_audio(), kind == "audio");
        let expected =
            format!(r#""content":[{{"type":"{kind}","data":"iVBORw==","mimeType":"{mime_type}"}}]"#);
        assert_eq!(seen.members, expected);
    }
}

#[test]
fn images_that_are_text_are_text() {
    let seen = tool().answer(200, Some("image/svg+xml"), b"<svg/>");
    assert_eq!(seen.text(), "<svg/>");
}

#[test]
fn other_bytes_are_embedded_resources() {
    for (content_type, body, mime_type, data) in [
        (Some("application/pdf"), b"%PDF".as_slice(), "application/pdf", "JVBERg=="),
        (Some("application/octet-stream"), b"a", "application/octet-stream", "YQ=="),
        (Some("application/zip"), b"PK", "application/zip", "UEs="),
        (Some("video/mp4"), b"a", "video/mp4", "YQ=="),
        (Some("Font/WOFF2"), b"a", "font/woff2", "YQ=="),
        (Some("image/\"png"), b"a", "application/octet-stream", "YQ=="),
        (Some("text/html"), b"\xe9", "text/html", "6Q=="),
        (Some("application/json; charset=x-unknown"), b"\xe9", "application/json", "6Q=="),
        (Some("no type at all"), b"\xff", "application/octet-stream", "/w=="),
        (None, b"\xff", "application/octet-stream", "/w=="),
    ] {
        let seen = tool().answer(200, content_type, body);
        assert_eq!(item(seen), blob("answer:get_order", mime_type, data), "{content_type:?}");
    }
}

#[test]
fn members_of_a_resource_keep_their_order() {
    let seen = tool().location("https://a.example/1.pdf").answer(200, Some("application/pdf"), b"%PDF");
    assert_eq!(
        seen.members,
        r#""content":[{"type":"resource","resource":{"uri":"https://a.example/1.pdf","mimeType":"application/pdf","blob":"JVBERg=="}}]"#
    );
}

#[test]
fn an_odd_location_does_not_become_the_uri() {
    for odd in ["https://a.example/\"", "a b", "https://a.example/\\", "a:\nb", ""] {
        let seen = tool().location(odd).answer(200, Some("application/pdf"), b"%PDF");
        assert_eq!(item(seen), blob("answer:get_order", "application/pdf", "JVBERg=="), "{odd:?}");
    }
}

#[test]
fn callers_who_do_not_know_audio_get_a_resource() {
    let old = tool().limits(|limits| limits.audio = false);
    let seen = old.answer(200, Some("audio/wav"), b"RIFF");
    assert!(!seen.has_audio());
    assert_eq!(item(seen), blob("answer:get_order", "audio/wav", "UklGRg=="));
    let old = tool().limits(|limits| limits.audio = false);
    assert_eq!(item(old.answer(200, Some("image/png"), b"a"))["type"], "image");
}

#[test]
fn the_limit_of_text_does_not_cut_bytes() {
    let body = vec![0xff; 100_000];
    let seen = tool().max_text(10).answer(200, Some("image/png"), &body);
    assert_eq!(item(seen)["data"].as_str().unwrap().len(), 133_336);
    let seen = tool().max_response(10).answer(200, Some("image/png"), &body);
    assert_eq!(seen.failure().0, "response_too_large");
}

#[test]
fn no_content_is_not_an_image() {
    let seen = tool().answer(200, Some("image/png"), b"");
    assert_eq!(seen.text(), "The call succeeded (200 OK, without content).");
}

#[test]
fn tools_that_need_text_fail_without_it() {
    for tool in [tool().broken_template(), tool().select(&["a"]), tool().schema(json!({}))] {
        let seen = tool.answer(200, Some("image/png"), b"\x89PNG");
        let text = "The answer is not text (content type image/png, 4 bytes).";
        assert_eq!(seen.failure(), ("not_text", vec![text]));
    }
    let seen = tool().schema(json!({})).answer(200, Some("application/octet-stream"), b"{}");
    assert_eq!(seen.structured, Some(json!({})), "JSON is JSON, whatever it is called");
}

#[test]
fn an_error_template_does_not_make_a_tool_need_text() {
    let seen = tool().broken_error_template().answer(200, Some("image/png"), b"a");
    assert_eq!(item(seen)["type"], "image");
}

#[test]
fn failures_never_hold_bytes() {
    for content_type in ["image/png", "audio/wav", "application/pdf"] {
        let seen = tool().answer(404, Some(content_type), b"\xff");
        let what = format!("Its body is not text (content type {content_type}, 1 bytes).");
        assert_eq!(seen.text(), format!("The upstream answered 404 Not Found.\n{what}"));
    }
}
