//! What models and clients read of a tool.

use super::Side;
use crate::diff::Changes;
use crate::diff::rules::texts;
use crate::language::json::Json;
use mcp_bundle::difference::difference;
use std::collections::BTreeMap;

/// Hints and their values in the sense that a client may call the tool without asking; the first is what a client
/// assumes without the hint.
const HARMLESS: &[(&str, bool, bool)] = &[
    ("readOnlyHint", true, false),
    ("idempotentHint", true, false),
    ("destructiveHint", false, true),
    ("openWorldHint", false, true),
];

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let text = |side: &Side<'_>, member: &str| {
        side.entry.get(member).and_then(Json::as_str).unwrap_or_default().to_owned()
    };
    let [was, now] = [old, new].map(|side| text(side, "description"));
    if was != now {
        let change = changes.add(&texts::DESCRIPTION_CHANGED, "its description is another one");
        change.note(difference(&was, &now));
    }
    if text(old, "title") != text(new, "title") {
        changes.add(&texts::TITLE_CHANGED, "its title is another one");
    }
    for (member, what) in [("icons", "icons"), ("_meta", "tags")] {
        if old.entry.get(member) != new.entry.get(member) {
            changes.add(&texts::METADATA_CHANGED, format!("its {what} are other ones"));
        }
    }
    annotations(old, new, changes);
    parameters(old, new, changes);
}

fn annotations(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let hint =
        |side: &Side<'_>, name: &str| side.entry.get("annotations").and_then(|all| all.get(name)).cloned();
    let mut is_said = false;
    for (name, harmless, assumed) in HARMLESS {
        let [was, now] =
            [old, new].map(|side| hint(side, name).as_ref().and_then(Json::as_bool).unwrap_or(*assumed));
        // What is said of a tool that only reads does not matter.
        let [read, reads] = [old, new].map(|side| hint(side, "readOnlyHint") == Some(Json::Bool(true)));
        let counts = matches!(*name, "readOnlyHint" | "openWorldHint") || !(read && reads);
        if was == *harmless && now != *harmless && counts {
            is_said = true;
            changes.add(&texts::TOOL_BECAME_UNSAFE, format!("`{name}` is {now}, was {was}"));
        }
    }
    if !is_said && old.entry.get("annotations") != new.entry.get("annotations") {
        let [was, now] =
            [old, new].map(|side| side.entry.get("annotations").map_or("none".to_owned(), Json::to_text));
        let change = changes.add(&texts::ANNOTATIONS_CHANGED, "its annotations are other ones");
        change.note(format!("they are {now}, were {was}"));
    }
}

/// Descriptions in the schema of the arguments.
fn parameters(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let [was, now] = [old, new].map(|side| {
        let mut found = BTreeMap::new();
        if let Some(schema) = side.entry.get("inputSchema") {
            descriptions(schema, &mut String::new(), &mut found);
        }
        found
    });
    super::each_change(&was, &now, |path, was, now| {
        // A description that comes or goes with its argument is no change of its own.
        if let (Some(was), Some(now)) = (was, now) {
            let message = format!("the description of `{path}` is another one");
            changes.add(&texts::PARAMETER_DESCRIPTION_CHANGED, message).note(difference(was, now));
        }
    });
}

/// All properties in a schema, with their descriptions. Recursion is bounded by the depth of the schema's text.
fn descriptions(schema: &Json, path: &mut String, found: &mut BTreeMap<String, String>) {
    let length = path.len();
    for (name, property) in schema.get("properties").and_then(Json::as_object).unwrap_or_default() {
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        let text = property.get("description").and_then(Json::as_str).unwrap_or_default();
        found.insert(path.clone(), text.to_owned());
        descriptions(property, path, found);
        path.truncate(length);
    }
    if let Some(items) = schema.get("items") {
        path.push_str("[]");
        descriptions(items, path, found);
        path.truncate(length);
    }
    for (name, definition) in schema.get("$defs").and_then(Json::as_object).unwrap_or_default() {
        path.push_str(name);
        descriptions(definition, path, found);
        path.truncate(length);
    }
}
