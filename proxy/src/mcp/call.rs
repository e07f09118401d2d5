//! `tools/call`.

use super::{Context, MODERN, Responded, close_result, headers, open_result};
use crate::call::{self, Call};
use crate::failure::Failure;
use mcp_bundle::bind::Arguments;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::Kind;
use mcp_bundle::tag::Era;

pub async fn respond(
    context: &Context<'_>,
    era: Era,
    message: &Message<'_>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Responded, Failure> {
    let params = &message.params;
    let Some(name) = params.name.filter(|name| name.kind == Kind::String) else {
        return Err(Failure::InvalidParams("`name` must be a string".into()));
    };
    let arguments = params.arguments.filter(|arguments| arguments.kind != Kind::Null);
    if arguments.is_some_and(|arguments| arguments.kind != Kind::Object) {
        return Err(Failure::InvalidParams("`arguments` must be an object".into()));
    }
    let catalog = context.catalog;
    let mut buffer = String::new();
    let name = name.unescaped(&mut buffer);
    let Some(tool) = catalog.find(context.view, name) else {
        return Err(Failure::UnknownTool(name.to_owned()));
    };
    open_result(id, out);
    if era == MODERN {
        headers::check_params(context.headers, catalog, &tool, arguments)?;
        out.extend_from_slice(&context.view.modern_start);
    }
    let call = Call {
        catalog,
        tool: &tool,
        arguments: Arguments::of_params(params),
        caller: context.caller,
        era: Some(era),
        request_id: context.request_id,
    };
    call::perform(context.edge, &call, out).await;
    close_result(out);
    Ok(Responded::Message(200))
}
