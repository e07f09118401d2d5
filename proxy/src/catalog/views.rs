//! The lists of a bundle, for each set of tools that some caller sees. Made when first asked for: of ten thousand tenants few
//! ask at once, and many see the same.

use super::Catalog;
use super::listing::{CacheScope, Listing};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// One entry for each visibility of the directory.
#[derive(Debug)]
pub struct Views {
    of_visibility: Box<[OnceLock<Arc<[Listing]>>]>,
    /// Those that were made, by their tools. Only asked while one is made.
    made: Mutex<BTreeMap<Vec<u32>, Arc<[Listing]>>>,
}

impl Views {
    pub fn new(visibilities: usize) -> Views {
        let of_visibility = std::iter::repeat_with(OnceLock::new).take(visibilities).collect();
        Views { of_visibility, made: Mutex::default() }
    }

    /// All tools of a visibility first, then those of each toolset that has any, sorted by name.
    #[inline]
    pub fn of(&self, catalog: &Catalog, visibility: usize) -> Option<&[Listing]> {
        let view = self.of_visibility.get(visibility)?;
        Some(view.get_or_init(|| self.make(catalog, visibility)))
    }

    #[cold]
    fn make(&self, catalog: &Catalog, visibility: usize) -> Arc<[Listing]> {
        let visible = visible(catalog, visibility);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.get(&visible).cloned();
        known.unwrap_or_else(|| {
            let listings = listings(catalog, &visible, self.scope());
            made.insert(visible, Arc::clone(&listings));
            listings
        })
    }

    /// One visibility means that everyone sees the same.
    fn scope(&self) -> CacheScope {
        if self.of_visibility.len() == 1 { CacheScope::Public } else { CacheScope::Private }
    }
}

/// Indexes of the tools that can be seen, ascending.
fn visible(catalog: &Catalog, visibility: usize) -> Vec<u32> {
    let contents = &catalog.contents;
    let text = |id| contents.strings.get(id);
    let Some(visibility) = catalog.directory.visibilities().get(visibility) else { return Vec::new() };
    let all = (0u32..).zip(&contents.tools);
    if visibility.is_everything() {
        return all.map(|(index, _)| index).collect();
    }
    let shown = all.filter(|(_, tool)| {
        let toolset = contents.manifest.toolsets.get(tool.toolset as usize);
        let toolset = toolset.map_or("", |toolset| text(toolset.name));
        let scopes = contents.policies.get(tool.policy as usize).map(|policy| policy.scopes.as_slice());
        let needed = scopes.unwrap_or_default().iter().map(|scope| text(*scope));
        visibility.shows(toolset, text(tool.name), needed)
    });
    shown.map(|(index, _)| index).collect()
}

fn listings(catalog: &Catalog, visible: &[u32], scope: CacheScope) -> Arc<[Listing]> {
    let Catalog { contents, revision, settings, .. } = catalog;
    let is_all = visible.len() == contents.tools.len();
    // One pass over the tools, however many toolsets there are.
    let mut toolsets = vec![Vec::new(); contents.manifest.toolsets.len()];
    for index in visible {
        let toolset = contents.tools.get(*index as usize).map(|tool| tool.toolset as usize);
        if let Some(tools) = toolset.and_then(|toolset| toolsets.get_mut(toolset)) {
            tools.push(*index);
        }
    }
    // A toolset without tools exists for everyone, if it does for those who see everything.
    let shown: Vec<(usize, Vec<u32>)> =
        toolsets.into_iter().enumerate().filter(|(_, tools)| is_all || !tools.is_empty()).collect();
    let names: Vec<usize> = shown.iter().map(|(toolset, _)| *toolset).collect();
    let all =
        Listing::all(contents, revision, (!is_all).then(|| visible.to_vec()), &names, &settings.list, scope);
    let each = shown.into_iter().map(|(toolset, tools)| {
        Listing::of_toolset(contents, revision, toolset, tools, &settings.list, scope)
    });
    std::iter::once(all).chain(each).collect()
}
