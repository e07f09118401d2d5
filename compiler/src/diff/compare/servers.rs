//! Tools of MCP servers.

use super::{Side, short};
use crate::diff::Changes;
use crate::diff::rules::servers;
use mcp_bundle::difference::difference;
use mcp_bundle::wire_enums::OnDrift;

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let (Some(before), Some(after)) = (old.plan.mcp(), new.plan.mcp()) else { return };
    let server = |side: &Side<'_>, index: u32| {
        let server = side.contents.servers.get(index as usize)?;
        let program = server.program.map(|program| format!(", program `{}`", side.text(program)));
        Some(format!("{}{}", server.transport, program.unwrap_or_default()))
    };
    let (was, now) = (server(old, before.server), server(new, after.server));
    if was != now {
        let said = |server: Option<String>| server.unwrap_or_default();
        let message = format!("its server is spoken to over {}, was over {}", said(now), said(was));
        changes.add(&servers::SERVER_CHANGED, message);
    }
    let (was, now) = (old.text(before.name), new.text(after.name));
    if was != now {
        let message = format!("calls `{}` of its server, called `{}`", short(now), short(was));
        changes.add(&servers::SERVER_TOOL_CHANGED, message);
    }
    let (was, now) = (old.text(before.definition), new.text(after.definition));
    if was != now {
        changes.add(&servers::PIN_CHANGED, "its pinned definition is another one").note(difference(was, now));
    }
    match (before.on_drift, after.on_drift) {
        (OnDrift::Refuse, OnDrift::Warn) => {
            changes.add(&servers::DRIFT_TOLERATED, "is called whatever its server says that it is");
        }
        (OnDrift::Warn, OnDrift::Refuse) => {
            changes
                .add(&servers::DRIFT_REFUSED, "is not called if its server says that it is something else");
        }
        _ => {}
    }
}
