//! `mcpc test --format junit`, as CI servers read it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Workplace};

/// One tool whose text is the answer itself; its example is right.
fn plain() -> String {
    let shop = include_str!("fixtures/test_command/shop.toml");
    shop.split("[[tool]]\nname        = \"create_order\"").next().unwrap().to_owned()
}

#[test]
fn junit_escapes_what_xml_cannot_hold() {
    let spec = plain().replace("arguments =", "title = \"a <b> & \\\"c\\\"\\u0007\"\narguments =");
    let place =
        Workplace::with_spec(spec.replace("text      = '{\"status\":\"paid\"}'", "text = \"<&]]>\\u001b\""));
    place.write("other.toml", CLEAN.replace("get_order", "other"));
    let done = place.run(&["test", "--format", "junit"]);
    assert_eq!(done.code, 1);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    assert_eq!(lines[1], "<testsuites name=\"mcpc\" tests=\"2\" failures=\"1\" errors=\"0\">");
    let suite = "  <testsuite name=\"other\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">";
    assert_eq!(lines[2], suite);
    let case = "    <testcase classname=\"other.other\" name=\"example 1\" file=\"other.toml\" line=\"14\"/>";
    assert_eq!(lines[3], case);
    let name = "name=\"example 1: a &lt;b&gt; &amp; &quot;c&quot;␇\"";
    assert!(done.out.contains(name), "{}", done.out);
    assert!(
        done.out.contains("<failure message=\"text differs\" type=\"text\">expected  &lt;&amp;]]&gt;␛\n"),
        "{}",
        done.out
    );
    assert_eq!(lines.last(), Some(&"</testsuites>"));
    assert!(!done.out.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn junit_has_one_failure_for_a_case() {
    let spec = plain().replace("text      = '{\"status\":\"paid\"}'", "text = 'x'").replace("4%202", "42");
    let done = Workplace::with_spec(spec).run(&["test", "--format", "junit"]);
    assert_eq!(done.code, 1);
    assert_eq!(done.out.matches("<failure ").count(), 1, "{}", done.out);
    let start = "<failure message=\"2 failures\" type=\"example\">request.url differs\nexpected  https:";
    assert!(done.out.contains(start), "{}", done.out);
    assert!(done.out.contains("\n\ntext differs\nexpected  x\n"), "{}", done.out);
}

#[test]
fn junit_reports_specs_with_errors() {
    let place = Workplace::with_spec(plain().replace("\"GET\"\nendpoint", "\"<GET>\"\nendpoint"));
    let done = place.run(&["test", "--format", "junit"]);
    assert_eq!(done.code, 1);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines[1], "<testsuites name=\"mcpc\" tests=\"1\" failures=\"0\" errors=\"1\">");
    assert_eq!(lines[3], "    <testcase classname=\"mcpc\" name=\"check\">");
    let error = "      <error message=\"the specs have errors\" type=\"check\">spec.toml:";
    assert!(lines[4].starts_with(error), "{}", done.out);
    assert!(done.out.contains("&lt;GET&gt;"), "{}", done.out);
    assert!(done.out.ends_with("</error>\n    </testcase>\n  </testsuite>\n</testsuites>\n"), "{}", done.out);
    assert!(done.err.contains("error"), "{}", done.err);
}

#[test]
fn junit_has_a_case_for_each_untested_tool_that_is_denied() {
    let untested =
        "[[tool]]\nname = \"hours\"\ndescription = \"Tells when the shop is open.\"\nrespond = \"9 to 5\"\n";
    let place = Workplace::with_spec(format!("{}\n{untested}", plain()));
    let done = place.run(&["test", "--format", "junit"]);
    assert!(done.code == 0 && !done.out.contains("untested"), "{}", done.out);
    let done = place.run(&["test", "--format", "junit", "--deny", "untested"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("tests=\"2\" failures=\"1\" errors=\"0\">"), "{}", done.out);
    assert!(
        done.out.contains("classname=\"spec.hours\" name=\"has an example\" file=\"spec.toml\""),
        "{}",
        done.out
    );
    assert!(
        done.out.contains("<failure message=\"`hours` has no example\" type=\"untested\"/>"),
        "{}",
        done.out
    );
}
