//! Tools and toolsets that come, go and move.

use super::{Pair, Side};
use crate::diff::Changes;
use crate::diff::rules::{request, tools};
use crate::language::json::Json;
use mcp_bundle::difference::difference;
use mcp_bundle::plan::Contents;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What concerns the bundle and its toolsets as a whole.
pub fn bundle(old: &Contents, new: &Contents, changes: &mut Changes) {
    let names = [old, new].map(|contents| contents.strings.get(contents.manifest.name));
    if let [before, after] = names
        && before != after
    {
        changes.add(&tools::BUNDLE_RENAMED, format!("the bundle is called `{after}`, was `{before}`"));
    }
    let [before, after] = [old, new].map(toolsets);
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        changes.add(&tools::TOOLSET_REMOVED, format!("toolset `{name}` is gone"));
    }
    for (name, now) in &after {
        let Some(was) = before.get(name) else {
            changes.add(&tools::TOOLSET_ADDED, format!("toolset `{name}` is new"));
            continue;
        };
        if was.instructions != now.instructions {
            let message = format!("the instructions of toolset `{name}` are other ones");
            let [was, now] = [was, now].map(|set| set.instructions.unwrap_or_default());
            changes.add(&tools::INSTRUCTIONS_CHANGED, message).note(difference(was, now));
        }
        if was.title != now.title {
            changes.add(&tools::TOOLSET_RETITLED, format!("the title of toolset `{name}` is another one"));
        }
    }
    let [before, after] = [old, new].map(|contents| contents.variable_names().collect::<BTreeSet<_>>());
    for name in after.difference(&before) {
        changes.add(&request::VARIABLE_ADDED, format!("the edge needs a value for `${{{name}}}`"));
    }
    for name in before.difference(&after) {
        changes.add(&request::VARIABLE_REMOVED, format!("nothing needs `${{{name}}}` any more"));
    }
}

struct Texts<'a> {
    title: Option<&'a str>,
    instructions: Option<&'a str>,
}

fn toolsets(contents: &Contents) -> BTreeMap<&str, Texts<'_>> {
    let text = |id| contents.strings.get(id);
    let all = contents.manifest.toolsets.iter().map(|set| {
        (text(set.name), Texts { title: set.title.map(text), instructions: set.instructions.map(text) })
    });
    all.collect()
}

/// The tools that are in both, and reports of the others.
pub fn pairs<'a>(old: &'a Contents, new: &'a Contents, changes: &mut Changes) -> Vec<Pair<'a>> {
    // By what they do, those with the same name in their order.
    let mut removed: BTreeMap<String, VecDeque<Side<'a>>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (index, tool) in old.tools.iter().enumerate() {
        let Some(before) = Side::of(old, index) else { continue };
        match new.tool(old.strings.get(tool.name)).and_then(|(index, _)| Side::of(new, index)) {
            Some(after) => pairs.push((before, after)),
            None => removed.entry(deed(&before)).or_default().push_back(before),
        }
    }
    for (index, tool) in new.tools.iter().enumerate() {
        let name = new.strings.get(tool.name);
        if old.tool(name).is_some() {
            continue;
        }
        let Some(after) = Side::of(new, index) else { continue };
        changes.tool = Some(name.to_owned());
        match removed.get_mut(&deed(&after)).and_then(VecDeque::pop_front) {
            Some(before) => {
                changes.add(&tools::TOOL_RENAMED, format!("was called `{}`", before.name()));
                pairs.push((before, after));
            }
            None => {
                changes.add(&tools::TOOL_ADDED, "is new");
            }
        }
    }
    for before in removed.values().flatten() {
        changes.tool = Some(before.name().to_owned());
        changes.add(&tools::TOOL_REMOVED, "is gone");
    }
    changes.tool = None;
    pairs
}

/// What a tool does, whatever it is called: what it takes, and what answers it.
fn deed(side: &Side<'_>) -> String {
    let schema = side.entry.get("inputSchema").map(Json::to_text).unwrap_or_default();
    let answer = match (side.plan.request(), side.plan.fixed_answer()) {
        (Some(http), _) => {
            let server = side.plan.mcp().map(|plan| side.text(plan.name)).unwrap_or_default();
            let origin =
                side.upstream().map(|upstream| side.contents.origin_text(upstream)).unwrap_or_default();
            format!("{} {origin}{} {server}", http.method, side.parts(&http.path))
        }
        (None, Some(answer)) => side.text(answer).to_owned(),
        (None, None) => side.plan.response.template.map(|index| side.template(index)).unwrap_or_default(),
    };
    format!("{schema}\n{answer}")
}

/// Whether a tool is in another toolset.
pub fn moved(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let (before, after) = (old.toolset(), new.toolset());
    if before != after {
        changes.add(&tools::TOOL_MOVED, format!("is in toolset `{after}`, was in `{before}`"));
    }
}
