use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::lint::helpers::headers::is_token;
use crate::lint::helpers::schemas;
use crate::lint::helpers::values::with_article;
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{BodySpec, ParameterSpec, Type};
use mcp_bundle::wire_enums::Position;
use mcp_diagnostics::{Diagnostic, Span, Spanned};

rule! {
    /// ## What it does
    /// Finds `encoding`, `file_name` and `content_type` of parameters where they cannot work.
    ///
    /// `file_name` and `content_type` belong to a part of a multipart body. `encoding = "base64"`
    /// belongs to such a part too, or to the parameter of `body = "bytes:…"`, where it goes without
    /// saying. It needs a string, or in a multipart body a list of strings.
    ///
    /// ## Why is this bad
    /// The key would have no effect: the API would get base64 instead of bytes, or no file name.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "upload_photo"
    /// method = "POST"
    /// endpoint = "https://api.example.com/photos"
    /// [[tool.parameters]]
    /// name = "photo"
    /// encoding = "base64"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "upload_photo"
    /// method = "POST"
    /// endpoint = "https://api.example.com/photos"
    /// body = "multipart"
    /// [[tool.parameters]]
    /// name = "photo"
    /// type = "integer"
    /// encoding = "base64"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "upload_photo"
    /// method = "POST"
    /// endpoint = "https://api.example.com/photos"
    /// body = "bytes:photo"
    /// [[tool.parameters]]
    /// name = "photo"
    /// file_name = "photo.jpg"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "upload_photo"
    /// method = "POST"
    /// endpoint = "https://api.example.com/photos"
    /// body = "multipart"
    /// [[tool.parameters]]
    /// name = "photo"
    /// encoding = "base64"
    /// file_name = "photo.jpg"
    /// content_type = "image/jpeg"
    /// ```
    pub MISPLACED_ENCODING = "MCP0420", "misplaced-encoding", HardError, Check::Tool(check);
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let mut found = Vec::new();
    for parameter in &tool.parameters {
        let is_in_body = tool.position(parameter) == Some(Position::Body);
        let is_part = is_in_body && *tool.body_kind() == BodySpec::Multipart;
        if let Some(span) = parameter.encoding {
            found.extend(encoding(context, parameter, is_part, span));
        } else if tool.is_base64(parameter) {
            found.extend(wrong_type(context, parameter, false, parameter.kind.span));
        }
        for (key, value) in [("file_name", &parameter.file_name), ("content_type", &parameter.content_type)] {
            let Some(value) = value else { continue };
            found.extend(match is_part {
                true => unusable(key, value),
                false => Some(outside(tool, parameter, key, value.span)),
            });
        }
    }
    found.into_iter().for_each(|diagnostic| findings.report(diagnostic));
}

fn encoding(
    context: &ToolContext<'_>,
    parameter: &ParameterSpec,
    is_part: bool,
    span: Span,
) -> Option<Diagnostic> {
    let name = &parameter.name.value;
    if parameter.is_hidden() {
        let message = format!("`encoding` has no effect on `{name}`, whose `value` is sent as it is");
        return Some(Diagnostic::new(&MISPLACED_ENCODING, span, message).help("remove `encoding`"));
    }
    if is_part || matches!(context.tool.body_kind(), BodySpec::Bytes(body) if body == name) {
        return wrong_type(context, parameter, is_part, span);
    }
    let place = context.tool.position(parameter).map_or("a template", |position| match position {
        Position::Body => "a body of text",
        Position::Path => "the path",
        Position::Query => "the query",
        Position::Header => "a header",
        Position::Cookie => "a cookie",
    });
    let message = format!("`encoding` has no effect on `{name}`, which goes into {place}");
    let help = format!("write `body = \"multipart\"` or `body = \"bytes:{name}\"`, or remove `encoding`");
    Some(
        Diagnostic::new(&MISPLACED_ENCODING, span, message)
            .note("only a multipart body, or a body of bytes, can have bytes")
            .help(help),
    )
}

/// Bytes come as strings.
fn wrong_type(
    context: &ToolContext<'_>,
    parameter: &ParameterSpec,
    is_part: bool,
    span: Span,
) -> Option<Diagnostic> {
    if schemas::has_unknown_type(context.sources, parameter) {
        return None;
    }
    let kind = schemas::type_of(context.tool, parameter)?;
    let items = parameter.keyword("items").and_then(|items| items.value.get("type")).and_then(Json::as_str);
    let is_fine = match kind {
        Type::String => true,
        Type::Array => is_part && items.is_none_or(|items| items == "string"),
        _ => false,
    };
    if is_fine {
        return None;
    }
    let what = match (kind, items) {
        (Type::Array, Some(items)) => format!("an array of {items}s"),
        _ => with_article(kind.as_str()).to_owned(),
    };
    let message = format!("parameter `{}` is {what} and cannot hold bytes in base64", parameter.name.value);
    let help = match is_part {
        true => {
            "write `type = \"string\"`, or an array with `items = { type = \"string\" }` for several files"
        }
        false => "write `type = \"string\"`",
    };
    Some(Diagnostic::new(&MISPLACED_ENCODING, span, message).help(help))
}

fn outside(tool: &CheckedTool, parameter: &ParameterSpec, key: &str, span: Span) -> Diagnostic {
    let message =
        format!("`{key}` has no effect on `{}`, which is no part of a multipart body", parameter.name.value);
    let help = match (key, tool.body_kind()) {
        ("content_type", BodySpec::Bytes(_)) => {
            "set the header `content-type` of the tool instead".to_owned()
        }
        _ => format!("write `body = \"multipart\"`, or remove `{key}`"),
    };
    Diagnostic::new(&MISPLACED_ENCODING, span, message).help(help)
}

/// A value that no part can have.
fn unusable(key: &str, value: &Spanned<String>) -> Option<Diagnostic> {
    let essence = value.value.split(';').next().unwrap_or_default();
    let is_type =
        essence.trim_end().split_once('/').is_some_and(|(kind, sub)| is_token(kind) && is_token(sub))
            && value.value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let (is_fine, message, help) = match key {
        "content_type" => (is_type, "is not a media type", "write one such as `image/png`"),
        _ => (!value.value.is_empty(), "is empty", "write a name such as `photo.png`"),
    };
    let message = format!("`{key}` {message}");
    (!is_fine).then(|| Diagnostic::new(&MISPLACED_ENCODING, value.span, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with};

    fn messages(keys: &str) -> Vec<String> {
        found(&MISPLACED_ENCODING, &tool_with(keys)).into_iter().map(|(message, _)| message).collect()
    }

    #[test]
    fn every_place_that_has_no_bytes_is_named() {
        for (keys, expected) in [
            ("position = \"query\"\nencoding = \"base64\"", "which goes into the query"),
            ("position = \"header\"\nencoding = \"base64\"", "which goes into a header"),
            ("value = \"aGk=\"\nencoding = \"base64\"", "whose `value` is sent as it is"),
            (
                "type = \"array\"\nitems = { type = \"integer\" }\nencoding = \"base64\"",
                "an array of integers",
            ),
            ("position = \"query\"\nfile_name = \"a\"", "no part of a multipart body"),
            ("content_type = \"png\"", "is not a media type"),
            ("content_type = \"image/\\u0007\"", "is not a media type"),
            ("file_name = \"\"", "is empty"),
        ] {
            let found = messages(&format!("body = \"multipart\"\n[[tool.parameters]]\nname = \"p\"\n{keys}"));
            assert!(matches!(found.as_slice(), [one] if one.contains(expected)), "{keys}: {found:?}");
        }
    }

    #[test]
    fn a_body_of_bytes_is_one_string() {
        let body = "body = \"bytes:p\"\n[[tool.parameters]]\nname = \"p\"\ntype = ";
        assert!(messages(&format!("{body}\"string\"")).is_empty());
        assert_eq!(messages(&format!("{body}\"array\"\nitems = {{ type = \"string\" }}")).len(), 1);
        assert_eq!(messages(&format!("{body}\"object\"")).len(), 1);
    }

    #[test]
    fn lists_of_files_and_texts_with_file_names_are_fine() {
        let keys = "body = \"multipart\"\n[[tool.parameters]]\nname = \"p\"\n";
        for more in [
            "type = \"array\"\nitems = { type = \"string\" }\nencoding = \"base64\"",
            "file_name = \"a.csv\"\ncontent_type = \"text/csv; charset=utf-8\"",
        ] {
            assert_eq!(messages(&format!("{keys}{more}")), Vec::<String>::new());
        }
    }
}
