//! File names as URI references (RFC 3986).

/// A relative name stays relative; an absolute one becomes a `file:` URI.
pub fn of_file(name: &str) -> String {
    let name = name.strip_prefix("./").filter(|rest| !rest.starts_with('/')).unwrap_or(name);
    if name.starts_with('/') {
        return format!("file://{}", encode(name));
    }
    if has_drive(name) {
        // The colon of a drive is not a separator within a path.
        return format!("file:///{}", encode(name).replacen("%3A", ":", 1));
    }
    encode(name)
}

fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

/// Escapes all but unreserved characters and `/`. A colon too: in the first segment it would end a
/// scheme.
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_names_stay_relative() {
        assert_eq!(of_file("specs/shop.toml"), "specs/shop.toml");
        assert_eq!(of_file("./shop.toml"), "shop.toml");
        assert_eq!(of_file("../shop.toml"), "../shop.toml");
    }

    #[test]
    fn odd_characters_are_escaped() {
        assert_eq!(of_file("my shop#1?.toml"), "my%20shop%231%3F.toml");
        assert_eq!(of_file("caf\u{e9}/中.toml"), "caf%C3%A9/%E4%B8%AD.toml");
        assert_eq!(of_file("a:b%20.toml"), "a%3Ab%2520.toml");
    }

    #[test]
    fn absolute_names_become_file_uris() {
        assert_eq!(of_file("/srv/my shop.toml"), "file:///srv/my%20shop.toml");
        assert_eq!(of_file("C:/specs/a.toml"), "file:///C:/specs/a.toml");
    }
}
