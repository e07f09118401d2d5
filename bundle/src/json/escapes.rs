//! What JSON strings hold instead of each byte.

use super::special::is_special;

/// What is written for a byte, the first one lowest; how many bytes these are is in the highest one.
#[inline(always)]
pub(super) fn escape_of(byte: u8) -> u64 {
    ESCAPES.get(usize::from(byte)).copied().unwrap_or_default()
}

#[inline(always)]
pub(super) const fn length_of(escape: u64) -> usize {
    (escape >> 56) as usize
}

/// Set in the escapes of six bytes, and in no other.
pub(super) const LONG_ESCAPE: u64 = 4 << 56;

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, bounded by the loop")]
static ESCAPES: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = u64::from_le_bytes(match byte as u8 {
            b'"' => *b"\\\"\0\0\0\0\0\x02",
            b'\\' => *b"\\\\\0\0\0\0\0\x02",
            b'\n' => *b"\\n\0\0\0\0\0\x02",
            b'\r' => *b"\\r\0\0\0\0\0\x02",
            b'\t' => *b"\\t\0\0\0\0\0\x02",
            0x08 => *b"\\b\0\0\0\0\0\x02",
            0x0C => *b"\\f\0\0\0\0\0\x02",
            control @ ..0x20 => {
                let digits = b"0123456789abcdef";
                let [high, low] = [digits[control as usize >> 4], digits[control as usize & 15]];
                [b'\\', b'u', b'0', b'0', high, low, 0, 6]
            }
            plain => {
                assert!(!is_special(plain));
                [plain, 0, 0, 0, 0, 0, 0, 1]
            }
        });
        byte += 1;
    }
    table
};
