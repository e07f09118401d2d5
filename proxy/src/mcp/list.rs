//! `tools/list`: bytes that the catalog has ready.

use super::{close_result, open_result};
use crate::catalog::Page;
use crate::request::failure::Failure;
use crate::serving::context::Context;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::Kind;
use mcp_bundle::wire_enums::ProtocolVersion;

pub fn respond(
    context: &Context<'_>,
    version: ProtocolVersion,
    message: &Message<'_>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let params = &message.params;
    if params.is_present && !params.is_object {
        return Err(Failure::InvalidParams("`params` must be an object".into()));
    }
    let mut buffer = String::new();
    let cursor = match params.cursor {
        None => None,
        Some(cursor) if cursor.kind == Kind::String => Some(cursor.unescaped(&mut buffer)),
        Some(_) => return Err(Failure::BadCursor),
    };
    let page = context.view.page(version, cursor).ok_or(Failure::BadCursor)?;
    open_result(id, out);
    match page {
        Page::Ready(members) => out.extend_from_slice(members),
        Page::Made(members) => out.extend_from_slice(&members),
    }
    close_result(out);
    Ok(())
}
