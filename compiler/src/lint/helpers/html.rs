//! Finds HTML in response templates.

use super::answer;
use crate::checked::CheckedTemplate;
use crate::lint::context::ToolContext;
use crate::lint::findings::Findings;
use crate::lint::rules::HTML_IN_TEMPLATE;
use crate::template::Compiled;
use mcp_bundle::template::{Function, OpCode};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeSet;
use std::ops::Range;

/// More findings in one template would add nothing.
const MAX_FINDINGS: usize = 20;
/// The longest name or number of a reference.
const MAX_NAME: usize = 10;

/// Common references and their characters.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("apos", "'"),
    ("gt", ">"),
    ("hellip", "…"),
    ("lt", "<"),
    ("mdash", "—"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("quot", "\""),
];

/// Reports character references in a template's text, and calls of `html`.
pub fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    for template in [&tool.response_template, &tool.error_template].into_iter().flatten() {
        let Some(compiled) = template.compiled() else { continue };
        let mut places = BTreeSet::new();
        for (op, span) in compiled.programs.ops.iter().zip(&compiled.spans) {
            if places.len() >= MAX_FINDINGS {
                break;
            }
            if op.code == OpCode::Call && op.a == u32::from(Function::Html.tag()) {
                if places.insert((span.start, span.end)) {
                    findings.report(call(context, template, span));
                }
            } else if op.code == OpCode::Literal {
                literal(context, template, literal_text(compiled, op.a), span, &mut places, findings);
            }
        }
    }
}

fn literal_text(compiled: &Compiled, id: u32) -> &str {
    compiled.strings.get(id as usize).map_or("", String::as_str)
}

/// Reports references in a piece of text, which is in the source at or after the start of its span.
fn literal(
    context: &ToolContext<'_>,
    template: &CheckedTemplate,
    text: &str,
    span: &Range<usize>,
    places: &mut BTreeSet<(usize, usize)>,
    findings: &mut Findings<'_>,
) {
    let source = template.text();
    let mut from = span.start;
    let mut rest = text;
    while let Some((reference, stands_for, after)) = next_reference(rest) {
        rest = after;
        let found = source.get(from..).and_then(|tail| tail.find(reference)).map(|at| from + at);
        let range = found.map_or_else(|| span.clone(), |at| at..at + reference.len());
        from = range.end;
        if places.len() >= MAX_FINDINGS || !places.insert((range.start, range.end)) {
            continue;
        }
        let message = format!("`{reference}` is HTML, but the text goes to a model");
        let place = template.locate(context.sources, range.clone());
        let diagnostic = Diagnostic::new(&HTML_IN_TEMPLATE, place, message)
            .note("the model sees these characters as they are")
            .help(match stands_for {
                Some(character) => format!("write `{character}`"),
                None => "write the character itself".to_owned(),
            });
        findings.report(answer::of_tool(context, template, diagnostic));
    }
}

fn call(context: &ToolContext<'_>, template: &CheckedTemplate, span: &Range<usize>) -> Diagnostic {
    let source = template.text().get(span.clone()).unwrap_or_default();
    let start = span.start + source.find("html").unwrap_or_default();
    let range = if source.contains("html") { start..start + "html".len() } else { span.clone() };
    let place = template.locate(context.sources, range);
    let diagnostic = Diagnostic::new(
        &HTML_IN_TEMPLATE,
        place,
        "`html` escapes for a web page, but the text goes to a model",
    )
    .note("the model would see `&lt;` instead of `<`")
    .help("remove it: templates do not escape anything on their own");
    answer::of_tool(context, template, diagnostic)
}

/// The first character reference in a text, its character if known, and the text after it.
fn next_reference(text: &str) -> Option<(&str, Option<&'static str>, &str)> {
    let mut rest = text;
    loop {
        rest = rest.get(rest.find('&')?..)?;
        let end = rest.bytes().take(MAX_NAME + 2).position(|byte| byte == b';');
        if let Some(reference) = end.and_then(|end| rest.get(..=end))
            && let Some(name) = reference.get(1..reference.len() - 1)
        {
            let known = NAMED.iter().find(|(known, _)| *known == name);
            let after = rest.get(reference.len()..)?;
            match name.strip_prefix('#') {
                Some(number) if is_number(number) => return Some((reference, quotes(number), after)),
                None if known.is_some() => return Some((reference, known.map(|(_, is)| *is), after)),
                _ => {}
            }
        }
        rest = rest.get(1..)?;
    }
}

fn is_number(text: &str) -> bool {
    let is = |digits: &str, known: fn(&u8) -> bool| !digits.is_empty() && digits.as_bytes().iter().all(known);
    match text.strip_prefix(['x', 'X']) {
        Some(digits) => is(digits, u8::is_ascii_hexdigit),
        None => is(text, u8::is_ascii_digit),
    }
}

/// The two numbers that Go's and other escapers write.
fn quotes(number: &str) -> Option<&'static str> {
    match number {
        "39" | "x27" => Some("'"),
        "34" | "x22" => Some("\""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{tool_with, underlined};

    fn found(template: &str) -> Vec<String> {
        underlined(&HTML_IN_TEMPLATE, &tool_with(&format!("response_template = {template}")))
    }

    #[test]
    fn references_in_text_are_located() {
        assert_eq!(
            found("'''{{ .a }} &lt;b&gt; {{ .b }}&#39;&#x27;&quot;'''"),
            ["&lt;", "&gt;", "&#39;", "&#x27;", "&quot;"]
        );
        assert_eq!(found("{ handlebars = '{{a}} &amp; {{b}} &amp; {{c}}' }"), ["&amp;", "&amp;"]);
        assert_eq!(found("\"{{ .a }}\\n&amp;\""), ["&amp;"]);
        assert_eq!(found("'{{ if .a }}&lt;{{ else }}&lt;{{ end }}'"), ["&lt;", "&lt;"]);
    }

    #[test]
    fn a_call_of_html_is_found() {
        assert_eq!(found("'{{ html .a }} {{ .b | html }}'"), ["html", "html"]);
    }

    #[test]
    fn other_text_is_left_alone() {
        for template in [
            "'{{ .a }} & {{ .b }}; R&D; AT&T; &; &#; &#x; &lt &verylongnames; a&b=1;'",
            "'{{ replace \"&amp;\" \"&\" .a }}'",
            "'{{ .html }}'",
            "{ handlebars = '{{{a}}} {{&b}} {{! &lt; }}' }",
        ] {
            assert_eq!(found(template), [""; 0], "{template}");
        }
    }

    #[test]
    fn the_findings_of_one_template_are_bounded() {
        assert_eq!(found(&format!("'{{{{ .a }}}} {}'", "&lt; ".repeat(1000))).len(), MAX_FINDINGS);
    }
}
