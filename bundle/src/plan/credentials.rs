//! What an upstream wants to know of the edge, where that is more than a fixed header: a section of its own, which only
//! bundles have that need it.

use super::{Contents, Part};
use crate::strings::StrId;
use crate::wire_enums::{ClientAuth, CredentialKind};
use serde::{Deserialize, Serialize};

/// The `authorization` header of all requests to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// Index in [`Contents::upstreams`]. They ascend: an upstream has one at most.
    pub upstream: u32,
    pub kind: CredentialKind,
    /// Literals and variables of the manifest: the user's name, or the client's at the token server.
    pub name: Vec<Part>,
    /// Literals and variables: the password.
    pub secret: Vec<Part>,
    /// Who hands out the tokens; none for a name and a password.
    pub server: Option<TokenServer>,
}

/// Where tokens come from, and what is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenServer {
    /// Index in [`Contents::upstreams`]: only its origin and its time for connecting count.
    pub upstream: u32,
    /// Path and query of the token URL, encoded.
    pub target: StrId,
    pub client_auth: ClientAuth,
    /// In the order of the spec.
    pub scopes: Vec<StrId>,
    /// Literals and variables; empty: none is named.
    pub audience: Vec<Part>,
}

impl Credential {
    /// Its texts: name, secret and audience.
    pub fn texts(&self) -> impl Iterator<Item = &[Part]> {
        let audience = self.server.as_ref().map(|server| server.audience.as_slice());
        [self.name.as_slice(), self.secret.as_slice()].into_iter().chain(audience)
    }

    /// The upstream that the name and the secret are sent to: the token server, or the API itself.
    pub fn reaches(&self) -> u32 {
        self.server.as_ref().map_or(self.upstream, |server| server.upstream)
    }
}

impl Contents {
    /// The credential of an upstream.
    pub fn credential(&self, upstream: u32) -> Option<&Credential> {
        let index = self.credentials.binary_search_by_key(&upstream, |credential| credential.upstream);
        self.credentials.get(index.ok()?)
    }
}
