//! All that is known of callers: tenants, keys, issuers. Built when `edge.toml` or `tenants.toml` is read, then only read.

use super::api_key::{KeyDigest, PREFIX};
use super::certificates::CertificateNames;
use super::credential::{self, Credential, Unreadable};
use super::glob::Glob;
use super::lower::{TenantEntry, TenantFile, reference};
use super::recent;
use crate::jwt::{Claims, IssuerConfig, Issuers, TokenError};
use crate::limits::{CallerLimits, bucket};
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::identity::{Authenticator, Caller, Identity, Peer, Verdict};
use crate::request::resource::{self as challenge, Resource};
use crate::runtime::clock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use subtle::ConstantTimeEq;

/// Whether callers must say who they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Nobody is asked; everyone sees every tool.
    #[default]
    None,
    /// Callers without a credential are the tenant `public`.
    Optional,
    Required,
}

/// What a caller may see of a bundle. Equal ones share their lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visibility {
    /// `None`: all.
    pub toolsets: Option<Vec<String>>,
    /// Empty: all.
    pub allow: Vec<Glob>,
    pub deny: Vec<Glob>,
    /// Tools that need another scope are hidden: an API key cannot ask for more. `None` hides none.
    pub scopes: Option<Vec<String>>,
}

#[derive(Debug)]
pub struct Directory {
    /// Unique in the process: an identity belongs to the directory that made it.
    pub(super) generation: u64,
    mode: Mode,
    pub(super) resource: Option<Resource>,
    pub(super) file: TenantFile,
    /// The visibilities of tenants' callers with tokens, indexed like the file's tenants.
    of_tokens: Vec<u32>,
    /// Sorted by digest.
    keys: Vec<StoredKey>,
    /// What a name in a client's certificate is worth, sorted by name.
    pub(super) certificates: Vec<(String, Arc<Identity>)>,
    /// What they were made of.
    pub(super) certificate_names: CertificateNames,
    /// Callers without a credential, where they may be.
    public: Option<Arc<Identity>>,
    /// Each once. If nobody is asked, the only one is everything.
    pub(super) visibilities: Vec<Visibility>,
    issuers: Issuers,
}

#[derive(Debug)]
struct StoredKey {
    digest: KeyDigest,
    expires: Option<i64>,
    identity: Arc<Identity>,
}

/// The tenant of callers without a credential.
pub const PUBLIC: &str = "public";

impl Default for Directory {
    /// Nobody is asked.
    fn default() -> Directory {
        Directory::new(Mode::None, None, TenantFile::default(), Issuers::default())
    }
}

impl Directory {
    pub fn new(mode: Mode, resource: Option<Resource>, file: TenantFile, issuers: Issuers) -> Directory {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let generation = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut visibilities = Distinct::default();
        if mode == Mode::None {
            visibilities.number(Visibility::default());
        }
        let mut public = None;
        let mut keys = Vec::new();
        let mut of_tokens = Vec::with_capacity(file.tenants.len());
        for (index, entry) in (0u32..).zip(&file.tenants) {
            let tenant_bucket = bucket(&entry.name.value);
            let mut number =
                |scopes: Option<&Vec<String>>| visibilities.number(Visibility::of(entry, scopes));
            // Most keys see what their tenant does.
            let usual = number(Some(&entry.scopes));
            for key in &entry.keys {
                let scopes = key.scopes.as_ref().unwrap_or(&entry.scopes);
                let identity = Identity {
                    tenant: Some(entry.name.value.clone()),
                    principal: Some(key.id.clone()),
                    key: Some(key.id.clone()),
                    scopes: scopes.clone(),
                    limits: entry.limits(Some(key)),
                    visibility: key.scopes.as_ref().map_or(usual, |scopes| number(Some(scopes))),
                    tenant_index: Some(index),
                    tenant_bucket,
                    generation,
                    ..Identity::default()
                };
                keys.push(StoredKey {
                    digest: key.digest,
                    expires: key.expires,
                    identity: Arc::new(identity),
                });
            }
            if entry.name.value == PUBLIC {
                public = Some(Arc::new(Identity {
                    tenant: Some(PUBLIC.to_owned()),
                    scopes: entry.scopes.clone(),
                    limits: entry.limits(None),
                    visibility: usual,
                    tenant_index: Some(index),
                    tenant_bucket,
                    generation,
                    ..Identity::default()
                }));
            }
            of_tokens.push(number(None));
        }
        keys.sort_by_key(|key| key.digest);
        Directory {
            generation,
            mode,
            resource,
            file,
            of_tokens,
            keys,
            certificates: Vec::new(),
            certificate_names: CertificateNames::default(),
            public,
            visibilities: visibilities.all,
            issuers,
        }
    }

    /// Whether it would be the same if it were made again.
    pub fn is_made_of(
        &self,
        mode: Mode,
        resource: Option<&Resource>,
        file: &TenantFile,
        issuers: &[IssuerConfig],
        certificates: &CertificateNames,
    ) -> bool {
        self.mode == mode
            && self.certificate_names == *certificates
            && self.resource.as_ref() == resource
            && self.file.text() == file.text()
            && self.issuers.iter().map(|issuer| &issuer.config).eq(issuers)
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// In one line, for people: `required: 2 tenants, 3 API keys, 1 issuer of tokens`.
    pub fn summary(&self) -> String {
        let count =
            |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let mode = match self.mode {
            Mode::None => return "none: anyone who can connect may call every tool".to_owned(),
            Mode::Optional => "optional",
            Mode::Required => "required",
        };
        let tenants = count(self.file.tenants.len(), "tenant", "tenants");
        let keys = count(self.keys.len(), "API key", "API keys");
        let issuers = count(self.issuers.iter().count(), "issuer of tokens", "issuers of tokens");
        let names = match self.certificates.len() {
            0 => String::new(),
            names => format!(", {}", count(names, "name in certificates", "names in certificates")),
        };
        format!("{mode}: {tenants}, {keys}, {issuers}{names}")
    }

    pub fn resource(&self) -> Option<&Resource> {
        self.resource.as_ref()
    }

    pub fn issuers(&self) -> &Issuers {
        &self.issuers
    }

    pub fn visibilities(&self) -> &[Visibility] {
        &self.visibilities
    }

    /// What the file of tenants says.
    pub fn file(&self) -> &TenantFile {
        &self.file
    }

    /// What a caller may see, as a number of [`Directory::visibilities`]; `None` for someone who is no longer known.
    pub fn visibility(&self, caller: &Caller) -> Option<usize> {
        match caller {
            Caller::Anonymous => (self.mode == Mode::None).then_some(0),
            Caller::Known(identity) if identity.generation == self.generation => {
                Some(identity.visibility as usize)
            }
            // An authenticator of someone's own knows no visibilities: its callers see what everyone sees.
            Caller::Known(_) if self.mode == Mode::None => Some(0),
            Caller::Known(identity) => self.renewed(identity).map(|identity| identity.visibility as usize),
        }
    }

    /// The index of a caller's tenant.
    pub fn tenant_index(&self, caller: &Caller) -> Option<usize> {
        let Caller::Known(identity) = caller else { return None };
        if identity.generation == self.generation {
            return identity.tenant_index.map(|index| index as usize);
        }
        self.find(identity.tenant.as_deref()?).map(|(index, _)| index as usize)
    }

    /// What an identity of another directory is in this one.
    #[cold]
    fn renewed(&self, old: &Identity) -> Option<Identity> {
        let (index, visibility) = self.find(old.tenant.as_deref()?)?;
        match &old.key {
            _ if old.is_public() => self.public.as_deref().filter(|_| self.mode == Mode::Optional).cloned(),
            Some(id) => {
                let is_it = |key: &&StoredKey| {
                    key.identity.tenant_index == Some(index) && key.identity.key.as_ref() == Some(id)
                };
                let key = self.keys.iter().find(is_it)?;
                (!is_over(key.expires, seconds_now())).then(|| (*key.identity).clone())
            }
            None if old.token.is_none() => {
                let identity = self.certificate(old.principal.as_deref()?)?;
                (identity.tenant_index == Some(index)).then(|| (**identity).clone())
            }
            None => Some(Identity {
                limits: self.limits(index),
                visibility,
                tenant_index: Some(index),
                generation: self.generation,
                ..old.clone()
            }),
        }
    }

    /// How much a tenant's callers with tokens may ask for.
    fn limits(&self, index: u32) -> CallerLimits {
        self.file.tenants.get(index as usize).map_or(CallerLimits::NONE, |tenant| tenant.limits(None))
    }

    /// The index of a tenant, and what its callers with tokens see.
    pub(super) fn find(&self, name: &str) -> Option<(u32, u32)> {
        let of = |tenant: &TenantEntry| tenant.name.value.as_str().cmp(name);
        let index = self.file.tenants.binary_search_by(of).ok()?;
        Some((u32::try_from(index).ok()?, *self.of_tokens.get(index)?))
    }

    /// Looked up by the digest's beginning, then compared in constant time.
    fn key(&self, text: &[u8]) -> Option<&StoredKey> {
        let digest = KeyDigest::of(text);
        let head = |digest: &KeyDigest| digest.0.first_chunk::<8>().copied();
        let start = self.keys.partition_point(|key| head(&key.digest) < head(&digest));
        let same_head = self.keys.get(start..)?.iter().take_while(|key| head(&key.digest) == head(&digest));
        let mut found = None;
        for key in same_head {
            if bool::from(key.digest.0.ct_eq(&digest.0)) {
                found = Some(key);
            }
        }
        found
    }

    fn authenticate_key(&self, text: &[u8], now: i64) -> Result<Caller, Failure> {
        let refuse = |reason| Err(challenge::unauthenticated(self.resource.as_ref(), Some(reason)));
        if !text.starts_with(PREFIX.as_bytes()) {
            return refuse("this is not an API key");
        }
        let Some(key) = self.key(text) else { return refuse("the API key is not known") };
        if is_over(key.expires, now) {
            return refuse("the API key has expired");
        }
        let caller = Caller::Known(Arc::clone(&key.identity));
        recent::remember(text, self.generation, key.expires.unwrap_or(recent::FOREVER), &caller);
        Ok(caller)
    }

    /// The caller whose request brings no credential: its connection may.
    fn of_connection(&self, peer: &Peer) -> Result<Caller, Failure> {
        let certificate = peer.certificate().filter(|_| !self.certificates.is_empty());
        if let Some(certificate) = certificate {
            return self.of_certificate(certificate);
        }
        let public = self.public.as_ref().filter(|_| self.mode == Mode::Optional);
        let caller = public.map(|public| Caller::Known(Arc::clone(public)));
        caller.ok_or_else(|| challenge::unauthenticated(self.resource.as_ref(), None))
    }

    /// The caller that a verified token names.
    fn of_claims(&self, token: &str, claims: Claims) -> Result<Caller, Failure> {
        let resource = self.resource.as_ref();
        let Some((index, visibility)) = self.find(&claims.tenant) else {
            return Err(challenge::forbidden(resource, "the tenant of this token is not known here"));
        };
        let caller = Caller::Known(Arc::new(Identity {
            tenant_bucket: bucket(&claims.tenant),
            tenant: Some(claims.tenant),
            principal: claims.subject,
            scopes: claims.scopes,
            limits: self.limits(index),
            visibility,
            tenant_index: Some(index),
            generation: self.generation,
            can_ask_for_more: true,
            token: Some(token.into()),
            ..Identity::default()
        }));
        recent::remember(token.as_bytes(), self.generation, claims.expires, &caller);
        Ok(caller)
    }

    fn of_token(&self, token: &str, verified: Result<Claims, TokenError>) -> Result<Caller, Failure> {
        match verified {
            Ok(claims) => self.of_claims(token, claims),
            // Not the token's fault: a client that hears of a wrong one throws it away.
            Err(TokenError::NoKeys) => Err(Failure::IssuerUnavailable),
            Err(error) => Err(challenge::unauthenticated(self.resource.as_ref(), Some(error.reason()))),
        }
    }

    fn authenticate_token<'a>(&'a self, token: &'a [u8], now: i64) -> Verdict<'a> {
        let refuse =
            |reason| Verdict::Ready(Err(challenge::unauthenticated(self.resource.as_ref(), Some(reason))));
        if self.issuers.iter().next().is_none() {
            return refuse("this is no API key that is known here; one begins with `mek_`");
        }
        let Ok(token) = std::str::from_utf8(token) else { return refuse(TokenError::Malformed.reason()) };
        match self.issuers.verify(token, now) {
            crate::jwt::Verified::Known(verified) => Verdict::Ready(self.of_token(token, verified)),
            crate::jwt::Verified::NeedsKeys(issuer) => Verdict::Pending(Box::pin(async move {
                let verified = issuer.verify_with_new_keys(token, now).await;
                self.of_token(token, verified)
            })),
        }
    }

    /// A caller asks for the tools of another tenant.
    pub fn other_tenant(&self) -> Failure {
        challenge::forbidden(self.resource.as_ref(), "`tenant_id` is not the tenant of this credential")
    }

    /// Why a caller may not call a tool that needs these scopes.
    pub fn missing_scopes(&self, needed: &[&str]) -> Failure {
        challenge::insufficient_scope(self.resource.as_ref(), needed)
    }
}

impl Authenticator for Directory {
    fn authenticate<'a>(&'a self, head: &'a Head, peer: &'a Peer) -> Verdict<'a> {
        if self.mode == Mode::None {
            // Nobody needs a credential here, but one in a URL is given away all the same.
            let is_given_away = credential::is_in_query(head);
            let caller = if is_given_away { Err(Failure::CredentialInQuery) } else { Ok(Caller::Anonymous) };
            return Verdict::Ready(caller);
        }
        let resource = self.resource.as_ref();
        let credential = match credential::find(head) {
            Ok(None) => return Verdict::Ready(self.of_connection(peer)),
            Ok(Some(credential)) => credential,
            Err(Unreadable::InQuery) => return Verdict::Ready(Err(Failure::CredentialInQuery)),
            Err(Unreadable::Ambiguous) => {
                let reason = "send one credential, in `Authorization` or in `X-API-Key`";
                return Verdict::Ready(Err(Failure::InvalidRequest(reason)));
            }
            Err(Unreadable::Malformed) => {
                let reason = "the credential is malformed; send `Authorization: Bearer` and a token or key";
                return Verdict::Ready(Err(challenge::unauthenticated(resource, Some(reason))));
            }
        };
        if let Some(caller) = recent::find(credential.bytes(), self.generation, seconds_now) {
            return Verdict::Ready(Ok(caller));
        }
        let now = seconds_now();
        match credential {
            Credential::Token(token) => self.authenticate_token(token, now),
            Credential::ApiKey(key) => Verdict::Ready(self.authenticate_key(key, now)),
        }
    }
}

impl Visibility {
    pub(super) fn of(tenant: &TenantEntry, scopes: Option<&Vec<String>>) -> Visibility {
        let mut toolsets: Vec<String> = tenant.toolsets.iter().map(|name| name.value.clone()).collect();
        toolsets.sort();
        let is_all = toolsets.iter().any(|name| name == "*");
        let globs =
            |globs: &[mcp_diagnostics::Spanned<Glob>]| globs.iter().map(|glob| glob.value.clone()).collect();
        Visibility {
            toolsets: (!is_all).then_some(toolsets),
            allow: globs(&tenant.allow),
            deny: globs(&tenant.deny),
            scopes: scopes.cloned(),
        }
    }

    /// Whether everything can be seen, whatever the bundle.
    pub fn is_everything(&self) -> bool {
        *self == Visibility::default()
    }

    /// Whether a tool of this toolset can be seen that needs these scopes.
    pub fn shows(
        &self,
        toolset: &str,
        tool: &str,
        mut needed: impl Iterator<Item = impl AsRef<str>>,
    ) -> bool {
        let in_toolset = self.toolsets.as_ref().is_none_or(|known| known.iter().any(|name| name == toolset));
        in_toolset
            && (self.allow.is_empty() || self.allow.iter().any(|glob| glob.matches(tool)))
            && !self.deny.iter().any(|glob| glob.matches(tool))
            && self
                .scopes
                .as_ref()
                .is_none_or(|held| needed.all(|scope| held.iter().any(|known| known == scope.as_ref())))
    }
}

/// Numbers equal visibilities alike.
#[derive(Default)]
pub(super) struct Distinct {
    pub(super) all: Vec<Visibility>,
    numbers: BTreeMap<Visibility, u32>,
}

impl Distinct {
    pub(super) fn new(all: Vec<Visibility>) -> Distinct {
        let numbers = all.iter().cloned().zip(0..).collect();
        Distinct { all, numbers }
    }

    pub(super) fn number(&mut self, visibility: Visibility) -> u32 {
        if let Some(number) = self.numbers.get(&visibility) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(visibility.clone());
        self.numbers.insert(visibility, number);
        number
    }
}

/// The value of a tenant's variable: its text, or that of the variable it refers to.
pub(crate) fn variable_value(
    written: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    match reference(written) {
        Some(name) => variable(name).ok_or_else(|| name.to_owned()),
        None => Ok(written.to_owned()),
    }
}

fn is_over(expires: Option<i64>, now: i64) -> bool {
    expires.is_some_and(|expires| now >= expires)
}

pub(super) fn seconds_now() -> i64 {
    i64::try_from(clock::since_epoch(Instant::now()).as_secs()).unwrap_or(i64::MAX)
}
