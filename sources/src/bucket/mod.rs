//! A bundle that is an object of an object store.

mod connector;
mod profile;
mod store;

use crate::error::TransferError;
use crate::location::{BucketLocation, Location};
use crate::remote::{Facts, Fetched, Options, Pushed, Remote, Version};
use connector::Connector;
use object_store::path::Path;
use object_store::{Attribute, Attributes, Error, GetOptions, ObjectStore, PutOptions, PutPayload};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// The digest of the file, among what is stored with it. The revision would not do: signatures are not part of it.
const DIGEST: &str = "sha256";

#[derive(Debug)]
pub struct Object {
    location: BucketLocation,
    options: Options,
    /// Made again after a failure: credentials may have been renewed.
    client: Option<Client>,
}

/// The store, and the thread that its requests take.
#[derive(Debug)]
struct Client {
    runtime: Option<Runtime>,
    store: Arc<dyn ObjectStore>,
    connector: Connector,
    path: Path,
}

impl Object {
    pub fn new(location: &BucketLocation, options: &Options) -> Result<Object, TransferError> {
        Ok(Object { location: location.clone(), options: options.clone(), client: None })
    }
}

impl Remote for Object {
    fn newer(&mut self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError> {
        let client = match self.client.take() {
            Some(client) => client,
            None => Client::new(&self.location, &self.options)?,
        };
        let fetched = client.fetch(known)?;
        self.client = Some(client);
        Ok(fetched)
    }
}

pub fn push(
    location: &BucketLocation,
    bytes: &[u8],
    facts: &Facts,
    options: &Options,
    progress: &mut dyn FnMut(u64),
) -> Result<Pushed, TransferError> {
    Client::new(location, options)?.push(bytes, facts, progress)
}

impl Client {
    fn new(location: &BucketLocation, options: &Options) -> Result<Client, TransferError> {
        let place = Location::Bucket(location.clone()).to_string();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| TransferError::Setup(format!("no runtime: {error}")))?;
        let connector = Connector::new(place, options)?;
        let store = store::open(location, options, &connector)?;
        let path = Path::parse(&location.key).map_err(|error| TransferError::Setup(error.to_string()))?;
        Ok(Client { runtime: Some(runtime), store, connector, path })
    }

    fn fetch(&self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError> {
        let if_none_match = known.and_then(|known| known.etag.clone());
        let options = GetOptions { if_none_match, ..GetOptions::default() };
        let result = self.wait(async {
            let result = self.store.get_opts(&self.path, options).await?;
            let version = Version { etag: result.meta.e_tag.clone(), ..Version::default() };
            Ok((version, result.bytes().await?))
        });
        match result {
            Err(Failure::Store(Error::NotModified { .. })) => Ok(None),
            Err(failure) => Err(self.failed(failure)),
            // A store that does not compare sends all of it again.
            Ok((version, _)) if known == Some(&version) && !version.is_unknown() => Ok(None),
            Ok((version, bytes)) => Ok(Some(Fetched { bytes: bytes.into(), version })),
        }
    }

    fn push(
        &self,
        bytes: &[u8],
        facts: &Facts,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Pushed, TransferError> {
        let mut digest = String::new();
        for byte in Sha256::digest(bytes) {
            let _ = write!(digest, "{byte:02x}");
        }
        let head = GetOptions { head: true, ..GetOptions::default() };
        match self.wait(async { Ok(self.store.get_opts(&self.path, head).await?) }) {
            Ok(there) => {
                let stored = there.attributes.get(&Attribute::Metadata(DIGEST.into()));
                if stored.is_some_and(|stored| stored.as_ref() == digest) {
                    let version = Version { etag: there.meta.e_tag, ..Version::default() };
                    return Ok(Pushed { version, was_there: true });
                }
            }
            Err(Failure::Store(Error::NotFound { .. })) => {}
            Err(failure) => return Err(self.failed(failure)),
        }
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, "application/octet-stream".into());
        for (name, value) in [
            (DIGEST, digest),
            ("revision", facts.revision.clone()),
            ("tools", facts.tools.to_string()),
            ("signers", facts.signers.join(",")),
        ] {
            attributes.insert(Attribute::Metadata(name.into()), value.into());
        }
        let payload = PutPayload::from(bytes.to_vec());
        let options = PutOptions { attributes, ..PutOptions::default() };
        let mut sent = self.connector.sent();
        let result = self.wait(async {
            let put = self.store.put_opts(&self.path, payload, options);
            tokio::pin!(put);
            loop {
                tokio::select! {
                    result = &mut put => return Ok(result?),
                    Ok(()) = sent.changed() => progress(*sent.borrow_and_update()),
                }
            }
        });
        let result = result.map_err(|failure| self.failed(failure))?;
        // The answer may have come before the last count was told.
        progress(*sent.borrow());
        Ok(Pushed { version: Version { etag: result.e_tag, ..Version::default() }, was_there: false })
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(work),
            None => Err(Failure::Ended),
        }
    }

    /// What went over the wire says more, and the same each time, than what the store makes of it.
    fn failed(&self, failure: Failure) -> TransferError {
        let place = self.connector.place.clone();
        match (self.connector.last_failure(), failure) {
            (Some(error), _) => error,
            (None, Failure::Store(Error::NotFound { .. })) => TransferError::NotFound { place, status: 404 },
            (None, Failure::Store(error)) => TransferError::Setup(format!("`{place}`: {error}")),
            (None, Failure::Ended) => TransferError::Setup(format!("`{place}`: no runtime")),
        }
    }
}

enum Failure {
    Store(Error),
    /// The runtime is gone.
    Ended,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(error)
    }
}

/// A runtime must not wait for its threads where others run.
impl Drop for Client {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
