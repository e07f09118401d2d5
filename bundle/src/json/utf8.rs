//! Bytes as text.

/// As [`std::str::from_utf8`], which takes one character at a time of all scripts but Latin's first: most of what a long answer in
/// Chinese would cost. Else, how many bytes are text.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Result<&str, usize> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| valid_up_to(bytes))
}

#[cold]
fn valid_up_to(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_says_what_the_standard_library_says(
            text in "[a-zß日\u{1f600}]{0,100}",
            flip in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
        ) {
            let mut bytes = text.into_bytes();
            if let Some((at, byte)) = flip && !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            prop_assert_eq!(read(&bytes), std::str::from_utf8(&bytes).map_err(|error| error.valid_up_to()));
        }
    }
}
