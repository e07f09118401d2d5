//! Whatever an answer and a call hold, and however an example is written: an update makes it pass, and is the last one.
#![expect(clippy::panic, reason = "what fails here fails the test")]

use mcpc::check::{MemoryFiles, Report, check_files};
use mcpc::exercise::testing::{Results, Selection, run, updates};
use mcpc::language::json::write_string;
use proptest::prelude::*;

const HEAD: &str = r#"[[tool]]
name = "t"
description = "Takes anything and gives it back."
method = "POST"
endpoint = "https://api.example.com/a"
"#;

const PARAMETERS: &str = "[[tool.parameters]]\nname = \"x\"\ndescription = \"Anything\"\n";

/// `ARGUMENT` and `ANSWER` stand for TOML strings.
const FORMS: &[(&str, &str)] = &[
    ("", "[[tool.examples]]\narguments = { x = ARGUMENT }\nresponse = { body = ANSWER }\n"),
    (
        "",
        "[[tool.examples]]\narguments = { x = ARGUMENT } # a\nrequest = { url = '', body = 'old' } # b\nresponse = { body = ANSWER } # c\ntext = 'old' # d\n",
    ),
    (
        "",
        "[[tool.examples]]\narguments.x = ARGUMENT\nrequest.body = { x = 'old' }\nresponse.body = ANSWER\ntext = \"\"\"\nold\nlines\"\"\"\n",
    ),
    (
        "",
        "[[tool.examples]]\n[tool.examples.arguments]\nx = ARGUMENT\n[tool.examples.request.body]\nx = 'old'\n[tool.examples.response]\nbody = ANSWER\n",
    ),
    ("examples = [{ arguments = { x = ARGUMENT }, response = { body = ANSWER }, text = '' }]\n", ""),
    (
        "examples = [\n  { arguments.x = ARGUMENT, request = { body = { x = 'old' } }, response.body = ANSWER }, # c\n]\n",
        "",
    ),
];

fn tested(spec: &str) -> (Report, Results) {
    let report = check_files(&MemoryFiles::one("spec.toml", spec));
    let problems: Vec<_> = report.diagnostics.iter().map(|d| &d.message).collect();
    let contents = report.contents.as_ref().unwrap_or_else(|| panic!("{problems:?}\n{spec}"));
    let results = run(&report, contents, &Selection::default());
    (report, results)
}

/// JSON strings are TOML strings, but for DEL.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(text, &mut out);
    out.replace('\u{7f}', "\\u007f")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_update_makes_an_example_pass_once_and_for_all(
        argument in "(?s)[ \"'\\\\\n\r\ta-c{}\\[\\]=#,\u{7f}\u{202e}é🦀]{0,12}",
        answer in "(?s)[ \"'\\\\\n\r\ta-c{}\\[\\]=#,\u{1b}\u{202e}é🦀]{1,24}",
        crlf: bool,
    ) {
        for (key, example) in FORMS {
            let spec = format!("{HEAD}{key}{PARAMETERS}{example}");
            let mut spec = spec.replace("ARGUMENT", &quoted(&argument)).replace("ANSWER", &quoted(&answer));
            if crlf {
                spec = spec.replace('\n', "\r\n");
            }
            let (report, results) = tested(&spec);
            let first = updates(&report, &results);
            prop_assert!(first.stuck.is_empty(), "{:?}\n{}", first.stuck, spec);
            let [file] = first.files.as_slice() else { panic!("one file\n{spec}") };
            let (report, results) = tested(&file.text);
            let failures: Vec<_> = results.tests.iter().flat_map(|test| &test.failures).collect();
            prop_assert!(failures.is_empty(), "{:?}\n{}", failures, file.text);
            prop_assert!(updates(&report, &results).files.is_empty(), "{}", file.text);
            // What is not a value of the example stays.
            for comment in ["# a", "# b", "# c", "# d"].iter().filter(|comment| example.contains(**comment)) {
                prop_assert!(file.text.contains(*comment), "{}", file.text);
            }
        }
    }
}
