use crate::checked::CheckedTool;
use crate::lint::helpers::{headers, urls};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::{AuthSpec, UpstreamSpec};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Span, Spanned};

rule! {
    /// ## What it does
    /// Finds a header or query parameter that the `auth` of the upstream sends as well.
    ///
    /// ## Why is this bad
    /// A request with two credentials is refused by some APIs, and others choose one of them. It is
    /// unclear whose rights a call has.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { authorization = "Bearer ${SHOP_TOKEN}" }
    ///
    /// [upstream.shop.auth]
    /// kind = "bearer"
    /// token = "${SHOP_TOKEN}"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    ///
    /// [upstream.shop.auth]
    /// kind = "bearer"
    /// token = "${SHOP_TOKEN}"
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    /// ```
    pub CONFLICTING_CREDENTIALS = "MCP0218", "conflicting-credentials", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    for upstream in &context.toolset.upstreams {
        let Some(auth) = &upstream.auth else { continue };
        let of_upstream = upstream.headers.iter().map(|header| &header.name);
        report_headers(auth, of_upstream, findings);
        for tool in context.toolset.tools.iter().filter(|tool| is_of(tool, upstream)) {
            let own = tool.headers.iter().map(|header| &header.name);
            let given = headers::at(tool, Position::Header).map(|parameter| parameter.wire_name());
            report_headers(auth, own.chain(given), findings);
            report_query(context, auth, tool, findings);
        }
    }
}

fn is_of(tool: &CheckedTool, upstream: &UpstreamSpec) -> bool {
    tool.upstream.as_ref().is_some_and(|name| name.value == upstream.name.value)
}

fn report_headers<'s>(
    auth: &AuthSpec,
    names: impl Iterator<Item = &'s Spanned<String>>,
    findings: &mut Findings<'_>,
) {
    let Some(header) = auth.header_name() else { return };
    for name in names.filter(|name| name.value.eq_ignore_ascii_case(&header)) {
        findings.report(diagnostic(auth, name.span, &format!("header `{header}`")));
    }
}

fn report_query(
    context: &ToolsetContext<'_>,
    auth: &AuthSpec,
    tool: &CheckedTool,
    findings: &mut Findings<'_>,
) {
    let Some((name, _)) = &auth.query else { return };
    let what = format!("query parameter `{}`", name.value);
    for parameter in headers::at(tool, Position::Query).map(|parameter| parameter.wire_name()) {
        if parameter.value == name.value {
            findings.report(diagnostic(auth, parameter.span, &what));
        }
    }
    let Some(endpoint) = &tool.endpoint else { return };
    for fixed in urls::fixed_names(&endpoint.value).filter(|fixed| fixed.decoded == name.value) {
        findings.report(diagnostic(auth, context.sources.inside(endpoint.span, fixed.range), &what));
    }
    let template = tool.endpoint_template.as_ref();
    let names = template.and_then(|template| Some(urls::template_names(template.compiled()?)));
    if names.is_some_and(|names| names.contains(&name.value)) {
        findings.report(diagnostic(auth, endpoint.span, &what));
    }
}

fn diagnostic(auth: &AuthSpec, span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(&CONFLICTING_CREDENTIALS, span, format!("{what} is sent by `auth` as well"))
        .related(auth.kind.span, "the credential of the upstream is declared here")
        .help("remove one of them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::underlined;

    fn spec(auth: &str, headers: &str, tool: &str) -> String {
        format!(
            "[upstream.u]\nurl = \"https://a.example\"\n{headers}\n[upstream.u.auth]\n{auth}\n[[tool]]\nname = \"a\"\n\
             description = \"Reads a thing of the API.\"\nupstream = \"u\"\nmethod = \"GET\"\n{tool}\n"
        )
    }

    const PLAIN: &str = "endpoint = \"/a\"";
    const BASIC: &str = "kind = \"basic\"\nusername = \"u\"\npassword = \"${P}\"";
    const KEY: &str = "kind = \"api_key\"\nname = \"X-Key\"\nvalue = \"${K}\"";
    const QUERY: &str = "kind = \"api_key\"\nname = \"a key\"\nin = \"query\"\nvalue = \"${K}\"";

    #[test]
    fn a_header_is_sent_once() {
        let given = "headers = { Authorization = \"x\" }";
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(BASIC, given, PLAIN)), ["Authorization"]);
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(KEY, given, PLAIN)), [""; 0]);
        let own = format!("{PLAIN}\nheaders = {{ x-key = \"1\" }}");
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(KEY, "", &own)), ["x-key"]);
        let parameter = format!(
            "{PLAIN}\n[[tool.parameters]]\nname = \"p\"\ndescription = \"A thing.\"\nposition = \"header\"\nwire_name = \"Authorization\""
        );
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(BASIC, "", &parameter)), ["\"Authorization\""]);
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(BASIC, "", PLAIN)), [""; 0]);
    }

    #[test]
    fn a_query_parameter_is_sent_once() {
        let fixed = "endpoint = \"/a?b=1&a%20key=2\"";
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(QUERY, "", fixed)), ["a%20key"]);
        let parameter = format!(
            "{PLAIN}\n[[tool.parameters]]\nname = \"a key\"\ndescription = \"A thing.\"\nposition = \"query\""
        );
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(QUERY, "", &parameter)), ["\"a key\""]);
        assert_eq!(underlined(&CONFLICTING_CREDENTIALS, &spec(QUERY, "", PLAIN)), [""; 0]);
    }
}
