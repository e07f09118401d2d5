use crate::lint::helpers::headers;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Spanned};

rule! {
    /// ## What it does
    /// Finds well-known headers that are neither in lower case nor in their documented case.
    ///
    /// ## Why is this bad
    /// HTTP ignores case, but readers and searches do not: `AUTHORIZATION` and `content-Type` look
    /// like other headers, or like a mistake.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { "accept-Language" = "en" }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// headers = { Accept-Language = "en", accept = "application/json" }
    ///
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub UNUSUAL_HEADER_CASE = "MCP0505", "unusual-header-case", Warning, Check::Toolset(check);
}

/// As their specifications write them.
const WELL_KNOWN: &[&str] = &[
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "Content-Type",
    "Cookie",
    "Forwarded",
    "Idempotency-Key",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "If-Unmodified-Since",
    "Origin",
    "Pragma",
    "Prefer",
    "Range",
    "Referer",
    "User-Agent",
    "X-Forwarded-For",
    "X-Requested-With",
];

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    // Callers see a parameter's own name. Only its name at the upstream is about HTTP.
    let parameters = headers::parameters(context.toolset, Position::Header);
    let wire_names = parameters.filter_map(|parameter| parameter.wire_name.as_ref());
    for name in headers::fixed(context.toolset).map(|header| &header.name).chain(wire_names) {
        if let Some(canonical) = canonical(name) {
            let inside = context.sources.inside(name.span, 0..name.value.len());
            let message = format!("header `{}` is usually written `{canonical}`", name.value);
            findings.report(
                Diagnostic::new(&UNUSUAL_HEADER_CASE, name.span, message)
                    .help(format!("write `{canonical}` or `{}`", canonical.to_ascii_lowercase()))
                    .replace(inside, canonical),
            );
        }
    }
}

/// The usual form of a well-known header in another case.
fn canonical(name: &Spanned<String>) -> Option<&'static str> {
    let name = &name.value;
    let is_lower = !name.bytes().any(|b| b.is_ascii_uppercase());
    let known = WELL_KNOWN.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    (!is_lower && *known != name).then_some(*known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::tool_with;

    #[test]
    fn the_fix_keeps_the_quotes() {
        for (written, fixed) in [("AUTHORIZATION", "Authorization"), ("'content-Type'", "'Content-Type'")] {
            let spec = tool_with(&format!("headers = {{ {written} = \"${{X}}\" }}"));
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.iter().find(|d| d.is(&UNUSUAL_HEADER_CASE)).unwrap();
            let edit = &found.fix.as_ref().unwrap().edits[0];
            let mut text = spec.clone();
            text.replace_range(edit.span.range(), &edit.text);
            assert_eq!(text, spec.replace(written, fixed));
        }
    }

    #[test]
    fn other_headers_may_have_any_case() {
        let spec = tool_with("headers = { X-API-KEY = \"${X}\", X-api-Key2 = \"1\" }");
        let report = check_files(&MemoryFiles::one("spec.toml", &spec));
        assert!(!report.diagnostics.iter().any(|d| d.is(&UNUSUAL_HEADER_CASE)));
    }
}
