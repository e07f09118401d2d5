//! Why a template failed, without the values of the response: logs never hold those.

/// A message of a template's fault. It starts with the function's name in backticks; any other quoted text, and any
/// number, may come from the data.
pub(super) fn message(message: &str) -> String {
    let (name, rest) = match message.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
        Some((name, rest)) if rest.starts_with(": ") || name == "range" => (format!("`{name}`"), rest),
        _ => (String::new(), message),
    };
    let rest = without_quoted(&without_quoted(rest, '"'), '`');
    let is_number = |word: &str| word.trim_start_matches(['-', '+']).starts_with(char::is_numeric);
    let words = rest.split(' ').map(|word| if is_number(word) { "…" } else { word });
    name + &words.collect::<Vec<_>>().join(" ")
}

/// From the first quote to the last, because what is quoted may have quotes of its own.
fn without_quoted(text: &str, quote: char) -> String {
    match text.split_once(quote).map(|(before, rest)| (before, rest.rsplit_once(quote))) {
        Some((before, Some((_, after)))) => format!("{before}…{after}"),
        Some((before, None)) => format!("{before}…"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_stays_and_the_values_go() {
        for (whole, shown) in [
            ("`len`: a number has no length", "`len`: a number has no length"),
            ("`range` cannot loop over the number 4111.5", "`range` cannot loop over the number …"),
            ("`b64dec`: \"se\"cr\"et\" is not base64", "`b64dec`: … is not base64"),
            ("`secret` is not an index of a list", "… is not an index of a list"),
            (
                "`index`: 4111 is out of range, the list has 3 items",
                "`index`: … is out of range, the list has … items",
            ),
            ("`printf`: `%`x` in a format is not supported", "`printf`: … in a format is not supported"),
            ("an unclosed \" quote", "an unclosed …"),
            ("", ""),
        ] {
            assert_eq!(message(whole), shown);
        }
    }
}
