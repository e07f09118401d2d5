//! Digests of texts, in hexadecimal.

use super::super::error::Fault;
use super::call::{FunctionCall, push};
use super::{Answer, Function};
use sha1::Sha1;
use sha2::{Digest, Sha256};

pub(super) fn digest(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    match call.function {
        Function::Sha1Sum => push_hex(&Sha1::digest(text.as_bytes()), out)?,
        _ => push_hex(&Sha256::digest(text.as_bytes()), out)?,
    }
    Ok(Answer::Text)
}

fn push_hex(bytes: &[u8], out: &mut String) -> Result<(), Fault> {
    bytes.iter().try_for_each(|byte| push(out, &format!("{byte:02x}")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards() {
        for (function, argument, expected) in [
            (Function::Sha1Sum, "\"abc\"", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (Function::Sha1Sum, "absent", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (
                Function::Sha256Sum,
                "\"abc\"",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ] {
            assert_eq!(go(function, &[argument]).as_deref(), Ok(expected), "{function}");
        }
        assert_eq!(go(Function::Sha1Sum, &["[1]"]).unwrap_err(), "`sha1sum`: it needs text, not a list");
    }
}
