//! What templates may expect of a response: its fields, and what can be looped over.
//!
//! This is known from [`select`], which limits what a template sees, then from the `answer_schema`, the
//! `output_schema` or, without them, from the example responses. What they leave open is not reported.

mod examples;
pub(crate) mod locate;
mod schema;
#[cfg(test)]
mod schema_tests;
mod select;
#[cfg(test)]
mod select_tests;
#[cfg(test)]
mod tests;

use crate::checked::{CheckedTemplate, CheckedTool};
use crate::language::kinds::Kinds;
use crate::language::selection::Selection;
use crate::lint::context::ToolContext;
use crate::lint::findings::Findings;
use crate::lint::rules::{LOOP_OVER_SCALAR, UNKNOWN_RESPONSE_FIELD};
use crate::spec::TemplateSource;
use crate::template::{Compiled, Dialect, Read, Segment};
use examples::Examples;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Span, suggest};
use schema::Schema;
use std::collections::BTreeSet;

/// More findings in one template would add nothing.
const MAX_FINDINGS: usize = 20;
/// Names that a finding is compared with.
const MAX_KEYS: usize = 1000;
/// Names that a note lists.
const MAX_LISTED: usize = 8;

/// A description of an upstream's responses.
trait Source {
    /// The first key of a path that no response can have.
    fn unknown(&self, path: &[Segment]) -> Option<Unknown>;

    /// What can be at the end of a path; everything if that is unknown.
    fn kinds(&self, path: &[Segment]) -> Kinds;

    /// Whether some responses may have more than is described.
    fn is_open(&self) -> bool {
        false
    }

    /// As the subject of a sentence, and whether it is plural.
    fn name(&self) -> (String, bool);

    /// How to declare that the field exists.
    fn remedy(&self) -> String;
}

/// A key that no response can have.
#[derive(Debug, PartialEq, Eq)]
struct Unknown {
    /// Its place in the path.
    at: usize,
    /// What can be there instead, sorted.
    keys: Vec<String>,
    /// The kind of value that it would be a field of.
    of: Kinds,
}

/// Reports fields that a tool's `select` and templates read but that no response has.
pub fn check_fields(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let is_selected = check_select(context, findings);
    for Known { template, compiled, sources, selected } in templates_of(context.tool) {
        // It is unknown what a template sees.
        if selected && !is_selected {
            continue;
        }
        let mut places = BTreeSet::new();
        let mut paths = BTreeSet::new();
        for read in &compiled.reads {
            let found = sources.iter().find_map(|source| {
                let unknown = source.unknown(&read.path)?;
                let path = read.path.get(..=unknown.at).unwrap_or(&read.path);
                let is_expected = source.is_open() && is_tested(compiled, path);
                (!is_expected).then_some((source, unknown))
            });
            let Some((source, unknown)) = found else { continue };
            let path = read.path.get(..=unknown.at).unwrap_or(&read.path);
            let exact = locate::key(template.text(), read, unknown.at);
            // Without a place of its own, it follows from an earlier finding.
            let is_new = paths.insert(path);
            let place = exact.clone().unwrap_or_else(|| read.span.clone());
            if (!is_new && exact.is_none()) || !places.insert((place.start, place.end)) {
                continue;
            }
            let span = template.locate(context.sources, place);
            let in_list = |key: &str, list: &[Segment]| list_help(compiled.dialect, key, list);
            let diagnostic = unknown_field(span, exact.is_some(), in_list, &**source, path, &unknown);
            findings.report(of_tool(context, template, diagnostic));
            if places.len() == MAX_FINDINGS {
                break;
            }
        }
    }
}

/// Whether a template tests for a field before it uses it, because the field can be missing.
fn is_tested(compiled: &Compiled, path: &[Segment]) -> bool {
    compiled.tested.iter().any(|tested| tested.starts_with(path))
}

/// Reports paths of `select` that no response has; `false` if there are any.
fn check_select(context: &ToolContext<'_>, findings: &mut Findings<'_>) -> bool {
    let tool = context.tool;
    let Some(selection) = selection_of(tool) else { return true };
    let examples = Examples::new(tool, |status| (200..300).contains(&status));
    let answer = tool.answer_schema.as_ref().map(|schema| Schema::new("answer_schema", &schema.value));
    let schema = tool.output_schema.as_ref().map(|schema| Schema::new("output_schema", &schema.value));
    let mut is_sound = true;
    for written in &tool.select {
        let Some(path) = select::segments(&written.value) else { continue };
        // What the answer's schema says counts; the examples need not have every field.
        let (source, unknown): (&dyn Source, _) = match &answer {
            Some(answer) => (answer, answer.unknown(&path)),
            None => (&examples, examples.unknown(&path)),
        };
        let Some(unknown) = unknown else { continue };
        let path = path.get(..=unknown.at).unwrap_or(&path);
        if answer.is_none() && schema.as_ref().is_some_and(|schema| schema.names(path)) {
            continue;
        }
        is_sound = false;
        let range = select::last_key(&written.value, path);
        let span = context.sources.inside(written.span, range.clone().unwrap_or(0..written.value.len()));
        let in_list = |key: &str, list: &[Segment]| {
            let list = [list, &[Segment::Each, Segment::Key(key.to_owned())]].concat();
            format!("write `{}` to read it from every element", shown(&list))
        };
        findings.report(unknown_field(span, range.is_some(), in_list, source, path, &unknown));
    }
    let required = tool.output_schema.as_ref().map(|schema| select::left_out(&selection, &schema.value));
    if let ([first, ..], [.., last]) = (tool.select.as_slice(), tool.select.as_slice())
        && let Some(left_out) = required.filter(|left_out| is_sound && !left_out.is_empty())
    {
        let span = Span { end: last.span.end, ..first.span };
        let them = if left_out.len() == 1 { "it" } else { "them" };
        let message = format!("`output_schema` requires {}, which `select` leaves out", listed(&left_out));
        findings.report(
            Diagnostic::new(&UNKNOWN_RESPONSE_FIELD, span, message)
                .note("the schema describes what `select` keeps, so no response could match it")
                .help(format!("add {them} to `select`, or remove {them} from `required`")),
        );
    }
    is_sound
}

/// Reports loops over values without elements.
pub fn check_loops(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    for Known { template, compiled, sources, .. } in templates_of(context.tool) {
        let mut places = BTreeSet::new();
        for read in compiled.reads.iter().filter(|read| read.looped) {
            let found = sources.iter().find_map(|source| {
                let kinds = source.kinds(&read.path).without(Kinds::NULL);
                is_pointless(compiled.dialect, kinds).then_some((source, kinds))
            });
            if let Some((source, kinds)) = found
                && places.len() < MAX_FINDINGS
                && places.insert((read.span.start, read.span.end))
            {
                findings.report(scalar_loop(context, template, compiled.dialect, &**source, read, kinds));
            }
        }
    }
}

/// Go counts up to a number.
fn is_pointless(dialect: Dialect, kinds: Kinds) -> bool {
    let scalars = match dialect {
        Dialect::Go => Kinds::STRING.or(Kinds::BOOLEAN),
        Dialect::Handlebars => Kinds::STRING.or(Kinds::BOOLEAN).or(Kinds::NUMBER).or(Kinds::INTEGER),
    };
    kinds != Kinds::NONE && kinds.without(scalars) == Kinds::NONE
}

/// A valid template, and what is known about its data.
struct Known<'a> {
    template: &'a CheckedTemplate,
    compiled: &'a Compiled,
    sources: Vec<Box<dyn Source + 'a>>,
    /// It sees what `select` keeps.
    selected: bool,
}

/// The response templates of a tool that read something.
fn templates_of(tool: &CheckedTool) -> Vec<Known<'_>> {
    let mut found = Vec::new();
    if let Some((template, compiled)) = reading(tool.response_template.as_ref()) {
        let mut sources: Vec<Box<dyn Source + '_>> = Vec::new();
        if let Some(selection) = selection_of(tool) {
            sources.push(Box::new(selection));
        }
        match (&tool.answer_schema, &tool.output_schema) {
            (Some(schema), _) => sources.push(Box::new(Schema::new("answer_schema", &schema.value))),
            (None, Some(schema)) => sources.push(Box::new(Schema::new("output_schema", &schema.value))),
            (None, None) => {
                sources.push(Box::new(Examples::new(tool, |status| (200..300).contains(&status))));
            }
        }
        found.push(Known { template, compiled, sources, selected: true });
    }
    if let Some((template, compiled)) = reading(tool.error_template.as_ref()) {
        let examples = Examples::new(tool, |status| !(200..300).contains(&status));
        found.push(Known { template, compiled, sources: vec![Box::new(examples)], selected: false });
    }
    found
}

/// What `select` keeps; `None` without one, or with an invalid one.
fn selection_of(tool: &CheckedTool) -> Option<Selection> {
    Selection::new(tool.select.iter().map(|path| path.value.as_str()))
}

fn reading(template: Option<&CheckedTemplate>) -> Option<(&CheckedTemplate, &Compiled)> {
    let template = template?;
    let compiled = template.compiled().filter(|compiled| !compiled.reads.is_empty())?;
    Some((template, compiled))
}

/// `exact`: the span is exactly the key. `in_list` is the help for a key of a list's elements.
fn unknown_field(
    span: Span,
    exact: bool,
    in_list: impl Fn(&str, &[Segment]) -> String,
    source: &dyn Source,
    path: &[Segment],
    unknown: &Unknown,
) -> Diagnostic {
    let Some((Segment::Key(key), outer)) = path.split_last() else {
        return Diagnostic::new(&UNKNOWN_RESPONSE_FIELD, span, "the response has no such field");
    };
    let (name, plural) = source.name();
    let verb = |singular, several| if plural { several } else { singular };
    let mut message = format!("the response has no field `{}`", shown(path));
    let mut diagnostic;
    if unknown.of.without(Kinds::NULL).has(Kinds::OBJECT) || unknown.of == Kinds::NONE {
        diagnostic = Diagnostic::new(&UNKNOWN_RESPONSE_FIELD, span, message);
        let near = suggest::nearest(key, unknown.keys.iter().map(String::as_str));
        diagnostic = diagnostic.note(match unknown.keys.as_slice() {
            [] => format!("{name} {} no field there", verb("has", "have")),
            keys => format!("{name} {} {} there", verb("has", "have"), listed(keys)),
        });
        diagnostic = match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("correct the name, or {}", source.remedy())),
        };
        if let (Some(near), true) = (near, exact) {
            let edit = Edit { span, text: near.to_owned() };
            diagnostic = diagnostic.fix(Applicability::DisplayOnly, vec![edit]);
        }
    } else {
        let what = unknown.of.without(Kinds::NULL);
        let whole = if outer.is_empty() { "it".to_owned() } else { format!("`{}`", shown(outer)) };
        message.push_str(&format!(": {whole} is {what}"));
        diagnostic = Diagnostic::new(&UNKNOWN_RESPONSE_FIELD, span, message)
            .note(format!("according to {name}"))
            .maybe_help((what == Kinds::ARRAY).then(|| in_list(key, outer)));
    }
    diagnostic
}

fn list_help(dialect: Dialect, key: &str, list: &[Segment]) -> String {
    let name = match list.last() {
        Some(Segment::Key(key)) => key.as_str(),
        _ => "",
    };
    let is_count = matches!(key, "length" | "size" | "count" | "len");
    match (dialect, name) {
        (Dialect::Go, name) if is_count => format!("write `len .{name}` for the number of its elements"),
        (Dialect::Go, name) => format!("loop over it: `{{{{ range .{name} }}}}…{{{{ end }}}}`"),
        (Dialect::Handlebars, "") if is_count => "write `len this` for the number of its elements".to_owned(),
        (Dialect::Handlebars, "") => "loop over it: `{{#each this}}…{{/each}}`".to_owned(),
        (Dialect::Handlebars, name) if is_count => {
            format!("write `len {name}` for the number of its elements")
        }
        (Dialect::Handlebars, name) => format!("loop over it: `{{{{#each {name}}}}}…{{{{/each}}}}`"),
    }
}

fn scalar_loop(
    context: &ToolContext<'_>,
    template: &CheckedTemplate,
    dialect: Dialect,
    source: &dyn Source,
    read: &Read,
    kinds: Kinds,
) -> Diagnostic {
    let what =
        if read.path.is_empty() { "the response".to_owned() } else { format!("`{}`", shown(&read.path)) };
    let (name, _) = source.name();
    let effect = match dialect {
        Dialect::Go => "rendering would fail there",
        Dialect::Handlebars => "the loop would never run",
    };
    let at_key = read.path.len().checked_sub(1).and_then(|last| locate::key(template.text(), read, last));
    let range = at_key.unwrap_or_else(|| read.span.clone());
    let message = format!("{what} is {kinds}, which cannot be looped over");
    let diagnostic = Diagnostic::new(&LOOP_OVER_SCALAR, template.locate(context.sources, range), message)
        .note(format!("according to {name}; {effect}"));
    of_tool(context, template, diagnostic)
}

/// A finding in a template file names the tool.
pub(super) fn of_tool(
    context: &ToolContext<'_>,
    template: &CheckedTemplate,
    diagnostic: Diagnostic,
) -> Diagnostic {
    match template.source {
        TemplateSource::Inline(_) => diagnostic,
        TemplateSource::File { .. } => {
            diagnostic.related(template.span, format!("the template of tool `{}`", context.tool.label()))
        }
    }
}

/// A path as `select` writes it.
fn shown(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) if text.is_empty() => text.push_str(key),
            Segment::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            Segment::Each => text.push_str("[]"),
        }
    }
    text
}

/// `` `a`, `b` and 3 more ``.
fn listed(keys: &[String]) -> String {
    let names: Vec<String> = keys.iter().take(MAX_LISTED).map(|key| format!("`{key}`")).collect();
    match (keys.len().saturating_sub(MAX_LISTED), names.split_last()) {
        (0, Some((last, first))) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (0, _) => names.join(""),
        (rest, _) => format!("{} and {rest} more", names.join(", ")),
    }
}
