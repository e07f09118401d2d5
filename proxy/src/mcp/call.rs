//! `tools/call`.

use super::{Handled, Responded, headers, open_result, progress};
use crate::call::{self, Beside, ToolCall};
use crate::protocol::MODERN;
use crate::request::failure::Failure;
use crate::serving::context::Context;
use mcp_bundle::bind::{Arguments, PreparedTool};
use mcp_bundle::envelope::Message;
use mcp_bundle::json::{Kind, Value};
use mcp_bundle::wire_enums::ProtocolVersion;

/// Begins a call, and opens its result.
pub fn begin<'a>(
    context: &Context<'a>,
    version: ProtocolVersion,
    message: &Message<'a>,
    id: &str,
    out: &mut Vec<u8>,
) -> Result<Handled<'a>, Failure> {
    let tool = find(context, version, message).map_err(|failure| call::counted(context, failure))?;
    if let Some(stream) = progress::stream(context, version, message, id, &tool) {
        return Ok(Handled::Responded(Responded::Stream(stream)));
    }
    open_result(id, out);
    let params = &message.params;
    let text = |value: Option<Value<'a>>| value.map(|value| value.text);
    let modern = (version == MODERN).then_some(params);
    let beside = Beside {
        capabilities: modern.and_then(|params| text(params.meta.client_capabilities)),
        input_responses: modern.and_then(|params| text(params.input_responses)),
        request_state: modern.and_then(|params| text(params.request_state)),
        notices: context.notices,
    };
    let arguments = Arguments::of_params(params);
    let call = ToolCall { tool, arguments, protocol: Some(version), beside };
    Ok(Handled::Call(call::begin(context, &call)))
}

/// The tool that is called.
fn find<'a>(
    context: &Context<'a>,
    version: ProtocolVersion,
    message: &Message<'a>,
) -> Result<PreparedTool<'a>, Failure> {
    let params = &message.params;
    let Some(name) = params.name.filter(|name| name.kind == Kind::String) else {
        return Err(Failure::InvalidParams("`name` must be a string".into()));
    };
    let arguments = params.arguments.filter(|arguments| arguments.kind != Kind::Null);
    if arguments.is_some_and(|arguments| arguments.kind != Kind::Object) {
        return Err(Failure::InvalidParams("`arguments` must be an object".into()));
    }
    let mut buffer = String::new();
    let name = name.unescaped(&mut buffer);
    let Some(tool) = context.view.find(name) else {
        return Err(Failure::UnknownTool(name.to_owned()));
    };
    context.check_scopes(&tool)?;
    if version == MODERN {
        headers::check_params(&context.head.headers, context.view.catalog(), &tool, arguments)?;
    }
    Ok(tool)
}
