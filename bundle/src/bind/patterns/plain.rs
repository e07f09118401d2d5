//! Patterns that need no engine: from the first character to the last, a row of ASCII classes, each some number of times.
//!
//! Most patterns of parameters are of this kind (`^[A-Z]{3}-[0-9]+$`), and their texts are short. An engine for any pattern
//! takes longer to get ready for such a text than this takes to read it.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// Runs that a pattern may have.
const MOST_RUNS: usize = 64;

#[derive(Debug)]
pub(super) struct Plain(Box<[Run]>);

/// So many characters of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    class: Set,
    least: usize,
    most: usize,
}

/// ASCII characters: a bit for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Set([u64; 2]);

impl Set {
    fn insert(&mut self, character: u8) -> Option<()> {
        *self.0.get_mut(usize::from(character >> 6))? |= 1 << (character & 63);
        Some(())
    }

    #[inline(always)]
    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 6)).is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    fn union(self, other: Set) -> Set {
        Set([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    fn meets(self, other: Set) -> bool {
        self.0[0] & other.0[0] != 0 || self.0[1] & other.0[1] != 0
    }
}

impl Plain {
    /// Takes a pattern in the engine's syntax; `None` if an engine is needed.
    pub(super) fn new(pattern: &str) -> Option<Plain> {
        let pattern = regex_syntax::parse(pattern).ok()?;
        let HirKind::Concat(parts) = pattern.kind() else { return None };
        let [first, parts @ .., last] = parts.as_slice() else { return None };
        if *first.kind() != HirKind::Look(Look::Start) || *last.kind() != HirKind::Look(Look::End) {
            return None;
        }
        let mut runs = Vec::new();
        for part in parts {
            add(part, &mut runs)?;
        }
        is_unambiguous(&runs).then(|| Plain(runs.into()))
    }

    #[inline]
    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        for run in &self.0 {
            let most = rest.get(..run.most).unwrap_or(rest);
            let count = most.iter().position(|byte| !run.class.has(*byte)).unwrap_or(most.len());
            if count < run.least {
                return false;
            }
            rest = rest.get(count..).unwrap_or_default();
        }
        rest.is_empty()
    }
}

/// Adds what a part of a pattern matches. Recursion is bounded by the parser.
fn add(part: &Hir, runs: &mut Vec<Run>) -> Option<()> {
    match part.kind() {
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| add(part, runs))?,
        HirKind::Capture(group) => add(&group.sub, runs)?,
        HirKind::Literal(literal) => {
            for &byte in &literal.0 {
                let mut class = Set::default();
                class.insert(byte)?;
                runs.push(Run { class, least: 1, most: 1 });
            }
        }
        HirKind::Class(class) => runs.push(Run { class: members(class)?, least: 1, most: 1 }),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let (HirKind::Class(_) | HirKind::Literal(_)) = sub.kind() else { return None };
            let before = runs.len();
            add(sub, runs)?;
            let [run] = runs.get_mut(before..)? else { return None };
            run.least = *min as usize;
            run.most = max.map_or(usize::MAX, |max| max as usize);
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Alternation(_) => return None,
    }
    (runs.len() <= MOST_RUNS).then_some(())
}

/// The characters of a class, if all are ASCII.
fn members(class: &Class) -> Option<Set> {
    let Class::Unicode(class) = class else { return None };
    let mut members = Set::default();
    for range in class.ranges() {
        let (start, end) = (u8::try_from(range.start()).ok()?, u8::try_from(range.end()).ok()?);
        (start..=end).try_for_each(|character| members.insert(character))?;
    }
    Some(members)
}

/// Whether each run may take all it can get: nothing that could follow begins with a character of its class.
fn is_unambiguous(runs: &[Run]) -> bool {
    runs.iter().enumerate().all(|(index, run)| {
        let mut after = Set::default();
        for next in runs.iter().skip(index + 1) {
            after = after.union(next.class);
            if next.least > 0 {
                break;
            }
        }
        run.least == run.most || !run.class.meets(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::patterns::ecma;
    use proptest::prelude::*;
    use regex::Regex;

    fn plain(pattern: &str) -> Option<Plain> {
        Plain::new(&ecma::translate(pattern).unwrap())
    }

    #[test]
    fn usual_patterns_need_no_engine() {
        for (pattern, good, bad) in [
            (
                r"^[A-Z]{3}-[0-9]+$",
                &["PEN-1", "INK-22"][..],
                &["", "PEN-", "pen-1", "PENS-1", "PEN-1 ", "PEN-1\n", "PEN-é"][..],
            ),
            (r"^\d{4}-\d{2}$", &["2024-02"], &["2024-2", "2024-022", "٢٠٢٤-02"]),
            (r"^[a-z0-9_-]{1,8}$", &["a", "a_b-c-1d"], &["", "a_b-c-1de", "A"]),
            (r"^(?:v)?([0-9]+)\.\w*?$", &["v1.", "12.x_1"], &["v.1", "1", "1.é"]),
            (r"^a?b?$", &["", "a", "b", "ab"], &["ba", "aa"]),
            (r"^x$", &["x"], &["", "xx"]),
            ("^$", &[""], &["x"]),
        ] {
            let plain = plain(pattern).unwrap_or_else(|| panic!("{pattern} is plain"));
            good.iter().for_each(|text| assert!(plain.is_match(text), "{pattern} {text:?}"));
            bad.iter().for_each(|text| assert!(!plain.is_match(text), "{pattern} {text:?}"));
        }
    }

    #[test]
    fn others_need_an_engine() {
        for pattern in [
            "a",
            "^a",
            "a$",
            "",
            "^a|b$",
            "^(?:a|bc)$",
            "^.$",
            "^[^a]$",
            r"^\s$",
            r"^\W$",
            "^é$",
            "^[a-é]$",
            "^(?:ab)+$",
            "^a*a$",
            "^a*b?a$",
            "^[ab]+[bc]+$",
            r"^a\b$",
            "^(?:a*)*$",
            "^(?:a+b*)?$",
            r"^\p{Lu}$",
        ] {
            assert!(plain(pattern).is_none(), "{pattern}");
        }
        assert!(plain(&format!("^{}$", "a?b?".repeat(40))).is_none(), "too many runs");
    }

    fn pattern() -> impl Strategy<Value = String> {
        let class = prop_oneof![
            "[a-d]{1}",
            Just("[bd]".to_owned()),
            Just("[^a]".to_owned()),
            Just(r"\w".to_owned()),
            Just("é".to_owned())
        ];
        let times = prop_oneof![
            Just(""),
            Just("*"),
            Just("+"),
            Just("?"),
            Just("{2}"),
            Just("{1,2}"),
            Just("{2,}"),
            Just("??")
        ];
        let run = (class, times).prop_map(|(class, times)| format!("{class}{times}"));
        prop::collection::vec(run, 0..5).prop_map(|runs| format!("^{}$", runs.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_engine_matches_the_same(pattern in pattern(), text in "[a-dé\n]{0,8}") {
            if let Some(plain) = plain(&pattern) {
                let engine = Regex::new(&ecma::translate(&pattern).unwrap()).unwrap();
                prop_assert_eq!(plain.is_match(&text), engine.is_match(&text));
            }
        }
    }
}
