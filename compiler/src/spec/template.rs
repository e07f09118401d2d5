//! Templates as a spec gives them: inline, with a dialect, or in a file beside the spec.

use super::fields::Reading;
use super::value::to_text;
use crate::diagnostic::Diagnostic;
use crate::keys;
use crate::lint::rules::{INVALID_VALUE, UNREADABLE_FILE};
use crate::source::{FileId, Span, Spanned};
use crate::template::Inferred;
use mcp_bundle::tag::Dialect;
use std::cell::OnceCell;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct TemplateSpec {
    /// Where the template is given in the spec.
    pub span: Span,
    pub dialect: TemplateDialect,
    pub source: TemplateSource,
    /// What the text turned out to be, where the spec does not say; filled in when it is checked.
    inferred: OnceCell<Dialect>,
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
    fn new(span: Span, dialect: TemplateDialect, source: TemplateSource) -> TemplateSpec {
        TemplateSpec { span, dialect, source, inferred: OnceCell::new() }
    }

    /// Remembers what the text was found to be.
    pub fn settle(&self, inferred: &Inferred) {
        let dialect = if *inferred == Inferred::Handlebars { Dialect::Handlebars } else { Dialect::Go };
        // It is settled once; the text does not change.
        let _ = self.inferred.set(dialect);
    }

    /// The dialect that the spec says, or that the text shows; text that is the same in both counts as Go.
    pub fn dialect(&self) -> Dialect {
        match self.dialect {
            TemplateDialect::Go => Dialect::Go,
            TemplateDialect::Handlebars => Dialect::Handlebars,
            TemplateDialect::Unsaid => self.inferred.get().copied().unwrap_or(Dialect::Go),
        }
    }

    pub fn text(&self) -> &str {
        match &self.source {
            TemplateSource::Inline(text) => &text.value,
            TemplateSource::File { text, .. } => text,
        }
    }
}

/// Reads files beside a spec.
pub trait ReadFile {
    /// The file's id and text, or why it cannot be had.
    fn read(&mut self, beside: FileId, name: &str) -> Result<(FileId, String), String>;
}

impl Reading<'_> {
    pub(super) fn template(
        &mut self,
        value: Option<&super::value::TomlValue<'_>>,
        files: &mut dyn ReadFile,
    ) -> Option<TemplateSpec> {
        let value = value?;
        let span = self.span(value.span());
        if let Some(text) = to_text(value, self.text) {
            let source = TemplateSource::Inline(Spanned::new(text, span));
            return Some(TemplateSpec::new(span, TemplateDialect::Unsaid, source));
        }
        let fields = self.fields(&keys::TEMPLATE, value.get_ref().as_table()?, span);
        let (go, handlebars, file) = (fields.text("go"), fields.text("handlebars"), fields.text("file"));
        match (go, handlebars, file) {
            (Some(text), None, None) => {
                let source = TemplateSource::Inline(text);
                Some(TemplateSpec::new(span, TemplateDialect::Go, source))
            }
            (None, Some(text), None) => {
                let source = TemplateSource::Inline(text);
                Some(TemplateSpec::new(span, TemplateDialect::Handlebars, source))
            }
            (None, None, Some(name)) => self.template_file(span, &name, files),
            _ => {
                let message = "a template has exactly one of `go`, `handlebars` and `file`";
                self.report(Diagnostic::new(&INVALID_VALUE, span, message));
                None
            }
        }
    }

    fn template_file(
        &mut self,
        span: Span,
        name: &Spanned<String>,
        files: &mut dyn ReadFile,
    ) -> Option<TemplateSpec> {
        let path = Path::new(&name.value);
        // A spec must build the same everywhere, so it only reaches what lies beside it.
        let inside = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside || name.value.is_empty() {
            let message = "a template's file must lie in the spec's folder or below it";
            self.report(
                Diagnostic::new(&INVALID_VALUE, name.span, message)
                    .help("write a relative path without `..`"),
            );
            return None;
        }
        let dialect = match path.extension().and_then(|e| e.to_str()) {
            Some("hbs" | "handlebars") => TemplateDialect::Handlebars,
            Some("tmpl" | "gotmpl") => TemplateDialect::Go,
            _ => TemplateDialect::Unsaid,
        };
        match files.read(self.file, &name.value) {
            Ok((file, text)) => Some(TemplateSpec::new(span, dialect, TemplateSource::File { file, text })),
            Err(why) => {
                let message = format!("template `{}` cannot be read: {why}", name.value);
                self.report(Diagnostic::new(&UNREADABLE_FILE, name.span, message));
                None
            }
        }
    }
}
