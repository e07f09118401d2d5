//! How a request shows the API who asks.

use super::AUTH_NOT_EXPRESSIBLE;
use super::values::{Variables, only_variable, place_name};
use crate::import::Ledger;
use crate::import::codes::SECRET_REPLACED;
use crate::import::draft::DraftAuth;
use crate::language::json::Json;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    pub draft: Option<DraftAuth>,
}

impl Auth {
    /// Of the request, or of the folder that it is in. Values of secrets are never copied.
    pub fn of<'d>(
        ledger: &Ledger<'d>,
        variables: &Variables<'_>,
        auth: Option<&'d Json>,
    ) -> Result<Auth, String> {
        let Some(auth) = auth else { return Ok(Auth { draft: None }) };
        let kind = auth.get("type").and_then(Json::as_str).unwrap_or_default();
        let field = |name: &str| field(auth.get(kind), name);
        // What the collection calls it, or else what it is.
        let secret = |name: &str, word: &str| {
            let variable = field(name).as_deref().and_then(only_variable);
            variable.iter().for_each(|name| drop(variables.value(name)));
            format!("${{{}}}", variable.map_or_else(|| word.to_owned(), |name| place_name(&name)))
        };
        let draft = match kind {
            "noauth" | "" => {
                ledger.keep(auth);
                return Ok(Auth { draft: None });
            }
            "bearer" => DraftAuth::Bearer { token: secret("token", "API_TOKEN") },
            "basic" => DraftAuth::Basic {
                username: secret("username", "API_USER"),
                password: secret("password", "API_PASSWORD"),
            },
            "apikey" => DraftAuth::ApiKey {
                name: field("key")
                    .filter(|name| !name.contains("{{"))
                    .unwrap_or_else(|| "x-api-key".to_owned()),
                value: secret("value", "API_KEY"),
                in_query: field("in").as_deref() == Some("query"),
            },
            "oauth2" => oauth2(variables, &field, &secret),
            other => {
                let why = format!("`{other}` is no way that a spec knows; the request cannot be made");
                ledger.refuse(auth, &AUTH_NOT_EXPRESSIBLE, why.clone());
                return Err(why);
            }
        };
        ledger.change(auth, &SECRET_REPLACED, "the secret is `${NAME}`; see the upstreams for the names");
        Ok(Auth { draft: Some(draft) })
    }
}

/// A token of a token server, where the edge can get one alone; else a token that somebody sets.
fn oauth2(
    variables: &Variables<'_>,
    field: &dyn Fn(&str) -> Option<String>,
    secret: &dyn Fn(&str, &str) -> String,
) -> DraftAuth {
    let token_url = field("accessTokenUrl").map(|url| variables.resolved(&url));
    let is_alone = matches!(field("grant_type").as_deref(), Some("client_credentials"));
    match token_url.filter(|url| is_alone && url.starts_with("http") && !url.contains("{{")) {
        Some(token_url) => DraftAuth::OAuth2 {
            token_url,
            client_id: secret("clientId", "CLIENT_ID"),
            client_secret: secret("clientSecret", "CLIENT_SECRET"),
            scopes: field("scope")
                .map(|scopes| scopes.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default(),
        },
        None => DraftAuth::Bearer { token: secret("accessToken", "API_TOKEN") },
    }
}

/// A field of a kind of auth: a list of keys and values, or in version 2.0 an object.
fn field(fields: Option<&Json>, name: &str) -> Option<String> {
    let value = match fields? {
        Json::Array(items) => {
            items.iter().find(|item| item.get("key").and_then(Json::as_str) == Some(name))?.get("value")?
        }
        object => object.get(name)?,
    };
    Some(value.as_str()?.to_owned())
}
