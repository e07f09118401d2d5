//! `tools/call`.

use super::{Context, MODERN, close_result, headers, open_result};
use crate::call::{self, Begun, Call, Start};
use crate::request::failure::Failure;
use mcp_bundle::bind::Arguments;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::Kind;
use mcp_bundle::wire_enums::ProtocolVersion;

/// A call that waits for its upstream.
pub struct ToolCall<'a> {
    begun: Begun<'a>,
    id: &'a str,
    /// How the result begins.
    start: &'a [u8],
}

/// Makes the request of a call, in `place`.
pub fn begin<'p, 'a>(
    context: &Context<'a>,
    era: ProtocolVersion,
    message: &Message<'a>,
    id: &'a str,
    place: &'p mut Option<ToolCall<'a>>,
) -> Result<&'p mut ToolCall<'a>, Failure> {
    let params = &message.params;
    let Some(name) = params.name.filter(|name| name.kind == Kind::String) else {
        return Err(Failure::InvalidParams("`name` must be a string".into()));
    };
    let arguments = params.arguments.filter(|arguments| arguments.kind != Kind::Null);
    if arguments.is_some_and(|arguments| arguments.kind != Kind::Object) {
        return Err(Failure::InvalidParams("`arguments` must be an object".into()));
    }
    let catalog = context.catalog;
    // Of many tools, one that is not called all the time is far away in memory: it comes while the call is begun.
    catalog.prepared.approach(name.raw());
    let beginning = Start::new(context.edge, catalog);
    let mut buffer = String::new();
    let name = name.unescaped(&mut buffer);
    let Some(tool) = catalog.find(context.view, name) else {
        return Err(Failure::UnknownTool(name.to_owned()));
    };
    let mut start: &[u8] = &[];
    if era == MODERN {
        headers::check_params(context.headers, catalog, &tool, arguments)?;
        start = &context.view.modern_start;
    }
    let call = Call {
        catalog,
        tool,
        arguments: Arguments::of_params(params),
        caller: context.caller,
        era: Some(era),
        request_id: context.request_id,
    };
    Ok(place.insert(ToolCall { begun: call::begin(context.edge, beginning, &call), id, start }))
}

impl ToolCall<'_> {
    /// Asks the upstream. Dropping the future cancels the call.
    pub async fn fetch(&mut self) {
        self.begun.fetch().await;
    }

    /// Appends the answer.
    pub fn write(&mut self, out: &mut Vec<u8>) {
        open_result(self.id, out);
        out.extend_from_slice(self.start);
        self.begun.write(out);
        close_result(out);
    }
}
