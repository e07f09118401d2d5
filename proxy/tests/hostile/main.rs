//! Files of tenants, key sets and tokens that somebody made to break something.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod checks;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use checks::{AUDIENCE, ISSUER};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Lines of a file of tenants, right and wrong ones.
const LINES: [&str; 32] = [
    "[tenant.acme]",
    "[tenant.beta]",
    "[tenant.\"a b\"]",
    "[tenant]",
    "[[tenant.acme.keys]]",
    "[[tenant.beta.keys]]",
    "[tenant.acme.rate]",
    "toolsets = [\"*\"]",
    "toolsets = \"shop\"",
    "allow = [\"get_*\", \"\"]",
    "deny = [\"*_admin\", \"a/b\"]",
    "scopes = [\"a:read\", \"b c\"]",
    "scopes = [\"a:read\"]",
    "rate = { calls = 5, seconds = 1 }",
    "rate = { calls = 0, seconds = 99999999 }",
    "calls = 600",
    "seconds = 60",
    "burst = 1",
    "shared = true",
    "when_away = \"refuse\"",
    "calls_in_flight = 50",
    "calls_in_flight = -1",
    "variables = { A = \"${B}\", C = \"x${D}\" }",
    "variables = { A = 1 }",
    "id = \"ci\"",
    "id = \"\u{e9}\"",
    "digest = \"sha256:00000000000000000000000000000000000000000000000000000000000000aa\"",
    "digest = \"sha256:00000000000000000000000000000000000000000000000000000000000000bb\"",
    "digest = \"mek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"",
    "expires = 2027-06-30",
    "expires = \"9999-12-31T23:59:60Z\"",
    "expires = 2027-02-30",
];

fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        20 => proptest::sample::select(LINES.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,20}",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn claim() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(ISSUER)),
        Just(json!(AUDIENCE)),
        Just(json!([AUDIENCE, 1])),
        Just(json!({"id": "acme"})),
        Just(json!(null)),
        Just(json!(4_000_000_000_i64)),
        any::<i64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,8}".prop_map(|text| json!(text)),
    ]
}

fn object(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let member = (proptest::sample::select(names), claim());
    proptest::collection::vec(member, 0..8).prop_map(|members| {
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

fn token() -> impl Strategy<Value = String> {
    let words = ["EdDSA", "ES256", "RS256", "none", "HS256"];
    let header = (proptest::sample::select(words.to_vec()), object(&["kid", "typ", "crit"]));
    let header = header.prop_map(|(word, mut header)| {
        header["alg"] = json!(word);
        header
    });
    let claims = object(&["aud", "exp", "nbf", "sub", "org", "scope"]).prop_map(|mut claims| {
        claims["iss"] = json!(ISSUER);
        claims
    });
    let signature = proptest::collection::vec(any::<u8>(), 0..70);
    (header, claims, signature).prop_map(|(header, claims, signature)| {
        format!("{}.{}.{}", part(&header), part(&claims), URL_SAFE_NO_PAD.encode(signature))
    })
}

fn key_set() -> impl Strategy<Value = String> {
    let word = |words: &[&'static str]| proptest::sample::select(words.to_vec());
    let bytes =
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
    let key = (
        word(&["OKP", "EC", "RSA", "oct"]),
        word(&["Ed25519", "P-256", "P-384", "P-521"]),
        [bytes.clone(), bytes.clone(), bytes],
        word(&["sig", "enc"]),
    );
    let key = key.prop_map(|(kind, curve, [x, y, n], used)| {
        json!({"kty": kind, "crv": curve, "x": x, "y": y, "n": n, "e": "AQAB", "use": used, "kid": "k"})
    });
    proptest::collection::vec(key, 0..80).prop_map(|keys| json!({ "keys": keys }).to_string())
}

proptest! {
    #[test]
    fn a_file_of_tenants_is_read_or_refused(text in file()) {
        checks::tenants(&text);
    }

    #[test]
    fn any_text_is_no_danger(text in "\\PC{0,200}", token in "\\PC{0,200}") {
        checks::tenants(&text);
        checks::key_set(text.as_bytes(), &token);
        checks::token(&token);
    }

    #[test]
    fn a_token_that_nobody_signed_is_refused(token in token()) {
        checks::token(&token);
    }

    #[test]
    fn a_token_is_checked_with_any_key_set(keys in key_set(), token in token()) {
        checks::key_set(keys.as_bytes(), &token);
    }
}
