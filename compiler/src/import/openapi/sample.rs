//! Texts that match a plain pattern, such as `^AC[0-9a-f]{32}$`.

use mcp_bundle::bind::patterns::compile_pattern;

/// The longest text that is made.
const MAX_LENGTH: usize = 128;

/// A text that matches; `None` for a pattern with more than characters, classes and numbers of them.
pub fn of_pattern(pattern: &str) -> Option<String> {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let mut out = String::new();
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        let one = match c {
            '[' => {
                let class: String = chars.by_ref().take_while(|c| *c != ']').collect();
                of_class(&class)?
            }
            '\\' => match chars.next()? {
                'd' => '0',
                'w' => 'a',
                's' => ' ',
                'S' => 'a',
                c if c.is_alphanumeric() => return None,
                c => c,
            },
            '.' => 'a',
            '(' | ')' | '|' | '^' | '$' | '*' | '+' | '?' | '{' => return None,
            c => c,
        };
        let times = match chars.peek() {
            Some('+') => {
                chars.next();
                1
            }
            Some('*' | '?') => {
                chars.next();
                0
            }
            Some('{') => {
                let numbers: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                numbers.split(',').next()?.parse::<usize>().ok()?
            }
            _ => 1,
        };
        if out.len() + times > MAX_LENGTH {
            return None;
        }
        out.extend(std::iter::repeat_n(one, times));
    }
    let fits = compile_pattern(pattern).is_ok_and(|compiled| compiled.is_match(&out));
    fits.then_some(out)
}

/// A character of a class.
fn of_class(class: &str) -> Option<char> {
    let mut chars = class.chars();
    match chars.next()? {
        '^' => None,
        '\\' => match chars.next()? {
            'd' => Some('0'),
            'w' => Some('a'),
            _ => None,
        },
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_patterns_have_samples() {
        assert_eq!(of_pattern("^AC[0-9a-fA-F]{6}$").as_deref(), Some("AC000000"));
        assert_eq!(of_pattern("\\d+-[a-z]*").as_deref(), Some("0-"));
        assert_eq!(of_pattern("^(a|b)$"), None);
        assert_eq!(of_pattern("a{100000000}"), None);
    }

    proptest! {
        #[test]
        fn any_pattern_is_matched_or_given_up(pattern in "[a-c\\[\\]\\\\dw.^$*+?{}0-9,()|-]{0,16}") {
            if let Some(sample) = of_pattern(&pattern) {
                prop_assert!(compile_pattern(&pattern).unwrap().is_match(&sample));
            }
        }
    }
}
