//! How a failure is written, in each interface.

use super::failure::{ErrorType, Failure};
use super::head::Head;
use super::reply::{BodyKind, Reply};
use super::route::is_rest;
use mcp_bundle::json::write_string;

/// Writes a failure in the form of the interface that the path belongs to.
pub fn refuse(head: &Head, failure: &Failure, reply: &mut Reply) {
    reply.clear();
    if is_rest(head.uri.path()) {
        write_rest(failure, reply);
    } else {
        reply.status = failure.legacy_status();
        reply.kind = BodyKind::Json;
        write_rpc(None, failure, &mut reply.body);
    }
    reply.headers.extend(failure.header());
}

/// Appends an error message of JSON-RPC; one whose request has no readable id goes without.
pub fn write_rpc(id: Option<&str>, failure: &Failure, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        out.extend_from_slice(b"\"id\":");
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(b"\"error\":");
    failure.write_error(out);
    out.push(b'}');
}

/// Writes a failure in the form of the REST interfaces.
fn write_rest(failure: &Failure, reply: &mut Reply) {
    let (error_type, status) = failure.rest();
    reply.status = status;
    reply.kind = BodyKind::Json;
    reply.body.clear();
    reply.body.extend_from_slice(b"{\"success\":false,\"result\":null,\"error\":");
    write_string(&failure.message(), &mut reply.body);
    write_type(error_type, status, &mut reply.body);
    reply.body.extend_from_slice(b",\"details\":{\"reason\":\"");
    reply.body.extend_from_slice(failure.name().as_bytes());
    reply.body.extend_from_slice(b"\"}}");
}

/// Appends what kind of error it is, and a message for people who only use the program that called.
pub fn write_type(error_type: ErrorType, status: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"user_message\":\"");
    out.extend_from_slice(error_type.user_message(status).as_bytes());
    out.extend_from_slice(b"\",\"error_type\":\"");
    out.extend_from_slice(error_type.as_str().as_bytes());
    out.push(b'"');
}
