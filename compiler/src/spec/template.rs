//! Templates as a spec gives them: inline, with a dialect, or in a file beside the spec.

use super::lower::Lowering;
use crate::language::keys;
use crate::language::rules::{INVALID_VALUE, UNREADABLE_FILE};
use mcp_bundle::template::Destination;
use mcp_diagnostics::toml_tree::{TomlValue, to_text};
use mcp_diagnostics::{Diagnostic, FileId, Sources, Span, Spanned};
use std::ops::Range;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct TemplateSpec {
    /// Where the template is given in the spec.
    pub span: Span,
    pub dialect: TemplateDialect,
    pub source: TemplateSource,
    /// What it writes.
    pub place: Destination,
    /// Where the text begins in its string: an endpoint is a template only from some byte on.
    offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateDialect {
    Go,
    Handlebars,
    /// To be inferred.
    Unsaid,
}

#[derive(Debug, Clone)]
pub enum TemplateSource {
    /// A string of the spec, with the span of its literal.
    Inline(Spanned<String>),
    /// A file of its own.
    File { file: FileId, text: String },
}

impl TemplateSpec {
    fn new(span: Span, dialect: TemplateDialect, source: TemplateSource, place: Destination) -> TemplateSpec {
        TemplateSpec { span, dialect, source, place, offset: 0 }
    }

    /// A string, or what follows its first bytes, as a template whose dialect is detected from the
    /// text.
    pub fn of_text(text: &Spanned<String>, offset: usize, place: Destination) -> TemplateSpec {
        let part = text.value.get(offset..).unwrap_or_default().to_owned();
        let source = TemplateSource::Inline(Spanned::new(part, text.span));
        let spec = TemplateSpec::new(text.span, TemplateDialect::Unsaid, source, place);
        TemplateSpec { offset, ..spec }
    }

    pub fn text(&self) -> &str {
        match &self.source {
            TemplateSource::Inline(text) => &text.value,
            TemplateSource::File { text, .. } => text,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Where a byte range of the text was written.
    pub fn locate(&self, sources: &Sources, range: Range<usize>) -> Span {
        match &self.source {
            TemplateSource::Inline(text) => {
                sources.inside(text.span, self.offset + range.start..self.offset + range.end)
            }
            TemplateSource::File { file, .. } => Span::new(*file, range),
        }
    }
}

/// Reads files beside a spec.
pub trait ReadFile {
    /// The file's id and text, or why it cannot be had.
    fn read(&mut self, beside: FileId, name: &str) -> Result<(FileId, String), String>;
}

impl Lowering<'_> {
    pub(super) fn template(
        &mut self,
        value: Option<&TomlValue<'_>>,
        place: Destination,
        files: &mut dyn ReadFile,
    ) -> Option<TemplateSpec> {
        let value = value?;
        let span = self.toml.span(value.span());
        if let Some(text) = to_text(value, self.toml.text) {
            let source = TemplateSource::Inline(Spanned::new(text, span));
            return Some(TemplateSpec::new(span, TemplateDialect::Unsaid, source, place));
        }
        let fields = self.toml.fields(&keys::TEMPLATE, value.get_ref().as_table()?, span);
        let (go, handlebars, file) = (fields.text("go"), fields.text("handlebars"), fields.text("file"));
        match (go, handlebars, file) {
            (Some(text), None, None) => {
                let source = TemplateSource::Inline(text);
                Some(TemplateSpec::new(span, TemplateDialect::Go, source, place))
            }
            (None, Some(text), None) => {
                let source = TemplateSource::Inline(text);
                Some(TemplateSpec::new(span, TemplateDialect::Handlebars, source, place))
            }
            (None, None, Some(name)) => self.template_file(span, &name, place, files),
            _ => {
                let message = "a template has exactly one of `go`, `handlebars` and `file`";
                self.toml.report(Diagnostic::new(&INVALID_VALUE, span, message));
                None
            }
        }
    }

    /// Whether a file is in the spec's folder or below it; reported if not. A spec must build the same
    /// everywhere, so it only reaches what is beside it.
    pub(super) fn is_beside(&mut self, name: &Spanned<String>, what: &str) -> bool {
        let mut parts = Path::new(&name.value).components();
        let inside = parts.all(|part| matches!(part, std::path::Component::Normal(_)));
        if inside && !name.value.is_empty() {
            return true;
        }
        let message = format!("a {what}'s file must be in the spec's folder or below it");
        self.toml.report(
            Diagnostic::new(&INVALID_VALUE, name.span, message).help("write a relative path without `..`"),
        );
        false
    }

    fn template_file(
        &mut self,
        span: Span,
        name: &Spanned<String>,
        place: Destination,
        files: &mut dyn ReadFile,
    ) -> Option<TemplateSpec> {
        if !self.is_beside(name, "template") {
            return None;
        }
        let path = Path::new(&name.value);
        let dialect = match path.extension().and_then(|e| e.to_str()) {
            Some("hbs" | "handlebars") => TemplateDialect::Handlebars,
            Some("tmpl" | "gotmpl") => TemplateDialect::Go,
            _ => TemplateDialect::Unsaid,
        };
        match files.read(self.toml.file, &name.value) {
            Ok((file, text)) => {
                let source = TemplateSource::File { file, text };
                Some(TemplateSpec::new(span, dialect, source, place))
            }
            Err(why) => {
                let message = format!("template `{}` cannot be read: {why}", name.value);
                self.toml.report(Diagnostic::new(&UNREADABLE_FILE, name.span, message));
                None
            }
        }
    }
}
