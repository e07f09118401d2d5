//! What tells requests apart.

use mcp_bundle::bind::Request;
use sha2::{Digest, Sha256};

/// A digest of all that an answer depends on. Nobody can find two requests with the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey([u8; 32]);

/// What an answer depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyParts<'a> {
    pub tool: &'a str,
    /// Scheme, host and port.
    pub origin: (u8, &'a str, u16),
    /// The `Host` header.
    pub authority: &'a str,
    /// The most that the answer may hold: with another limit there may be none.
    pub max_response: usize,
    /// `None` if all tenants share answers.
    pub tenant: Option<Option<&'a str>>,
    /// The caller's own, where the upstream is shown another one that was exchanged for it.
    pub token: Option<&'a str>,
    pub request: &'a Request,
}

impl CacheKey {
    pub(crate) fn of(parts: &KeyParts<'_>) -> CacheKey {
        let KeyParts { tool, origin: (scheme, host, port), authority, max_response, tenant, token, request } =
            parts;
        let mut digest = Sha256::new();
        // Every part has its length before it, so that no part can pass for another.
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        add(tool.as_bytes());
        add(&[*scheme]);
        add(host.as_bytes());
        add(&port.to_le_bytes());
        add(authority.as_bytes());
        add(&(*max_response as u64).to_le_bytes());
        match tenant {
            None => add(b"shared"),
            Some(None) => add(b"nobody"),
            Some(Some(tenant)) => {
                add(b"tenant");
                add(tenant.as_bytes());
            }
        }
        add(&[u8::from(token.is_some())]);
        add(token.unwrap_or_default().as_bytes());
        add(request.method.as_str().as_bytes());
        add(&request.target);
        add(request.head());
        match request.body() {
            None => add(b"without"),
            Some(body) => {
                add(b"with");
                add(body);
            }
        }
        CacheKey(digest.finalize().into())
    }
}
