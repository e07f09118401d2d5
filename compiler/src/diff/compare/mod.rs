//! The comparison, by area.

mod access;
mod arguments;
mod request;
mod results;
mod servers;
mod texts;
mod tools;

use super::side::Side;
use super::{Change, Changes};
use mcp_bundle::plan::Contents;
use std::collections::BTreeMap;

/// What changed from one bundle to another: breaking changes first, then by tool and code.
pub fn compare(old: &Contents, new: &Contents) -> Vec<Change> {
    let mut changes = Changes::default();
    tools::bundle(old, new, &mut changes);
    let pairs = tools::pairs(old, new, &mut changes);
    for (old, new) in &pairs {
        changes.tool = Some(new.name().to_owned());
        tools::moved(old, new, &mut changes);
        texts::compare(old, new, &mut changes);
        arguments::compare(old, new, &mut changes);
        request::compare(old, new, &mut changes);
        access::compare(old, new, &mut changes);
        results::compare(old, new, &mut changes);
        servers::compare(old, new, &mut changes);
    }
    changes.tool = None;
    access::upstreams(old, new, &mut changes);
    let mut found = changes.found;
    found.sort_by(|a, b| {
        let key = |change: &Change| (change.class(), change.tool.clone(), change.rule.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    found.dedup();
    found
}

/// What is only in the old map, in both with other values, and only in the new one.
fn each_change<'m, V: PartialEq>(
    old: &'m BTreeMap<String, V>,
    new: &'m BTreeMap<String, V>,
    mut visit: impl FnMut(&'m str, Option<&'m V>, Option<&'m V>),
) {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before != after {
            visit(name, before, after);
        }
    }
}

/// `` `a`, was `b` ``, `new: …` or `gone`, for a value that changed.
fn from_to(old: Option<&str>, new: Option<&str>) -> String {
    match (old, new) {
        (Some(old), Some(new)) => format!("is `{}`, was `{}`", short(new), short(old)),
        (None, Some(new)) => format!("is new: `{}`", short(new)),
        (_, None) => "is gone".to_owned(),
    }
}

/// A value for a message, on one line.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    let line = mcp_diagnostics::visible::one_line(text);
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.into_owned(),
    }
}

/// Both tools of a pair have the same name, or are the same under two names.
type Pair<'a> = (Side<'a>, Side<'a>);
