//! A SARIF 2.1.0 log, for code scanning.

use super::super::Compared;
use super::super::place::{Place, Places};
use crate::diff::{Change, ChangeRule, Class, rules};
use crate::render::sarif::SCHEMA;
use crate::render::sarif::log::{
    ArtifactLocation, Configuration, Descriptor, Driver, Finding, Invocation, Log, Markdown, Message,
    PhysicalLocation, Region, Run, SarifLocation, Tool,
};
use crate::render::uri;
use std::io::{Result, Write};

pub fn write(compared: &Compared<'_>, places: &Places<'_>, out: &mut dyn Write) -> Result<()> {
    let driver = Driver {
        name: "mcpc diff",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: rules::all().map(descriptor).collect(),
    };
    let results = compared.changes.iter().map(|change| finding(change, &places.of_change(change)));
    let run = Run {
        tool: Tool { driver },
        invocations: [Invocation { execution_successful: true }],
        column_kind: "unicodeCodePoints",
        results: results.collect::<Vec<_>>(),
    };
    serde_json::to_writer(&mut *out, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })?;
    writeln!(out)
}

fn level(class: Class) -> &'static str {
    match class {
        Class::Breaking => "error",
        Class::Risky => "warning",
        Class::Safe => "note",
    }
}

fn descriptor(rule: &'static ChangeRule) -> Descriptor {
    let docs = rule.text().trim().to_owned();
    let follows = docs.split_once("\n\n").map_or("", |(_, follows)| follows).to_owned();
    Descriptor {
        id: rule.code,
        name: rule.name,
        short_description: Message { text: rule.summary() },
        full_description: Message { text: follows },
        help: Markdown { text: docs.clone(), markdown: docs },
        default_configuration: Configuration { level: level(rule.class) },
    }
}

fn finding(change: &Change, place: &Place<'_>) -> Finding {
    let region = Region {
        start_line: place.start.line,
        start_column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
        byte_offset: place.start.offset,
        byte_length: place.end.offset.saturating_sub(place.start.offset),
    };
    let location = SarifLocation {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri::of_file(place.file) },
            region,
        },
        message: None,
    };
    Finding {
        rule_id: change.rule.code,
        rule_index: rules::all().position(|rule| rule == change.rule),
        level: level(change.class()),
        message: Message { text: super::full_text(change) },
        locations: [location],
        related_locations: Vec::new(),
        fixes: Vec::new(),
    }
}
