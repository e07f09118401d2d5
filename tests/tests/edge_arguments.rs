//! What arguments become on their way through an edge: conversions of lenient tools, and bodies with bytes in them.

use mcpc_tests::{World, json as answer, post, spec};
use serde_json::{Value, json};

fn world() -> World {
    let lenient = "method = \"POST\"\nendpoint = \"/orders\"\nlenient = true\nparameters = [\
                   { name = \"article\", required = true }, { name = \"count\", type = \"integer\" }]";
    let upload = "method = \"POST\"\nendpoint = \"/photos\"\nbody = \"multipart\"\nparameters = [\
                  { name = \"photo\", encoding = \"base64\", content_type = \"text/plain\" }, { name = \"about\" }]";
    let raw =
        "method = \"PUT\"\nendpoint = \"/raw\"\nbody = \"bytes:data\"\nparameters = [{ name = \"data\" }]";
    let world = World::new(&spec(&[("order", lenient), ("upload", upload), ("raw", raw)]));
    world.upstream.always_answers(answer("{}"));
    world
}

#[test]
fn lenient_tools_convert_arguments_in_every_interface() {
    let world = world();
    let arguments = json!({"article": 43, "count": "2"});
    assert!(!world.call("order", arguments.clone()).is_error());
    for (path, body) in [
        ("/mcp/invoke", json!({"tool_name": "order", "params": arguments})),
        ("/api/v1/mcp/tools/call", json!({"name": "order", "arguments": arguments})),
    ] {
        let headers = [("content-type", "application/json")];
        let called: Value = world.ask(post(path, &headers, body.to_string())).json();
        assert!(called["isError"] != json!(true) && called["success"] != json!(false), "{path}: {called}");
    }
    assert_eq!(world.upstream.count(), 3);
    for number in 0..3 {
        assert_eq!(world.upstream.request(number).body(), r#"{"article":"43","count":2}"#);
    }
    let refused = world.call("order", json!({"article": 43, "count": "two"}));
    assert!(refused.is_error() && refused.text().contains("`count` must be an integer"), "{}", refused.body);
}

#[test]
fn files_reach_an_upstream_as_parts_and_bytes() {
    let world = world();
    assert!(!world.call("upload", json!({"photo": "aGkKLS0=", "about": "a \"b\""})).is_error());
    let sent = world.upstream.request(0);
    let content_type = sent.header("content-type");
    let [boundary] = content_type.as_slice() else { panic!("{content_type:?}") };
    let boundary = boundary.strip_prefix("multipart/form-data; boundary=").unwrap();
    let written = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo\"\r\nContent-Type: text/plain\r\n\r\n\
         hi\n--\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"about\"\r\n\r\na \"b\"\r\n--{boundary}--\r\n"
    );
    let body = sent.text().split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_eq!(body, written);
    assert!(!world.call("raw", json!({"data": "aGk="})).is_error());
    let sent = world.upstream.request(1);
    assert_eq!(
        (sent.body().as_str(), sent.header("content-type")),
        ("hi", vec!["application/octet-stream".to_owned()])
    );
    let refused = world.call("raw", json!({"data": "no base64"}));
    assert!(refused.is_error() && refused.text().contains("bytes in base64"), "{}", refused.body);
}
