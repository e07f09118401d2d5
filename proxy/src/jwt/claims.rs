//! A token's parts: what it says before and after its signature is checked.

use super::TokenError;
use super::issuer::IssuerConfig;
use super::signature::Algorithm;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// Where a claim's value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimSource {
    Claim(String),
    Fixed(String),
}

/// What a verified token says of its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    pub tenant: String,
    pub subject: Option<String>,
    /// Sorted.
    pub scopes: Vec<String>,
    /// Seconds since 1970.
    pub expires: i64,
}

/// A token that is split, but whose signature nobody has checked.
#[derive(Debug)]
pub(super) struct Unverified<'t> {
    /// What is signed.
    pub message: &'t [u8],
    pub signature: Vec<u8>,
    header: Map<String, Value>,
    payload: Map<String, Value>,
}

/// Clocks differ.
const LEEWAY: i64 = 60;
/// Longer subjects and tenants are nobody's.
const LONGEST: usize = 512;
const MOST_SCOPES: usize = 256;

impl<'t> Unverified<'t> {
    pub fn read(token: &'t str) -> Result<Unverified<'t>, TokenError> {
        let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(TokenError::Malformed)?;
        let object = |part: &str| -> Option<Map<String, Value>> {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
        };
        Ok(Unverified {
            message: message.as_bytes(),
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Malformed)?,
            header: object(header).ok_or(TokenError::Malformed)?,
            payload: object(payload).ok_or(TokenError::Malformed)?,
        })
    }

    pub fn issuer(&self) -> Option<&str> {
        self.payload.get("iss")?.as_str()
    }

    pub fn key_id(&self) -> Option<&str> {
        self.header.get("kid")?.as_str()
    }

    /// The algorithm, if the issuer's tokens may have it.
    pub fn algorithm(&self, config: &IssuerConfig) -> Result<(Algorithm, &str), TokenError> {
        // A header that must be understood is none that is known here.
        if self.header.contains_key("crit") {
            return Err(TokenError::Unsupported);
        }
        let kind = self.header.get("typ").map(|kind| kind.as_str().unwrap_or("?").to_ascii_lowercase());
        let kind = kind.as_deref().map(|kind| kind.strip_prefix("application/").unwrap_or(kind));
        if !matches!(kind, None | Some("jwt" | "at+jwt")) {
            return Err(TokenError::Unsupported);
        }
        let word = self.header.get("alg").and_then(Value::as_str).ok_or(TokenError::Malformed)?;
        let algorithm = Algorithm::from_word(word).ok_or(TokenError::Algorithm)?;
        if config.algorithms.contains(&algorithm) {
            Ok((algorithm, word))
        } else {
            Err(TokenError::Algorithm)
        }
    }

    /// What the token says, once its signature is known to be good.
    pub fn claims(&self, config: &IssuerConfig, now: i64) -> Result<Claims, TokenError> {
        let seconds =
            |name: &str| self.payload.get(name).map(|value| as_seconds(value).ok_or(TokenError::Malformed));
        let expires = seconds("exp").ok_or(TokenError::Malformed)??;
        if expires.saturating_add(LEEWAY) <= now {
            return Err(TokenError::Expired);
        }
        if let Some(start) = seconds("nbf").transpose()?
            && start > now.saturating_add(LEEWAY)
        {
            return Err(TokenError::NotYetValid);
        }
        if !self.is_for(&config.audience) {
            return Err(TokenError::Audience);
        }
        let tenant = match &config.tenant {
            ClaimSource::Fixed(tenant) => tenant.clone(),
            ClaimSource::Claim(name) => self.text(name).ok_or(TokenError::NoTenant)?,
        };
        let subject = self.payload.contains_key("sub").then(|| self.text("sub").ok_or(TokenError::Malformed));
        let expires = expires.saturating_add(LEEWAY);
        Ok(Claims { tenant, subject: subject.transpose()?, scopes: self.scopes(config), expires })
    }

    fn is_for(&self, audiences: &[String]) -> bool {
        let is_ours =
            |value: &Value| value.as_str().is_some_and(|text| audiences.iter().any(|ours| ours == text));
        match self.payload.get("aud") {
            Some(Value::Array(several)) => several.iter().any(is_ours),
            Some(one) => is_ours(one),
            None => false,
        }
    }

    /// A claim that is a text of reasonable length without control characters.
    fn text(&self, name: &str) -> Option<String> {
        let text = self.claim(name)?.as_str()?;
        let is_good = (1..=LONGEST).contains(&text.len()) && !text.chars().any(char::is_control);
        is_good.then(|| text.to_owned())
    }

    /// By its name, or by a path of names with dots between them.
    fn claim(&self, name: &str) -> Option<&Value> {
        if let Some(value) = self.payload.get(name) {
            return Some(value);
        }
        let mut names = name.split('.');
        let first = self.payload.get(names.next()?)?;
        names.try_fold(first, |value, name| value.get(name))
    }

    /// A text with spaces between scopes, or a list.
    fn scopes(&self, config: &IssuerConfig) -> Vec<String> {
        let value = match &config.scopes {
            ClaimSource::Fixed(scopes) => return sorted(scopes.split(' ')),
            ClaimSource::Claim(name) => self.claim(name),
        };
        match value {
            Some(Value::String(scopes)) => sorted(scopes.split(' ')),
            Some(Value::Array(scopes)) => sorted(scopes.iter().filter_map(Value::as_str)),
            _ => Vec::new(),
        }
    }
}

fn sorted<'s>(scopes: impl Iterator<Item = &'s str>) -> Vec<String> {
    let scopes = scopes.filter(|scope| !scope.is_empty()).take(MOST_SCOPES);
    let mut scopes: Vec<String> = scopes.map(str::to_owned).collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// Some issuers write fractions.
fn as_seconds(value: &Value) -> Option<i64> {
    let fraction = || value.as_f64().filter(|seconds| seconds.abs() < 1e15).map(|seconds| seconds as i64);
    value.as_i64().or_else(fraction)
}
