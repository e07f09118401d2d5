//! Uploading an artifact: its blobs, then the manifest under its tag. What is there is not sent again.

use super::artifact::head;
use super::digest_of;
use super::manifest::{self, EMPTY_BYTES, Layer, MANIFEST};
use super::registry::{Ask, Registry, required};
use crate::error::TransferError;
use crate::location::{Location, OciLocation, Reference};
use crate::remote::{Facts, Options, Pushed, Version};
use http::{Method, Uri};

const OCTETS: &str = "application/octet-stream";

pub fn push(
    location: &OciLocation,
    bytes: &[u8],
    facts: &Facts,
    options: &Options,
    progress: &mut dyn FnMut(u64),
) -> Result<Pushed, TransferError> {
    let place = Location::Oci(location.clone()).to_string();
    let Reference::Tag(tag) = &location.reference else {
        let message =
            format!("`{place}` names a digest, which follows from the bundle; name a tag to push to");
        return Err(TransferError::Setup(message));
    };
    let mut registry = Registry::new(location, place, options)?;
    let layer = Layer { digest: digest_of(bytes), length: bytes.len() as u64 };
    let manifest = manifest::write(&layer, facts);
    let digest = digest_of(&manifest);
    let version = Version { digest: Some(digest.clone()), ..Version::default() };
    match head(&mut registry, tag) {
        Ok(Some(there)) if there == digest => return Ok(Pushed { version, was_there: true }),
        Ok(_) | Err(TransferError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    upload(&mut registry, EMPTY_BYTES, &digest_of(EMPTY_BYTES), &mut |_| {})?;
    upload(&mut registry, bytes, &layer.digest, progress)?;
    let uri = registry.url(&format!("manifests/{tag}"))?;
    let ask = Ask { content: Some((MANIFEST, &manifest)), ..Ask::new(Method::PUT) };
    let response = registry.send(&ask, &uri, &mut |_| {})?;
    if response.status() != 201 {
        return Err(registry.failed(response));
    }
    Ok(Pushed { version, was_there: false })
}

/// One blob, unless it is there.
fn upload(
    registry: &mut Registry,
    bytes: &[u8],
    digest: &str,
    progress: &mut dyn FnMut(u64),
) -> Result<(), TransferError> {
    let uri = registry.url(&format!("blobs/{digest}"))?;
    let response = registry.send(&Ask::new(Method::HEAD), &uri, &mut |_| {})?;
    match response.status().as_u16() {
        200 => {
            progress(bytes.len() as u64);
            return Ok(());
        }
        404 => {}
        _ => return Err(registry.failed(response)),
    }
    let uri = registry.url("blobs/uploads/")?;
    let ask = Ask { content: Some((OCTETS, &[])), ..Ask::new(Method::POST) };
    let response = registry.send(&ask, &uri, &mut |_| {})?;
    if response.status() != 202 {
        return Err(registry.failed(response));
    }
    let place = registry.resolve(required(&response, "location", registry)?)?;
    let uri = with_digest(registry, &place, digest)?;
    let ask = Ask { content: Some((OCTETS, bytes)), ..Ask::new(Method::PUT) };
    let response = registry.send(&ask, &uri, progress)?;
    match response.status().as_u16() {
        201 => Ok(()),
        _ => Err(registry.failed(response)),
    }
}

/// The place of an upload may have a query of its own.
fn with_digest(registry: &Registry, place: &Uri, digest: &str) -> Result<Uri, TransferError> {
    let separator = if place.query().is_some() { '&' } else { '?' };
    registry.resolve(&format!("{place}{separator}digest={}", digest.replace(':', "%3A")))
}
