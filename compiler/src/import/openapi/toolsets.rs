//! Toolsets: all tools in one file, or a file for each tag.

use super::api::Api;
use super::operations::Operation;
use super::tool::Built;
use super::upstreams::Upstreams;
use super::{Options, text};
use crate::import::draft::DraftSpec;
use crate::language::json::Json;
use crate::language::names::spec_name;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a title.
const TITLE: usize = 80;

pub fn group(
    api: &Api<'_>,
    built: Vec<(&Operation<'_>, Built)>,
    upstreams: &Upstreams,
    base: &str,
    options: &Options,
) -> Vec<DraftSpec> {
    let info = |name: &str| api.root.get("info").and_then(|info| info.get(name)).and_then(Json::as_str);
    let title =
        info("title").map(|title| text::cut(&text::plain(title), TITLE)).filter(|title| !title.is_empty());
    let version = info("version")
        .map(|version| format!(" {}", text::cut(&text::plain(version), 40)))
        .unwrap_or_default();
    let origin = format!(
        "From {} ({}{version}), written by `mcpc import openapi`.",
        options.source,
        title.as_deref().unwrap_or("an API without a title")
    );
    let mut files: BTreeMap<String, (Option<String>, Vec<Built>)> = BTreeMap::new();
    for (operation, built) in built {
        let tag = operation.tags.first().filter(|_| options.by_tag);
        let name = match tag.and_then(|tag| spec_name(tag)) {
            Some(tag) => spec_name(&format!("{base}_{tag}")).unwrap_or_else(|| base.to_owned()),
            None => base.to_owned(),
        };
        let tag_title = tag.map(|tag| text::cut(&text::plain(tag), TITLE));
        files.entry(name).or_insert_with(|| (tag_title, Vec::new())).1.push(built);
    }
    let specs = files.into_iter().map(|(name, (tag, built))| {
        let used: BTreeSet<usize> = built.iter().map(|one| one.upstream).collect();
        let tools = built.into_iter().map(|Built { mut tool, upstream }| {
            tool.upstream = Some(upstreams.name(upstream));
            tool
        });
        let title = match (&title, tag) {
            (Some(title), Some(tag)) => Some(format!("{title}: {tag}")),
            (title, tag) => title.clone().or(tag),
        };
        DraftSpec {
            name,
            comments: vec![origin.clone()],
            title,
            upstreams: upstreams.drafts(&used, options.bearer_env.as_deref()),
            tools: tools.collect(),
            ..DraftSpec::default()
        }
    });
    specs.collect()
}
