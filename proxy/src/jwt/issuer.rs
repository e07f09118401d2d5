//! Issuers of tokens, and their keys: read when first needed, renewed in the background, kept while the issuer is away.

use super::TokenError;
use super::claims::{ClaimSource, Claims, Unverified};
use super::fetch;
use super::key_set::KeySet;
use super::signature::Algorithm;
use crate::upstream::Network;
use arc_swap::ArcSwapOption;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// `[[auth.jwt]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerConfig {
    /// As tokens name it.
    pub issuer: String,
    /// One of these must be the token's.
    pub audience: Vec<String>,
    pub keys: KeySource,
    pub algorithms: Vec<Algorithm>,
    pub tenant: ClaimSource,
    pub scopes: ClaimSource,
}

/// Where an issuer's keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Url(String),
    /// A file, and what it held when the configuration was read.
    File(PathBuf, KeySet),
    /// The metadata of the issuer say where.
    Discover,
}

/// All issuers of a place.
#[derive(Debug, Default)]
pub struct Issuers(Vec<Arc<Issuer>>);

#[derive(Debug)]
pub struct Issuer {
    pub config: IssuerConfig,
    network: Option<Network>,
    keys: ArcSwapOption<Keys>,
    /// Held by the one who reads the keys; the others wait for its result.
    reading: Mutex<()>,
    /// The last time that reading the keys was of no use.
    wasted: Lock<Option<Instant>>,
    /// How often the keys were read.
    fetched: AtomicU64,
    /// How often that failed.
    failed: AtomicU64,
}

/// What metrics say about an issuer whose keys are read over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerStats {
    pub issuer: String,
    /// How often its keys were read.
    pub fetched: u64,
    /// How often that failed.
    pub failed: u64,
}

#[derive(Debug)]
struct Keys {
    set: KeySet,
    read: Instant,
}

/// What is known of a token without waiting.
#[derive(Debug)]
pub enum Verified<'a> {
    Known(Result<Claims, TokenError>),
    /// The keys must be read first, or again.
    NeedsKeys(&'a Issuer),
}

/// Keys that are older are read again, beside the calls.
const RENEW: Duration = Duration::from_secs(600);
/// After an attempt of no use: tokens with invented key ids must not make the issuer suffer.
const PAUSE: Duration = Duration::from_secs(10);
/// The same while there are no keys at all.
const SHORT_PAUSE: Duration = Duration::from_secs(1);

impl Issuers {
    /// Issuers that are configured as before keep their keys.
    pub fn new(configs: &[IssuerConfig], network: Option<&Network>, before: &Issuers) -> Issuers {
        let issuer = |config: &IssuerConfig| {
            let known = before.0.iter().find(|issuer| issuer.config == *config);
            known.cloned().unwrap_or_else(|| Arc::new(Issuer::new(config.clone(), network.cloned())))
        };
        Issuers(configs.iter().map(issuer).collect())
    }

    /// Verifies a token, as far as that needs no waiting. `now` is in seconds since 1970.
    pub fn verify(&self, token: &str, now: i64) -> Verified<'_> {
        let unverified = match Unverified::read(token) {
            Ok(unverified) => unverified,
            Err(error) => return Verified::Known(Err(error)),
        };
        let issuer = self.0.iter().find(|issuer| unverified.issuer() == Some(issuer.config.issuer.as_str()));
        let Some(issuer) = issuer else { return Verified::Known(Err(TokenError::UnknownIssuer)) };
        match issuer.verify(&unverified, now) {
            verified if lacks_key(&verified) && issuer.may_read() => Verified::NeedsKeys(issuer),
            verified => {
                issuer.renew_if_old();
                Verified::Known(verified)
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Issuer>> {
        self.0.iter()
    }

    /// Of those whose keys are read over the network.
    pub fn stats(&self) -> Vec<IssuerStats> {
        let asked = self.0.iter().filter(|issuer| !matches!(issuer.config.keys, KeySource::File(..)));
        let stats = asked.map(|issuer| IssuerStats {
            issuer: issuer.config.issuer.clone(),
            fetched: issuer.fetched.load(Ordering::Relaxed),
            failed: issuer.failed.load(Ordering::Relaxed),
        });
        stats.collect()
    }
}

/// Whether newer keys might help.
fn lacks_key(verified: &Result<Claims, TokenError>) -> bool {
    matches!(verified, Err(TokenError::NoKeys | TokenError::UnknownKey))
}

impl Issuer {
    fn new(config: IssuerConfig, network: Option<Network>) -> Issuer {
        let keys = match &config.keys {
            KeySource::File(_, set) => Some(Arc::new(Keys { set: set.clone(), read: Instant::now() })),
            KeySource::Url(_) | KeySource::Discover => None,
        };
        Issuer {
            config,
            network,
            keys: ArcSwapOption::from(keys),
            reading: Mutex::default(),
            wasted: Lock::default(),
            fetched: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }

    fn verify(&self, token: &Unverified<'_>, now: i64) -> Result<Claims, TokenError> {
        let (algorithm, word) = token.algorithm(&self.config)?;
        let keys = self.keys.load();
        let keys = &keys.as_ref().ok_or(TokenError::NoKeys)?.set;
        let mut candidates = keys.candidates(token.key_id(), algorithm, word).peekable();
        if candidates.peek().is_none() {
            return Err(TokenError::UnknownKey);
        }
        if !candidates.any(|key| key.verify(algorithm, token.message, &token.signature)) {
            return Err(TokenError::Signature);
        }
        token.claims(&self.config, now)
    }

    /// Reads the keys, unless somebody else just did, and verifies once more.
    pub async fn verify_with_new_keys(&self, token: &str, now: i64) -> Result<Claims, TokenError> {
        let unverified = Unverified::read(token)?;
        let before = self.keys.load_full();
        let reading = self.reading.lock().await;
        let is_new = |keys: &Option<Arc<Keys>>| match (&before, keys) {
            (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
            (before, now) => before.is_some() != now.is_some(),
        };
        if !is_new(&self.keys.load_full()) && self.may_read() {
            // Another caller may have brought the key after this one missed it, and before it looked at what there was.
            let verified = self.verify(&unverified, now);
            if !lacks_key(&verified) {
                return verified;
            }
            self.read().await;
            let verified = self.verify(&unverified, now);
            if lacks_key(&verified) {
                *self.wasted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
            return verified;
        }
        drop(reading);
        self.verify(&unverified, now)
    }

    /// Whether it may be of use to read the keys now.
    fn may_read(&self) -> bool {
        if self.network.is_none() || matches!(self.config.keys, KeySource::File(..)) {
            return false;
        }
        let pause = if self.keys.load().is_some() { PAUSE } else { SHORT_PAUSE };
        let wasted = *self.wasted.lock().unwrap_or_else(PoisonError::into_inner);
        wasted.is_none_or(|wasted| wasted.elapsed() >= pause)
    }

    /// Reads the keys. Those that are there stay if that fails.
    async fn read(&self) {
        let Some(network) = &self.network else { return };
        match fetch::keys(network, &self.config).await {
            Ok(set) => {
                self.fetched.fetch_add(1, Ordering::Relaxed);
                self.keys.store(Some(Arc::new(Keys { set, read: Instant::now() })));
            }
            Err(error) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                let issuer = self.config.issuer.as_str();
                tracing::warn!(issuer, %error, "the keys of an issuer of tokens cannot be read");
            }
        }
    }

    fn renew_if_old(self: &Arc<Self>) {
        let is_old = self.keys.load().as_ref().is_some_and(|keys| keys.read.elapsed() > RENEW);
        if !is_old || !self.may_read() || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let issuer = Arc::clone(self);
        tokio::spawn(async move {
            let Ok(_reading) = issuer.reading.try_lock() else { return };
            let before = issuer.keys.load_full();
            issuer.read().await;
            let after = issuer.keys.load_full();
            if let (Some(before), Some(after)) = (before, after)
                && Arc::ptr_eq(&before, &after)
            {
                *issuer.wasted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        });
    }
}
