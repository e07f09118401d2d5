//! Runs of examples.

use crate::exercise::testing::{self, ExampleFilter, ReportFormat, Selection};
use crate::language::json::Json;
use crate::studio::error::ApiError;
use crate::studio::json::Members;
use crate::studio::workspace::Workspace;

pub fn run(workspace: &Workspace, body: &Json) -> Result<Json, ApiError> {
    let members = Members::only(body, &["tool", "example"])?;
    let (tool, example) = (members.text("tool")?, members.number("example", "", 1..=u32::MAX)?);
    let snapshot = workspace.snapshot();
    if let Some(tool) = tool {
        // Says what is wrong with the name, or with the tool.
        snapshot.callable(tool)?;
    }
    let report = snapshot.runnable();
    let contents = report.contents.as_ref();
    let contents = contents.ok_or_else(|| {
        ApiError::not_usable("no example can be run until the errors of the specs are fixed")
    })?;
    let selection = Selection {
        tools: tool.into_iter().map(str::to_owned).collect(),
        example: example.map(|number| ExampleFilter::Number(number as usize)),
    };
    let results = testing::run(report, contents, &selection);
    if example.is_some() && results.tests.is_empty() {
        return Err(ApiError::not_found("there is no such example"));
    }
    let mut text = Vec::new();
    let written = testing::render(ReportFormat::Json, report, &results, false, &mut text);
    let text = written.ok().and_then(|()| String::from_utf8(text).ok());
    text.as_deref().and_then(Json::parse).ok_or_else(|| ApiError::internal("a report that is no JSON"))
}
