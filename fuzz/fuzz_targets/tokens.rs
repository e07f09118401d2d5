//! Tokens and key sets: nothing breaks, and a token that nobody signed is never good.
#![no_main]

#[path = "../../proxy/tests/hostile/checks.rs"]
#[allow(dead_code, reason = "the other target has the rest")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (keys, token) = input;
    checks::key_set(keys.as_bytes(), token);
    checks::token(token);
});
