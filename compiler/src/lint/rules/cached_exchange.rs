use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::AuthKind;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds `cache_seconds` on a tool whose upstream has `auth` of kind `exchange`.
    ///
    /// ## Why is this bad
    /// The API answers for the person who calls, and two people of one tenant send the same request.
    /// A kept answer would show one of them what the other may see.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.crm]
    /// url = "https://crm.example.com"
    ///
    /// [upstream.crm.auth]
    /// kind = "exchange"
    /// token_url = "https://id.example.com/token"
    /// client_id = "edge"
    /// client_secret = "${CRM_SECRET}"
    ///
    /// [[tool]]
    /// name = "list_contacts"
    /// description = "The contacts of the person who asks."
    /// upstream = "crm"
    /// method = "GET"
    /// endpoint = "/contacts"
    /// cache_seconds = 60
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.crm]
    /// url = "https://crm.example.com"
    ///
    /// [upstream.crm.auth]
    /// kind = "exchange"
    /// token_url = "https://id.example.com/token"
    /// client_id = "edge"
    /// client_secret = "${CRM_SECRET}"
    ///
    /// [[tool]]
    /// name = "list_contacts"
    /// description = "The contacts of the person who asks."
    /// upstream = "crm"
    /// method = "GET"
    /// endpoint = "/contacts"
    /// ```
    pub CACHED_EXCHANGE = "MCP0220", "cached-exchange", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let auth = context.upstream.and_then(|upstream| upstream.auth.as_ref());
    let Some(auth) = auth.filter(|auth| auth.kind.value == AuthKind::Exchange) else { return };
    let Some(seconds) = context.tool.cache_seconds.as_ref().filter(|seconds| seconds.value > 0) else {
        return;
    };
    let message =
        format!("answers of `{}` depend on who calls, so they cannot be kept", context.tool.label());
    findings.report(
        Diagnostic::new(&CACHED_EXCHANGE, seconds.span, message)
            .related(auth.kind.span, "the upstream gets a token of the caller")
            .help("remove `cache_seconds`"),
    );
}
