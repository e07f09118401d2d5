//! How calls end, as each interface and the metrics report it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcp_edge::observe::record::Outcome;
use mcpc_tests::{Answer, Script, World, answer, call, json, raw, spec};
use serde_json::{Value, json};

/// How a call ends that is answered like this.
struct Ended {
    script: Script,
    arguments: Value,
    text: &'static str,
    rest: (u16, &'static str, &'static str),
}

fn ended(outcome: Outcome) -> Option<Ended> {
    const SERVICE: &str = "SERVICE_ERROR";
    let row = |script, text, rest| Some(Ended { script, arguments: json!({}), text, rest });
    match outcome {
        // They are in tests of their own below and in `edge_connections`.
        Outcome::Ok | Outcome::Overloaded | Outcome::Cancelled => None,
        // They are in `edge_limits`.
        Outcome::RateLimited | Outcome::UpstreamUnavailable => None,
        Outcome::InvalidArguments => Some(Ended {
            script: json("{}"),
            arguments: json!({"n": "two"}),
            text: "`n` must be an integer, not the string \"two\"",
            rest: (400, "PARAMETER_ERROR", "wrong_type"),
        }),
        Outcome::UpstreamStatus => row(
            answer(404, "text/plain", "no such order"),
            "The upstream answered 404 Not Found.\nno such order",
            (500, SERVICE, "upstream_status"),
        ),
        Outcome::UpstreamFailed => row(
            raw("").close(),
            "Upstream request failed: the connection was closed before the response was complete.",
            (503, SERVICE, "upstream_closed"),
        ),
        Outcome::UpstreamTimeout => row(
            raw("HTTP/1.1 200 OK\r\n").until_closed(),
            "Upstream request failed: no response within 1 s. Try again later.",
            (503, SERVICE, "upstream_timeout"),
        ),
        Outcome::ResponseTooLarge => row(
            raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n200\r\n")
                .send([b'x'; 0x200])
                .until_closed(),
            "The upstream answered 200 OK with more than 100 bytes, the most that `t` takes. Ask for less.",
            (500, SERVICE, "response_too_large"),
        ),
        Outcome::Unusable => row(
            json("[]"),
            "The answer is not what `output_schema` of `t` promises: ",
            (500, SERVICE, "output_schema"),
        ),
    }
}

fn check_failed(said: &Answer, text: &str, reason: &str) {
    assert_eq!((said.status, said.is_error()), (200, true), "{reason}: {}", said.body);
    assert!(said.text().contains(text), "{reason}: {}", said.text());
    assert_eq!(said.result()["_meta"]["mcp-edge/error"]["reason"], reason, "{}", said.body);
}

fn check_rest(said: &Answer, text: &str, (status, error_type, reason): (u16, &str, &str)) {
    let body = said.json();
    assert_eq!((said.status, &body["error_type"]), (status, &json!(error_type)), "{body}");
    assert_eq!(body["details"]["reason"], reason);
    assert!(body["error"].as_str().unwrap().contains(text), "{body}");
    assert!(body["processing_time_ms"].is_u64() && body["user_message"].is_string(), "{body}");
}

#[test]
fn every_outcome_of_a_call_has_a_text_a_type_and_a_count() {
    let tool = r#"
        method = "GET"
        endpoint = "/x"
        timeout_seconds = 1
        max_response_bytes = 100
        output_schema = { type = "object" }
        parameters = [{ name = "n", type = "integer", description = "N", position = "query" }]
    "#;
    let world = World::new(&spec(&[("t", tool)]));
    for outcome in Outcome::ALL {
        let Some(Ended { script, arguments, text, rest }) = ended(outcome) else { continue };
        let name = outcome.as_str();
        world.upstream.always_answers(script);
        check_failed(&world.call("t", arguments.clone()), text, rest.2);
        check_failed(&world.legacy_call("t", arguments.clone()), text, rest.2);
        check_rest(&world.invoke("t", arguments), text, rest);
        let sample = format!("mcp_edge_calls_total{{tool=\"t\",outcome=\"{name}\"}}");
        assert_eq!(world.metric(&sample), 3, "{}", world.edge.metrics.encode());
    }
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("t", json!({"n": 2})).is_error(), "nothing of it lasts");
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"ok\"}"), 1);
}

#[test]
fn calls_beyond_the_limit_are_refused() {
    let tools = spec(&[("t", "method = \"GET\"\nendpoint = \"/x\"")]);
    let world = World::with(&tools, |settings| settings.limits.calls_in_flight = 1);
    world.upstream.answers(raw("HTTP/1.1 204 No Content\r\n\r\n").held());
    let mut first = world.client();
    first.send(call("t", json!({})));
    world.upstream.request(0);
    let text = "The server has too many calls in flight. Try again in a moment.";
    check_failed(&world.call("t", json!({})), text, "overloaded");
    check_rest(&world.invoke("t", json!({})), text, (503, "SERVICE_ERROR", "overloaded"));
    world.upstream.release();
    assert!(!first.answer().is_error());
    assert!(!world.call("t", json!({})).is_error());
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"overloaded\"}"), 2);
}
