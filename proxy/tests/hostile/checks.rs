//! What holds for every file of tenants, every key set and every token. Proptests and fuzz targets run it.

use mcp_edge::jwt::{Algorithm, ClaimSource, IssuerConfig, Issuers, KeySet, KeySource, Verified};
use mcp_edge::tenants::api_key::KeyDigest;
use mcp_edge::tenants::{self, Directory, Mode};

/// A public key of RFC 8037, whose owner signs nothing here.
const JWKS: &str =
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

pub const ISSUER: &str = "https://id.example/";
pub const AUDIENCE: &str = "https://tools.example/mcp";

/// It is refused with words that show no API key, or read into tenants that each have a name of their own.
pub fn tenants(text: &str) {
    let file = match tenants::parse(text, "tenants.toml") {
        Ok(file) => file,
        Err(problems) => {
            let told = problems.render(false);
            assert!(told.starts_with("error") && told.contains("tenants.toml"), "{told}");
            for key in digests_that_are_keys(text) {
                assert!(!told.contains(key), "{told}");
            }
            return;
        }
    };
    assert_eq!(file.text(), text);
    assert!(file.tenants.is_sorted_by(|a, b| a.name.value < b.name.value));
    for tenant in &file.tenants {
        assert!(file.find(&tenant.name.value).is_some_and(|found| found.name == tenant.name));
        for key in &tenant.keys {
            assert_eq!(KeyDigest::parse(&key.digest.to_string()), Some(key.digest));
        }
    }
    let directory = Directory::new(Mode::Required, None, file, Issuers::default());
    assert!(directory.summary().starts_with("required: "));
}

/// API keys that somebody wrote in place of their digests.
fn digests_that_are_keys(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let value = line.strip_prefix("digest = \"")?.strip_suffix('"')?;
        (value.starts_with("mek_") && value.len() > 20).then_some(value)
    })
}

/// It is refused, or has keys, and not too many. Whatever it has, a token is checked with it.
pub fn key_set(bytes: &[u8], token: &str) {
    if let Ok(set) = KeySet::parse(bytes) {
        assert!((1..=64).contains(&set.len()));
        let _ = issuers(set).verify(token, 1_800_000_000);
    }
}

/// Nobody has signed it, so it is good for nothing.
pub fn token(token: &str) {
    let set = KeySet::parse(JWKS.as_bytes()).expect("it is one");
    let issuers = issuers(set);
    let verified = issuers.verify(token, 1_800_000_000);
    assert!(!matches!(verified, Verified::Known(Ok(_))), "{token}");
}

fn issuers(set: KeySet) -> Issuers {
    let config = IssuerConfig {
        issuer: ISSUER.to_owned(),
        audience: vec![AUDIENCE.to_owned()],
        keys: KeySource::File("keys.json".into(), set),
        algorithms: Algorithm::WORDS.iter().map(|(_, algorithm)| *algorithm).collect(),
        tenant: ClaimSource::Claim("org.id".to_owned()),
        scopes: ClaimSource::Claim("scope".to_owned()),
    };
    Issuers::new(&[config], None, &Issuers::default())
}
