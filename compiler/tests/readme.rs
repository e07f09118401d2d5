//! Every console block of the README, and of the docs of `mcpc test` and `try`, does what it shows.
//!
//! TOML blocks that begin with a comment naming a file are written first. The commands run one after the other in
//! one folder. `[..]` in the expected output stands for anything within a line.
#![expect(
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what fails here fails the test"
)]

mod cli_support;

use cli_support::Workplace;
use std::path::Path;

struct Step {
    command: String,
    expected: String,
}

#[test]
fn console_blocks_of_the_readme_are_true() {
    console_blocks_are_true("README.md", 8);
}

#[test]
fn console_blocks_of_the_testing_page_are_true() {
    console_blocks_are_true("docs/TESTING.md", 7);
}

#[test]
fn console_blocks_of_the_migration_guides_are_true() {
    console_blocks_are_true("docs/FROM-ENVOY.md", 4);
    console_blocks_are_true("docs/FROM-KONG.md", 3);
    console_blocks_are_true("docs/FROM-OPENAPI.md", 8);
}

#[test]
fn the_builds_need_no_cmake() {
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(lock);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("name = \"mcp-edge\""), "{lock}");
        let has_cmake = text.lines().any(|line| line == "name = \"cmake\"");
        assert!(!has_cmake, "{lock}: a machine with a Rust toolchain and a C compiler cannot build it");
    }
}

fn console_blocks_are_true(page: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(page);
    let readme = std::fs::read_to_string(path).unwrap();
    let place = Workplace::new();
    for text in ["toml", "yaml"].iter().flat_map(|language| blocks(&readme, language)) {
        let name = text.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a file's name");
        place.write(name, &text);
    }
    let steps: Vec<Step> = blocks(&readme, "console").iter().flat_map(|block| steps(block)).collect();
    assert!(steps.len() >= at_least);
    for step in steps {
        let words = words(&step.command);
        let (program, arguments) = words.split_first().unwrap();
        assert_eq!(program, "mcpc", "only mcpc runs in console blocks");
        let done = place.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let actual = done.out + &done.err;
        assert!(
            matches(&step.expected, &actual),
            "$ {}\n--- the page says\n{}--- it is\n{actual}",
            step.command,
            step.expected
        );
    }
}

/// The words of a command; single quotes keep spaces together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, piece) in command.split('\'').enumerate() {
        let mut parts = if index % 2 == 1 { vec![piece] } else { piece.split(' ').collect() }.into_iter();
        words.last_mut().unwrap().push_str(parts.next().unwrap_or_default());
        words.extend(parts.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

fn blocks(readme: &str, language: &str) -> Vec<String> {
    let open = format!("\n```{language}\n");
    readme.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.into(), expected: String::new() }),
            (None, Some(step)) => step.expected.push_str(&format!("{line}\n")),
            (None, None) => panic!("output before a command: {line}"),
        }
    }
    steps
}

fn matches(expected: &str, actual: &str) -> bool {
    let (expected, actual): (Vec<&str>, Vec<&str>) =
        (expected.trim().lines().collect(), actual.trim().lines().collect());
    expected.len() == actual.len()
        && expected.iter().zip(&actual).all(|(e, a)| line_matches(e.trim_end(), a.trim_end()))
}

fn line_matches(expected: &str, actual: &str) -> bool {
    let mut pieces = expected.split("[..]");
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = actual.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[test]
fn the_wildcard_stays_within_a_line() {
    assert!(line_matches("a [..] c", "a b c") && line_matches("[..]", "x") && line_matches("a", "a"));
    assert!(!line_matches("a [..] c", "a b d") && !line_matches("a", "ab"));
}
