//! What the studio is, and what has happened to the specs.

use crate::files::disk;
use crate::publish::tokens;
use crate::studio::json::{Json, array, extended, object};
use crate::studio::workspace::{Changed, Snapshot, Workspace};
use crate::studio::{Studio, Subject};

pub fn session(studio: &Studio) -> Json {
    let about = |mode: &str| {
        object([
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("start", studio.start.as_str().into()),
            ("mode", mode.into()),
        ])
    };
    match &studio.subject {
        Subject::Edge(_) => extended(about("edge"), [("readOnly", true.into())]),
        Subject::Specs(workspace) => {
            let (places, snapshot) = (&workspace.places, workspace.snapshot());
            extended(
                about("specs"),
                [
                    ("mock", places.is_mock.into()),
                    ("readOnly", places.is_read_only.into()),
                    ("paths", array(places.paths.iter().map(|path| disk::display(path)))),
                    ("generation", snapshot.generation.into()),
                    ("secretsFile", disk::display(&workspace.secrets_file()).into()),
                    ("problem", snapshot.problem.as_deref().into()),
                    ("summary", summary(&snapshot)),
                ],
            )
        }
    }
}

/// The first event of a stream.
pub fn hello(studio: &Studio) -> Json {
    let generation = studio.workspace().map(|workspace| workspace.snapshot().generation);
    object([("start", studio.start.as_str().into()), ("generation", generation.into())])
}

/// The event about specs that are not what they were.
pub fn changed(workspace: &Workspace, changed: &Changed) -> Json {
    let snapshot = workspace.snapshot();
    object([
        ("generation", snapshot.generation.into()),
        ("files", array(&changed.files)),
        ("summary", summary(&snapshot)),
    ])
}

pub fn summary(snapshot: &Snapshot) -> Json {
    let report = &snapshot.report;
    let tools = report.toolsets.iter().flat_map(|toolset| &toolset.tools);
    object([
        ("files", report.files.into()),
        ("toolsets", report.toolsets.len().into()),
        ("tools", report.tools().into()),
        ("errors", report.errors().into()),
        ("warnings", report.warnings().into()),
        ("tokens", tools.map(|tool| tokens::estimate(&tool.list_entry().newest())).sum::<usize>().into()),
    ])
}
