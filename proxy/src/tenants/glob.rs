//! Patterns of tool names: `*` is any text, `?` any character, everything else itself.

/// A pattern. Tool names are ASCII, so bytes are characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glob(pub String);

impl Glob {
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut seen) = (0, 0);
        // Where to go on when what follows the last star does not fit: one character further.
        let mut last_star: Option<(usize, usize)> = None;
        while seen < name.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    last_star = Some((at, seen));
                    at += 1;
                }
                Some(expected) if *expected == b'?' || Some(expected) == name.get(seen) => {
                    at += 1;
                    seen += 1;
                }
                _ => match last_star {
                    Some((star, from)) => {
                        last_star = Some((star, from + 1));
                        at = star + 1;
                        seen = from + 1;
                    }
                    None => return false,
                },
            }
        }
        pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stars_and_question_marks_match_what_people_expect() {
        let matches = |pattern: &str, name: &str| Glob(pattern.to_owned()).matches(name);
        for (pattern, name) in [
            ("*", ""),
            ("*", "get_order"),
            ("get_*", "get_order"),
            ("*_admin", "drop_admin"),
            ("get_?", "get_a"),
            ("a*b*c", "a-b-b-c"),
            ("get_order", "get_order"),
            ("**", "x"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("get_*", "set_order"), ("*_admin", "admin"), ("get_?", "get_"), ("", "x"), ("a*b", "a-b-c")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_regular_expression(pattern in "[ab*?]{0,8}", name in "[ab]{0,8}") {
            let expression = pattern.replace('*', ".*").replace('?', ".");
            let oracle = regex::Regex::new(&format!("^(?:{expression})$")).unwrap();
            prop_assert_eq!(Glob(pattern).matches(&name), oracle.is_match(&name));
        }
    }
}
