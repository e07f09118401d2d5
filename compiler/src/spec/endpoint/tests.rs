use super::*;
use mcp_bundle::wire_enums::Scheme;

fn names(endpoint: &Endpoint) -> Vec<&str> {
    endpoint.placeholders.iter().map(|p| p.name.as_str()).collect()
}

#[test]
fn a_path_splits_at_its_placeholders() {
    let endpoint = parse_endpoint("/users/{userId}/orders/{orderId}.json?expand=all");
    assert_eq!(endpoint.problems, []);
    assert_eq!(names(&endpoint), ["userId", "orderId"]);
    assert_eq!(endpoint.path.len(), 5);
    assert_eq!(endpoint.query.as_deref(), Some("expand=all"));
    assert_eq!(endpoint.origin, None);
}

#[test]
fn an_absolute_url_has_an_origin() {
    let endpoint = parse_endpoint("https://API.example.com:8443/a");
    let origin = endpoint.origin.unwrap();
    assert_eq!((origin.scheme, origin.port), (Scheme::Https, 8443));
    assert_eq!(origin.authority, "api.example.com:8443");
    let origin = parse_endpoint("http://[::1]/a").origin.unwrap();
    assert_eq!((origin.host.as_str(), origin.authority.as_str()), ("::1", "[::1]"));
    assert!(origin.is_loopback());
    assert_eq!(parse_endpoint("https://a.example:443").origin.unwrap().authority, "a.example");
    let relative = parse_endpoint("/go?to=https://a.example/");
    assert!(!relative.is_absolute() && relative.problems.is_empty());
}

#[test]
fn bad_origins_are_distinguished() {
    let problem = |text: &str| parse_endpoint(text).problems.into_iter().next();
    assert!(
        matches!(problem("https://me:pw@a.example/"), Some(EndpointProblem::UserInfo { range }) if range == (8..14))
    );
    assert!(matches!(problem("ftp://a.example/"), Some(EndpointProblem::Scheme { .. })));
    for bad in [
        "https:///x",
        "https://a b/",
        "https://a.example:0/",
        "https://a.example:99999/",
        "https://a.example:+80/",
        "https://é/",
        "https://{h}.example/",
        "https://[zz]/",
    ] {
        assert!(matches!(problem(bad), Some(EndpointProblem::Url { .. })), "{bad}");
    }
}

#[test]
fn a_template_begins_after_the_last_slash_before_it() {
    for (text, template) in [
        ("/a/{{ .id }}/b", "{{ .id }}/b"),
        ("/a/x-{{ .id }}", "x-{{ .id }}"),
        ("/{{ .id }}", "{{ .id }}"),
        ("/a/b?q={{ .q }}", "b?q={{ .q }}"),
        ("/a/?q=/{{ .q }}", "?q=/{{ .q }}"),
        ("https://a.example/{{id}}", "{{id}}"),
        ("https://a.example?q={{q}}", "?q={{q}}"),
        ("/a/{id}/{{ .x }}#{x}", "{{ .x }}#{x}"),
    ] {
        let endpoint = parse_endpoint(text);
        assert_eq!(endpoint.problems, [], "{text}");
        assert_eq!((endpoint.template.and_then(|at| text.get(at..)), endpoint.query), (Some(template), None));
    }
    let endpoint = parse_endpoint("https://a.example/v1/{id}/x{{ .y }}");
    let literals = ["/v1/", "/"].map(|text| PathPiece::Literal(text.into()));
    assert_eq!([&endpoint.path[0], &endpoint.path[2]], [&literals[0], &literals[1]]);
    assert_eq!((names(&endpoint), endpoint.origin.is_some()), (vec!["id"], true));
    assert_eq!(parse_endpoint("/a/{id}").template, None);
}

#[test]
fn a_template_is_allowed_in_path_and_query_only() {
    for (text, range) in [
        ("{{ .base }}/a", 0..11),
        ("https://{{ .host }}/a", 8..19),
        ("https://a.example:{{port}}/a", 18..26),
        ("{{ .scheme }}://a.example/a", 0..13),
        ("https://a.example{{ .x }}", 17..25),
        ("https://{{ open", 8..15),
    ] {
        let endpoint = parse_endpoint(text);
        assert!(
            matches!(endpoint.problems.as_slice(), [EndpointProblem::Url { range: r, .. }] if *r == range),
            "{text}: {:?}",
            endpoint.problems
        );
        assert_eq!(endpoint.template, None);
    }
    for text in ["/a#{{ .x }}", "a/{{ .x }}", "?q={{ .x }}"] {
        let endpoint = parse_endpoint(text);
        assert_eq!((endpoint.problems.len(), endpoint.template), (1, None), "{text}");
    }
}

#[test]
fn malformed_placeholders_are_located() {
    for (text, range) in [
        ("/a/{}/b", 3..5),
        ("/a/{id", 3..6),
        ("/a/{id/b", 3..6),
        ("/a/id}/b", 5..6),
        ("/a/{ id }/b", 3..9),
        ("/a/${ID}/b", 3..8),
        ("/a?q={id}", 5..9),
    ] {
        let problems = parse_endpoint(text).problems;
        assert!(
            matches!(problems.as_slice(), [EndpointProblem::Placeholder { range: r, .. }] if *r == range),
            "{text}: {problems:?}"
        );
    }
}

#[test]
fn what_a_url_cannot_hold_is_refused() {
    for text in [
        "no/slash",
        "",
        "/a b",
        "/é",
        "/a/../b",
        "/a/%2E%2e/b",
        "/a#x",
        "/a%2",
        "/a%zz",
        "/a?b=1;c=2",
        "/a?=1",
    ] {
        let problems = parse_endpoint(text).problems;
        assert!(matches!(problems.first(), Some(EndpointProblem::Url { .. })), "{text}: {problems:?}");
    }
}

#[test]
fn an_origin_may_have_variables_and_the_path_begins_after_it() {
    for (text, location, path) in [
        ("${SUPABASE_URL}/rest/v1", "${SUPABASE_URL}", "/rest/v1"),
        ("${URL:-http://localhost:54321}/rest", "${URL:-http://localhost:54321}", "/rest"),
        ("http://${HOST:-localhost}:${PORT:-9200}", "http://${HOST:-localhost}:${PORT:-9200}", ""),
        ("https://${REGION}.api.example.com/v1/", "https://${REGION}.api.example.com", "/v1/"),
        ("${SCHEME}://a.example/x", "${SCHEME}://a.example", "/x"),
    ] {
        let endpoint = parse_endpoint(text);
        assert_eq!(endpoint.problems, [], "{text}");
        assert_eq!(endpoint.location.as_deref(), Some(location), "{text}");
        assert!(endpoint.is_absolute() && endpoint.origin.is_none(), "{text}");
        let literal = PathPiece::Literal(path.to_owned());
        assert_eq!(endpoint.path, if path.is_empty() { vec![] } else { vec![literal] }, "{text}");
    }
    for text in ["ftp://${HOST}/x", "https://${HOST/x", "https://u:${P}@a.example/", "https://${1X}/"] {
        assert_eq!(parse_endpoint(text).problems.len(), 1, "{text}");
    }
}
