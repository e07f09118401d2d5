//! `build`, `inspect`, `verify` and `keygen`, with whole bundles and damaged ones.

mod cli_support;

use cli_support::{CLEAN, Workplace};

fn built() -> Workplace {
    let place = Workplace::with_spec(CLEAN);
    let done = place.run(&["build", "-o", "x.mcpk"]);
    assert_eq!(done.code, 0, "{}", done.err);
    place
}

/// A bundle signed with `key`.
fn signed() -> Workplace {
    let place = Workplace::with_spec(CLEAN);
    assert_eq!(place.run(&["keygen", "-o", "key"]).code, 0);
    let done = place.run(&["build", "-o", "x.mcpk", "--sign", "key"]);
    assert_eq!(done.code, 0, "{}", done.err);
    place
}

#[test]
fn build_prints_revision_tools_bytes_and_tokens() {
    let place = built();
    let done = place.run(&["build", "-o", "x.mcpk"]);
    for name in ["wrote ", "revision ", "tools ", "bytes ", "tokens "] {
        assert!(done.out.lines().any(|line| line.starts_with(name)), "{name}: {}", done.out);
    }
    assert_eq!(place.files(), ["spec.toml", "x.mcpk"], "no temporary file is left");
}

#[test]
fn a_failed_build_leaves_the_old_bundle() {
    let place = built();
    let before = place.read("x.mcpk");
    place.write("spec.toml", CLEAN.replace("{orderId}", "{other}"));
    let done = place.run(&["build", "-o", "x.mcpk"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("MCP0301") && done.out.is_empty(), "{}", done.err);
    assert_eq!(place.read("x.mcpk"), before);
}

#[test]
fn inspect_shows_the_same_to_people_and_scripts() {
    let place = built();
    let human = place.run(&["inspect", "x.mcpk"]).out;
    assert!(
        human.contains("get_order") && human.contains("https://api.example.com/orders/{orderId}"),
        "{human}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["inspect", "x.mcpk", "--format", "json"]).out).unwrap();
    assert_eq!(json["tools"][0]["name"], "get_order");
    assert_eq!(json["tools"][0]["parameters"][0]["position"], "path");
    assert!(human.contains(json["revision"].as_str().unwrap()));
    let tool = place.run(&["inspect", "x.mcpk", "--tool", "get_order"]);
    assert!(tool.code == 0 && tool.out.contains("orderId"), "{}", tool.out);
    let unknown = place.run(&["inspect", "x.mcpk", "--tool", "get_ordr"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.err.contains("did you mean `get_order`?"), "{}", unknown.err);
}

#[cfg(unix)]
#[test]
fn keygen_writes_a_private_file_and_prints_the_public_key() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::new();
    let done = place.run(&["keygen", "-o", "key"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let mode = std::fs::metadata(place.path("key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let public = String::from_utf8(place.read("key.pub")).unwrap();
    assert!(done.out.contains(public.trim()));
    assert_eq!(place.run(&["keygen", "--public", "key"]).out, public);
    let secret = place.read("key");
    let again = place.run(&["keygen", "-o", "key"]);
    assert_eq!((again.code, place.read("key")), (2, secret), "a key is never overwritten");
    assert!(!done.out.contains("mcpc-ed25519-secret"));
}

#[test]
fn verify_demands_the_signature_of_a_trusted_key() {
    let place = signed();
    let done = place.run(&["verify", "x.mcpk", "--key", "key.pub"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("(trusted)"), "{}", done.out);
    let inline = String::from_utf8(place.read("key.pub")).unwrap();
    assert_eq!(place.run(&["verify", "x.mcpk", "--key", inline.trim()]).code, 0);
    assert!(place.run(&["verify", "x.mcpk"]).out.contains("not checked against a trusted key"));

    assert_eq!(place.run(&["keygen", "-o", "other"]).code, 0);
    let done = place.run(&["verify", "x.mcpk", "--key", "other.pub"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("`x.mcpk`"), "{}", done.err);

    assert_eq!(place.run(&["build", "-o", "unsigned.mcpk"]).code, 0);
    let done = place.run(&["verify", "unsigned.mcpk", "--key", "key.pub"]);
    assert_eq!(done.code, 1, "{}", done.err);
}

#[test]
fn a_signature_does_not_change_the_revision() {
    let place = signed();
    let revision = |text: &str| text.lines().find(|l| l.starts_with("revision")).unwrap().to_owned();
    let plain = place.run(&["build", "-o", "plain.mcpk"]).out;
    assert_eq!(revision(&plain), revision(&place.run(&["verify", "x.mcpk"]).out));
}

#[test]
fn damaged_bundles_are_refused_with_their_name_and_advice() {
    let place = signed();
    let whole = place.read("x.mcpk");
    let mut version = whole.clone();
    version[8] = 9;
    let mut damaged: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("text", b"[[tool]]\nname = \"x\"\n".to_vec()),
        ("truncated", whole[..whole.len() / 2].to_vec()),
        ("longer", [whole.as_slice(), b"x"].concat()),
        ("version", version),
    ];
    for (name, at) in [("header", 20), ("table", 60), ("section", 600), ("signature", whole.len() - 1)] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        damaged.push((name, flipped));
    }
    for (name, bytes) in damaged {
        place.write("bad.mcpk", bytes);
        for command in ["verify", "inspect"] {
            let done = place.run(&[command, "bad.mcpk"]);
            assert_eq!(done.code, 1, "{name}: {}", done.err);
            assert_eq!(done.err.lines().count(), 1, "{name}: {}", done.err);
            assert!(done.err.starts_with("error: `bad.mcpk`: "), "{name}: {}", done.err);
            assert!(done.out.is_empty(), "{name}");
        }
    }
}

#[test]
fn an_oversized_bundle_is_not_read() {
    let place = Workplace::new();
    std::fs::File::create(place.path("big.mcpk")).unwrap().set_len(600 << 20).unwrap();
    let done = place.run(&["verify", "big.mcpk"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`big.mcpk` has 600 MiB"), "{}", done.err);
    assert_eq!(place.run(&["verify", "none.mcpk"]).code, 2);
}

#[test]
fn wrong_keys_are_distinguished() {
    let place = signed();
    let public = place.run(&["build", "-o", "y.mcpk", "--sign", "key.pub"]);
    assert_eq!(public.code, 2);
    assert!(public.err.contains("it is a public key"), "{}", public.err);
    assert_eq!(place.run(&["build", "-o", "y.mcpk", "--sign", "spec.toml"]).code, 2);
    assert_eq!(place.run(&["build", "-o", "y.mcpk", "--sign", "nokey"]).code, 2);
    assert_eq!(place.run(&["verify", "x.mcpk", "--key", "spec.toml"]).code, 2);
    assert!(!place.files().contains(&"y.mcpk".to_owned()));
}

#[test]
fn build_never_overwrites_a_spec_or_something_that_is_not_a_file() {
    let place = built();
    let spec = place.read("spec.toml");
    for output in ["spec.toml", "./spec.toml", "-", "."] {
        let done = place.run(&["build", "-o", output]);
        assert_eq!(done.code, 2, "{output}");
        assert!(done.err.contains("choose another output"), "{output}: {}", done.err);
    }
    assert_eq!(place.read("spec.toml"), spec);
}

#[test]
fn inspect_shows_where_everything_goes() {
    let spec = r#"
[[tool]]
name = "everywhere"
description = "A tool with a value in every position."
method = "POST"
endpoint = "https://api.example.com/things"
parameters = [
  { name = "session", description = "Cookie of the session", position = "cookie" },
  { name = "city", description = "City to ship to", wire_name = "shipping.city" },
  { name = "source", wire_name = "meta.source", value = "mcp ${REGION}" },
]
examples = [{ arguments = {} }]
"#;
    let place = Workplace::with_spec(spec);
    assert_eq!(place.run(&["build", "-o", "x.mcpk"]).code, 0);
    let out = place.run(&["inspect", "x.mcpk", "--tool", "everywhere"]).out;
    for line in ["cookie: session={session}", "shipping.city: {city}", "meta.source: \"mcp ${REGION}\""] {
        assert!(out.contains(line), "{line}: {out}");
    }
}

#[test]
fn inspect_shows_how_much_may_be_asked_for() {
    let tool = |name: &str, rest: &str| {
        format!(
            "[[tool]]\nname = \"{name}\"\ndescription = \"Reads something of the shop, whatever it is.\"\n\
             upstream = \"shop\"\nmethod = \"GET\"\nendpoint = \"/{name}\"\n{rest}\n"
        )
    };
    let spec = format!(
        "[upstream.shop]\nurl = \"https://shop.example\"\nmax_in_flight = 20\nqueue = 100\nbreaker = false\n{}{}{}",
        tool("limited", "rate = { calls = 60, seconds = 30, burst = 10, by = \"all\" }"),
        tool("kept", "cache = { seconds = 30, shared = true, stale_if_error_seconds = 300 }"),
        tool("free", "cache_seconds = 5"),
    );
    let place = Workplace::with_spec(&spec);
    let built = place.run(&["build", "-o", "x.mcpk"]);
    assert_eq!(built.code, 0, "{}", built.err);
    let upstream = "20 calls in flight, 100 wait up to 5000 ms; never left alone";
    let (rate, cache) = (
        "60 calls in 30 s of all together, 10 at once",
        "30 s for all together, 300 s longer if the upstream fails",
    );
    let whole = place.run(&["inspect", "x.mcpk"]).out;
    let limits = whole.split_once("\nlimits\n").unwrap().1;
    let expected: Vec<String> = [
        ("shop", "upstream", upstream),
        ("free", "cache", "5 s for each tenant"),
        ("kept", "cache", cache),
        ("limited", "rate", rate),
    ]
    .iter()
    .map(|(name, kind, limit)| format!("  {name:<32}  {kind:<8}  {limit}"))
    .collect();
    assert_eq!(limits.lines().collect::<Vec<_>>(), expected);
    let of = |tool: &str| place.run(&["inspect", "x.mcpk", "--tool", tool]).out;
    assert!(of("limited").contains(&format!("\nrate       {rate}\nupstream   shop: {upstream}\n")));
    assert!(of("kept").contains(&format!("\ncache      {cache}\n")) && !of("kept").contains("\nrate "));
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["inspect", "x.mcpk", "--format", "json"]).out).unwrap();
    let places = serde_json::json!({"max_in_flight": 20, "queue": 100, "queue_timeout_ms": 5000});
    assert_eq!(
        (&json["upstreams"][0]["places"], &json["upstreams"][0]["breaker"]),
        (&places, &serde_json::Value::Null)
    );
    let rate = serde_json::json!({"calls": 60, "seconds": 30, "burst": 10, "by": "all"});
    assert!(json["tools"].as_array().unwrap().iter().any(|tool| tool["rate"] == rate), "{json}");
}

#[test]
fn inspect_shows_what_becomes_of_answers() {
    let spec = r#"
[[tool]]
name = "get_order"
description = "Gets one order, with its status."
method = "GET"
endpoint = "https://api.example.com/orders/{{ .id }}"
select = ["id", "items[].name"]
response_template = "Order {{ .id }}"
error_template = "{{message}}"
output_schema = { type = "object", properties = { id = { type = "string" }, items = { type = "array" } } }
parameters = [{ name = "id", description = "Number of the order", required = true }]
examples = [{ arguments = { id = "1" } }]
"#;
    let place = Workplace::with_spec(spec);
    let built = place.run(&["build", "-o", "x.mcpk"]);
    assert_eq!(built.code, 0, "{}", built.err);
    let out = place.run(&["inspect", "x.mcpk", "--tool", "get_order"]).out;
    for line in [
        "\ntemplate   go\n",
        "\non error   handlebars\n",
        "\nselect     id, items[].name\n",
        "\nschema     results are checked against `output_schema`\n",
        "  id                        template string, required\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let out = place.run(&["inspect", "x.mcpk", "--tool", "get_order", "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["error_template"], "handlebars");
    assert_eq!(json["select"], serde_json::json!(["id", "items[].name"]));
    assert_eq!(json["output_schema"], true);
    assert_eq!(json["parameters"][0]["position"], "template");
}
