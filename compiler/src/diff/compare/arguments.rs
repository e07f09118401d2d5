//! What a tool accepts.

use super::{Side, from_to};
use crate::diff::rules::arguments as rules;
use crate::diff::schemas::{self, Kind};
use crate::diff::{ChangeRule, Changes};
use mcp_bundle::bind::schema::{Coverage, coverage};

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    if let (Some(before), Some(after)) = (old.entry.get("inputSchema"), new.entry.get("inputSchema"))
        && !schemas::is_same(before, after)
    {
        let covers = coverage(&after.to_text(), &before.to_text());
        schema(&schemas::differences(before, after), covers, changes);
    }
    let is_lenient = |side: &Side<'_>| {
        side.contents.lenient.binary_search_by_key(&side.index, |tool| *tool as usize).is_ok()
    };
    match (is_lenient(old), is_lenient(new)) {
        (true, false) => {
            changes.add(&rules::LENIENCE_LOST, "does not convert arguments any more");
        }
        (false, true) => {
            changes.add(&rules::LENIENCE_GAINED, "converts arguments where that loses nothing");
        }
        _ => {}
    }
    parameters(old, new, changes);
}

/// The differences of two schemas, and whether the new one accepts all that the old one did.
fn schema(differences: &[schemas::Difference], covers: Coverage, changes: &mut Changes) {
    let (mut refuses, mut said) = (false, false);
    let mut unclear = Vec::new();
    for difference in differences {
        let (rule, narrows) = match rule(difference.kind) {
            Some(found) => found,
            None => {
                unclear.push(difference.message.as_str());
                continue;
            }
        };
        // It cannot have this effect if all that was accepted is accepted.
        if narrows && covers == Coverage::Yes {
            continue;
        }
        refuses |= narrows;
        said = true;
        changes.add(rule, difference.message.as_str());
    }
    let (rule, message) = match covers {
        Coverage::Yes => {
            if !said {
                changes.add(
                    &rules::INPUT_SCHEMA_REWRITTEN,
                    "the schema of its arguments is written in another way",
                );
            }
            return;
        }
        _ if refuses => return,
        Coverage::No => {
            (&rules::INPUT_SCHEMA_NARROWED, "the schema of its arguments refuses what it accepted")
        }
        Coverage::Unknown if said && unclear.is_empty() => return,
        Coverage::Unknown => {
            (&rules::INPUT_SCHEMA_UNDECIDED, "it is not known whether all arguments are accepted that were")
        }
    };
    changes.add(rule, message);
    for message in unclear {
        changes.note(message);
    }
}

/// The rule of a difference, and whether fewer calls are accepted; `None` if that is unclear.
fn rule(kind: Kind) -> Option<(&'static ChangeRule, bool)> {
    Some(match kind {
        Kind::Removed { accepted: false } => (&rules::PARAMETER_REMOVED, true),
        // It is accepted as one that is not named.
        Kind::Removed { accepted: true } => (&rules::BOUND_LOOSENED, false),
        Kind::Added => (&rules::PARAMETER_ADDED, false),
        Kind::AddedRequired => (&rules::REQUIRED_PARAMETER_ADDED, true),
        Kind::BecameRequired => (&rules::PARAMETER_BECAME_REQUIRED, true),
        Kind::BecameOptional => (&rules::PARAMETER_BECAME_OPTIONAL, false),
        Kind::TypeNarrowed => (&rules::TYPE_NARROWED, true),
        Kind::TypeWidened => (&rules::TYPE_WIDENED, false),
        Kind::ValueRemoved => (&rules::ENUM_VALUE_REMOVED, true),
        Kind::ValueAdded => (&rules::ENUM_VALUE_ADDED, false),
        Kind::Tightened => (&rules::BOUND_TIGHTENED, true),
        Kind::Loosened => (&rules::BOUND_LOOSENED, false),
        Kind::OthersRefused => (&rules::UNNAMED_ARGUMENTS_REFUSED, true),
        Kind::OthersAccepted => (&rules::UNNAMED_ARGUMENTS_ACCEPTED, false),
        Kind::Unclear => return None,
    })
}

/// What a schema does not say of the arguments that both have.
fn parameters(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let before = old.parameters();
    for (name, at) in new.parameters() {
        let was = before.get(name).and_then(|at| old.plan.parameters.get(*at));
        let (Some(was), Some(now)) = (was, new.plan.parameters.get(at)) else { continue };
        let defaults = (was.default.map(|id| old.text(id)), now.default.map(|id| new.text(id)));
        if defaults.0 != defaults.1 {
            let message = format!("the default of `{name}` {}", from_to(defaults.0, defaults.1));
            changes.add(&rules::DEFAULT_CHANGED, message);
        }
        match (was.sensitive, now.sensitive) {
            (true, false) => {
                changes.add(&rules::PARAMETER_EXPOSED, format!("`{name}` is not sensitive any more"));
            }
            (false, true) => {
                changes.add(&rules::PARAMETER_HIDDEN, format!("`{name}` is sensitive"));
            }
            _ => {}
        }
        let headers = (was.mcp_header.map(|id| old.text(id)), now.mcp_header.map(|id| new.text(id)));
        if headers.0 != headers.1 {
            let message = format!("the header that mirrors `{name}` {}", from_to(headers.0, headers.1));
            changes.add(&rules::MCP_HEADER_CHANGED, message);
        }
    }
}
