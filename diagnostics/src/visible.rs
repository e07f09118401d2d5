//! Makes text safe to print: nothing that a file holds may steer a terminal or hide in it.

use std::borrow::Cow;

/// The text with every control or invisible character shown; lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, shown)
}

/// The same on one line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    replaced(text, |c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { shown(c) })
}

/// One character for one character, so that columns stay.
pub fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        // Controls of the second set (a terminal may take U+009B for an escape), directions, invisible
        // operators and tags. Joiners stay: words and emoji need them.
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn replaced(text: &str, by: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.chars().all(|c| by(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(by).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_pictures() {
        assert_eq!(visible("a\u{1b}[31mb\u{7f}"), "a␛[31mb␡");
        assert_eq!(visible("\u{9b}31m\u{202e}\u{e0041}"), "�31m��");
    }

    #[test]
    fn plain_text_stays() {
        assert!(matches!(visible("tab\tand\nline, é中🦀 👨\u{200d}👩"), Cow::Borrowed(_)));
        assert_eq!(one_line("a\r\n\tb"), "a   b");
    }
}
