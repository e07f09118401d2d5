//! Bundles that are named by a URL.

use mcp_bundle::format::MAX_FILE_LENGTH;
use mcp_sources::{Location, LocationError, Options, Patience, Variables};

/// With what to do about a wrong one.
pub fn location(found: Result<Location, LocationError>) -> anyhow::Result<Location> {
    found.map_err(|error| anyhow::anyhow!("the URL of the bundle cannot be used: {error}; {}", error.help))
}

pub fn fetch(location: &Location) -> anyhow::Result<Vec<u8>> {
    let fetched = mcp_sources::open(location, &options())?.newer(None)?;
    // Only a version that is known can be unchanged.
    Ok(fetched.map(|fetched| fetched.bytes).unwrap_or_default())
}

pub fn options() -> Options {
    Options {
        ca_file: None,
        variables: Variables::of_environment(),
        limit: MAX_FILE_LENGTH,
        patience: Patience::default(),
    }
}
