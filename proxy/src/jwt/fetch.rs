//! Reads an issuer's keys over the network, with the client that calls upstreams.

use super::issuer::{IssuerConfig, KeySource};
use super::key_set::{KeySet, KeySetError};
use crate::settings::PoolSettings;
use crate::upstream::{Exchange, Network, OriginKey, Received, UpstreamError};
use http::Uri;
use mcp_bundle::bind::Request;
use mcp_bundle::origin::Origin;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("`{0}` is not an `https` URL (or `http` on this machine)")]
    Url(String),
    #[error("`{url}`: {error}")]
    Upstream { url: String, error: UpstreamError },
    #[error("`{url}` responded with status {status}")]
    Status { url: String, status: u16 },
    #[error("`{url}`: {error}")]
    Keys { url: String, error: KeySetError },
    #[error("`{url}` is not the metadata of the issuer: {reason}")]
    Metadata { url: String, reason: &'static str },
}

const TIMEOUT: Duration = Duration::from_secs(5);
const LONGEST: usize = 1 << 20;

/// The issuer's keys.
pub(super) async fn keys(network: &Network, config: &IssuerConfig) -> Result<KeySet, FetchError> {
    let url = match &config.keys {
        KeySource::Url(url) => url.clone(),
        KeySource::File(_, set) => return Ok(set.clone()),
        KeySource::Discover => discover(network, &config.issuer).await?,
    };
    let text = get(network, &url).await?;
    KeySet::parse(&text).map_err(|error| FetchError::Keys { url, error })
}

/// Where the issuer's metadata say its keys are: OpenID's, else those of RFC 8414.
async fn discover(network: &Network, issuer: &str) -> Result<String, FetchError> {
    let [openid, oauth] = metadata_urls(issuer).ok_or_else(|| FetchError::Url(issuer.to_owned()))?;
    let first = jwks_uri(network, &openid, issuer).await;
    match first {
        Err(FetchError::Status { .. }) => jwks_uri(network, &oauth, issuer).await,
        first => first,
    }
}

async fn jwks_uri(network: &Network, url: &str, issuer: &str) -> Result<String, FetchError> {
    let text = get(network, url).await?;
    let wrong = |reason| FetchError::Metadata { url: url.to_owned(), reason };
    let document: Value = serde_json::from_slice(&text).map_err(|_| wrong("it is not JSON"))?;
    // Somebody else's metadata would bring somebody else's keys.
    if document.get("issuer").and_then(Value::as_str) != Some(issuer) {
        return Err(wrong("it names another `issuer`"));
    }
    let keys = document.get("jwks_uri").and_then(Value::as_str);
    keys.map(str::to_owned).ok_or_else(|| wrong("it has no `jwks_uri`"))
}

/// OpenID appends to the issuer's path; RFC 8414 puts it between host and path.
fn metadata_urls(issuer: &str) -> Option<[String; 2]> {
    let (origin, target) = split(issuer)?;
    let path = target.trim_end_matches('/');
    let base = format!("{}://{}", origin.scheme, origin.authority);
    let openid = format!("{base}{path}/.well-known/openid-configuration");
    Some([openid, format!("{base}/.well-known/oauth-authorization-server{path}")])
}

/// Whether keys may be read from a URL: nobody on the way can change them.
pub fn is_safe(url: &str) -> bool {
    split(url).is_some()
}

fn split(url: &str) -> Option<(Origin, String)> {
    let uri: Uri = url.parse().ok()?;
    let origin = Origin::of(uri.scheme_str()?, uri.authority()?.as_str()).ok()?;
    let is_safe = uri.scheme_str() == Some("https") || origin.is_loopback();
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    is_safe.then(|| (origin, target.to_owned()))
}

async fn get(network: &Network, url: &str) -> Result<Vec<u8>, FetchError> {
    let (to, target) = split(url).ok_or_else(|| FetchError::Url(url.to_owned()))?;
    let key = OriginKey { scheme: to.scheme, host: to.host.clone(), port: to.port };
    let origin = network.origin(&key);
    let mut request = Request::new();
    request.target = target.into_bytes();
    let pool = PoolSettings::default();
    let start = Instant::now();
    let exchange = Exchange {
        tool: "",
        origin: &origin,
        authority: &to.authority,
        request: &request,
        connect_timeout: TIMEOUT,
        timeout: TIMEOUT,
        attempt_timeout: None,
        start,
        deadline: start + TIMEOUT,
        retries: 0,
        idempotent: true,
        max_response: LONGEST,
        pool: &pool,
        // An answer here is short; the limit above bounds it.
        budget: &Arc::default(),
        credential: None,
        authorization: None,
        envelope: None,
    };
    let mut received = Received::default();
    let done = network.call(&exchange, &mut received).await;
    done.map_err(|error| FetchError::Upstream { url: url.to_owned(), error })?;
    match received.status {
        200 => Ok(std::mem::take(&mut received.body)),
        status => Err(FetchError::Status { url: url.to_owned(), status }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_are_where_the_standards_say() {
        let [openid, oauth] = metadata_urls("https://id.example/realms/a/").unwrap();
        assert_eq!(openid, "https://id.example/realms/a/.well-known/openid-configuration");
        assert_eq!(oauth, "https://id.example/.well-known/oauth-authorization-server/realms/a");
    }

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        for good in ["https://id.example/jwks", "http://127.0.0.1:8080/jwks", "http://localhost/x"] {
            assert!(is_safe(good), "{good}");
        }
        for wrong in ["http://id.example/jwks", "file:///etc/passwd", "id.example", "", "https://"] {
            assert!(!is_safe(wrong), "{wrong}");
        }
    }
}
