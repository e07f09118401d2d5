//! Cursors of `tools/list`: the name of the last tool that was listed. They hold no state of the server, and after a
//! swap of the bundle they still mean the same place.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Tells a cursor from other text, and its form from later ones.
const MARK: &str = "after:";

/// Longer than the cursor of any tool's name.
const LONGEST: usize = 256;

pub fn write(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(URL_SAFE_NO_PAD.encode(format!("{MARK}{name}")).as_bytes());
}

/// The name in a cursor.
pub fn read(cursor: &str) -> Option<String> {
    if cursor.len() > LONGEST {
        return None;
    }
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(MARK).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_gives_its_name_back() {
        let mut out = Vec::new();
        write("get_order", &mut out);
        assert_eq!(read(std::str::from_utf8(&out).unwrap()).as_deref(), Some("get_order"));
    }

    #[test]
    fn other_text_is_not_a_cursor() {
        for text in ["", "x", "get_order", "Z2V0X29yZGVy", &"a".repeat(300)] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
