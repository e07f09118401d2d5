//! Security schemes: how the API is shown who calls.

use super::codes;
use crate::import::Ledger;
use crate::import::draft::DraftAuth;
use crate::import::rest::codes as rest;
use crate::language::json::Json;
use crate::language::names;

/// The security of a server.
#[derive(Debug)]
pub struct Security<'l, 'd> {
    ledger: &'l Ledger<'d>,
    server: &'d Json,
    /// The server's name, for variables.
    name: String,
}

impl<'l, 'd> Security<'l, 'd> {
    pub fn new(ledger: &'l Ledger<'d>, server: &'d Json, name: &str) -> Self {
        for scheme in ledger.list(server, "securitySchemes") {
            // What is read of it, and what it is used for, is said where it is used.
            ledger.open(scheme);
            for name in ["id", "type", "scheme", "in", "name"] {
                scheme.get(name).into_iter().for_each(|value| ledger.keep(value));
            }
            if let Some(credential) = scheme.get("defaultCredential") {
                ledger.change(
                    credential,
                    &crate::import::codes::SECRET_REPLACED,
                    "the credential is a variable; the value does not come over",
                );
            }
        }
        if let Some(downstream) = server.get("defaultDownstreamSecurity") {
            gateway(ledger, downstream);
        }
        Security { ledger, server, name: name.to_owned() }
    }

    /// The credentials of a request, by its own requirement or the server's. `place` is where the tool is.
    pub fn of(&self, request: Option<&'d Json>) -> Option<DraftAuth> {
        let own = request.and_then(|request| request.get("security"));
        let requirement = own.or_else(|| self.server.get("defaultUpstreamSecurity"))?;
        let members = self.ledger.members_of(requirement)?;
        let mut id = None;
        for (name, value) in members {
            match name.as_str() {
                "id" => {
                    self.ledger.keep(value);
                    id = value.as_str();
                }
                "credential" => self.ledger.change(
                    value,
                    &crate::import::codes::SECRET_REPLACED,
                    "the credential is a variable; the value does not come over",
                ),
                "passthrough" if value.as_bool() == Some(false) => self.ledger.keep(value),
                "passthrough" => self.ledger.change(
                    value,
                    &rest::CREDENTIAL_NOT_PASSED,
                    "the edge sends a credential of its own; for a token per caller see `kind = \"exchange\"`",
                ),
                _ => {}
            }
        }
        let schemes = self.server.get("securitySchemes").and_then(Json::as_array).unwrap_or_default();
        let scheme =
            schemes.iter().find(|scheme| scheme.get("id").and_then(Json::as_str) == id && id.is_some());
        let auth = scheme.and_then(|scheme| self.auth(scheme, id.unwrap_or_default()));
        if auth.is_none() {
            let why = "no scheme that can be sent belongs to it; the source sends nothing either";
            self.ledger.refuse(requirement, &rest::AUTH_UNSUPPORTED, why);
        }
        auth
    }

    fn auth(&self, scheme: &Json, id: &str) -> Option<DraftAuth> {
        let text = |name: &str| scheme.get(name).and_then(Json::as_str).unwrap_or_default();
        let variable = |of: &str| format!("${{{}}}", names::variable(&[&self.name, id, of], "CREDENTIAL"));
        match (text("type"), text("scheme").to_ascii_lowercase().as_str(), text("in")) {
            ("http", "bearer", _) => Some(DraftAuth::Bearer { token: variable("token") }),
            ("http", "basic", _) => {
                Some(DraftAuth::Basic { username: variable("username"), password: variable("password") })
            }
            ("apiKey", _, place @ ("header" | "query")) if !text("name").is_empty() => {
                Some(DraftAuth::ApiKey {
                    name: text("name").to_owned(),
                    value: variable("key"),
                    in_query: place == "query",
                })
            }
            _ => None,
        }
    }
}

/// How callers prove who they are.
pub fn gateway(ledger: &Ledger<'_>, requirement: &Json) {
    ledger.change(
        requirement,
        &rest::GATEWAY_SECURITY,
        "callers of the edge are identified by `[auth]` in `edge.toml`",
    );
}

/// A tool that only older clients see.
pub fn legacy_only(ledger: &Ledger<'_>, value: &Json) {
    match value.as_bool() {
        Some(false) => ledger.keep(value),
        _ => ledger.change(value, &codes::LEGACY_ONLY, "clients of all revisions see the tool"),
    }
}
