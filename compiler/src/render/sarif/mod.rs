//! A SARIF 2.1.0 log, for code scanning.

pub(crate) mod log;

use self::log::{
    ArtifactChange, ArtifactLocation, Configuration, Descriptor, Driver, Finding, Fix, FixProperties,
    Invocation, Log, Markdown, Message, PhysicalLocation, Region, Replacement, Run, SarifLocation, Tool,
};
use super::uri;
use crate::check::Report;
use crate::lint::rules;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Sources, Span};
use mcp_diagnostics::{Level, Rule};
use serde::{Serialize, Serializer};
use std::io::{Result, Write};

pub(crate) const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Serialised one by one: a large set has many findings.
struct Findings<'r>(&'r Report);

pub fn write(report: &Report, out: &mut dyn Write) -> Result<()> {
    let driver = Driver {
        name: "mcpc",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: rules::all().map(Descriptor::new).collect(),
    };
    let run = Run {
        tool: Tool { driver },
        invocations: [Invocation { execution_successful: !report.is_incomplete() }],
        column_kind: "unicodeCodePoints",
        results: Findings(report),
    };
    serde_json::to_writer(&mut *out, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })?;
    writeln!(out)
}

impl Descriptor {
    fn new(rule: &'static Rule) -> Descriptor {
        let docs = rule.text().trim().to_owned();
        let level = match rule.level {
            Level::HardError | Level::Error => "error",
            Level::Warning => "warning",
        };
        Descriptor {
            id: rule.code,
            name: rule.name,
            short_description: Message { text: rule.summary() },
            full_description: Message { text: rule.section("Why is this bad").unwrap_or_default() },
            help: Markdown { text: docs.clone(), markdown: docs },
            default_configuration: Configuration { level },
        }
    }
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let sources = &self.0.sources;
        serializer.collect_seq(self.0.diagnostics.iter().map(|diagnostic| Finding::new(sources, diagnostic)))
    }
}

impl Finding {
    fn new(sources: &Sources, diagnostic: &Diagnostic) -> Finding {
        let related = diagnostic.related.iter();
        Finding {
            rule_id: diagnostic.code(),
            rule_index: rules::all().position(|rule| diagnostic.is(rule)),
            level: diagnostic.severity.word(),
            message: Message { text: crate::render::full_text(diagnostic) },
            locations: [SarifLocation::new(sources, diagnostic.span, diagnostic.label.clone())],
            related_locations: related
                .map(|(span, label)| SarifLocation::new(sources, *span, Some(label.clone())))
                .collect(),
            fixes: Fix::new(sources, diagnostic).into_iter().collect(),
        }
    }
}

impl SarifLocation {
    fn new(sources: &Sources, span: Span, message: Option<String>) -> SarifLocation {
        SarifLocation {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation::new(sources, span),
                region: Region::new(sources, span),
            },
            message: message.map(|text| Message { text }),
        }
    }
}

impl ArtifactLocation {
    fn new(sources: &Sources, span: Span) -> ArtifactLocation {
        ArtifactLocation { uri: uri::of_file(&sources.file(span.file).name) }
    }
}

impl Region {
    fn new(sources: &Sources, span: Span) -> Region {
        let file = sources.file(span.file);
        let (start, end) = (file.location(span.start as usize), file.location(span.end as usize));
        Region {
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
            byte_offset: start.offset,
            byte_length: end.offset.saturating_sub(start.offset),
        }
    }
}

impl Fix {
    fn new(sources: &Sources, diagnostic: &Diagnostic) -> Option<Fix> {
        let fix = diagnostic.fix.as_ref().filter(|fix| !fix.edits.is_empty())?;
        let mut edits: Vec<&Edit> = fix.edits.iter().collect();
        edits.sort_by_key(|edit| edit.span);
        let changes = edits.chunk_by(|a, b| a.span.file == b.span.file);
        Some(Fix {
            description: Message { text: fix.title(diagnostic).into() },
            artifact_changes: changes.filter_map(|edits| ArtifactChange::new(sources, edits)).collect(),
            properties: FixProperties {
                applicability: match fix.applicability {
                    Applicability::Safe => "safe",
                    Applicability::DisplayOnly => "display-only",
                },
            },
        })
    }
}

impl ArtifactChange {
    fn new(sources: &Sources, edits: &[&Edit]) -> Option<ArtifactChange> {
        let replacement = |edit: &&Edit| Replacement {
            deleted_region: Region::new(sources, edit.span),
            inserted_content: Message { text: edit.text.clone() },
        };
        Some(ArtifactChange {
            artifact_location: ArtifactLocation::new(sources, edits.first()?.span),
            replacements: edits.iter().map(replacement).collect(),
        })
    }
}
