//! Regular expressions of JSON Schema: ECMA-262 patterns, matched in time linear in the text.

mod ecma;
mod plain;

use plain::Plain;
use regex::{Regex, RegexBuilder};

/// Bytes that one compiled pattern may take.
pub(super) const PATTERN_SIZE_LIMIT: usize = 1 << 20;

/// A pattern, compiled.
#[derive(Debug)]
pub struct Pattern(Way);

#[derive(Debug)]
enum Way {
    Plain(Plain),
    Engine(Regex),
}

impl Pattern {
    /// Takes what [`compile_pattern`] takes. What only that refuses are sizes, which matter to an engine alone.
    pub(super) fn new(pattern: &str) -> Option<Pattern> {
        let translated = ecma::translate(pattern).ok()?;
        match Plain::new(&translated) {
            Some(plain) => Some(Pattern(Way::Plain(plain))),
            None => compile_translated(&translated).ok().map(|engine| Pattern(Way::Engine(engine))),
        }
    }

    #[inline]
    pub fn is_match(&self, text: &str) -> bool {
        match &self.0 {
            Way::Plain(plain) => plain.is_match(text),
            Way::Engine(engine) => engine.is_match(text),
        }
    }
}

/// Compiles a JSON Schema `pattern`: ECMA-262 syntax with its ASCII `\d`, `\w` and `\b`, not anchored.
///
/// Matching takes time linear in the text. Look-around and back-references, which do not, are refused.
pub fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    compile_translated(&ecma::translate(pattern)?)
}

fn compile_translated(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE_LIMIT).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the pattern is too big once compiled".to_owned(),
        // The engine draws the translated pattern over several lines; its last line says what is wrong.
        error => {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            format!("invalid pattern: {}", reason.trim_start_matches("error: "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, text: &str) -> bool {
        compile_pattern(pattern).unwrap().is_match(text)
    }

    fn refusal(pattern: &str) -> String {
        compile_pattern(pattern).unwrap_err()
    }

    #[test]
    fn patterns_are_searched_for_anywhere() {
        assert!(is_match("b+", "abbc"));
        assert!(!is_match("^b+$", "abbc"));
        assert!(!is_match("^a$", "a\n"));
    }

    #[test]
    fn classes_are_those_of_ecma_262() {
        assert!(is_match(r"^\d\w$", "1_"));
        assert!(!is_match(r"^\d$", "٣"));
        assert!(!is_match(r"^\w$", "é"));
        assert!(is_match(r"^\W$", "é"));
        assert!(is_match(r"^\s$", "\u{feff}"));
        assert!(!is_match(r"^\S$", "\u{a0}"));
        assert!(!is_match("^.$", "\u{2028}"));
        assert!(is_match("^.$", "😀"));
        assert!(is_match(r"é\b", "éa"), "é is not a word character, a is");
        assert!(is_match(r"^[^\d\s]$", "x"));
        assert!(is_match(r"^[\w.-]+$", "a.b-c"));
        assert!(is_match(r"^\p{Lu}\p{Script=Greek}$", "Éα"));
    }

    #[test]
    fn escapes_are_those_of_ecma_262() {
        assert!(is_match(r"^\u0041\x42\u{43}\cJ\0\/\-$", "ABC\n\0/-"));
        assert!(is_match(r"^\ud83d\ude00$", "😀"));
        assert!(is_match(r"^[\b]$", "\u{8}"));
        assert!(is_match(r"^(?<name>a)(?:b)$", "ab"));
    }

    #[test]
    fn class_set_syntax_of_the_engine_is_only_text() {
        assert!(is_match("^[a[]$", "["));
        assert!(is_match("^[a&&b]+$", "a&b"));
        assert!(is_match("^[a~~b]+$", "~"));
        assert!(is_match("^[+--]+$", "+,-"));
        assert!(is_match(r"^[\w-z]+$", "a-"));
        assert!(is_match("^[[:alpha:]]$", "a]"), "a class of `[:alph`, then `]`");
        assert!(!is_match("[]", "a"));
        assert!(is_match("^[^]$", "\n"));
    }

    #[test]
    fn what_needs_backtracking_is_refused_by_name() {
        for pattern in ["(?=a)", "(?!a)", "(?<=a)", "(?<!a)"] {
            assert!(refusal(pattern).contains("look-around"), "{}", refusal(pattern));
        }
        for pattern in [r"(a)\1", r"(?<n>a)\k<n>"] {
            assert!(refusal(pattern).contains("back-reference"), "{}", refusal(pattern));
        }
    }

    #[test]
    fn what_only_other_engines_know_is_refused_by_name() {
        for pattern in ["(?i)a", "(?s).", "(?x) a", "(?i:a)", "(?-i)a", "a(?m)b"] {
            assert!(refusal(pattern).contains("inline flags"), "{pattern}: {}", refusal(pattern));
        }
        assert!(refusal("(?P<n>a)").contains("write `(?<name>…)`"));
        assert!(refusal("(?>a)").contains("not ECMA-262"));
        for pattern in ["a++", "a**", "a*+", "a?+", "a{2}+", "a{2}{3}", "a+?+", "a???"] {
            assert!(refusal(pattern).contains("after another quantifier"), "{pattern}: {}", refusal(pattern));
        }
        for pattern in ["*a", "a|+", "(?:*)", "^*", r"\b+", "{2}", "(+)"] {
            assert!(refusal(pattern).contains("nothing to repeat"), "{pattern}: {}", refusal(pattern));
        }
        for pattern in ["a{", "a{,2}", "a{x}", "a{1,2,3}", "a{1"] {
            assert!(refusal(pattern).contains("begins no count"), "{pattern}: {}", refusal(pattern));
        }
    }

    #[test]
    fn quantifiers_and_groups_of_ecma_262_stay() {
        assert!(is_match(r"^a+?b*?c??d{2}e{1,}f{1,2}?$", "aacddeef"));
        assert!(is_match(r"^(?:a|b)+(?<n>c)?[*+?{]\+\{$", "abc{+{"));
        assert!(is_match("^()?(|a)$", "a"));
        assert!(is_match(r"^\d+\.\S*$", "1.x"));
    }

    #[test]
    fn bad_patterns_are_refused_on_one_line() {
        for pattern in ["(", "[", "[b-a]", "**a", r"\A", r"\", r"\u12", r"[\d-", "a{2,1}", r"\p{Nope}"] {
            let message = refusal(pattern);
            assert!(!message.contains('\n') && !message.is_empty(), "{message}");
        }
        assert_eq!(refusal("(a{999}){999}"), "the pattern is too big once compiled");
        assert_eq!(refusal("(a"), "invalid pattern: unclosed group");
    }
}
