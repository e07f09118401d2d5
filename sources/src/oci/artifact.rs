//! Reading an artifact: a tag → a manifest → its one layer, each by its digest.

use super::manifest::{self, Layer, MANIFEST};
use super::registry::{Ask, Registry};
use super::{digest_of, manifest::MAX_LENGTH};
use crate::client::{Response, header, read_body};
use crate::error::TransferError;
use crate::location::{Location, OciLocation, Reference, is_digest};
use crate::remote::{Fetched, Options, Remote, Version};
use http::Method;

#[derive(Debug)]
pub struct Artifact {
    reference: Reference,
    registry: Registry,
    limit: u64,
}

impl Artifact {
    pub fn new(location: OciLocation, options: &Options) -> Result<Artifact, TransferError> {
        let place = Location::Oci(location.clone()).to_string();
        let registry = Registry::new(&location, place, options)?;
        Ok(Artifact { reference: location.reference, registry, limit: options.limit })
    }

    /// The digest that the tag has now.
    fn digest_of_tag(&mut self, tag: &str) -> Result<String, TransferError> {
        if let Some(digest) = head(&mut self.registry, tag)? {
            return Ok(digest);
        }
        // A registry need not answer `HEAD` with a digest.
        let (_, digest) = self.manifest(tag)?;
        Ok(digest)
    }

    /// The bytes of a manifest, and their digest.
    fn manifest(&mut self, reference: &str) -> Result<(Vec<u8>, String), TransferError> {
        let response = self.get(&format!("manifests/{reference}"), Some(MANIFEST))?;
        let bytes = read_body(response, MAX_LENGTH, &self.registry.place, &mut |_| {})?;
        let digest = digest_of(&bytes);
        Ok((bytes, digest))
    }

    fn layer(&mut self, layer: &Layer) -> Result<Vec<u8>, TransferError> {
        let place = self.registry.place.clone();
        if layer.length > self.limit {
            return Err(TransferError::TooLarge { place, length: layer.length, limit: self.limit });
        }
        let response = self.get(&format!("blobs/{}", layer.digest), None)?;
        let bytes = read_body(response, layer.length, &place, &mut |_| {})?;
        self.same(&bytes, &layer.digest)?;
        Ok(bytes)
    }

    fn get(&mut self, path: &str, accept: Option<&str>) -> Result<Response, TransferError> {
        let uri = self.registry.url(path)?;
        let ask = Ask { accept, ..Ask::new(Method::GET) };
        let response = self.registry.send(&ask, &uri, &mut |_| {})?;
        match response.status().as_u16() {
            200 => Ok(response),
            _ => Err(self.registry.failed(response)),
        }
    }

    fn same(&self, bytes: &[u8], expected: &str) -> Result<(), TransferError> {
        let found = digest_of(bytes);
        if found == expected {
            return Ok(());
        }
        Err(TransferError::WrongDigest {
            place: self.registry.place.clone(),
            expected: expected.to_owned(),
            found,
        })
    }
}

impl Remote for Artifact {
    fn newer(&mut self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError> {
        let digest = match self.reference.clone() {
            Reference::Digest(digest) => digest,
            Reference::Tag(tag) => self.digest_of_tag(&tag)?,
        };
        // What a digest names never changes.
        if known.is_some_and(|known| known.digest.as_ref() == Some(&digest)) {
            return Ok(None);
        }
        // By its digest: the tag may move meanwhile.
        let (manifest, _) = self.manifest(&digest)?;
        self.same(&manifest, &digest)?;
        let layer = manifest::read(&manifest)
            .map_err(|reason| TransferError::NotABundle { place: self.registry.place.clone(), reason })?;
        let bytes = self.layer(&layer)?;
        Ok(Some(Fetched { bytes, version: Version { digest: Some(digest), ..Version::default() } }))
    }
}

/// The digest of a manifest, if the registry has it and says so.
pub(super) fn head(registry: &mut Registry, reference: &str) -> Result<Option<String>, TransferError> {
    let uri = registry.url(&format!("manifests/{reference}"))?;
    let ask = Ask { accept: Some(MANIFEST), ..Ask::new(Method::HEAD) };
    let response = registry.send(&ask, &uri, &mut |_| {})?;
    match response.status().as_u16() {
        200 => {
            let digest = header(&response, "docker-content-digest");
            Ok(digest.filter(|digest| is_digest(digest)).map(str::to_owned))
        }
        _ => Err(registry.failed(response)),
    }
}
