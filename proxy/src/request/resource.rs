//! What a caller without a good credential is told: the challenges of RFC 6750, and the metadata of RFC 9728 that lead a
//! client to the authorization server.

use super::failure::Failure;
use serde_json::json;

/// What the tools are called by authorization servers (`[auth.resource]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The canonical URL of `/mcp`, without a slash at its end.
    pub url: String,
    pub authorization_servers: Vec<String>,
}

/// Where the metadata are.
pub const METADATA: &str = "/.well-known/oauth-protected-resource";

impl Resource {
    /// The path of `url`: `/mcp`.
    pub fn path(&self) -> &str {
        let after_scheme = self.url.find("://").map_or(0, |at| at + 3);
        let rest = self.url.get(after_scheme..).unwrap_or_default();
        rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default()
    }

    /// Scheme, host and port of `url`.
    fn origin(&self) -> &str {
        let path = self.path().len();
        self.url.get(..self.url.len() - path).unwrap_or_default()
    }

    /// Where clients find the metadata.
    fn metadata_url(&self) -> String {
        format!("{}{METADATA}{}", self.origin(), self.path())
    }

    /// The metadata, if this path is one where they are: at the root, or followed by the path of the resource or of a
    /// toolset below it.
    pub fn metadata(&self, path: &str) -> Option<Vec<u8>> {
        let below = path.strip_prefix(METADATA)?;
        let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
        if !below.is_empty() && !below.strip_prefix(self.path()).is_some_and(is_below) {
            return None;
        }
        let document = json!({
            "resource": self.url,
            "authorization_servers": self.authorization_servers,
            "bearer_methods_supported": ["header"],
        });
        Some(document.to_string().into_bytes())
    }
}

/// There is no credential, or not a good one.
pub fn unauthenticated(resource: Option<&Resource>, reason: Option<&'static str>) -> Failure {
    let error = reason.map(|reason| ("invalid_token", reason));
    let challenge = challenge(resource, error, &[]);
    Failure::Unauthenticated { challenge, reason: reason.unwrap_or("this needs a credential") }
}

/// The credential is good, and does not reach this far.
pub fn forbidden(resource: Option<&Resource>, reason: &'static str) -> Failure {
    let challenge = challenge(resource, Some(("invalid_token", reason)), &[]);
    Failure::Forbidden { challenge, reason }
}

/// A token with more scopes would do.
pub fn insufficient_scope(resource: Option<&Resource>, needed: &[&str]) -> Failure {
    let reason = "the credential lacks a scope that this tool needs";
    Failure::Forbidden {
        challenge: challenge(resource, Some(("insufficient_scope", reason)), needed),
        reason,
    }
}

/// Scopes and reasons have no quotes and no backslashes.
fn challenge(resource: Option<&Resource>, error: Option<(&str, &str)>, scopes: &[&str]) -> String {
    let mut parameters = Vec::new();
    if let Some((error, description)) = error {
        parameters.push(format!("error=\"{error}\""));
        parameters.push(format!("error_description=\"{description}\""));
    }
    if !scopes.is_empty() {
        parameters.push(format!("scope=\"{}\"", scopes.join(" ")));
    }
    parameters.extend(resource.map(|resource| format!("resource_metadata=\"{}\"", resource.metadata_url())));
    if parameters.is_empty() { "Bearer".to_owned() } else { format!("Bearer {}", parameters.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource() -> Resource {
        let authorization_servers = vec!["https://id.example/".to_owned()];
        Resource { url: "https://tools.example:8443/mcp".to_owned(), authorization_servers }
    }

    #[test]
    fn a_challenge_says_what_is_wrong_and_where_to_go() {
        let header = |failure: Failure| failure.header().unwrap().1;
        assert_eq!(header(unauthenticated(None, None)), "Bearer");
        let metadata =
            "resource_metadata=\"https://tools.example:8443/.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(header(unauthenticated(Some(&resource()), None)), format!("Bearer {metadata}"));
        let expired = header(unauthenticated(Some(&resource()), Some("the token has expired")));
        let expected = format!(
            "Bearer error=\"invalid_token\", error_description=\"the token has expired\", {metadata}"
        );
        assert_eq!(expired, expected);
        let scope = header(insufficient_scope(Some(&resource()), &["a:read", "b"]));
        assert!(scope.starts_with("Bearer error=\"insufficient_scope\", error_description="), "{scope}");
        assert!(scope.contains("scope=\"a:read b\"") && scope.ends_with(metadata), "{scope}");
    }

    #[test]
    fn metadata_are_at_the_root_and_below_the_resource() {
        let resource = resource();
        for path in ["", "/mcp", "/mcp/shop"] {
            let document = resource.metadata(&format!("{METADATA}{path}")).unwrap();
            let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
            assert_eq!(document["resource"], "https://tools.example:8443/mcp");
            assert_eq!(document["authorization_servers"][0], "https://id.example/");
        }
        for path in ["/other", "/mcpx", "x"] {
            assert_eq!(resource.metadata(&format!("{METADATA}{path}")), None, "{path}");
        }
    }
}
