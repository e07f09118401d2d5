//! `[auth]`: who may call.

use super::keys::{AUTH_TABLE, CLAIM_TABLE, JWT_TABLE, RESOURCE_TABLE};
use super::lower::Lowering;
use crate::jwt::{self, Algorithm, ClaimSource, IssuerConfig, KeySet, KeySource};
use crate::request::resource::Resource;
use crate::tenants::{CertificateNames, Mode};
use mcp_diagnostics::{Diagnostic, Fields, Span, Spanned, suggest};
use std::path::{Path, PathBuf};

/// Who may call, as `edge.toml` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthConfig {
    pub mode: Mode,
    /// The file of tenants.
    pub tenants: Option<PathBuf>,
    pub resource: Option<Resource>,
    pub issuers: Vec<IssuerConfig>,
    /// Whose client certificates are.
    pub certificates: CertificateNames,
}

const MODES: [(&str, Mode); 3] =
    [("required", Mode::Required), ("optional", Mode::Optional), ("none", Mode::None)];

const DEFAULT_ALGORITHMS: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

impl<'d> Lowering<'_, 'd> {
    /// `None` if the file does not say, or not well.
    pub(super) fn auth<'t, 'i>(&mut self, top: &Fields<'t, 'i>) -> Option<AuthConfig>
    where
        'd: 't,
    {
        if let Some((table, span)) = top.table("auth") {
            let fields = self.reading.fields(&AUTH_TABLE, table, span);
            return Some(self.auth_table(&fields, span));
        }
        let auth = self.text(top, "auth")?;
        if auth.value == "none" {
            return Some(AuthConfig::default());
        }
        let problem = Diagnostic::error(auth.span, format!("`auth` cannot be `{}`", auth.value));
        let help =
            "write `auth = \"none\"` to let everyone call, or a table `[auth]` with `mode` and `tenants`";
        self.reading.report(problem.help(help));
        None
    }

    fn auth_table<'t, 'i>(&mut self, fields: &Fields<'t, 'i>, span: Span) -> AuthConfig
    where
        'd: 't,
    {
        let mode = self.word(fields, "mode", &MODES).unwrap_or(Mode::Required);
        let tenants = self.path(fields, "tenants");
        if mode != Mode::None && !fields.is_written("tenants") {
            let problem =
                Diagnostic::error(span, "`auth` needs `tenants`: without a file of tenants nobody may call");
            self.reading.report(
                problem.help("write `tenants = \"tenants.toml\"`; `mcp-edge init` makes one to start with"),
            );
        }
        let resource = self.resource(fields);
        let mut issuers: Vec<IssuerConfig> = Vec::new();
        for (table, span) in fields.tables("jwt") {
            let fields = self.reading.fields(&JWT_TABLE, table, span);
            let Some(issuer) = self.issuer(&fields, span, resource.as_ref()) else { continue };
            if issuers.iter().any(|known| known.issuer == issuer.issuer) {
                let problem = Diagnostic::error(
                    span,
                    format!("two `[[auth.jwt]]` have the issuer `{}`", issuer.issuer),
                );
                self.reading
                    .report(problem.help("keep one; `audience` and `algorithms` take several values"));
            }
            issuers.push(issuer);
        }
        let certificates = self.certificate_names(fields);
        AuthConfig { mode, tenants, resource, issuers, certificates }
    }

    fn resource(&mut self, fields: &Fields<'_, '_>) -> Option<Resource> {
        let (table, span) = fields.table("resource")?;
        let fields = self.reading.fields(&RESOURCE_TABLE, table, span);
        let servers = fields.texts("authorization_servers");
        if servers.is_empty() {
            let problem = Diagnostic::error(span, "`auth.resource` needs `authorization_servers`");
            self.reading.report(problem.help("name the issuer that clients get their tokens from"));
        }
        let Some(url) = self.text(&fields, "url") else {
            let problem = Diagnostic::error(span, "`auth.resource` needs `url`");
            self.reading
                .report(problem.help("write the public URL of `/mcp`, like `https://tools.example.com/mcp`"));
            return None;
        };
        let trimmed = url.value.trim_end_matches('/');
        if !jwt::is_safe(trimmed) || trimmed.contains(['?', '#', '"', '\\']) {
            let problem =
                Diagnostic::error(url.span, format!("`{}` is not the URL of a resource", url.value));
            let help =
                "write an `https` URL without query and fragment, like `https://tools.example.com/mcp`";
            self.reading.report(problem.help(help));
            return None;
        }
        let authorization_servers = servers.into_iter().map(|server| server.value).collect();
        Some(Resource { url: trimmed.to_owned(), authorization_servers })
    }

    fn issuer(
        &mut self,
        fields: &Fields<'_, '_>,
        span: Span,
        resource: Option<&Resource>,
    ) -> Option<IssuerConfig> {
        let issuer = self.text(fields, "issuer");
        if issuer.is_none() && !fields.is_written("issuer") {
            let problem = Diagnostic::error(span, "`auth.jwt` needs `issuer`");
            self.reading
                .report(problem.help("write the `iss` of its tokens, like `https://id.example.com/`"));
        }
        let mut audience: Vec<String> = fields.texts("audience").into_iter().map(|text| text.value).collect();
        if audience.is_empty() {
            audience.extend(resource.map(|resource| resource.url.clone()));
        }
        if audience.is_empty() {
            let problem =
                Diagnostic::error(span, "`auth.jwt` needs `audience`: tokens for others must not work here");
            self.reading.report(
                problem
                    .help("write `audience = [\"…\"]`, or `[auth.resource]` with the `url` of this server"),
            );
        }
        let tenant = self.claim(fields, "tenant");
        if tenant.is_none() && !fields.is_written("tenant") {
            let problem = Diagnostic::error(span, "`auth.jwt` needs `tenant`");
            self.reading
                .report(problem.help("write `tenant = { claim = \"org_id\" }`, or `{ fixed = \"acme\" }`"));
        }
        let scopes = self.claim(fields, "scopes").unwrap_or_else(|| ClaimSource::Claim("scope".to_owned()));
        let algorithms = self.algorithms(fields);
        let issuer = issuer?;
        let keys = self.key_source(fields, &issuer)?;
        Some(IssuerConfig { issuer: issuer.value, audience, keys, algorithms, tenant: tenant?, scopes })
    }

    fn claim(&mut self, fields: &Fields<'_, '_>, name: &'static str) -> Option<ClaimSource> {
        let (table, span) = fields.table(name)?;
        let fields = self.reading.fields(&CLAIM_TABLE, table, span);
        match (self.text(&fields, "claim"), self.text(&fields, "fixed")) {
            (Some(claim), None) => Some(ClaimSource::Claim(claim.value)),
            (None, Some(fixed)) => Some(ClaimSource::Fixed(fixed.value)),
            _ => {
                let problem = Diagnostic::error(span, format!("`{name}` needs either `claim` or `fixed`"));
                self.reading.report(problem);
                None
            }
        }
    }

    fn algorithms(&mut self, fields: &Fields<'_, '_>) -> Vec<Algorithm> {
        let mut algorithms = Vec::new();
        for Spanned { value, span } in fields.texts("algorithms") {
            match Algorithm::from_word(&value) {
                Some(algorithm) => algorithms.push(algorithm),
                None => {
                    let problem =
                        Diagnostic::error(span, format!("`{value}` is not an algorithm that is accepted"));
                    let words = Algorithm::WORDS.iter().map(|(word, _)| *word);
                    let problem = problem.note(format!("it is one of {}", suggest::one_of(words.clone())));
                    let is_symmetric = value.starts_with("HS") || value.eq_ignore_ascii_case("none");
                    let nearest =
                        suggest::nearest(&value, words).map(|meant| format!("did you mean `{meant}`?"));
                    let shared =
                        "anyone who can check such a token can also make one; use an asymmetric algorithm";
                    self.reading.report(match (is_symmetric, nearest) {
                        (true, _) => problem.help(shared),
                        (false, nearest) => problem.maybe_help(nearest),
                    });
                }
            }
        }
        if algorithms.is_empty() { DEFAULT_ALGORITHMS.to_vec() } else { algorithms }
    }

    fn key_source(&mut self, fields: &Fields<'_, '_>, issuer: &Spanned<String>) -> Option<KeySource> {
        let jwks = self.text(fields, "jwks");
        match &jwks {
            Some(jwks) if jwks.value.contains("://") => {
                if !jwt::is_safe(&jwks.value) {
                    let problem = Diagnostic::error(
                        jwks.span,
                        "`jwks` must be an `https` URL, or `http` on this machine",
                    );
                    self.reading
                        .report(problem.help("keys that somebody on the way can change prove nothing"));
                    return None;
                }
                Some(KeySource::Url(jwks.value.clone()))
            }
            Some(jwks) if jwks.value != "discover" => {
                let path = self.path(fields, "jwks")?;
                match read_keys(&path) {
                    Ok(set) => Some(KeySource::File(path, set)),
                    Err(message) => {
                        self.reading.report(Diagnostic::error(jwks.span, message));
                        None
                    }
                }
            }
            _ if !jwt::is_safe(&issuer.value) => {
                let problem = Diagnostic::error(
                    issuer.span,
                    "the keys of this issuer cannot be discovered: it is not an `https` URL",
                );
                self.reading.report(
                    problem.help("say where they are: `jwks = \"https://…\"` or `jwks = \"keys.json\"`"),
                );
                None
            }
            _ => Some(KeySource::Discover),
        }
    }
}

impl AuthConfig {
    /// The files that hold keys of issuers.
    pub fn key_files(&self) -> impl Iterator<Item = &Path> {
        self.issuers.iter().filter_map(|issuer| match &issuer.keys {
            KeySource::File(path, _) => Some(path.as_path()),
            KeySource::Url(_) | KeySource::Discover => None,
        })
    }

    /// Reads those files again.
    pub fn read_key_files(&mut self) -> Result<(), String> {
        for issuer in &mut self.issuers {
            if let KeySource::File(path, set) = &mut issuer.keys {
                *set = read_keys(path)?;
            }
        }
        Ok(())
    }
}

const LONGEST_KEYS: u64 = 1 << 20;

fn read_keys(path: &Path) -> Result<KeySet, String> {
    let shown = path.display();
    let length = std::fs::metadata(path).map_err(|error| format!("`{shown}` cannot be read: {error}"))?.len();
    if length > LONGEST_KEYS {
        return Err(format!("`{shown}` has more than {LONGEST_KEYS} bytes"));
    }
    let text = std::fs::read(path).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    KeySet::parse(&text).map_err(|error| format!("`{shown}`: {error}"))
}
