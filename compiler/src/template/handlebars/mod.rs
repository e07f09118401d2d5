//! The Handlebars dialect: what the `handlebars` crate does without HTML escaping.
//!
//! The crate is used as a parser only. Its tree is turned into an own one, with names resolved and without
//! whatever the machine does not run: partials, decorators, `log`, helpers that do not exist. A call that the
//! crate would accept and always fail to render is refused here too; so is one where it would silently ignore
//! something that was written.

pub mod ast;
mod build;
#[cfg(test)]
mod corpus;
pub mod helpers;
mod position;
mod scan;
mod scope;
mod value;

use ::handlebars::TemplateErrorReason;
use ::handlebars::template::Template as Parsed;

use crate::template::{TemplateError, check_size};
use position::Positions;

/// Parses a template, or reports all errors in it, in the order of the source.
pub fn parse(source: &str) -> Result<ast::Template, Vec<TemplateError>> {
    check_size(source)?;
    let scan = scan::scan(source).map_err(|error| vec![error])?;
    let mut positions = Positions::new(source, scan.tags);
    match Parsed::compile(source) {
        Ok(parsed) => build::build(&parsed, positions),
        Err(error) => Err(vec![scan.problem.unwrap_or_else(|| explain(source, &error, &mut positions))]),
    }
}

/// The crate's error in our words.
fn explain(
    source: &str,
    error: &::handlebars::TemplateError,
    positions: &mut Positions<'_>,
) -> TemplateError {
    let offset = error.pos().map_or(0, |(line, column)| positions.offset(line, column));
    match error.reason() {
        TemplateErrorReason::InvalidSyntax(expected) if expected.contains("limit reached") => {
            TemplateError::too_complex(0..source.len(), "the template nests too deep")
        }
        TemplateErrorReason::InvalidSyntax(expected) => {
            let message = match readable(expected) {
                Some(expected) => format!("invalid Handlebars syntax, expected {expected}"),
                None => "invalid Handlebars syntax".to_owned(),
            };
            let error = TemplateError::syntax(positions.error_span(offset), message);
            let tag = positions.tag_text(offset).unwrap_or_default();
            if let Some(condition) = with_helper(tag) {
                error.with_help(format!("write `{condition}`"))
            } else if looks_like_go(tag) {
                error.with_help("this is Go template syntax, not Handlebars'")
            } else {
                error
            }
        }
        TemplateErrorReason::InvalidParam(text) => {
            let at = source.find(text.as_str()).unwrap_or(0);
            TemplateError::syntax(at..at + text.len(), format!("invalid parameter `{text}`"))
        }
        other => TemplateError::syntax(positions.error_span(offset), other.to_string()),
    }
}

/// The crate lists the rules of its grammar that would have matched; their names mean nothing to a reader.
fn readable(expected: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for rule in expected.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let word = match rule {
            "identifier" | "reference" | "path_inline" | "path_id" | "path_raw_id" | "partial_identifier" => {
                "a name"
            }
            "subexpression" => "`(`",
            "helper_parameter" | "literal" | "string_literal" | "number_literal" => "a parameter",
            "hash" => "`name=value`",
            "block_param" => "`as |name|`",
            "trailing_tilde_to_omit_whitespace" => "`}}`",
            "invert_tag" | "invert_chain_tag" => "`{{else}}`",
            "helper_block_end" | "decorator_block_end" | "partial_block_end" => "the end of the block",
            "raw_block_end" => "the end of the raw block",
            "EOI" => "the end of the template",
            _ => continue,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let last = words.pop()?;
    Some(if words.is_empty() { last.to_owned() } else { format!("{} or {last}", words.join(", ")) })
}

/// A condition with an operator, as Handlebars writes it.
fn with_helper(tag: &str) -> Option<String> {
    const OPERATORS: [(&str, &str); 11] = [
        ("===", "eq"),
        ("!==", "ne"),
        ("==", "eq"),
        ("!=", "ne"),
        ("<=", "lte"),
        (">=", "gte"),
        ("&&", "and"),
        ("||", "or"),
        ("<", "lt"),
        (">", "gt"),
        ("=", "eq"),
    ];
    let inner = tag.trim_matches(['{', '}', '~', ' ']);
    let (block, condition) = ["#if ", "#unless ", "else if "]
        .iter()
        .find_map(|block| Some((*block, inner.strip_prefix(block)?.trim())))?;
    // One operator between two words: more are for the author to sort out.
    let words: Vec<&str> = condition.split_whitespace().collect();
    let helper = |operator: &str| OPERATORS.iter().find(|(known, _)| *known == operator);
    let call = match words.as_slice() {
        [one, operator, other] => {
            let (_, helper) = helper(operator)?;
            format!("{helper} {one} {other}")
        }
        [one] => match OPERATORS.iter().find_map(|(known, helper)| Some((one.split_once(known)?, helper))) {
            Some(((left, right), helper)) if !left.is_empty() && !right.is_empty() => {
                format!("{helper} {left} {right}")
            }
            _ => format!("not {}", one.strip_prefix('!').filter(|name| !name.is_empty())?),
        },
        _ => return None,
    };
    let is_go = call
        .split(' ')
        .any(|word| word.starts_with('.') && !word.starts_with("./") && !word.starts_with(".."));
    (!is_go).then(|| format!("{{{{{block}({call})}}}}"))
}

/// Whether a tag that is not Handlebars would be valid in Go.
fn looks_like_go(tag: &str) -> bool {
    let inner = tag.trim_matches(['{', '}']);
    let words = inner.trim_start_matches('-').trim();
    inner.starts_with("- ")
        || inner.ends_with(" -")
        || inner.contains(":=")
        || words.starts_with("/*")
        || words
            .split_whitespace()
            .any(|word| word.starts_with('.') && !word.starts_with("./") && !word.starts_with(".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::ErrorKind;

    fn first(source: &str) -> TemplateError {
        parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted")).remove(0)
    }

    #[test]
    fn a_syntax_error_points_into_its_tag_and_says_what_fits() {
        let error = first("a {{b.}} c");
        assert_eq!((error.kind, error.span), (ErrorKind::Syntax, 6..7));
        assert!(error.message.starts_with("invalid Handlebars syntax, expected "), "{}", error.message);
        assert!(!error.message.contains('_'), "{}", error.message);
    }

    #[test]
    fn go_syntax_is_named_in_the_help() {
        for source in ["{{ .name }}", "{{.}}", "{{- range $i, $v := .l }}{{ end }}", "{{ if .x }}a{{ end }}"]
        {
            let error = first(source);
            assert_eq!(
                error.help.as_deref(),
                Some("this is Go template syntax, not Handlebars'"),
                "{source}"
            );
        }
        assert_eq!(first("{{a.}}").help, None);
    }

    #[test]
    fn what_other_languages_write_is_put_right() {
        for (source, help) in [
            ("{{#if a == 'b'}}x{{/if}}", "{{#if (eq a 'b')}}"),
            ("{{#if a.b=='b'}}x{{/if}}", "{{#if (eq a.b 'b')}}"),
            ("{{#if a != 1}}x{{/if}}", "{{#if (ne a 1)}}"),
            ("{{#unless a > 1}}x{{/unless}}", "{{#unless (gt a 1)}}"),
            ("{{#if a && b}}x{{/if}}", "{{#if (and a b)}}"),
            ("{{#if a || b}}x{{/if}}", "{{#if (or a b)}}"),
            ("{{#if !a}}x{{/if}}", "{{#if (not a)}}"),
            ("{{#if a}}x{{else if b == 1}}y{{/if}}", "{{else if (eq b 1)}}"),
            ("{{#foreach items}}x{{/foreach}}", "{{#each items}}"),
            ("{{#ifEquals a 'b'}}x{{/ifEquals}}", "{{#if (eq a 'b')}}"),
            ("{{#ifEq a b}}x{{/ifEq}}", "{{#if (eq a b)}}"),
            ("{{^items}}x{{/items}}", "{{#unless items}}"),
        ] {
            assert_eq!(first(source).help, Some(format!("write `{help}`")), "{source}");
        }
        assert_eq!(first("{{else}}").message, "`{{else}}` outside a block");
        assert_eq!(first("{{#if a == b && c}}x{{/if}}").help, None);
    }

    #[test]
    fn a_bad_literal_is_shown_whole() {
        let source = "{{len 1.5.}}{{lookup m \"\\ud800\"}}";
        assert!(parse(source).is_err());
        let error = first("{{lookup m \"\\ud800\"}}");
        assert_eq!((error.span, error.message.as_str()), (11..19, "invalid parameter `\"\\ud800\"`"));
    }

    #[test]
    fn templates_that_would_abort_the_parser_are_too_complex() {
        for source in [
            format!("{}{}", "{{#if a}}".repeat(3000), "{{/if}}".repeat(3000)),
            format!("{{{{#if {}a{}}}}}{{{{/if}}}}", "(not ".repeat(8000), ")".repeat(8000)),
            format!("{{{{len {}{}}}}}", "[".repeat(30000), "]".repeat(30000)),
            format!("{{{{len {}1{}}}}}", "{\"a\":".repeat(8000), "}".repeat(8000)),
            format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if b}}".repeat(5000)),
        ] {
            assert_eq!(
                first(&source).kind,
                ErrorKind::TooComplex,
                "{}",
                source.get(..40).unwrap_or_default()
            );
        }
    }
}
