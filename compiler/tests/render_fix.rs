//! Fixing changes what was found and touches nothing else.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};
use mcpc::check::{MemoryFiles, Report, check_files};
use mcpc::fix::{FixedFile, apply};
use mcpc::language::rules;
use proptest::prelude::*;
use std::ops::Range;

const SPEC: &str = "\u{feff}# 一\r\n[[tool]] # the first\r\nname   = \"get\"\r\n\tmethod = 'get' # lower\r\n\
    descripton = \"\"\"\r\n中 文\r\n\"\"\"\r\nendpoint = \"https://api.example.com\"";

type Edits<'t> = Vec<(Range<usize>, &'t str)>;

/// A report of one file with fixes that are made by hand, each of a finding.
fn report(text: &str, fixes: Vec<(Applicability, Edits<'_>)>) -> Report {
    let mut report = check_files(&MemoryFiles::one("a.toml", text));
    let (file, _) = report.sources.files().next().unwrap();
    let finding = |(applicability, edits): (_, Edits<'_>)| {
        let edits =
            edits.into_iter().map(|(range, text)| Edit { span: Span::new(file, range), text: text.into() });
        Diagnostic::new(&rules::UNKNOWN_KEY, Span::whole_file(file), "x").fix(applicability, edits.collect())
    };
    report.diagnostics = fixes.into_iter().map(finding).collect();
    report
}

fn safe(edits: Edits<'_>) -> (Applicability, Edits<'_>) {
    (Applicability::Safe, edits)
}

fn only(report: &Report) -> Option<FixedFile> {
    let mut files = apply(report);
    assert!(files.len() <= 1);
    files.pop()
}

#[test]
fn what_is_fixed_is_not_found_again() {
    let report = check_files(&MemoryFiles::one("shop.toml", SPEC));
    let fixed = only(&report).unwrap();
    assert_eq!((fixed.name.as_str(), fixed.fixed.len()), ("shop.toml", 2));
    let expected = SPEC.replace("'get'", "\"GET\"").replace("descripton", "description");
    assert_eq!(fixed.text, expected, "comments, order, line ends and the byte order mark stay");
    let again = check_files(&MemoryFiles::one("shop.toml", &fixed.text));
    let left: Vec<&str> = again.diagnostics.iter().map(|diagnostic| diagnostic.name()).collect();
    assert!(!left.contains(&"unknown-key") && !left.contains(&"unknown-method"), "{left:?}");
    assert_eq!(apply(&again), [], "fixing again changes nothing");
}

#[test]
fn a_fix_for_people_is_not_applied() {
    assert_eq!(only(&report("a = 1\n", vec![(Applicability::DisplayOnly, vec![(0..1, "b")])])), None);
}

#[test]
fn of_overlapping_fixes_the_first_is_applied() {
    let fixes = vec![safe(vec![(2..5, "x")]), safe(vec![(4..6, "y")]), safe(vec![(6..7, "z")])];
    let fixed = only(&report("# a b c d", fixes)).unwrap();
    assert_eq!((fixed.text.as_str(), fixed.fixed.len()), ("# x z d", 2));
}

#[test]
fn a_fix_is_applied_whole_or_not_at_all() {
    let fixes = vec![safe(vec![(2..3, "x")]), safe(vec![(4..5, "y"), (2..4, "z")])];
    assert_eq!(only(&report("# a b", fixes)).unwrap().text, "# x b");
    let outside = vec![safe(vec![(0..1, "x"), (90..99, "y")])];
    assert_eq!(only(&report("# a b", outside)), None);
    let within_a_character = vec![safe(vec![(3..4, "x")])];
    assert_eq!(only(&report("# 中", within_a_character)), None);
}

#[test]
fn findings_that_agree_are_fixed_together() {
    let fixes = vec![safe(vec![(2..3, "x")]), safe(vec![(2..3, "x"), (4..5, "y")])];
    let fixed = only(&report("# a b", fixes)).unwrap();
    assert_eq!((fixed.text.as_str(), fixed.fixed.len()), ("# x y", 2));
}

#[test]
fn an_insertion_happens_once_in_a_place() {
    let fixes = vec![safe(vec![(1..1, "x")]), safe(vec![(1..1, "x")]), safe(vec![(1..2, "y")])];
    let fixed = only(&report("# a", fixes)).unwrap();
    assert_eq!((fixed.text.as_str(), fixed.fixed.len()), ("#xya", 2));
}

#[test]
fn a_change_of_nothing_changes_nothing() {
    assert_eq!(only(&report("a = 1", vec![safe(vec![(0..1, "a")]), safe(vec![])])), None);
}

#[test]
fn a_fix_that_makes_a_file_unreadable_is_left_out() {
    let fixes = vec![safe(vec![(0..1, "b")]), safe(vec![(12..13, "d")])];
    let fixed = only(&report("a = 1\nb = 2\nc = 3\n", fixes)).unwrap();
    assert_eq!((fixed.text.as_str(), fixed.fixed.len()), ("a = 1\nb = 2\nd = 3\n", 1));
    let broken = "= 1\nb = 2\n";
    assert_eq!(only(&report(broken, vec![safe(vec![(4..5, "c")])])).unwrap().text, "= 1\nc = 2\n");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn all_but_the_edited_text_stays(pieces in prop::collection::vec(("[ -~é中\r\n\t]{0,8}", "[ -~é中\n]{1,8}", "[a-z中]{0,4}"), 0..20)) {
        // Each piece is some text that stays, some that is replaced, and what replaces it.
        let mut text = String::from("= not toml, so anything goes\n");
        let mut expected = text.clone();
        let mut fixes = Vec::new();
        for (kept, old, new) in &pieces {
            text.push_str(kept);
            let start = text.len();
            text.push_str(old);
            fixes.push(safe(vec![(start..text.len(), new.as_str())]));
            expected.push_str(kept);
            expected.push_str(new);
        }
        let changes = pieces.iter().filter(|(_, old, new)| old != new).count();
        fixes.reverse();
        let fixed = only(&report(&text, fixes));
        match fixed {
            Some(fixed) => prop_assert_eq!((fixed.fixed.len(), fixed.text), (changes, expected)),
            None => prop_assert_eq!(changes, 0),
        }
    }
}
