//! Whatever a file of tenants says, it is refused with words or read into tenants.
#![no_main]

// What the proptests of the edge check, too. It is code of tests, so no crate has it.
#[path = "../../proxy/tests/hostile/checks.rs"]
#[allow(dead_code, reason = "the other target has the rest")]
mod checks;

libfuzzer_sys::fuzz_target!(|text: &str| checks::tenants(text));
