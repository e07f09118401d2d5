//! What importers of such tools say in the same way.

use super::{About, Change, codes};
use crate::import::draft::{DraftSpec, DraftTemplate};
use crate::import::go_text::{Refusal, Roots, rewrite};
use crate::import::{Fate, Ledger};
use crate::language::json::Json;
use crate::language::names::{self, Wanted};
use crate::template::{Dialect, compile_for};
use mcp_bundle::template::Destination;

/// Says what became of the parts of a request. `value_of` finds them in the source, `place` is where the request is.
pub fn mark<'d>(
    ledger: &Ledger<'d>,
    place: &str,
    changes: &[Change],
    value_of: impl Fn(About) -> Option<&'d Json>,
) {
    for Change { about, code, why } in changes {
        let is_refused =
            std::ptr::eq(*code, &codes::NEVER_SENT) || std::ptr::eq(*code, &codes::HEADER_REFUSED);
        match value_of(*about) {
            Some(value) if is_refused => ledger.refuse(value, code, why.clone()),
            Some(value) => ledger.change_here(value, code, why.clone()),
            None => ledger.note(place, Fate::Changed, code, why.clone()),
        }
    }
}

/// A template of an answer; without it, the answer is shown as it is.
pub fn answer_template(
    ledger: &Ledger<'_>,
    place: &Json,
    source: &str,
    roots: Roots<'_>,
) -> Option<DraftTemplate> {
    let refused = |why: String| {
        ledger.refuse(place, &codes::TEMPLATE_REFUSED, why);
        None
    };
    let rewritten = match rewrite(source, roots, &mut str::to_owned) {
        Ok(rewritten) => rewritten,
        Err(refusal) => return refused(refusal.words(source)),
    };
    if let Err(errors) = compile_for(Destination::Text, Dialect::Go, &rewritten.text) {
        let first = errors.first().map(Refusal::from);
        return refused(first.map_or_else(String::new, |refusal| refusal.words(&rewritten.text)));
    }
    if rewritten.swapped_join {
        let why = "the separator of `join` comes first; the source shows a wrong text";
        ledger.change(place, &codes::TEMPLATE_CORRECTED, why);
    }
    Some(DraftTemplate::Go(rewritten.text))
}

/// Gives all tools names that specs can have, each another one.
pub fn name_tools(ledger: &Ledger<'_>, spec: &mut DraftSpec) {
    let theirs: Vec<String> = spec.tools.iter().map(|tool| tool.name.clone()).collect();
    let wanted: Vec<Wanted<'_>> = theirs
        .iter()
        .map(|theirs| {
            let name = names::portable(theirs);
            let name = if theirs.ends_with('_') { name } else { name.trim_end_matches('_').to_owned() };
            Wanted { is_own: name == *theirs, has_name: !name.is_empty(), theirs, name }
        })
        .collect();
    let names = names::distinct(&wanted);
    for (tool, (name, theirs)) in spec.tools.iter_mut().zip(names.into_iter().zip(&theirs)) {
        if name != *theirs {
            let why = format!("`{theirs}` is called `{name}`");
            let place = format!("{}/name", tool.place);
            ledger.note(&place, Fate::Changed, &crate::import::codes::NAME_CHANGED, why);
            tool.name = name;
        }
    }
}
