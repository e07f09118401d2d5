//! Which dialect a template without a label is written in.
//!
//! Both front ends are tried; the text itself decides, never a preference of ours. Where both accept it they have
//! to agree on what it prints, or the author is asked.

use super::go::functions::Signature;
use super::line_ends::LineEnds;
use super::{Compiled, Dialect, ErrorKind, TemplateError, go, handlebars, lower, restored};

/// The answer of [`infer`].
#[derive(Debug, Clone, PartialEq)]
pub enum Inferred {
    Go,
    Handlebars,
    /// Plain text, the same in both.
    Either,
    /// Both accept it, and it does not mean the same: `{{ $.x }}`, `{{ 3 }}`, `{{ now }}`, `\{{ .x }}`.
    Ambiguous,
    /// No dialect accepts it. The one it is more likely meant to be, and the errors there.
    Neither(Dialect, Vec<TemplateError>),
}

/// Finds the dialect of `source`.
pub fn infer(source: &str) -> Inferred {
    infer_and_compile(source).0
}

/// Finds the dialect of `source` and makes a program of it; what both accept counts as Go. Literals are not
/// encoded yet.
pub fn infer_and_compile(source: &str) -> (Inferred, Option<Compiled>) {
    let ends = LineEnds::new(source);
    let (inferred, tree) = find(&ends.text);
    let (dialect, compiled) = match (tree, &inferred) {
        (Some(Tree::Go(template)), _) => (Dialect::Go, lower::go(&ends.text, &template)),
        (Some(Tree::Handlebars(template)), _) => {
            (Dialect::Handlebars, lower::handlebars(&ends.text, &template))
        }
        (None, Inferred::Neither(dialect, errors)) => (*dialect, Err(errors.clone())),
        (None, _) => return (inferred, None),
    };
    match restored(compiled, &ends) {
        Ok(compiled) => (inferred, Some(compiled)),
        Err(errors) => (Inferred::Neither(dialect, errors), None),
    }
}

enum Tree {
    Go(go::ast::Template),
    Handlebars(handlebars::ast::Template),
}

fn find(source: &str) -> (Inferred, Option<Tree>) {
    // A tag that only one dialect can have spares the other parser.
    if tags(source).any(|tag| tag.starts_with('#'))
        && let Ok(template) = handlebars::parse(source)
    {
        return (Inferred::Handlebars, Some(Tree::Handlebars(template)));
    }
    let parsed = go::parse(source);
    // What looks like a tag may be plain text to Handlebars.
    let literal = ["\\{{", "{{{{", "{{!"].iter().any(|mark| source.contains(mark));
    if !literal
        && tags(source).any(is_field)
        && let Ok(template) = parsed
    {
        return (Inferred::Go, Some(Tree::Go(template)));
    }
    let inferred = match (parsed, handlebars::parse(source)) {
        (Ok(go), Ok(handlebars)) => match (go_text(&go), handlebars_text(&handlebars)) {
            (Some(one), Some(other)) if one == other => return (Inferred::Either, Some(Tree::Go(go))),
            _ => return (Inferred::Ambiguous, Some(Tree::Go(go))),
        },
        (Ok(go), Err(_)) => return (Inferred::Go, Some(Tree::Go(go))),
        // Handlebars takes nearly any name for a field, so that a slip in a Go template would go unseen.
        (Err(errors), Ok(_)) if !literal && looks_only_go(source) => Inferred::Neither(Dialect::Go, errors),
        (Err(_), Ok(template)) => return (Inferred::Handlebars, Some(Tree::Handlebars(template))),
        (Err(go), Err(handlebars)) => match likelier(source, &go, &handlebars) {
            Dialect::Go => Inferred::Neither(Dialect::Go, go),
            Dialect::Handlebars => Inferred::Neither(Dialect::Handlebars, handlebars),
        },
    };
    (inferred, None)
}

/// `.name`: Handlebars has no path that begins with a dot and goes on.
fn is_field(tag: &str) -> bool {
    let inner = tag.strip_prefix('-').unwrap_or(tag).trim_start();
    inner.strip_prefix('.').is_some_and(|name| name.starts_with(char::is_alphabetic))
}

/// What a template prints, if it has no action that could print anything else.
fn go_text(template: &go::ast::Template) -> Option<String> {
    let texts = template.body.iter().map(|node| match node {
        go::ast::Node::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn handlebars_text(template: &handlebars::ast::Template) -> Option<String> {
    let texts = template.body.iter().map(|node| match node {
        handlebars::ast::Node::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// By the marks that only one dialect has; then by which one could read it and refused only what it calls; then
/// by the number of complaints.
fn likelier(source: &str, go: &[TemplateError], handlebars: &[TemplateError]) -> Dialect {
    let marks = |sign: fn(&str) -> bool| tags(source).filter(|tag| sign(tag)).count();
    let readable = |errors: &[TemplateError]| !errors.iter().any(|error| error.kind == ErrorKind::Syntax);
    let order = marks(is_handlebars)
        .cmp(&marks(is_go))
        .then(readable(handlebars).cmp(&readable(go)))
        .then(go.len().cmp(&handlebars.len()));
    if order.is_gt() { Dialect::Handlebars } else { Dialect::Go }
}

/// Whether tags have marks of Go, and none has one of Handlebars.
fn looks_only_go(source: &str) -> bool {
    tags(source).any(is_plainly_go) && !tags(source).any(|tag| !is_plainly_go(tag) && is_handlebars(tag))
}

/// Of the names that Go templates know, those that no field is likely to have.
const NO_FIELDS: &[&str] = &[
    "add1",
    "b64dec",
    "b64enc",
    "coalesce",
    "dateInZone",
    "ge",
    "gjson",
    "hasPrefix",
    "hasSuffix",
    "le",
    "nil",
    "printf",
    "println",
    "ternary",
    "toJson",
    "toString",
    "trim",
    "trimPrefix",
    "trimSuffix",
    "urlquery",
    "uuidv4",
];

fn is_plainly_go(tag: &str) -> bool {
    // A helper call in parentheses is of both.
    let inner = tag.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | '-'));
    let word = inner.split(|c: char| c.is_whitespace() || matches!(c, ')' | '|')).next().unwrap_or_default();
    let starts_with_sign = tag.trim_start().starts_with(['#', '^', '>', '!', '&', '~', '@', '*', '[', '{']);
    !starts_with_sign && (NO_FIELDS.contains(&word) || is_go(inner) || tag.starts_with("- "))
}

/// The insides of what look like tags.
fn tags(source: &str) -> impl Iterator<Item = &str> {
    source.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap_or(rest))
}

fn is_go(tag: &str) -> bool {
    let inner = tag.strip_prefix("- ").unwrap_or(tag);
    let mut words = inner.split_whitespace();
    let keyword = words.next().is_some_and(|word| {
        matches!(
            word,
            "if" | "range" | "with" | "end" | "break" | "continue" | "define" | "template" | "block"
        )
    });
    let dotted = inner
        .split([' ', '(', '|', '\t', '\n'])
        .any(|word| word.strip_prefix('.').is_some_and(|rest| !rest.starts_with(['.', '/'])));
    keyword
        || dotted
        || tag.starts_with("- ")
        || tag.ends_with(" -")
        || inner.starts_with("/*")
        || inner.contains(":=")
        || inner.trim_start().starts_with(['$', '"', '`', '('])
}

fn is_handlebars(tag: &str) -> bool {
    let inner = tag.trim_start();
    let sigil = inner.starts_with(['#', '^', '>', '!', '&', '~', '@', '*', '[', '{'])
        || (inner.starts_with('/') && !inner.starts_with("/*"));
    let own = inner.split([' ', '(', '\t', '\n']).any(|word| {
        word == "this" || ["this.", "this/", "../", "./", "@"].iter().any(|start| word.starts_with(start))
    });
    // A bare name is a field here; in Go it is a function, and those are few.
    let name = inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let field = name.starts_with(char::is_alphabetic) && Signature::find(name).is_none() && !is_go(tag);
    sigil || own || field || tag.ends_with('~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(source: &str) -> Dialect {
        match infer(source) {
            Inferred::Neither(dialect, errors) => {
                assert!(!errors.is_empty());
                dialect
            }
            other => panic!("`{source}` is {other:?}"),
        }
    }

    #[test]
    fn what_one_dialect_alone_accepts_is_of_that_dialect() {
        for source in [
            "{{ .data.name }}",
            "{{ . }}",
            "{{- range $i, $v := .list }}{{ $v }}{{ end }}",
            "{{ if .a }}x{{ end }}",
            "a{{/* c */}}",
            "{{ \"x\" }}",
            "{{ $.title }}: {{ .name }}",
            "{{ printf \"%d\" 3 }}",
        ] {
            assert_eq!(infer(source), Inferred::Go, "{source}");
        }
        for source in [
            "{{name}}",
            "{{ data.name }}",
            "{{this}}",
            "{{#each l}}{{@index}}{{/each}}",
            "{{#if a}}x{{/if}}",
            "{{!-- c --}}",
            "{{{a}}}",
            "{{title}}",
            "{{date}}",
            "{{(lookup m \"k\")}}",
            "{{start}} to {{end}}",
            "{{and a b}}",
            "{{name}}: {{ $x }}",
            "\\{{ .a | nosuch }}",
            "{{{{raw}}}} {{ .a | nosuch }} {{{{/raw}}}}",
            "{{sub}} {{index}} {{add}}",
            "{{a-b}}",
        ] {
            assert_eq!(infer(source), Inferred::Handlebars, "{source}");
        }
    }

    #[test]
    fn plain_text_is_either() {
        for source in ["", "plain {text}\n", "a \\ b", "}} {"] {
            assert_eq!(infer(source), Inferred::Either, "{source}");
        }
    }

    #[test]
    fn what_both_accept_and_read_differently_is_ambiguous() {
        for source in
            ["{{ $.x }}", "{{ 3 }}", "{{ true }}", "{{ now }}", "{{ html }}", "\\{{ .x }}", "{{ eq 1 1 }}"]
        {
            assert_eq!(infer(source), Inferred::Ambiguous, "{source}");
        }
    }

    #[test]
    fn errors_come_from_the_likelier_dialect() {
        for source in [
            "{{ .a",
            "{{ .a | nosuch }}",
            "{{ if .a }}x",
            "{{ range .l }}{{ .x }}{{ end }}{{ end }}",
            "{{ template \"x\" . }}",
            "{{ end }}{{ end }}{{",
            "{{ end }}",
            "{{ break }}",
            "{{ $x }}",
            "{{-.a}}",
            "{{ nil }}",
            "{{ toJson }}",
            "total: {{ $total }} {{ end }}",
        ] {
            assert_eq!(likely(source), Dialect::Go, "{source}");
        }
        for source in [
            "{{#if a}}x",
            "{{> partial}}",
            "{{#each l}}{{this.name}}",
            "{{#foo}}{{/foo}}",
            "{{shout name}}",
            "{{name}}{{/if}}",
            "{{log this}}",
            "{{lookup}}",
            "{{a.}}",
            "a {{x",
        ] {
            assert_eq!(likely(source), Dialect::Handlebars, "{source}");
        }
    }
}
