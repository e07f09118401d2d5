//! The credential of an upstream, where it is more than a fixed header.

use super::builder::Builder;
use super::{constant, encode};
use crate::spec::{AuthKind, AuthSpec, Endpoint, PathPiece};
use mcp_bundle::origin::{self, Piece};
use mcp_bundle::plan::{Credential, Part, TokenServer};
use mcp_bundle::wire_enums::CredentialKind;
use mcp_diagnostics::Spanned;
use std::collections::BTreeSet;

/// What the requests to an upstream need beside their headers. Whose it is, is filled in when the upstream is interned.
pub fn plan(builder: &mut Builder, auth: &AuthSpec) -> Option<Credential> {
    let kind = match auth.kind.value {
        AuthKind::Bearer | AuthKind::ApiKey => return None,
        AuthKind::Basic => CredentialKind::Basic,
        AuthKind::OAuth2 => CredentialKind::ClientCredentials,
        AuthKind::Exchange => CredentialKind::Exchange,
    };
    let server = match &auth.token_url {
        Some(url) => Some(TokenServer {
            upstream: builder.token_server(&url.value)?,
            target: builder.intern(&target(&url.value)),
            client_auth: auth.client_auth,
            scopes: auth.scopes.iter().map(|scope| builder.intern(&scope.value)).collect(),
            audience: text(builder, auth.audience.as_ref()),
        }),
        None => None,
    };
    let name = text(builder, auth.name.as_ref());
    let secret = text(builder, auth.secret.as_ref());
    Some(Credential { upstream: 0, kind, name, secret, server })
}

/// The value of the header `authorization`, as a text with variables.
pub fn bearer(auth: &AuthSpec) -> Option<String> {
    auth.token.as_ref().map(|token| format!("Bearer {}", token.value))
}

/// Adds the names of its variables that must have a value.
pub fn variables(auth: &AuthSpec, names: &mut BTreeSet<String>) {
    auth.texts().for_each(|text| constant::variables_of_text(&text.text.value, names));
    let location = auth.token_url.as_ref().and_then(|url| url.value.location.as_deref());
    for piece in location.and_then(origin::pieces).unwrap_or_default() {
        if let Piece::Variable { name, default: None } = piece {
            names.insert(name.to_owned());
        }
    }
}

fn text(builder: &mut Builder, text: Option<&Spanned<String>>) -> Vec<Part> {
    text.map(|text| constant::text(builder, &text.value, encode::verbatim)).unwrap_or_default()
}

/// Path and query.
fn target(url: &Endpoint) -> String {
    let mut target: String = url
        .path
        .iter()
        .map(|piece| match piece {
            PathPiece::Literal(text) => text.as_str(),
            PathPiece::Placeholder(_) => "",
        })
        .collect();
    if target.is_empty() {
        target.push('/');
    }
    if let Some(query) = &url.query {
        target.push('?');
        target.push_str(query);
    }
    target
}
