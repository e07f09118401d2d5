//! `[upstream.NAME.auth]`: how the edge shows an upstream who it is.

use super::lower::Lowering;
use super::{Endpoint, Header, parse_endpoint};
use crate::language::keys;
use crate::language::rules::{INVALID_VALUE, MISSING_KEY};
use mcp_bundle::wire_enums::ClientAuth;
use mcp_diagnostics::{Diagnostic, Fields, Span, Spanned};

#[derive(Debug, Clone)]
pub struct AuthSpec {
    /// Its header.
    pub span: Span,
    pub kind: Spanned<AuthKind>,
    /// The user's name, or the client's at the token server.
    pub name: Option<Spanned<String>>,
    /// The password, of either.
    pub secret: Option<Spanned<String>>,
    /// Of kind `bearer`.
    pub token: Option<Spanned<String>>,
    /// Of kind `api_key`, in a header.
    pub header: Option<Header>,
    /// Of kind `api_key`, in the query: its name and its value.
    pub query: Option<(Spanned<String>, Spanned<String>)>,
    pub token_url: Option<Spanned<Endpoint>>,
    pub scopes: Vec<Spanned<String>>,
    pub audience: Option<Spanned<String>>,
    pub client_auth: ClientAuth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthKind {
    Basic,
    Bearer,
    ApiKey,
    OAuth2,
    Exchange,
}

/// A text of a credential, with its key.
#[derive(Debug, Clone, Copy)]
pub struct AuthText<'a> {
    pub key: &'static str,
    pub text: &'a Spanned<String>,
    /// It must not be written in a spec.
    pub is_secret: bool,
}

impl AuthKind {
    fn from_word(word: &str) -> Option<AuthKind> {
        Some(match word {
            "basic" => AuthKind::Basic,
            "bearer" => AuthKind::Bearer,
            "api_key" => AuthKind::ApiKey,
            "oauth2" => AuthKind::OAuth2,
            "exchange" => AuthKind::Exchange,
            _ => return None,
        })
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            AuthKind::Basic => "basic",
            AuthKind::Bearer => "bearer",
            AuthKind::ApiKey => "api_key",
            AuthKind::OAuth2 => "oauth2",
            AuthKind::Exchange => "exchange",
        }
    }

    /// The keys that it needs, and those that it may have.
    const fn keys(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            AuthKind::Basic => (&["username", "password"], &[]),
            AuthKind::Bearer => (&["token"], &[]),
            AuthKind::ApiKey => (&["name", "value"], &["in"]),
            AuthKind::OAuth2 | AuthKind::Exchange => {
                (&["token_url", "client_id", "client_secret"], &["scopes", "audience", "client_auth"])
            }
        }
    }
}

impl AuthSpec {
    /// Every text that can have variables.
    pub fn texts(&self) -> impl Iterator<Item = AuthText<'_>> {
        let is_basic = self.kind.value == AuthKind::Basic;
        let (name, secret) = if is_basic { ("username", "password") } else { ("client_id", "client_secret") };
        let value = self.query.as_ref().map(|(_, value)| value);
        let value = value.or(self.header.as_ref().map(|header| &header.value));
        let all = [
            (name, self.name.as_ref(), false),
            (secret, self.secret.as_ref(), true),
            ("token", self.token.as_ref(), true),
            ("value", value, true),
            ("audience", self.audience.as_ref(), false),
        ];
        all.into_iter().filter_map(|(key, text, is_secret)| Some(AuthText { key, text: text?, is_secret }))
    }

    /// The header of its own that every request has, in lower case.
    pub fn header_name(&self) -> Option<String> {
        match (&self.header, &self.query) {
            (Some(header), _) => Some(header.name.value.to_ascii_lowercase()),
            (None, Some(_)) => None,
            (None, None) if self.kind.value == AuthKind::ApiKey => None,
            (None, None) => Some("authorization".to_owned()),
        }
    }
}

impl Lowering<'_> {
    pub(super) fn auth(&mut self, upstream: &Fields<'_, '_>) -> Option<AuthSpec> {
        let (table, span) = upstream.table("auth")?;
        let fields = self.toml.fields(&keys::AUTH, table, span);
        let kind = self.toml.word(&fields, "kind", AuthKind::from_word, Some(&INVALID_VALUE))?;
        self.auth_keys(kind.value, &fields);
        let in_query = fields.text("in").is_some_and(|place| place.value == "query");
        let pair = fields.text("name").zip(fields.text("value"));
        let header = pair.clone().filter(|_| !in_query);
        let client_auth = self.toml.word(&fields, "client_auth", ClientAuth::from_word, Some(&INVALID_VALUE));
        let either = |one: &str, other: &str| fields.text(one).or_else(|| fields.text(other));
        Some(AuthSpec {
            span,
            kind,
            name: either("username", "client_id"),
            secret: either("password", "client_secret"),
            token: fields.text("token"),
            header: header.map(|(name, value)| Header { name, value, template: None }),
            query: pair.filter(|_| in_query),
            token_url: fields
                .text("token_url")
                .map(|text| Spanned::new(parse_endpoint(&text.value), text.span)),
            scopes: fields.texts("scopes"),
            audience: fields.text("audience"),
            client_auth: client_auth.map_or(ClientAuth::Basic, |auth| auth.value),
        })
    }

    /// Each kind has keys of its own.
    fn auth_keys(&mut self, kind: AuthKind, fields: &Fields<'_, '_>) {
        let (needed, possible) = kind.keys();
        let word = kind.as_str();
        for name in needed.iter().filter(|name| !fields.is_written(name)) {
            let message = format!("`kind = \"{word}\"` needs `{name}`");
            self.toml.report(Diagnostic::new(&MISSING_KEY, fields.span, message));
        }
        let is_strange = |name: &str| name != "kind" && !needed.contains(&name) && !possible.contains(&name);
        for key in keys::AUTH.keys.iter().filter(|key| is_strange(key.name)) {
            let Some(value) = fields.value(key.name) else { continue };
            let message = format!("`{}` is not a key of `kind = \"{word}\"`", key.name);
            let all: Vec<String> = needed.iter().chain(possible).map(|name| format!("`{name}`")).collect();
            let help = format!("its keys are {}", all.join(", "));
            self.toml.report(Diagnostic::new(&INVALID_VALUE, fields.at(value), message).help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{MemoryFiles, check_files};
    use mcp_diagnostics::Severity;

    fn errors(auth: &str) -> Vec<String> {
        let spec = format!(
            "[upstream.u]\nurl = \"https://a.example\"\n[upstream.u.auth]\n{auth}\n[[tool]]\nname = \"a\"\n\
             description = \"Reads a thing of the API.\"\nupstream = \"u\"\nmethod = \"GET\"\nendpoint = \"/a\"\n"
        );
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        let errors = report.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| format!("{}: {}", found.code(), found.message)).collect()
    }

    #[test]
    fn each_kind_has_its_keys() {
        let server = "token_url = \"https://id.example/t\"\nclient_id = \"a\"\nclient_secret = \"${S}\"";
        for good in [
            "kind = \"basic\"\nusername = \"a\"\npassword = \"${P}\"",
            "kind = \"bearer\"\ntoken = \"${T}\"",
            "kind = \"api_key\"\nname = \"x-key\"\nvalue = \"${K}\"",
            "kind = \"api_key\"\nname = \"key\"\nin = \"query\"\nvalue = \"${K}\"",
            &format!("kind = \"oauth2\"\n{server}"),
            &format!(
                "kind = \"oauth2\"\n{server}\nscopes = [\"a\"]\naudience = \"b\"\nclient_auth = \"post\""
            ),
            &format!("kind = \"exchange\"\n{server}"),
        ] {
            assert_eq!(errors(good), [""; 0], "{good}");
        }
        assert_eq!(errors("kind = \"bearer\""), ["MCP0102: `kind = \"bearer\"` needs `token`"]);
        assert_eq!(
            errors("kind = \"bearer\"\ntoken = \"${T}\"\nusername = \"a\""),
            ["MCP0105: `username` is not a key of `kind = \"bearer\"`"]
        );
        assert_eq!(errors("token = \"${T}\"").len(), 1, "`kind` is missing");
        let [unknown] = errors("kind = \"oauth\"").try_into().unwrap();
        assert!(unknown.contains("oauth"), "{unknown}");
        let [unknown] =
            errors(&format!("kind = \"oauth2\"\n{server}\nclient_auth = \"jwt\"")).try_into().unwrap();
        assert!(unknown.contains("jwt"), "{unknown}");
    }
}
