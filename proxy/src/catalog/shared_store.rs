//! `[shared]` with the values of its variables, and the limits that need it.

use super::BuildError;
use crate::limits::shared::StoreAddress;
use crate::settings::Settings;
use crate::tenants::Directory;
use crate::upstream::Upstream;
use mcp_bundle::plan::Contents;

/// Where the store is; `None` if there is none.
pub fn resolve(
    settings: &Settings,
    upstream: &Upstream,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<StoreAddress>, BuildError> {
    let Some(shared) = &settings.shared else { return Ok(None) };
    let ca_file = match upstream {
        Upstream::Network(network) => network.ca_file(),
        Upstream::Fixed(_) => None,
    };
    let address = shared.address(variable, ca_file);
    let missing =
        |(name, key)| BuildError::MissingVariable { name, need: format!("it is the `{key}` of `[shared]`") };
    address.map(Some).map_err(missing)
}

/// How many limits are marked as shared.
pub fn count(contents: &Contents, directory: &Directory) -> usize {
    let of_tenants = directory.file().tenants.iter().map(|tenant| tenant.shared_limits());
    contents.shared.rates.len() + contents.shared.places.len() + of_tenants.sum::<usize>()
}
