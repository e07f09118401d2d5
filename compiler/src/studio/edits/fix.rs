//! The fixes of findings.

use super::{Edit, Patch, patched_toml};
use crate::check::check;
use crate::fix;
use crate::studio::changes::Change;
use crate::studio::error::ApiError;
use crate::studio::workspace::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Enough for fixes that wait for one another.
const MAX_ROUNDS: usize = 8;

/// The fix of one finding.
pub fn fix(snapshot: &Snapshot, id: &str) -> Result<Edit, ApiError> {
    let (generation, index) = id.split_once('-').unwrap_or_default();
    let is_now = generation == snapshot.generation.to_string();
    let found = index.parse().ok().and_then(|index: usize| snapshot.report.diagnostics.get(index));
    let found = found.filter(|_| is_now).ok_or_else(|| {
        ApiError::not_found(format!("there is no finding `{id}` now; read the findings again"))
    })?;
    let fix = found.fix.as_ref();
    let fix = fix.ok_or_else(|| ApiError::not_possible("the finding has no fix; change it by hand"))?;
    let sources = &snapshot.report.sources;
    let mut files: BTreeMap<&str, Vec<Patch>> = BTreeMap::new();
    for edit in &fix.edits {
        let name = sources.file(edit.span.file).name.as_str();
        files.entry(name).or_default().push((edit.span.range(), edit.text.clone()));
    }
    let change = |(path, patches)| {
        let before = snapshot.source(path).unwrap_or_default();
        let after = match path.ends_with(".toml") {
            true => patched_toml(path, before, patches)?,
            false => super::patched(before, patches)
                .ok_or_else(|| ApiError::not_possible("the fix does not fit; change it by hand"))?,
        };
        Ok(Change::new(path, before, after))
    };
    let changes = files.into_iter().map(change).collect::<Result<_, ApiError>>()?;
    Ok(Edit { title: format!("fix {}", found.code()), changes })
}

/// All safe fixes, of one file or of all.
pub fn fix_all(snapshot: &Snapshot, path: Option<&str>) -> Result<Edit, ApiError> {
    if let Some(path) = path
        && snapshot.source(path).is_none()
    {
        return Err(ApiError::not_found(format!("`{path}` is not a file of the specs")));
    }
    let mut files = snapshot.files();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    // A fix may uncover another problem.
    for round in 0..MAX_ROUNDS {
        let report = (round > 0).then(|| check(&snapshot.input, &files));
        let changed = fix::apply(report.as_ref().unwrap_or(&snapshot.report));
        let wanted: Vec<_> =
            changed.into_iter().filter(|file| path.is_none_or(|path| path == file.name)).collect();
        if wanted.is_empty() {
            break;
        }
        for file in wanted {
            files.replace(&file.name, Ok(file.text.clone()));
            texts.insert(file.name, file.text);
        }
    }
    let names: BTreeSet<&String> = texts.keys().collect();
    let title = match names.into_iter().collect::<Vec<_>>().as_slice() {
        [] => return Err(ApiError::not_possible("there is nothing that can be fixed safely")),
        [one] => format!("fix {one}"),
        many => format!("fix {} files", many.len()),
    };
    let change = |(path, after): (String, String)| {
        let before = snapshot.source(&path).unwrap_or_default();
        Change::new(&path, before, after)
    };
    Ok(Edit { title, changes: texts.into_iter().map(change).collect() })
}
