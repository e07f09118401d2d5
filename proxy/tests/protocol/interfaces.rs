//! Interfaces that the place switches off (requirement B9).

use crate::support::{Bench, OTHER, SPEC, head};
use mcp_edge::settings::Interfaces;

const MCP: &[(&str, &str)] = &[("POST", "/mcp"), ("POST", "/mcp/shop"), ("OPTIONS", "/mcp")];
const SSE: &[(&str, &str)] = &[("GET", "/sse"), ("GET", "/sse/shop"), ("POST", "/messages?session=x")];
const REST: &[(&str, &str)] = &[
    ("GET", "/mcp/tools"),
    ("POST", "/mcp/invoke"),
    ("GET", "/api/v1/mcp/tools"),
    ("POST", "/api/v1/mcp/tools/call"),
];

/// Whether a path exists: what is said of the request itself does not matter.
fn exists(bench: &Bench, (method, path): (&str, &str)) -> bool {
    let said = bench.send(&head(method, path, &[]), b"{}");
    // An unknown session is also 404, with other words.
    let exists = said.status != 404 || said.body.contains("session");
    assert_eq!(bench.edge.serves(path.split('?').next().unwrap_or_default()), exists, "{method} {path}");
    exists
}

#[test]
fn the_paths_of_an_interface_that_is_off_do_not_exist() {
    let on = Interfaces::default();
    for interfaces in [
        on,
        Interfaces { mcp: false, ..on },
        Interfaces { sse: false, ..on },
        Interfaces { rest: false, ..on },
    ] {
        let specs = [("shop.toml", SPEC), ("other.toml", OTHER)];
        let bench = Bench::with(&specs, |settings| settings.interfaces = interfaces);
        for (paths, is_on) in [(MCP, interfaces.mcp), (SSE, interfaces.sse), (REST, interfaces.rest)] {
            for path in paths {
                assert_eq!(exists(&bench, *path), is_on, "{path:?} with {interfaces:?}");
            }
        }
    }
}
