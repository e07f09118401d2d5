//! Answers that are made of arguments: what a plan of one may hold, and that a reader without them refuses the bundle.
#![cfg(test)]

use crate::container::error_of;
use crate::encoder::{assemble, features, sections};
use crate::rules::{WHOLE, accepted, tool_refused};
use crate::support::{Draft, sample};
use mcp_bundle::format::{Features, ReadError, Trust, read, write};
use mcp_bundle::plan::{Backend, BodyPlan, Part, ToolPlan};
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind};

fn body(d: &mut Draft) -> BodyPlan {
    let ops = vec![d.op(BodyOpKind::Field, "\"data\":", vec![Part::parameter(0)])];
    BodyPlan { kind: BodyKind::Json, content_type: None, ops, whole: None }
}

fn answering(d: &mut Draft, tool: &ToolPlan) -> ToolPlan {
    let mut tool = ToolPlan { backend: Backend::arguments(body(d)), ..tool.clone() };
    tool.response.template = Some(0);
    tool
}

fn answers(d: &mut Draft) {
    let tool = d.contents.tools[WHOLE].clone();
    d.contents.tools[WHOLE] = answering(d, &tool);
}

#[test]
fn they_are_written_and_read_behind_their_feature() {
    accepted(answers);
    let mut draft = sample();
    answers(&mut draft);
    let contents = draft.finish();
    let bundle = read(&write(&contents).unwrap(), &Trust::Any).unwrap();
    assert!(bundle.features.contains(Features::ARGUMENT_ANSWERS));
    assert_eq!(bundle.contents.tools, contents.tools);
    let plan = &bundle.contents.tools[WHOLE];
    assert!(plan.answers_with_arguments() && plan.request().is_none() && plan.bound().is_some());
    // Without the feature, by the names of the features that a bundle without such a tool has.
    let mut rows = sections(&contents);
    rows[7] = sections(&sample().finish())[7].clone();
    let error = error_of(&assemble(features(&contents) - Features::ARGUMENT_ANSWERS.0, &rows));
    assert_eq!(error, ReadError::MissingFeature { name: "argument-answers" });
}

#[test]
fn a_template_reads_an_object_with_each_argument_once() {
    let unread = "an answer of arguments without a template that reads them";
    tool_refused(WHOLE, unread, |d, tool| {
        *tool = answering(d, tool);
        tool.response.template = None;
    });
    tool_refused(WHOLE, unread, |d, tool| {
        let form = BodyPlan { kind: BodyKind::Form, ..body(d) };
        *tool = ToolPlan { backend: Backend::arguments(form), ..answering(d, tool) };
    });
    tool_refused(WHOLE, "parameter `data` is placed 0 times in the body, not once", |d, tool| {
        let nowhere = BodyPlan { ops: Vec::new(), ..body(d) };
        *tool = ToolPlan { backend: Backend::arguments(nowhere), ..answering(d, tool) };
    });
}
