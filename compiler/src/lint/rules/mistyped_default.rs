use crate::language::json::Json;
use crate::lint::helpers::schemas::{has_type, has_unknown_type};
use crate::lint::helpers::values::{counted, shown, type_of, with_article};
use crate::lint::helpers::{insert, locate};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::publish::input_schema;
use crate::spec::{ParameterSpec, Type};
use mcp_bundle::bind::{formats, patterns, schema};
use mcp_bundle::json::{self, decimal};
use mcp_bundle::wire_enums::ValueFormat;
use mcp_diagnostics::{Applicability, Diagnostic, Span, Spanned};
use std::cmp::Ordering;

rule! {
    /// ## What it does
    /// Finds a default that does not have its parameter's type, or that breaks the parameter's own
    /// limits.
    ///
    /// ## Why is this bad
    /// The default is sent when a caller omits the argument. The same value from a caller would be
    /// refused.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// default = "20"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// maximum = 100
    /// default = 1000
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// maximum = 100
    /// default = 20
    /// ```
    pub MISTYPED_DEFAULT = "MCP0403", "mistyped-default", HardError, Check::Tool(check);
}

/// A default of the right type that something else forbids.
struct Broken {
    /// After "default `x` of parameter `y` ".
    how: String,
    keyword: Option<Span>,
}

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    if let Some(schema) = &context.tool.input_schema {
        // Then a parameter must not set it at all: `parameter-outside-schema`.
        in_schema(context, schema, findings);
        return;
    }
    for parameter in &context.tool.parameters {
        let Some(default) = &parameter.default else {
            continue;
        };
        let value = shown(&default.value, parameter.sensitive).after("default");
        let subject = format!("{value} of parameter `{}`", parameter.name.value);
        if !parameter.kind.value.admits(&default.value) {
            if has_unknown_type(context.sources, parameter) {
                continue;
            }
            findings.report(wrong_type(context, parameter, &default.value, default.span, &subject));
        } else if let Some(broken) = broken(parameter, &default.value) {
            let message = format!("{subject} {}", broken.how);
            let mut diagnostic = Diagnostic::new(&MISTYPED_DEFAULT, default.span, message)
                .note("a call with this value would be refused");
            if let Some(keyword) = broken.keyword {
                diagnostic = diagnostic.related(keyword, "the limit");
            }
            findings.report(diagnostic);
        }
    }
}

/// Binding also fills in the defaults of a schema's own properties.
fn in_schema(context: &ToolContext<'_>, schema: &Spanned<Json>, findings: &mut Findings<'_>) {
    for (name, property) in schema.value.get("properties").and_then(Json::as_object).unwrap_or_default() {
        let (Some(default), Some(said)) = (property.get("default"), property.get("type")) else {
            continue;
        };
        let kinds = said.as_array().unwrap_or(std::slice::from_ref(said));
        // What is not a type is `invalid-schema`.
        let Some(kinds) = kinds.iter().map(Json::as_str).collect::<Option<Vec<&str>>>() else {
            continue;
        };
        let fits = |kind: &&str| {
            let known = Type::ALL.into_iter().find(|known| known.as_str() == *kind);
            known.map_or(*kind == default.type_name() || *kind != "null", |known| known.admits(default))
        };
        if kinds.is_empty() || kinds.iter().any(fits) {
            continue;
        }
        let sensitive = context.tool.parameter(name).is_some_and(|parameter| parameter.sensitive);
        let part = |keyword: &str| {
            let steps = ["properties", name, keyword].map(str::to_owned);
            locate::part(context.sources, context.toolset, context.tool, schema.span, &steps)
        };
        let kinds: Vec<&str> = kinds.into_iter().map(with_article).collect();
        let message = format!(
            "{} of property `{name}` is {}, not {}",
            shown(default, sensitive).after("default"),
            type_of(default),
            kinds.join(" or ")
        );
        findings.report(
            Diagnostic::new(&MISTYPED_DEFAULT, part("default"), message)
                .related(part("type"), "the property's type")
                .note("a call with this value would be refused"),
        );
    }
}

fn wrong_type(
    context: &ToolContext<'_>,
    parameter: &ParameterSpec,
    default: &Json,
    span: Span,
    subject: &str,
) -> Diagnostic {
    let kind = parameter.kind.value;
    let message = format!("{subject} is {}, not {}", type_of(default), with_article(kind.as_str()));
    let mut diagnostic = Diagnostic::new(&MISTYPED_DEFAULT, span, message);
    if !has_type(parameter) {
        let name = default.type_name();
        diagnostic = diagnostic
            .note("a parameter without `type` is a string")
            .help(format!("add `type = \"{name}\"`, or write the default as a string"));
        let text = format!("\"{name}\"");
        return match insert::key(context.sources, parameter.span, parameter.name.span, "type", &text) {
            Some(edit) => diagnostic.fix(Applicability::DisplayOnly, vec![edit]),
            None => diagnostic,
        };
    }
    diagnostic = diagnostic.related(parameter.kind.span, "the parameter's type");
    let meant = match (kind, default) {
        (Type::Integer, Json::String(text)) => text.parse::<i64>().ok().map(|number| number.to_string()),
        (Type::Number, Json::String(text)) => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite() && is_toml_number(text))
            .map(|_| text.clone()),
        (Type::Boolean, Json::String(text)) => match text.to_ascii_lowercase().as_str() {
            word @ ("true" | "false") => Some(word.to_owned()),
            _ => None,
        },
        (Type::String, Json::Number(_) | Json::Bool(_)) => {
            Some(Json::string(context.sources.text(span)).to_text())
        }
        _ => None,
    };
    match meant.filter(|_| !parameter.sensitive) {
        Some(meant) => diagnostic.help(format!("write `{meant}`")).replace(span, meant),
        None => diagnostic,
    }
}

/// Rust's floats allow more spellings than TOML's, such as `.5` and `007`.
fn is_toml_number(text: &str) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    let whole = text.trim_start_matches('-').split('.').next().unwrap_or_default();
    plain && !text.ends_with('.') && (whole == "0" || whole.starts_with(|c| matches!(c, '1'..='9')))
}

fn broken(parameter: &ParameterSpec, default: &Json) -> Option<Broken> {
    match default {
        Json::Number(number) => out_of_range(parameter, number),
        Json::String(text) => {
            let length = text.chars().count();
            out_of_size(parameter, length, ["minLength", "maxLength"], "character")
                .or_else(|| mismatch(parameter, text))
        }
        Json::Array(items) => out_of_size(parameter, items.len(), ["minItems", "maxItems"], "element")
            .or_else(|| against_schema(parameter, default)),
        Json::Object(_) => against_schema(parameter, default),
        Json::Null | Json::Bool(_) => None,
    }
}

fn out_of_range(parameter: &ParameterSpec, number: &str) -> Option<Broken> {
    use Ordering::{Equal, Greater, Less};
    let bounds: [(&str, &[Ordering], &str); 4] = [
        ("minimum", &[Less], "is less than the `minimum`"),
        ("maximum", &[Greater], "is greater than the `maximum`"),
        ("exclusiveMinimum", &[Less, Equal], "is not greater than the `exclusiveMinimum`"),
        ("exclusiveMaximum", &[Greater, Equal], "is not less than the `exclusiveMaximum`"),
    ];
    bounds.into_iter().find_map(|(keyword, wrong, text)| {
        let bound = parameter.keyword(keyword)?;
        let limit = bound.value.as_number()?;
        let out = wrong.contains(&decimal::compare(number, limit));
        out.then(|| Broken { how: format!("{text} {limit}"), keyword: Some(bound.span) })
    })
}

fn out_of_size(parameter: &ParameterSpec, size: usize, keywords: [&str; 2], unit: &str) -> Option<Broken> {
    let [least, most] = keywords;
    let limit = |keyword: &str| {
        let bound = parameter.keyword(keyword)?;
        Some((bound.value.as_number()?.parse::<usize>().ok()?, bound.span))
    };
    let how = |word: &str, limit: usize| {
        let are = if limit == 1 { "is" } else { "are" };
        format!("has {}, and at {word} {limit} {are} allowed", counted(size, unit))
    };
    let broken = |how: String, span: Span| Some(Broken { how, keyword: Some(span) });
    match (limit(least), limit(most)) {
        (Some((limit, span)), _) if size < limit => broken(how("least", limit), span),
        (_, Some((limit, span))) if size > limit => broken(how("most", limit), span),
        _ => None,
    }
}

fn mismatch(parameter: &ParameterSpec, text: &str) -> Option<Broken> {
    if let Some(pattern) = parameter.keyword("pattern") {
        // A pattern that does not compile is `bad-pattern`.
        let regex = patterns::compile_pattern(pattern.value.as_str()?).ok()?;
        if !regex.is_match(text) {
            return Some(Broken { how: "does not match its `pattern`".into(), keyword: Some(pattern.span) });
        }
    }
    let written = parameter.keyword("format")?;
    let format = ValueFormat::from_word(written.value.as_str()?)?;
    let wrong = !formats::matches(format, text);
    let how = || format!("is not of the format `{format}`, such as `{}`", formats::example(format));
    wrong.then(|| Broken { how: how(), keyword: Some(written.span) })
}

/// For arrays and objects, whose inner schemas only the full validator checks.
fn against_schema(parameter: &ParameterSpec, default: &Json) -> Option<Broken> {
    if !parameter
        .keywords
        .iter()
        .any(|(name, _)| matches!(*name, "items" | "properties" | "additionalProperties"))
    {
        return None;
    }
    // What is not a schema is `invalid-schema`.
    let validator = schema::compile(&input_schema::of_parameter(parameter).to_text()).ok()?;
    let value = json::parse_strict(default.to_text().as_bytes(), json::MAX_DEPTH).ok()?;
    let problem = schema::validate(&validator, &value).into_iter().next()?;
    let place = if problem.path.is_empty() { String::new() } else { format!(" at `{}`", problem.path) };
    // The validator's message quotes the value.
    let why = if parameter.sensitive { String::new() } else { format!(": {}", problem.message) };
    Some(Broken { how: format!("does not match its schema{place}{why}"), keyword: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{found, parameter_with, tool_with, underlined};

    fn fixed(keys: &str) -> Option<String> {
        let report = check_files(&MemoryFiles::one("spec.toml", &parameter_with(keys)));
        let finding = report.diagnostics.into_iter().find(|d| d.is(&MISTYPED_DEFAULT))?;
        finding.fix?.edits.into_iter().next().map(|edit| edit.text)
    }

    #[test]
    fn what_was_clearly_meant_is_offered() {
        assert_eq!(fixed("type = \"integer\"\ndefault = \"20\"").as_deref(), Some("20"));
        assert_eq!(fixed("type = \"boolean\"\ndefault = \"True\"").as_deref(), Some("true"));
        assert_eq!(fixed("type = \"string\"\ndefault = 1.50").as_deref(), Some("\"1.50\""));
        assert_eq!(fixed("type = \"number\"\ndefault = \"-0.50\"").as_deref(), Some("-0.50"));
        for odd in ["inf", "007", ".5", "1.", "1e3"] {
            assert_eq!(fixed(&format!("type = \"number\"\ndefault = \"{odd}\"")), None, "{odd}");
        }
        assert_eq!(fixed("type = \"integer\"\ndefault = 1.5"), None);
    }

    #[test]
    fn the_default_of_a_sensitive_parameter_is_never_repeated() {
        for keys in [
            "type = \"integer\"\ndefault = \"777\"",
            "pattern = '^a+$'\ndefault = \"777\"",
            "type = \"object\"\nproperties = { a = { type = \"integer\" } }\ndefault = { a = \"777\" }",
        ] {
            let spec = parameter_with(&format!("sensitive = true\n{keys}"));
            let report = check_files(&MemoryFiles::one("spec.toml", &spec));
            let found = report.diagnostics.iter().find(|d| d.is(&MISTYPED_DEFAULT)).unwrap();
            assert!(!format!("{found:?}").contains("777"), "{found:?}");
        }
    }

    #[test]
    fn defaults_of_a_schema_are_filled_in_too() {
        let spec = |property: &str| {
            tool_with(&format!(
                "input_schema = {{ type = \"object\", properties = {{ a = {{ {property} }} }} }}"
            ))
        };
        let found = |property: &str| found(&MISTYPED_DEFAULT, &spec(property));
        let expected = "default `\"5\"` of property `a` is a string, not an integer or null";
        let wrong = found("type = [\"integer\", \"null\"], default = \"5\"");
        assert_eq!(wrong, [(expected.to_owned(), "\"5\"".to_owned())]);
        assert_eq!(found("type = \"number\", default = 5"), []);
        assert_eq!(found("default = 5"), []);
    }

    #[test]
    fn limits_hold_for_defaults() {
        for keys in [
            "type = \"number\"\nexclusiveMinimum = 0\ndefault = 0",
            "type = \"integer\"\nmaximum = 9007199254740992\ndefault = 9007199254740993",
            "minLength = 2\ndefault = \"é\"",
            "pattern = '^a+$'\ndefault = \"b\"",
            "format = \"date\"\ndefault = \"2023-02-29\"",
            "type = \"array\"\nitems = { type = \"string\" }\nmaxItems = 1\ndefault = [\"a\", \"b\"]",
            "type = \"array\"\nitems = { type = \"string\" }\ndefault = [1]",
            "type = \"object\"\nproperties = { a = { type = \"string\" } }\ndefault = { a = 1 }",
        ] {
            assert_eq!(found(&MISTYPED_DEFAULT, &parameter_with(keys)).len(), 1, "{keys}");
        }
        let fine = "type = \"integer\"\nminimum = 1\nmaximum = 1\ndefault = 1";
        assert_eq!(underlined(&MISTYPED_DEFAULT, &parameter_with(fine)), [""; 0]);
    }
}
