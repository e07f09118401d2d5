//! Security schemes as credentials of upstreams. A secret becomes a variable.

use super::api::{Api, Version};
use super::codes;
use super::names::snake;
use super::operations::Operation;
use crate::import::codes::SECRET_REPLACED;
use crate::import::draft::DraftAuth;
use crate::language::json::Json;
use crate::language::names::variable;
use std::collections::BTreeSet;

/// How an API is told who calls: with what the upstream sends, and with values of its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credentials {
    /// The scheme of `auth`.
    pub auth: Option<Scheme>,
    /// Further keys: name, place, variable.
    pub keys: Vec<(String, &'static str, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    Basic {
        username: String,
        password: String,
    },
    Bearer {
        token: String,
    },
    ApiKey {
        name: String,
        value: String,
        in_query: bool,
    },
    /// The scopes are collected over all operations.
    OAuth2 {
        token_url: String,
        id: String,
        secret: String,
    },
}

/// A scheme of the document that can be had.
enum Usable {
    Auth(Scheme),
    /// A key in a cookie.
    Cookie(String, String),
    /// Nothing is to be sent, such as with client certificates.
    Nothing,
}

/// The best of the alternatives that an operation asks for, and the scopes that it needs.
pub fn of_operation(api: &Api<'_>, operation: &Operation<'_>, base: &str) -> (Credentials, BTreeSet<String>) {
    let own = operation.node.get("security");
    let Some(list) = own.or_else(|| api.root.get("security")) else { return Default::default() };
    let Some(alternatives) = list.as_array() else {
        api.ledger.refuse_kind(list, "a list");
        return Default::default();
    };
    api.ledger.open(list);
    let mut best: Option<(usize, &Json, Credentials, BTreeSet<String>)> = None;
    for alternative in alternatives {
        let Some((credentials, scopes, rank)) = all_of(api, alternative, base) else { continue };
        // With credentials an API gives more, even where it does not ask for them.
        let rank = if credentials == Credentials::default() { 9 } else { rank };
        if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
            best = Some((rank, alternative, credentials, scopes));
        }
    }
    let chosen = best.as_ref().map(|(_, alternative, ..)| *alternative);
    for alternative in alternatives {
        if chosen.is_some_and(|chosen| std::ptr::eq(chosen, alternative)) {
            api.ledger.keep(alternative);
        } else {
            api.ledger.change(alternative, &codes::OTHER_SECURITY, "one of the alternatives is used");
        }
    }
    if chosen.is_none() && !alternatives.is_empty() {
        api.ledger.refuse(
            list,
            &codes::SECURITY,
            "no credential that the edge has fits; tools are sent without one",
        );
    }
    best.map(|(_, _, credentials, scopes)| (credentials, scopes)).unwrap_or_default()
}

/// All schemes of one alternative together.
fn all_of(api: &Api<'_>, alternative: &Json, base: &str) -> Option<(Credentials, BTreeSet<String>, usize)> {
    let mut credentials = Credentials::default();
    let mut wanted = BTreeSet::new();
    let mut rank = 0;
    for (name, scopes) in alternative.as_object()? {
        let scheme = schemes(api)?.get(name)?;
        let (usable, own_rank) = usable(api, name, scheme, base)?;
        rank = rank.max(own_rank);
        wanted
            .extend(scopes.as_array().unwrap_or_default().iter().filter_map(Json::as_str).map(str::to_owned));
        match usable {
            Usable::Nothing => {}
            Usable::Cookie(name, variable) => credentials.keys.push((name, "cookie", variable)),
            Usable::Auth(scheme) => match (&credentials.auth, scheme) {
                (None, scheme) => credentials.auth = Some(scheme),
                // The scheme before it sends this header, too.
                (Some(_), Scheme::ApiKey { name, in_query: false, .. })
                    if name.eq_ignore_ascii_case("authorization") => {}
                (Some(_), Scheme::ApiKey { name, value, in_query }) => {
                    credentials.keys.push((name, if in_query { "query" } else { "header" }, value));
                }
                (Some(_), _) => return None,
            },
        }
    }
    Some((credentials, wanted, rank))
}

pub fn schemes<'d>(api: &Api<'d>) -> Option<&'d Json> {
    match api.version {
        Version::Swagger2 => api.root.get("securityDefinitions"),
        _ => api.root.get("components")?.get("securitySchemes"),
    }
}

/// What a scheme takes, and how gladly it is used: the lower the better.
fn usable(api: &Api<'_>, name: &str, scheme: &Json, base: &str) -> Option<(Usable, usize)> {
    let scheme = match scheme.get("$ref").and_then(Json::as_str) {
        Some(reference) => api.known(reference)?,
        None => scheme,
    };
    let text = |name: &str| scheme.get(name).and_then(Json::as_str);
    let own = own_words(name);
    let var = |generic: &[&str], usual: &str| {
        let word = if generic.contains(&own.as_str()) { usual } else { own.as_str() };
        variable(&[base, word], "API_KEY")
    };
    let token = || var(&["", "bearer", "http", "jwt", "token", "oauth", "oauth2", "slack"], "token");
    let kind = text("type")?;
    let bearer = |rank: usize| {
        let auth = Scheme::Bearer { token: token() };
        Some((Usable::Auth(auth), rank))
    };
    match (kind, text("scheme").map(str::to_ascii_lowercase).as_deref()) {
        ("basic", _) | ("http", Some("basic")) => {
            let username = variable(&[base, "username"], "API_USERNAME");
            let password = variable(&[base, "password"], "API_PASSWORD");
            Some((Usable::Auth(Scheme::Basic { username, password }), 2))
        }
        ("http", Some("bearer")) => bearer(0),
        ("apiKey", _) => {
            let key = text("name").filter(|name| !name.is_empty())?.to_owned();
            let value = var(&["", "api_key", "apikey", "key", "apikey_header", "api"], "api_key");
            match text("in")? {
                "header" if key.eq_ignore_ascii_case("cookie") => None,
                "header" => Some((Usable::Auth(Scheme::ApiKey { name: key, value, in_query: false }), 0)),
                "query" => Some((Usable::Auth(Scheme::ApiKey { name: key, value, in_query: true }), 0)),
                "cookie" => Some((Usable::Cookie(key, value), 1)),
                _ => None,
            }
        }
        ("oauth2", _) => match token_url(scheme) {
            Some(url) if is_absolute(url) => {
                let id = variable(&[base, "client_id"], "CLIENT_ID");
                let secret = variable(&[base, "client_secret"], "CLIENT_SECRET");
                Some((Usable::Auth(Scheme::OAuth2 { token_url: url.to_owned(), id, secret }), 1))
            }
            _ => bearer(3),
        },
        ("openIdConnect", _) => bearer(3),
        ("mutualTLS", _) => Some((Usable::Nothing, 1)),
        _ => None,
    }
}

/// The token server of the one flow that needs no person.
fn token_url(scheme: &Json) -> Option<&str> {
    let old = scheme.get("flow").and_then(Json::as_str).is_some_and(|flow| flow == "application");
    let home = if old { scheme } else { scheme.get("flows")?.get("clientCredentials")? };
    home.get("tokenUrl")?.as_str()
}

fn is_absolute(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// The words of a scheme's name, without those that every scheme has.
fn own_words(name: &str) -> String {
    let words = snake(name);
    let short = words.strip_suffix("_auth").or_else(|| words.strip_suffix("auth")).unwrap_or(&words);
    short.trim_matches('_').to_owned()
}

impl Scheme {
    /// The variables that are sent to the API.
    pub fn variables(&mut self) -> Vec<&mut String> {
        match self {
            Scheme::Basic { username, password } => vec![username, password],
            Scheme::Bearer { token } => vec![token],
            Scheme::ApiKey { value, .. } => vec![value],
            Scheme::OAuth2 { .. } => Vec::new(),
        }
    }

    pub fn draft(&self, scopes: &BTreeSet<String>) -> DraftAuth {
        let sent = |name: &String| format!("${{{name}}}");
        match self {
            Scheme::Basic { username, password } => {
                DraftAuth::Basic { username: sent(username), password: sent(password) }
            }
            Scheme::Bearer { token } => DraftAuth::Bearer { token: sent(token) },
            Scheme::ApiKey { name, value, in_query } => {
                DraftAuth::ApiKey { name: name.clone(), value: sent(value), in_query: *in_query }
            }
            Scheme::OAuth2 { token_url, id, secret } => DraftAuth::OAuth2 {
                token_url: token_url.clone(),
                client_id: sent(id),
                client_secret: sent(secret),
                scopes: scopes.iter().cloned().collect(),
            },
        }
    }
}

/// Says what became of each scheme of the document.
pub fn account(api: &Api<'_>) {
    let Some(all) = schemes(api) else { return };
    for (_, scheme) in api.ledger.members_of(all).unwrap_or_default() {
        let kind = scheme.get("type").and_then(Json::as_str).unwrap_or_default();
        let (code, why) = match kind {
            "oauth2" if token_url(scheme).is_some_and(|url| !is_absolute(url)) => (
                &codes::NO_LOGIN,
                "the URL of its token server is relative; write it into `auth`, or give a token",
            ),
            "oauth2" if token_url(scheme).is_some() => {
                (&SECRET_REPLACED, "the edge fetches tokens with `${…_CLIENT_ID}` and `${…_CLIENT_SECRET}`")
            }
            "oauth2" | "openIdConnect" => {
                (&codes::NO_LOGIN, "the edge logs nobody in: give it a token in the variable of the upstream")
            }
            "mutualTLS" => (&codes::NO_LOGIN, "client certificates are in `edge.toml`"),
            _ => (&SECRET_REPLACED, "the upstream's `auth` has variables for its secrets"),
        };
        api.ledger.change(scheme, code, why);
    }
}
