//! Tokens and key sets: nothing breaks, and a token that nobody signed is never good.
#![no_main]

// What the proptests of the edge check, too. It is code of tests, so no crate has it.
#[path = "../../proxy/tests/hostile/checks.rs"]
#[allow(dead_code, reason = "the other target has the rest")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (keys, token) = input;
    checks::key_set(keys.as_bytes(), token);
    checks::token(token);
});
