use crate::lint::helpers::headers;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use crate::spec::BodySpec;
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds a header `content-type` of a tool with `body = "multipart"`.
    ///
    /// ## Why is this bad
    /// The parts of a multipart body are separated by a boundary, which is chosen for each call and
    /// named in this header. With another one, the API cannot tell the parts apart.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.photos]
    /// url = "https://api.example.com"
    /// headers = { content-type = "multipart/form-data" }
    ///
    /// [[tool]]
    /// name = "upload_photo"
    /// upstream = "photos"
    /// method = "POST"
    /// endpoint = "/photos"
    /// body = "multipart"
    /// [[tool.parameters]]
    /// name = "photo"
    /// encoding = "base64"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.photos]
    /// url = "https://api.example.com"
    ///
    /// [[tool]]
    /// name = "upload_photo"
    /// upstream = "photos"
    /// method = "POST"
    /// endpoint = "/photos"
    /// body = "multipart"
    /// [[tool.parameters]]
    /// name = "photo"
    /// encoding = "base64"
    /// ```
    pub OVERRIDDEN_BOUNDARY = "MCP0617", "overridden-boundary", HardError, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let toolset = context.toolset;
    for tool in toolset.tools.iter().filter(|tool| *tool.body_kind() == BodySpec::Multipart) {
        let named = tool.upstream.as_ref();
        let upstream = named.and_then(|name| toolset.upstreams.iter().find(|u| u.name.value == name.value));
        let fixed = tool.headers.iter().chain(upstream.into_iter().flat_map(|upstream| &upstream.headers));
        let names = fixed.map(|header| &header.name);
        let mut names =
            names.chain(headers::at(tool, Position::Header).map(|parameter| parameter.wire_name()));
        if let Some(name) = names.find(|name| name.value.eq_ignore_ascii_case("content-type")) {
            let message = format!("header `{}` hides the boundary of the multipart body", name.value);
            findings.report(
                Diagnostic::new(&OVERRIDDEN_BOUNDARY, name.span, message)
                    .related(tool.label_span(), "the tool that has it")
                    .help("remove the header: a multipart body brings its own"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with};

    #[test]
    fn headers_of_parameters_count_too() {
        let header = "body = \"multipart\"\n[[tool.parameters]]\nname = \"p\"\nposition = \"header\"\nwire_name = \"Content-Type\"";
        assert_eq!(found(&OVERRIDDEN_BOUNDARY, &tool_with(header)).len(), 1);
        let form = header.replace("multipart", "form");
        assert_eq!(found(&OVERRIDDEN_BOUNDARY, &tool_with(&form)), []);
    }
}
