//! Whatever a file holds and wherever a finding points, it is shown: no panic, no escape, no lost finding.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed unwrap is a failed test")]

use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span};
use mcpc::check::{MemoryFiles, Report, check_files};
use mcpc::language::rules;
use mcpc::render::{Format, render};
use proptest::prelude::*;

const FORMATS: [Format; 5] = [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github];

fn rendered(format: Format, report: &Report) -> String {
    let mut out = Vec::new();
    render(format, report, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn report(texts: &[&str], finding: impl Fn(&dyn Fn(usize, u32, u32) -> Span) -> Diagnostic) -> Report {
    let mut report = check_files(&MemoryFiles::default());
    let names = ["a.toml", "b\u{1b}[31m\n.toml"];
    let files: Vec<_> = texts.iter().zip(names).map(|(text, name)| report.sources.add(name, *text)).collect();
    let span = |file: usize, start: u32, end: u32| Span { file: files[file], start, end };
    report.diagnostics = vec![finding(&span)];
    report
}

#[test]
fn a_deep_place_in_a_long_line_keeps_its_column() {
    let text = format!("x = [{}MARK, {}]", "12345, ".repeat(100_000), "67890, ".repeat(100_000));
    let at = text.find("MARK").unwrap() as u32;
    let report = report(&[&text], |span| {
        Diagnostic::new(&rules::WRONG_TYPE, span(0, at, at + 4), "what is this")
            .label("this")
            .note("a number is meant")
            .replace(span(0, at, at + 4), "7")
    });
    insta::assert_snapshot!(rendered(Format::Human, &report), @r#"
    error[MCP0103]: what is this
     --> a.toml:1:700006
      |
      |
    1 | …5, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, MARK, 67890, 67890, 67890, 67890, 67890, 67890, 6789...
      |                                                                                  ^^^^ this
      |
      = note: a number is meant
    help: `--fix` writes it so
      |
    1 - …5, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, MARK, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 6…
    1 + …5, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 12345, 7, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 67890, 6…
      |

    error: 1 error in 0 files (0 tools); 1 fixable with --fix
    "#);
}

#[test]
fn many_findings_in_a_large_file_take_no_large_output() {
    let text = "key = \"some value of some length\"\n".repeat(100_000);
    let mut report = report(&[&text], |span| Diagnostic::new(&rules::UNKNOWN_KEY, span(0, 0, 3), "x"));
    let first = report.diagnostics[0].clone();
    report.diagnostics = (0..10_000)
        .map(|line| {
            let start = line * 340;
            let span = Span { start, end: start + 3, ..first.span };
            Diagnostic { span, ..first.clone() }.related(Span { start: 0, end: 3, ..span }, "the first")
        })
        .collect();
    let text = rendered(Format::Human, &report);
    assert!(text.contains("99991 | key ="));
    assert!(text.len() < 4_000_000, "{}", text.len());
}

#[test]
fn empty_files_and_places_outside_are_shown() {
    for (text, start, end) in
        [("", 0, 0), ("", 5, 9), ("a", 1, 1), ("a\n", 2, 2), ("\u{feff}", 0, 3), ("é", 1, 1)]
    {
        let report = report(&[text], |span| {
            let place = span(0, start, end);
            Diagnostic::new(&rules::TOML_SYNTAX, place, "odd")
                .label("here")
                .related(place, "there")
                .replace(place, "b")
        });
        for format in FORMATS {
            assert!(rendered(format, &report).contains("MCP0004"), "{text:?} {format:?}");
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        5 => "[ -~]{0,12}",
        1 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\t".to_owned()),
        1 => Just("\u{feff}".to_owned()),
        1 => Just("中é🦀\u{301}\u{200d}".to_owned()),
        1 => Just("\u{1b}[31m\u{9b}\u{7f}\0\r\u{202e}\u{2028}".to_owned()),
        1 => Just("0123456789".repeat(60)),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn anything_is_shown_safely(
        texts in [text(), text()],
        places in prop::collection::vec((0..2usize, 0..300u32, prop_oneof![Just(0), 0..12u32, 0..300u32]), 1..4),
        edits in prop::collection::vec((0..2usize, 0..300u32, 0..20u32, text()), 0..4),
        words in [text(), text(), text()],
        is_safe in any::<bool>(),
    ) {
        let report = report(&[&texts[0], &texts[1]], |span| {
            let spans: Vec<Span> = places.iter().map(|(file, start, len)| span(*file, *start, start + len)).collect();
            let edits = edits.iter().map(|(file, start, len, text)| Edit { span: span(*file, *start, start + len), text: text.clone() });
            let applicability = if is_safe { Applicability::Safe } else { Applicability::DisplayOnly };
            let mut finding = Diagnostic::new(&rules::UNKNOWN_KEY, spans[0], &words[0]).label(&words[1]).note(&words[2]).help(&words[0]).fix(applicability, edits.collect());
            finding.related = spans.iter().skip(1).map(|span| (*span, words[2].clone())).collect();
            finding
        });
        for format in FORMATS {
            let out = rendered(format, &report);
            prop_assert!(out.contains("MCP0101"), "{:?}", format);
            if !matches!(format, Format::Json | Format::Sarif) {
                let is_unsafe = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
                prop_assert!(!out.contains(is_unsafe), "{:?} {:?}", format, out);
            }
        }
        prop_assert_eq!(rendered(Format::Concise, &report).lines().count(), 1);
        prop_assert_eq!(rendered(Format::Github, &report).lines().count(), 1);
        mcpc::fix::apply(&report);
    }
}
