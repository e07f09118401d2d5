//! Certificates of the edge for upstreams, which `edge.toml` names.

use super::{BuildError, origins};
use crate::settings::ClientFiles;
use crate::upstream::ClientCertificate;
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::Scheme;
use std::collections::BTreeMap;

/// By the index of the upstream. The files are read again for each bundle, so that a reload takes new ones.
pub fn load(
    contents: &Contents,
    files: &[(String, ClientFiles)],
) -> Result<BTreeMap<usize, ClientCertificate>, BuildError> {
    let mut certificates = BTreeMap::new();
    for (name, files) in files {
        let index = origins::find(contents, name)?;
        let refused = |reason: String| BuildError::ClientCertificate { upstream: name.clone(), reason };
        let scheme = contents.upstreams.get(index).map(|upstream| upstream.scheme);
        if scheme != Some(Scheme::Https) {
            return Err(refused("its URL is `http`, which has no certificates".to_owned()));
        }
        certificates.insert(index, ClientCertificate::load(files).map_err(refused)?);
    }
    Ok(certificates)
}
