//! JUnit XML as CI systems read it: a suite for each toolset, a case for each example.

use super::{Results, Test, TestFailure, diff};
use crate::check::Report;
use crate::render;
use mcp_diagnostics::Span;
use mcp_diagnostics::visible::shown;
use std::io::{Result, Write};

pub fn write(report: &Report, results: &Results, out: &mut dyn Write) -> Result<()> {
    let untested = if results.untested_fail { results.untested.as_slice() } else { &[] };
    let uncovered = if results.uncovered_fail { results.uncovered.as_slice() } else { &[] };
    let denied = untested.len() + uncovered.len();
    open(results.tests.len() + denied, results.failed() + denied, 0, out)?;
    // The tests of one toolset are adjacent.
    for suite in results.tests.chunk_by(|a, b| a.span.file == b.span.file) {
        let name = suite.first().map(|test| test.toolset.as_str()).unwrap_or_default();
        let failed = suite.iter().filter(|test| !test.is_passed()).count();
        open_suite(name, suite.len(), failed, 0, out)?;
        for test in suite {
            case(report, test, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    if !untested.is_empty() {
        open_suite("untested", untested.len(), untested.len(), 0, out)?;
        for tool in untested {
            let class = format!("{}.{}", tool.toolset, tool.tool);
            let what = format!("`{}` has no example", tool.tool);
            denied_case(report, &class, "has an example", tool.span, &what, "untested", out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    if !uncovered.is_empty() {
        open_suite("uncovered", uncovered.len(), uncovered.len(), 0, out)?;
        for branch in uncovered {
            let what = format!("no example reaches {}", branch.what);
            denied_case(report, &branch.tool, &branch.what, branch.span, &what, "uncovered", out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// A case that fails because it is denied.
fn denied_case(
    report: &Report,
    class: &str,
    name: &str,
    span: Span,
    what: &str,
    kind: &str,
    out: &mut dyn Write,
) -> Result<()> {
    let (class, name, what) = (escaped(class, true), escaped(name, true), escaped(what, true));
    writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\" {}>", place(report, span))?;
    writeln!(out, "      <failure message=\"{what}\" type=\"{kind}\"/>")?;
    writeln!(out, "    </testcase>")
}

/// Specs whose examples could not be run: one case, with what is wrong with them.
pub fn write_refused(report: &Report, out: &mut dyn Write) -> Result<()> {
    let mut findings = Vec::new();
    render::render(render::Format::Concise, report, false, &mut findings)?;
    let findings = escaped(String::from_utf8_lossy(&findings).trim_end(), false);
    open(1, 0, 1, out)?;
    open_suite("check", 1, 0, 1, out)?;
    writeln!(out, "    <testcase classname=\"mcpc\" name=\"check\">")?;
    writeln!(out, "      <error message=\"the specs have errors\" type=\"check\">{findings}</error>")?;
    writeln!(out, "    </testcase>")?;
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")
}

fn open(tests: usize, failures: usize, errors: usize, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"mcpc\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">")
}

fn open_suite(name: &str, tests: usize, failures: usize, errors: usize, out: &mut dyn Write) -> Result<()> {
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\"");
    writeln!(out, "  <testsuite name=\"{}\" {counts}>", escaped(name, true))
}

fn place(report: &Report, span: Span) -> String {
    let file = report.sources.file(span.file);
    let line = file.location(span.start as usize).line;
    format!("file=\"{}\" line=\"{line}\"", escaped(&file.name, true))
}

fn case(report: &Report, test: &Test, out: &mut dyn Write) -> Result<()> {
    let class = escaped(&format!("{}.{}", test.toolset, test.tool), true);
    let title = test.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
    let name = escaped(&format!("example {}{title}", test.number), true);
    let place = place(report, test.span);
    if test.is_passed() {
        return writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\" {place}/>");
    }
    writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\" {place}>")?;
    // Readers take one element for a case.
    let (message, kind, body) = match test.failures.as_slice() {
        [failure] => (title_of(failure), failure.what.as_str(), body_of(failure)),
        failures => {
            let each = failures.iter().map(|failure| format!("{}\n{}", title_of(failure), body_of(failure)));
            let body: Vec<String> = each.collect();
            (format!("{} failures", failures.len()), "example", body.join("\n\n"))
        }
    };
    let (message, kind, body) = (escaped(&message, true), escaped(kind, true), escaped(&body, false));
    writeln!(out, "      <failure message=\"{message}\" type=\"{kind}\">{body}</failure>")?;
    writeln!(out, "    </testcase>")
}

fn title_of(failure: &TestFailure) -> String {
    let verb = if failure.expected.is_some() { "differs" } else { "fails" };
    format!("{} {verb}", failure.what)
}

fn body_of(failure: &TestFailure) -> String {
    let lines: Vec<String> = diff::lines(failure).into_iter().map(|line| line.text).collect();
    lines.join("\n")
}

/// Text of a document or an attribute. What XML cannot hold at all is shown as a picture of it.
fn escaped(text: &str, attribute: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            // A reader would make spaces of them.
            '\n' if attribute => out.push_str("&#10;"),
            '\t' if attribute => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(shown(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_shown_or_escaped() {
        assert_eq!(
            escaped("<a href=\"&\">\n\u{0}\u{1b}\r", true),
            "&lt;a href=&quot;&amp;&quot;&gt;&#10;␀␛␍"
        );
        assert_eq!(escaped("]]>\n\t\u{ffff}\u{85}", false), "]]&gt;\n\t\u{fffd}\u{fffd}");
    }
}
