use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::variables::{TextPart, split_variables};
use crate::lint::helpers::values::{Shown, shown};
use crate::lint::helpers::{locate, placeholders};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::PathPiece;
use mcp_diagnostics::{Diagnostic, Span};
use percent_encoding::percent_decode;

rule! {
    /// ## What it does
    /// Finds a path parameter whose own `default` or `value` cannot be part of a path: an empty
    /// string, control characters, or a `.` or `..` segment, percent-encoded or not.
    ///
    /// ## Why is this bad
    /// Such a value leads to another resource than the endpoint, so every call with it is refused.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_file"
    /// description = "One file of the archive."
    /// method = "GET"
    /// endpoint = "https://api.example.com/files/{path}"
    ///
    /// [[tool.parameters]]
    /// name = "path"
    /// position = "path"
    /// default = "../index"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "get_file"
    /// description = "One file of the archive."
    /// method = "GET"
    /// endpoint = "https://api.example.com/files/{version}/index"
    ///
    /// [[tool.parameters]]
    /// name = "version"
    /// position = "path"
    /// value = ""
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_file"
    /// description = "One file of the archive."
    /// method = "GET"
    /// endpoint = "https://api.example.com/files/{path}"
    ///
    /// [[tool.parameters]]
    /// name = "path"
    /// position = "path"
    /// default = "index.html"
    /// ```
    pub UNUSABLE_PATH_VALUE = "MCP0307", "unusable-path-value", HardError, Check::Tool(check);
}

/// How often a request may be decoded on its way. The binder refuses more layers.
const MAX_LAYERS: usize = 5;

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    for parameter in placeholders::path_parameters(tool) {
        let name = parameter.name.value.as_str();
        let mut report = |key: &str, text: &str, span: Span| {
            let Some(problem) = problem(tool, name, text) else {
                return;
            };
            let value = shown(&Json::string(text), parameter.sensitive);
            let message = match value {
                Shown::Value(value) => format!("`{key}` {value} of path parameter `{name}` {problem}"),
                Shown::Hidden => format!("`{key}` of path parameter `{name}` {problem}"),
            };
            findings.report(
                Diagnostic::new(&UNUSABLE_PATH_VALUE, span, message)
                    .note("the path would lead elsewhere, so every request with it is refused"),
            );
        };
        if let Some(value) = &parameter.value {
            if let Some(text) = value.value.as_str().and_then(without_variables) {
                report("value", &text, value.span);
            }
            continue;
        }
        match &tool.input_schema {
            None => {
                if let Some(default) = &parameter.default
                    && let Some(text) = default.value.as_str()
                {
                    report("default", text, default.span);
                }
            }
            Some(schema) => {
                let property = schema.value.get("properties").and_then(|all| all.get(name));
                if let Some(text) = property.and_then(|p| p.get("default")).and_then(Json::as_str) {
                    let steps = ["properties", name, "default"].map(str::to_owned);
                    let span = locate::part(context.sources, context.toolset, tool, schema.span, &steps);
                    report("default", text, span);
                }
            }
        }
    }
}

/// The text of a constant, if it is the same for every call.
fn without_variables(text: &str) -> Option<String> {
    let (parts, problems) = split_variables(text);
    let literals = parts.into_iter().map(|part| match part {
        TextPart::Literal(literal) => Some(literal),
        TextPart::Variable(_) => None,
    });
    literals.collect::<Option<String>>().filter(|_| problems.is_empty())
}

/// Why a path cannot hold a value, in the words of the binder.
pub(super) fn problem(tool: &CheckedTool, name: &str, text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("is empty");
    }
    let mut decoded = segment(tool, name, text).into_bytes();
    let has_control = |bytes: &[u8]| bytes.iter().any(u8::is_ascii_control);
    if text.chars().any(char::is_control) {
        return Some("has control characters");
    }
    for _ in 0..MAX_LAYERS {
        let next: Vec<u8> = percent_decode(&decoded).collect();
        if next == decoded {
            break;
        }
        decoded = next;
    }
    if percent_decode(&decoded).ne(decoded.iter().copied()) {
        return Some("is percent-encoded too many times");
    }
    if has_control(&decoded) {
        return Some("has percent-encoded control characters");
    }
    let mut segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
    segments.any(is_dot_segment).then_some("has `.` or `..` as a segment")
}

fn is_dot_segment(segment: &[u8]) -> bool {
    let name = segment.split(|byte| matches!(byte, b';' | b'?' | b'#')).next().unwrap_or_default();
    matches!(name.trim_ascii(), b"." | b"..")
}

/// The value with the rest of its segment of the endpoint. Other values are assumed to be harmless.
fn segment(tool: &CheckedTool, name: &str, text: &str) -> String {
    let Some(endpoint) = tool.endpoint.as_ref().map(|endpoint| &endpoint.value) else {
        return text.to_owned();
    };
    let mut segment = String::new();
    let mut has_value = false;
    for piece in &endpoint.path {
        match piece {
            PathPiece::Literal(literal) => {
                if has_value {
                    segment.push_str(literal.split('/').next().unwrap_or_default());
                    if literal.contains('/') {
                        return segment;
                    }
                } else if let Some((_, after)) = literal.rsplit_once('/') {
                    segment = after.to_owned();
                } else {
                    segment.push_str(literal);
                }
            }
            PathPiece::Placeholder(index) => {
                let is_own = endpoint.placeholders.get(*index).is_some_and(|p| p.name == name);
                has_value |= is_own;
                segment.push_str(if is_own { text } else { "x" });
            }
        }
    }
    if has_value { segment } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, underlined};

    fn spec(endpoint: &str, keys: &str) -> String {
        format!(
            "[[tool]]\nname = \"a\"\nmethod = \"GET\"\nendpoint = \"https://a.example{endpoint}\"\n\
             [[tool.parameters]]\nname = \"p\"\nposition = \"path\"\n{keys}\n"
        )
    }

    fn is_refused(endpoint: &str, value: &str) -> bool {
        let refused = |key: &str| {
            !found(&UNUSABLE_PATH_VALUE, &spec(endpoint, &format!("{key} = '{value}'"))).is_empty()
        };
        let (default, constant) = (refused("default"), refused("value"));
        assert_eq!(default, constant, "{value}");
        default
    }

    #[test]
    fn values_that_a_call_could_not_send_are_refused() {
        for value in [
            "",
            ".",
            "..",
            "a/../b",
            r"a\..",
            "..;x",
            "%2e%2E",
            "%252e%252e",
            "a%2f..",
            "a%0a",
            "%2525252525252525",
        ] {
            assert!(is_refused("/x/{p}", value), "{value}");
        }
        for value in ["a", "...", ".a", "a.b", "a/b", "100%", "%zz", ";..", "é"] {
            assert!(!is_refused("/x/{p}", value), "{value}");
        }
        assert!(!found(&UNUSABLE_PATH_VALUE, &spec("/{p}", "default = \"a\\u0007\"")).is_empty());
    }

    #[test]
    fn the_rest_of_the_segment_counts() {
        assert!(is_refused("/x/.{p}", "."));
        assert!(!is_refused("/x/v{p}/y", "."));
        assert!(!is_refused("/x/{p}.json", "."));
    }

    #[test]
    fn variables_are_not_known_here_and_schemas_say_defaults_too() {
        assert_eq!(underlined(&UNUSABLE_PATH_VALUE, &spec("/{p}", "value = \"../${A}\"")), [""; 0]);
        let schema =
            "[tool.input_schema]\ntype = \"object\"\nproperties.p = { type = \"string\", default = \"..\" }";
        assert_eq!(underlined(&UNUSABLE_PATH_VALUE, &spec("/{p}", schema)), ["\"..\""]);
    }

    #[test]
    fn a_sensitive_value_is_not_repeated() {
        let found = found(&UNUSABLE_PATH_VALUE, &spec("/{p}", "sensitive = true\nvalue = \"../hush\""));
        assert_eq!(found.len(), 1);
        assert!(!found[0].0.contains("hush"), "{}", found[0].0);
    }
}
