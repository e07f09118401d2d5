//! `server/discover`, `initialize` and `ping`.

use super::{close_result, open_result, version};
use crate::request::failure::Failure;
use crate::serving::context::Context;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::Kind;

pub fn discover(context: &Context<'_>, id: &str, out: &mut Vec<u8>) {
    open_result(id, out);
    out.extend_from_slice(context.view.discover());
    close_result(out);
}

pub fn initialize(
    context: &Context<'_>,
    message: &Message<'_>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    let asked = message.params.protocol_version.filter(|version| version.kind == Kind::String);
    let Some(asked) = asked else {
        return Err(Failure::InvalidParams("`protocolVersion` must be a string".into()));
    };
    open_result(id, out);
    out.extend_from_slice(context.view.initialize(version::negotiate(&asked)));
    close_result(out);
    Ok(())
}

pub fn ping(id: &str, out: &mut Vec<u8>) {
    open_result(id, out);
    close_result(out);
}
