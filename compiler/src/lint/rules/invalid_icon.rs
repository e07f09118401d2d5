use crate::lint::helpers::values::show_text;
use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_diagnostics::Diagnostic;

rule! {
    /// ## What it does
    /// Finds icons whose `src` is neither an `https:` nor a `data:` URL, and sizes other than `any`
    /// and `48x48`.
    ///
    /// ## Why is this bad
    /// Clients must not load icons from other schemes, and they cannot use sizes that they cannot
    /// parse.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// icons = [{ src = "http://example.com/icon.png" }]
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// icons = [{ src = "https://example.com/icon.png", sizes = ["48"] }]
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// icons = [{ src = "https://example.com/icon.png", sizes = ["48x48", "any"] }]
    /// ```
    pub INVALID_ICON = "MCP0610", "invalid-icon", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for icon in &context.tool.icons {
        if let Some(src) = icon.src.as_ref().filter(|src| !is_source(&src.value)) {
            let message = format!("icon {} is neither an `https:` nor a `data:` URL", show_text(&src.value));
            findings.report(
                Diagnostic::new(&INVALID_ICON, src.span, message)
                    .note("clients must not load icons from other schemes")
                    .help("write `https://…`, or the image itself as `data:image/png;base64,…`"),
            );
        }
        for size in icon.sizes.iter().filter(|size| !is_size(&size.value)) {
            let message = format!("{} is not a valid icon size", show_text(&size.value));
            let diagnostic = Diagnostic::new(&INVALID_ICON, size.span, message);
            let square = format!("{0}x{0}", size.value);
            findings.report(if is_size(&square) {
                diagnostic.help(format!("write `{square}`"))
            } else {
                diagnostic.help("write it like `48x48`, or `any` for an icon that scales")
            });
        }
    }
}

fn is_source(src: &str) -> bool {
    let starts = |start: &str| src.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    ["https:", "data:"].iter().any(|scheme| starts(scheme) && src.len() > scheme.len())
        && !src.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn is_size(size: &str) -> bool {
    let is_length =
        |text: &str| !text.starts_with('0') && text.parse::<u32>().is_ok() && !text.starts_with('+');
    size == "any" || size.split_once('x').is_some_and(|(width, height)| is_length(width) && is_length(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_any_or_two_numbers() {
        for size in ["any", "1x1", "48x96"] {
            assert!(is_size(size), "{size}");
        }
        for size in ["", "48", "48X48", "0x0", "+1x1", "48x", "48x48x48", "Any"] {
            assert!(!is_size(size), "{size}");
        }
    }

    #[test]
    fn sources_are_secure_or_the_image_itself() {
        for src in ["https://a.example/i.png", "data:image/png;base64,AA==", "HTTPS://a.example/i"] {
            assert!(is_source(src), "{src}");
        }
        for src in [
            "",
            "icon.png",
            "http://a.example/i",
            "javascript:alert(1)",
            "file:///i",
            "https:",
            "https://a b",
        ] {
            assert!(!is_source(src), "{src}");
        }
    }
}
