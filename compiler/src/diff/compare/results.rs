//! What a caller gets.

use super::Side;
use crate::diff::rules::results as rules;
use crate::diff::schemas::{self, Difference, Kind};
use crate::diff::{ChangeRule, Changes};
use crate::language::json::Json;
use mcp_bundle::bind::schema::{Coverage, coverage};
use std::collections::BTreeSet;

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    match (old.output_schema(), new.output_schema()) {
        (None, None) => {}
        (Some(_), None) => {
            changes.add(&rules::OUTPUT_SCHEMA_REMOVED, "its results are not structured any more");
        }
        (None, Some(_)) => {
            changes.add(&rules::OUTPUT_SCHEMA_ADDED, "its results are structured");
        }
        (Some(before), Some(after)) => {
            if let (Some(was), Some(now)) = (Json::parse(before), Json::parse(after))
                && !schemas::is_same(&was, &now)
            {
                schema(&schemas::differences(&was, &now), coverage(before, after), changes);
            }
        }
    }
    select(old, new, changes);
    templates(old, new, changes);
    let answers = [old, new].map(|side| side.plan.fixed_answer().map(|id| side.text(id)));
    if let [Some(was), Some(now)] = answers
        && was != now
    {
        changes.add(&rules::FIXED_ANSWER_CHANGED, "its fixed answer is another one");
    }
}

/// The differences of two schemas, and whether the old one allows all that the new one does.
fn schema(differences: &[Difference], covers: Coverage, changes: &mut Changes) {
    let (mut allows, mut said) = (false, false);
    let mut unclear = Vec::new();
    for difference in differences {
        let Some((rule, is_sure)) = rule(difference.kind) else {
            unclear.push(difference.message.as_str());
            continue;
        };
        if !is_sure && covers == Coverage::Yes {
            continue;
        }
        allows |= !is_sure;
        said = true;
        changes.add(rule, format!("in its results, {}", difference.message));
    }
    let (rule, message) = match covers {
        _ if allows => return,
        // A new field is one that the old schema may refuse, if it names all.
        _ if said && unclear.is_empty() => return,
        Coverage::Yes => (&rules::OUTPUT_SCHEMA_NARROWED, "its results are described in another way"),
        Coverage::No => (&rules::OUTPUT_SCHEMA_WIDENED, "its results may be what they could not be"),
        Coverage::Unknown => {
            (&rules::OUTPUT_SCHEMA_UNDECIDED, "it is not known whether its results are what they could be")
        }
    };
    changes.add(rule, message);
    for message in unclear {
        changes.note(message);
    }
}

/// The rule of a difference, and whether it holds whatever the rest of the schema says; `None` if it is unclear.
fn rule(kind: Kind) -> Option<(&'static ChangeRule, bool)> {
    Some(match kind {
        Kind::Removed { .. } => (&rules::OUTPUT_FIELD_REMOVED, true),
        Kind::Added | Kind::AddedRequired | Kind::OthersAccepted => (&rules::OUTPUT_FIELD_ADDED, true),
        Kind::BecameOptional => (&rules::OUTPUT_FIELD_BECAME_OPTIONAL, false),
        Kind::TypeWidened | Kind::ValueAdded | Kind::Loosened => (&rules::OUTPUT_SCHEMA_WIDENED, false),
        Kind::BecameRequired
        | Kind::TypeNarrowed
        | Kind::ValueRemoved
        | Kind::Tightened
        | Kind::OthersRefused => (&rules::OUTPUT_SCHEMA_NARROWED, true),
        Kind::Unclear => return None,
    })
}

fn select(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let [was, now] = [old, new].map(|side| {
        side.plan.response.select.iter().map(|path| side.text(*path)).collect::<BTreeSet<&str>>()
    });
    // Without paths, everything is kept.
    match (was.is_empty(), now.is_empty()) {
        (true, true) => {}
        (true, false) => {
            changes.add(&rules::SELECTED_FIELD_REMOVED, "`select` keeps only parts of the response");
        }
        (false, true) => {
            changes.add(&rules::SELECTED_FIELD_ADDED, "without `select`, all of the response is kept");
        }
        (false, false) => {
            for path in was.difference(&now) {
                changes
                    .add(&rules::SELECTED_FIELD_REMOVED, format!("`select` does not keep `{path}` any more"));
            }
            for path in now.difference(&was) {
                changes.add(&rules::SELECTED_FIELD_ADDED, format!("`select` keeps `{path}`"));
            }
        }
    }
}

fn templates(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let listings =
        |index: fn(&Side<'_>) -> Option<u32>| [old, new].map(|side| index(side).map(|at| side.template(at)));
    let how = |was: &Option<String>, now: &Option<String>| match (was, now) {
        (Some(_), Some(_)) => "is another one",
        (None, _) => "is new",
        (_, None) => "is gone",
    };
    let [was, now] = listings(|side| side.plan.response.template);
    if was != now {
        let both = [old, new].map(|side| side.plan.response.template.map(|at| side.fields(at)));
        let is_dropped = if let [Some(was), Some(now)] = both {
            let dropped: Vec<&String> = was.difference(&now).collect();
            for field in &dropped {
                let message = format!("the response template does not read `{field}` any more");
                changes.add(&rules::TEMPLATE_FIELD_DROPPED, message);
            }
            !dropped.is_empty()
        } else {
            false
        };
        if !is_dropped {
            changes
                .add(&rules::RESPONSE_TEMPLATE_CHANGED, format!("the response template {}", how(&was, &now)));
        }
    }
    let [was, now] = listings(|side| side.plan.response.error_template);
    if was != now {
        changes.add(&rules::ERROR_TEMPLATE_CHANGED, format!("the error template {}", how(&was, &now)));
    }
}
