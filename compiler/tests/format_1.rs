//! A bundle that an earlier `mcpc` wrote holds what compiling its spec gives today.
//!
//! Should the compiler one day plan the same spec differently, compare what the tools do instead.
#![cfg(test)]

use mcp_bundle::format::{Trust, read};
use mcpc::check::{MemoryFiles, check_files};

#[test]
fn a_bundle_of_format_version_1_has_the_plans_of_today() {
    let old = read(include_bytes!("../../bundle/tests/fixtures/format-1.mcpk"), &Trust::Any).unwrap();
    let spec = include_str!("../../bundle/tests/fixtures/format-1.toml");
    let report = check_files(&MemoryFiles::one("format-1.toml", spec));
    assert_eq!(old.version, 1);
    assert_eq!(Some(old.contents), report.contents);
}

#[test]
fn the_first_sections_of_format_version_2_have_the_plans_of_today() {
    let old = read(include_bytes!("../../bundle/tests/fixtures/format-2-first.mcpk"), &Trust::Any).unwrap();
    let spec = include_str!("../../bundle/tests/fixtures/format-1.toml");
    let report = check_files(&MemoryFiles::one("format-1.toml", spec));
    assert_eq!(old.version, 2);
    assert_eq!(Some(old.contents), report.contents);
}
