//! Variables in the notation of shells, templates or Windows: `$NAME`, `{NAME}`, `%NAME%`.

use std::ops::Range;

/// What was most likely meant as `${NAME}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Misspelt<'a> {
    pub range: Range<usize>,
    pub name: &'a str,
}

/// All misspelt variables of a text. `{{ … }}` and `${…}` are left alone.
pub fn variables(text: &str) -> Vec<Misspelt<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = if rest.starts_with("{{") {
            rest.find("}}").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("${") {
            rest.find('}').map_or(rest.len(), |end| end + 1)
        } else if let Some((length, name)) = notation(rest).filter(|(_, name)| is_meant(text, at, name)) {
            found.push(Misspelt { range: at..at + length, name });
            length
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += length;
    }
    found
}

/// The length of a variable in another notation at the start of a text, and the name in it.
fn notation(text: &str) -> Option<(usize, &str)> {
    let (open, close) = match text.chars().next()? {
        '$' => ('$', ""),
        '{' => ('{', "}"),
        '%' => ('%', "%"),
        _ => return None,
    };
    let inner = text.strip_prefix(open)?;
    let length = inner.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let (name, after) = inner.split_at_checked(length)?;
    // `%E2%` is the beginning of encoded bytes.
    let is_name = name.bytes().next().is_some_and(|b| !b.is_ascii_digit()) && !(open == '%' && length == 2);
    (is_name && after.starts_with(close)).then_some((1 + length + close.len(), name))
}

/// `SHOP_TOKEN` is how variables are named. Other names count only as a whole credential.
fn is_meant(text: &str, at: usize, name: &str) -> bool {
    let is_upper = name.len() > 1 && !name.bytes().any(|b| b.is_ascii_lowercase());
    let scheme = text.get(..at).map(str::trim).unwrap_or_default();
    is_upper || ["bearer", "basic", "token"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        variables(text).into_iter().map(|variable| variable.name).collect()
    }

    #[test]
    fn other_notations_of_variables_are_found() {
        for text in [
            "Bearer $SHOP_TOKEN",
            "Bearer {SHOP_TOKEN}",
            "Bearer %SHOP_TOKEN%",
            "$SHOP_TOKEN/x",
            "é $SHOP_TOKEN",
            "$$SHOP_TOKEN",
        ] {
            let found = variables(text);
            assert_eq!(names(text), ["SHOP_TOKEN"], "{text}");
            assert!(text.get(found[0].range.clone()).unwrap().contains("SHOP_TOKEN"), "{text}");
        }
        assert_eq!(names("$A_1-{B_2}%C_3%"), ["A_1", "B_2", "C_3"]);
        assert_eq!(names("Bearer $token"), ["token"]);
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "${SHOP_TOKEN}",
            "$${SHOP_TOKEN}",
            "{{ $TOKEN }}",
            "{{TOKEN}}",
            "cost $5",
            "$.store",
            "$filter",
            "US$",
            "{id}",
            "100%",
            "%E2%82%AC",
            "{\"A\":1}",
            "${OPEN",
            "{{ OPEN",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
    }
}
