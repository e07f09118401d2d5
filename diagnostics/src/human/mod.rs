//! Findings with their source, the way `rustc` shows them.

mod excerpt;

use self::excerpt::Excerpt;
use crate::diagnostic::{Diagnostic, Edit, Fix};
use crate::rule::Severity;
use crate::source::{FileId, Sources, Span};
use crate::visible::{one_line, visible};
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Padding, Patch, Renderer, Snippet,
};
use std::io::{Result, Write};
use std::ops::{Range, RangeInclusive};

/// A part of the source with something to say about it.
struct Mark<'d> {
    span: Span,
    label: Option<&'d str>,
    kind: AnnotationKind,
}

/// What is shown in one excerpt.
struct Cluster<T> {
    file: FileId,
    lines: RangeInclusive<usize>,
    items: Vec<T>,
}

/// Marks with fewer lines between them are shown in one excerpt.
const NEAR: usize = 30;
/// Bytes of a line before its first mark. The library counts columns in what it is given, so only a line
/// that nobody reads anyway loses its beginning.
const HEAD: usize = 4096;
/// The same for a patch, which shows no column.
const PATCH_HEAD: usize = 80;

/// Writes all findings, and a last line in the colour of the worst.
pub fn write(
    sources: &Sources,
    diagnostics: &[Diagnostic],
    summary: &str,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    for diagnostic in diagnostics {
        let groups = finding(sources, diagnostic);
        writeln!(out, "{}\n", renderer.render(&groups))?;
    }
    let summary = visible(summary);
    match diagnostics.iter().map(|diagnostic| diagnostic.severity).min() {
        Some(worst) => {
            let title = level(worst).primary_title(summary);
            writeln!(out, "{}", renderer.render(&[Group::with_title(title)]))
        }
        None => writeln!(out, "{summary}"),
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

fn finding<'d>(sources: &'d Sources, diagnostic: &'d Diagnostic) -> Vec<Group<'d>> {
    let level = level(diagnostic.severity);
    let mut title = level.clone().primary_title(visible(&diagnostic.message));
    if let Some(rule) = diagnostic.rule {
        title = title.id(rule.code);
    }
    let mut groups = Vec::new();
    let mut group = Group::with_title(title);
    if diagnostic.hide_source {
        let start = diagnostic.start(sources);
        let name = one_line(&sources.file(diagnostic.span.file).name);
        group = group.element(Origin::path(name).line(start.line).char_column(start.column));
        return vec![with_advice(group, diagnostic, diagnostic.help.as_deref())];
    }
    for (index, cluster) in clusters(sources, marks(sources, diagnostic), |mark| mark.span).iter().enumerate()
    {
        let file = sources.file(cluster.file);
        let name = one_line(&file.name);
        if let [Mark { span: Span { start: 0, end: 0, .. }, label: None, .. }] = cluster.items.as_slice() {
            // The file as a whole: no line to show.
            group = group.element(Origin::path(name));
            if !diagnostic.notes.is_empty() || diagnostic.help.is_some() {
                group = group.element(Padding);
            }
            continue;
        }
        let ranges: Vec<Range<usize>> = cluster.items.iter().map(|mark| mark.span.range()).collect();
        let excerpt = Excerpt::new(file, &ranges, HEAD);
        let annotations = cluster.items.iter().map(|mark| mark.annotation(&excerpt));
        let snippet = Snippet::source(excerpt.text.clone()).line_start(excerpt.line).annotations(annotations);
        if !excerpt.is_shifted {
            group = group.element(snippet.path(name));
            continue;
        }
        // Columns of a shifted line would be wrong: say the place and show the source without one.
        let place = file.location(cluster.items.first().map_or(0, |mark| mark.span.start as usize));
        group = group.element(Origin::path(name).line(place.line).char_column(place.column));
        if index == 0 {
            groups.push(group);
            group = Group::with_level(level.clone()).element(snippet).element(Padding);
        } else {
            let labels = cluster.items.iter().filter_map(|mark| mark.label);
            group = group.elements(labels.map(|label| Level::NOTE.message(visible(label))));
        }
    }
    let patch = diagnostic.fix.as_ref().and_then(|fix| patch(sources, diagnostic, fix));
    // The help is the title of a patch.
    let help = diagnostic.help.as_deref().filter(|_| patch.is_none());
    groups.push(with_advice(group, diagnostic, help));
    groups.extend(patch);
    groups
}

fn with_advice<'d>(group: Group<'d>, diagnostic: &'d Diagnostic, help: Option<&'d str>) -> Group<'d> {
    let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(visible(note)));
    group.elements(notes).elements(help.map(|help| Level::HELP.message(visible(help))))
}

/// The primary mark comes first: its file and place head the finding.
fn marks<'d>(sources: &Sources, diagnostic: &'d Diagnostic) -> Vec<Mark<'d>> {
    let primary = Mark::new(sources, diagnostic.span, diagnostic.label.as_deref(), AnnotationKind::Primary);
    let related = diagnostic.related.iter();
    let related =
        related.map(|(span, label)| Mark::new(sources, *span, Some(label), AnnotationKind::Context));
    std::iter::once(primary).chain(related).collect()
}

impl<'d> Mark<'d> {
    fn new(sources: &Sources, mut span: Span, label: Option<&'d str>, kind: AnnotationKind) -> Mark<'d> {
        // The line that a final newline begins is not part of the thing.
        let text = sources.text(span).trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            span.end = span.start + text.len() as u32;
        }
        Mark { span, label, kind }
    }

    fn annotation(&self, excerpt: &Excerpt<'_>) -> Annotation<'d> {
        self.kind.span(excerpt.place(&self.span.range())).label(self.label.map(one_line))
    }
}

/// A help with the source as the fix would make it.
fn patch<'d>(sources: &'d Sources, diagnostic: &'d Diagnostic, fix: &'d Fix) -> Option<Group<'d>> {
    let mut edits: Vec<&Edit> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let mut end = None;
    edits.retain(|edit| {
        let is_free = end.is_none_or(|(file, end)| file != edit.span.file || end <= edit.span.start);
        end = if is_free { Some((edit.span.file, edit.span.end)) } else { end };
        is_free
    });
    if edits.is_empty() {
        return None;
    }
    let mut group = Group::with_title(Level::HELP.secondary_title(visible(fix.title(diagnostic))));
    for cluster in clusters(sources, edits, |edit| edit.span) {
        let file = sources.file(cluster.file);
        let ranges: Vec<Range<usize>> = cluster.items.iter().map(|edit| edit.span.range()).collect();
        let excerpt = Excerpt::new(file, &ranges, PATCH_HEAD);
        let patches = cluster.items.iter().map(|edit| {
            let text = visible(&edit.text.replace("\r\n", "\n")).into_owned();
            Patch::new(excerpt.place(&edit.span.range()), text)
        });
        let snippet = Snippet::source(excerpt.text.clone()).line_start(excerpt.line);
        group = group.element(snippet.path(one_line(&file.name)).patches(patches));
    }
    Some(group)
}

/// Groups things that are near each other, each group where its first member was.
fn clusters<T>(sources: &Sources, items: Vec<T>, span: impl Fn(&T) -> Span) -> Vec<Cluster<T>> {
    let mut clusters: Vec<Cluster<T>> = Vec::new();
    for item in items {
        let span = span(&item);
        let file = sources.file(span.file);
        let first = file.location(span.start as usize).line;
        let last = file.location(span.end as usize).line;
        let near = clusters.iter_mut().find(|cluster| {
            let (start, end) = (*cluster.lines.start(), *cluster.lines.end());
            cluster.file == span.file && first <= end + NEAR && start <= last + NEAR
        });
        match near {
            Some(cluster) => {
                cluster.lines = first.min(*cluster.lines.start())..=last.max(*cluster.lines.end());
                cluster.items.push(item);
            }
            None => clusters.push(Cluster { file: span.file, lines: first..=last, items: vec![item] }),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(diagnostic: impl FnOnce(FileId) -> Diagnostic, text: &str) -> String {
        let mut sources = Sources::default();
        let file = sources.add("edge.toml", text);
        let mut out = Vec::new();
        write(&sources, &[diagnostic(file)], "1 error", false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_with_something_secret_is_not_shown() {
        let finding = |file| Diagnostic::error(Span::new(file, 6..12), "it is a secret").hide_source();
        let text = shown(|file| finding(file).help("remove it"), "key = secret");
        assert!(text.contains("edge.toml:1:7") && !text.contains("key = secret"), "{text}");
        assert!(text.contains("help: remove it"), "{text}");
    }

    #[test]
    fn nothing_of_a_file_steers_the_terminal_and_spans_stay() {
        let hostile = "a = \"\u{1b}[31m\u{9b}\u{202e}\u{e0041}\" b = 1\r\n";
        let at = hostile.find('b').unwrap();
        let text = shown(|file| Diagnostic::error(Span::new(file, at..at + 1), "no\u{1b}"), hostile);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        let mut lines = text.lines().skip_while(|line| !line.contains("b = 1"));
        let (line, mark) = (lines.next().unwrap(), lines.next().unwrap());
        let column = |text: &str, c| text.chars().position(|other| other == c);
        assert_eq!(column(line, 'b'), column(mark, '^'), "{text}");
    }

    #[test]
    fn a_finding_without_a_rule_has_no_code() {
        let text = shown(|file| Diagnostic::error(Span::new(file, 0..1), "wrong"), "a = 1");
        assert!(text.starts_with("error: wrong\n"), "{text}");
    }
}
