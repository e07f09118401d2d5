//! What people write for places of bundles, and what registries say: nothing breaks, and what is accepted reads the same again.
#![no_main]

use mcp_sources::Location;
use mcp_sources::oci::{challenge, manifest};

libfuzzer_sys::fuzz_target!(|input: (&str, &[u8])| {
    let (text, bytes) = input;
    let _ = challenge::parse(text);
    let _ = manifest::read(bytes);
    if let Some(Ok(location)) = Location::find(text) {
        let shown = location.to_string();
        // A query is not shown.
        if !shown.ends_with("?…") {
            assert_eq!(shown.parse(), Ok(location));
        }
    }
});
