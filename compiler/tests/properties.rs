//! Any spec gives findings, or a plan that can be written and read back. The fuzz targets in
//! miniature.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "what fails here fails the test"
)]

use mcp_bundle::format::{self, Trust};
use mcpc::check::{MemoryFiles, check_files};
use mcpc::fix;
use mcpc::render::{Format, render};
use proptest::prelude::*;

const SEEDS: [&str; 5] = [
    include_str!("../src/cli/starter.toml"),
    include_str!("../../tool-specs/shop.toml"),
    include_str!("../../tool-specs/elasticsearch.toml"),
    include_str!("../../tests/fixtures/seed_example.toml"),
    include_str!("../../tests/fixtures/mcp_servers.toml"),
];

/// Values that break things, put in place of a value.
const VALUES: [&str; 16] = [
    "\"\"",
    "-1",
    "99999999999999999999",
    "1e400",
    "nan",
    "[]",
    "{}",
    "[[1], {a = 2}]",
    "true",
    "\"{a}{a}{\"",
    "\"{{ .a }}\"",
    "\"${X}${\"",
    "\"https://x@y:z/../\"",
    "\"\\u0000\\u202e\\U000E0041\"",
    "{ type = \"object\", \"$ref\" = \"#/x\", properties = { a = false } }",
    "1979-05-27T07:32:00Z",
];

fn never_panics(text: &str) {
    let report = check_files(&MemoryFiles::one("spec.toml", text));
    for diagnostic in &report.diagnostics {
        let (start, end) = (diagnostic.start(&report.sources), diagnostic.end(&report.sources));
        assert!(start.line >= 1 && start.column >= 1 && start.offset <= end.offset, "{diagnostic:?}");
    }
    for format in [Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Github] {
        render(format, &report, false, &mut std::io::sink()).unwrap();
    }
    fix::apply(&report);
    if let Some(contents) = &report.contents {
        let bytes = format::write(contents).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(format::read(&bytes, &Trust::Any).unwrap().contents, *contents);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_text(text in "\\PC{0,300}") {
        never_panics(&text);
    }

    #[test]
    fn arbitrary_toml_like_lines(lines in prop::collection::vec("(\\[\\[?[a-z.\"]{0,12}\\]?\\]|[a-z_\"]{1,10} ?= ?(\"[^\"]{0,10}\"|[0-9]{1,5}|true|\\{[a-z= ]{0,9}\\}|\\[\\]))", 0..20)) {
        never_panics(&lines.join("\n"));
    }

    #[test]
    fn mutated_values(seed in 0..SEEDS.len(), line in any::<prop::sample::Index>(), value in 0..VALUES.len()) {
        let mut lines: Vec<String> = SEEDS[seed].lines().map(str::to_owned).collect();
        let candidates: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].contains(" = ")).collect();
        let line = candidates[line.index(candidates.len())];
        let key = lines[line].split(" = ").next().unwrap().to_owned();
        lines[line] = format!("{key} = {}", VALUES[value]);
        never_panics(&lines.join("\n"));
    }

    #[test]
    fn dropped_and_doubled_lines(seed in 0..SEEDS.len(), cut in any::<prop::sample::Index>(), double in any::<bool>()) {
        let mut lines: Vec<&str> = SEEDS[seed].lines().collect();
        let at = cut.index(lines.len());
        if double { lines.insert(at, lines[at]); } else { lines.remove(at); }
        never_panics(&lines.join("\n"));
    }

    #[test]
    fn truncated_files(seed in 0..SEEDS.len(), cut in any::<prop::sample::Index>()) {
        let text = SEEDS[seed];
        let at = text.floor_char_boundary(cut.index(text.len()));
        never_panics(&text[..at]);
    }
}
