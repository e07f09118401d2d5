//! The beginning of a line: all that is known without a look at the arguments. Made on the path of the message, into memory
//! that is used again, without the machinery of `format!`.

use crate::observe::record::{CallRecord, Refusal};
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::id::RequestId;
use mcp_bundle::bind::Problem;
use mcp_bundle::json::{Kind, MAX_DEPTH, Scanner, members, write_string};
use mcp_bundle::plan::{Contents, ToolPlan};
use std::io::Write;
use std::net::{IpAddr, SocketAddr};

/// Of a name that a client made up.
const LONGEST_NAME: usize = 100;

/// Names of hidden arguments that are told.
const MOST_HIDDEN: usize = 64;

/// The line of a finished call. In `full` it has what its request can be derived from again.
pub(super) fn call(record: &CallRecord<'_>, full: bool, time: &[u8], out: &mut Vec<u8>) {
    begin(b"call", &record.request, time, out);
    string(b",\"tool\":", record.tool, out);
    optional(b",\"toolset\":", record.toolset(), out);
    end_of_facts(&record.request, out);
    word(b",\"outcome\":\"", record.outcome.as_str(), out);
    if let Some(reason) = record.reason {
        string(b",\"reason\":", reason, out);
    }
    reasons(record.problems, out);
    if let Some(status) = record.upstream_status {
        number(b",\"upstream_status\":", status.into(), out);
    }
    number(b",\"attempts\":", record.attempts.into(), out);
    number(b",\"total_us\":", record.total.as_micros() as u64, out);
    number(b",\"upstream_us\":", record.upstream.as_micros() as u64, out);
    number(b",\"request_bytes\":", record.request_bytes as u64, out);
    number(b",\"response_bytes\":", record.response_bytes as u64, out);
    if full {
        out.extend_from_slice(b",\"now_ms\":");
        out.extend_from_slice(itoa::Buffer::new().format(record.ambient.now_ms).as_bytes());
        // As text: a number of JSON may lose its last digits.
        out.extend_from_slice(b",\"seed\":\"");
        hex(record.ambient.seed.to_be_bytes(), out);
        out.push(b'"');
    }
}

/// The line of a message that was refused.
pub(super) fn refused(refusal: &Refusal<'_>, time: &[u8], out: &mut Vec<u8>) {
    let Refusal { request, head, failure, status } = refusal;
    begin(b"refused", request, time, out);
    if let Failure::UnknownTool(name) = failure {
        string(b",\"tool\":", cut(name), out);
    }
    optional(b",\"toolset\":", request.toolset, out);
    end_of_facts(request, out);
    word(b",\"outcome\":\"", "refused", out);
    word(b",\"reason\":\"", failure.name(), out);
    optional(b",\"error\":", failure.detail(), out);
    number(b",\"status\":", u64::from(*status), out);
    string(b",\"method\":", cut(head.method.as_str()), out);
}

/// The whole line that stands for lines which were left out.
pub(super) fn dropped(count: u64, time: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"time\":\"");
    out.extend_from_slice(time);
    out.extend_from_slice(b"\",\"event\":\"dropped\"");
    number(b",\"lines\":", count, out);
    out.extend_from_slice(b"}\n");
}

fn begin(event: &[u8], request: &RequestFacts<'_>, time: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"time\":\"");
    out.extend_from_slice(time);
    out.extend_from_slice(b"\",\"event\":\"");
    out.extend_from_slice(event);
    out.extend_from_slice(b"\",\"request_id\":");
    match request.request_id {
        RequestId::Given(id) => write_string(id, out),
        RequestId::Made(number) => {
            out.push(b'"');
            hex(number.to_be_bytes(), out);
            out.push(b'"');
        }
    }
    optional(b",\"tenant\":", request.caller.tenant(), out);
    optional(b",\"principal\":", request.caller.principal(), out);
    optional(b",\"key\":", request.caller.key(), out);
    if let Some(peer) = request.peer.address {
        out.extend_from_slice(b",\"peer\":\"");
        address(peer, out);
        out.push(b'"');
    }
}

fn end_of_facts(request: &RequestFacts<'_>, out: &mut Vec<u8>) {
    if let Some(version) = request.protocol {
        word(b",\"protocol\":\"", version.as_str(), out);
    }
    if let Some(revision) = request.revision {
        out.extend_from_slice(b",\"revision\":\"");
        hex(revision.0, out);
        out.push(b'"');
    }
}

/// All that is wrong with the arguments, by name.
fn reasons(problems: &[Problem], out: &mut Vec<u8>) {
    for (number, problem) in problems.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b",\"reasons\":[\"" } else { b",\"" });
        out.extend_from_slice(problem.kind.as_str().as_bytes());
        out.push(b'"');
    }
    if !problems.is_empty() {
        out.push(b']');
    }
}

/// Copies the arguments without what must not be written, and says in the line, if there is one to say it in, what that was.
/// `false` if there is nothing to hide: they can be used as they are.
///
/// Where there are `sensitive` parameters, an argument of another name may be one of them, misspelt.
pub(super) fn hide(
    contents: &Contents,
    index: usize,
    arguments: &str,
    line: Option<&mut Vec<u8>>,
    shown: &mut Vec<u8>,
) -> bool {
    let Some(plan) = contents.tools.get(index).filter(|plan| has_sensitive(plan)) else { return false };
    let mut scanner = Scanner::of_text(arguments, MAX_DEPTH);
    let Some(object) = scanner.value().ok().filter(|value| value.kind == Kind::Object) else {
        // It may be the very secret, without a name.
        shown.extend_from_slice(b"null");
        return true;
    };
    shown.push(b'{');
    let (mut line, mut name_of, mut hidden) = (line, String::new(), 0_usize);
    for (name, value) in members(object) {
        let text = name.unescaped(&mut name_of);
        if is_hidden(contents, plan, text) {
            if let Some(line) = line.as_mut().filter(|_| hidden < MOST_HIDDEN) {
                line.extend_from_slice(if hidden == 0 { b",\"hidden\":[" } else { b"," });
                write_string(cut(text), line);
            }
            hidden += 1;
            continue;
        }
        if shown.len() > 1 {
            shown.push(b',');
        }
        shown.extend_from_slice(name.text.as_bytes());
        shown.push(b':');
        shown.extend_from_slice(value.text.as_bytes());
    }
    if let Some(line) = line.filter(|_| hidden > 0) {
        line.push(b']');
    }
    shown.push(b'}');
    true
}

fn has_sensitive(plan: &ToolPlan) -> bool {
    plan.parameters.iter().any(|parameter| parameter.sensitive)
}

fn is_hidden(contents: &Contents, plan: &ToolPlan, name: &str) -> bool {
    let parameter = plan.parameters.iter().find(|parameter| contents.strings.get(parameter.name) == name);
    parameter.is_none_or(|parameter| parameter.sensitive)
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_NAME)).unwrap_or_default()
}

fn optional(name: &[u8], value: Option<&str>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        string(name, value, out);
    }
}

fn string(name: &[u8], value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    write_string(value, out);
}

/// A text that needs no escapes; `name` ends with a quote.
fn word(name: &[u8], value: &'static str, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
}

fn number(name: &[u8], value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn address(address: SocketAddr, out: &mut Vec<u8>) {
    match address.ip() {
        IpAddr::V4(ip) => {
            for (place, part) in ip.octets().into_iter().enumerate() {
                if place > 0 {
                    out.push(b'.');
                }
                out.extend_from_slice(itoa::Buffer::new().format(part).as_bytes());
            }
            number(b":", address.port().into(), out);
        }
        // Its shortest form takes more than a few lines. Writing to memory cannot fail.
        IpAddr::V6(_) => drop(write!(out, "{address}")),
    }
}

/// Two digits for each byte.
pub(super) fn hex<const LENGTH: usize>(bytes: [u8; LENGTH], out: &mut Vec<u8>) {
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    out.extend_from_slice(bytes.map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).as_flattened());
}
