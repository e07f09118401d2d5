//! A JSON-RPC message as borrowed pieces of its text: one scan, no tree.

use crate::json::{Kind, ScanError, Scanner, Tape, Value};

/// One message. Members that are not needed are only skipped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Message<'a> {
    pub id: Id<'a>,
    pub method: Option<Value<'a>>,
    pub params: Params<'a>,
    /// `"jsonrpc": "2.0"` is there.
    pub is_rpc: bool,
    /// It has a `result` or an `error`: an answer, not a request.
    pub is_answer: bool,
    /// A member that decides something is there twice.
    pub is_ambiguous: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Id<'a> {
    #[default]
    Absent,
    /// The JSON text of a string or an integer.
    Text(&'a str),
    /// Something that cannot be an id.
    Invalid,
}

/// The members of `params` that methods use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Params<'a> {
    pub is_present: bool,
    pub is_object: bool,
    pub name: Option<Value<'a>>,
    pub arguments: Option<Value<'a>>,
    /// What is where in `arguments`, if it is an object.
    pub argument_tape: Tape<'a>,
    pub cursor: Option<Value<'a>>,
    pub uri: Option<Value<'a>>,
    /// Of `initialize`.
    pub protocol_version: Option<Value<'a>>,
    /// What a tool asked for in an earlier answer, of `tools/call`.
    pub input_responses: Option<Value<'a>>,
    pub request_state: Option<Value<'a>>,
    /// Of `subscriptions/listen`.
    pub notifications: Option<Value<'a>>,
    pub meta: Meta<'a>,
}

/// The members of `params._meta` that the stateless revision requires.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meta<'a> {
    pub is_object: bool,
    pub protocol_version: Option<Value<'a>>,
    pub client_capabilities: Option<Value<'a>>,
    pub log_level: Option<Value<'a>>,
    pub progress_token: Option<Value<'a>>,
}

/// What a body holds.
#[derive(Debug)]
pub enum Body<'m, 'a> {
    One(&'m Message<'a>),
    /// The elements of an array, at most as many as allowed and one more.
    Batch(Vec<Message<'a>>),
    /// JSON, but neither an object nor an array.
    Other,
}

/// Reads a body. `most` bounds the messages of a batch. Nearly every body is one message, which is large: it is filled in
/// `place` and stays there.
pub fn read<'m, 'a>(
    body: &'a [u8],
    depth: usize,
    most: usize,
    place: &'m mut Option<Message<'a>>,
) -> Result<Body<'m, 'a>, ScanError> {
    let mut scanner = Scanner::new(body, depth)?;
    let read = match scanner.peek()? {
        Kind::Object => {
            let one = place.insert(Message::default());
            message(&mut scanner, one)?;
            Body::One(one)
        }
        Kind::Array => Body::Batch(batch(&mut scanner, most)?),
        kind => {
            scanner.take(kind)?;
            Body::Other
        }
    };
    scanner.finish()?;
    Ok(read)
}

fn batch<'a>(scanner: &mut Scanner<'a>, most: usize) -> Result<Vec<Message<'a>>, ScanError> {
    let mut messages = Vec::new();
    scanner.enter_array()?;
    while scanner.next_item()? {
        let mut element = Message::default();
        match scanner.peek()? {
            Kind::Object => message(scanner, &mut element)?,
            kind => {
                scanner.take(kind)?;
                element.id = Id::Invalid;
            }
        }
        if messages.len() <= most {
            messages.push(element);
        }
    }
    Ok(messages)
}

impl<'a> Message<'a> {
    #[inline]
    pub fn is_method(&self, name: &str) -> bool {
        self.method.is_some_and(|method| method.is_text(name))
    }

    #[inline(always)]
    fn take_id(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        self.is_ambiguous |= self.id != Id::Absent;
        self.id = id(scanner.value()?);
        Ok(())
    }

    #[inline(always)]
    fn take_params(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ScanError> {
        self.is_ambiguous |= self.params.is_present;
        self.is_ambiguous |= params(scanner, &mut self.params)?;
        Ok(())
    }

    /// The id's JSON text, if it can be echoed.
    pub fn id_text(&self) -> Option<&'a str> {
        match self.id {
            Id::Text(text) => Some(text),
            Id::Absent | Id::Invalid => None,
        }
    }
}

/// The members of a message, of `params` and of `_meta` that are needed.
#[derive(Debug, Clone, Copy)]
enum Name {
    Version,
    /// The version that there is, and the name of the id.
    VersionAndId,
    Id,
    Method,
    /// The method that most messages have, and the name of its parameters.
    CallAndParams,
    Params,
    Answer,
    Tool,
    Arguments,
    Meta,
    Cursor,
    Uri,
    ProtocolVersion,
    Notifications,
    ClientCapabilities,
    LogLevel,
    ProgressToken,
    InputResponses,
    RequestState,
    Other,
}

/// Names as they are written in a message, the most frequent first. Some include what clients
/// usually write next to them.
type Names<const N: usize> = [(&'static str, Name); N];

const MESSAGE: Names<8> = [
    (r#""jsonrpc":"2.0","id":"#, Name::VersionAndId),
    (r#""method":"tools/call","params":"#, Name::CallAndParams),
    (r#""jsonrpc":"#, Name::Version),
    (r#""id":"#, Name::Id),
    (r#""method":"#, Name::Method),
    (r#""params":"#, Name::Params),
    (r#""result":"#, Name::Answer),
    (r#""error":"#, Name::Answer),
];

/// The method of a call.
const CALL: Value<'_> = Value { kind: Kind::String, text: r#""tools/call""#, escaped: false };

const PARAMS: Names<9> = [
    (r#""name":"#, Name::Tool),
    (r#""arguments":"#, Name::Arguments),
    (r#""_meta":"#, Name::Meta),
    (r#""cursor":"#, Name::Cursor),
    (r#""uri":"#, Name::Uri),
    (r#""protocolVersion":"#, Name::ProtocolVersion),
    (r#""notifications":"#, Name::Notifications),
    (r#""inputResponses":"#, Name::InputResponses),
    (r#""requestState":"#, Name::RequestState),
];

const META: Names<5> = [
    (r#""io.modelcontextprotocol/protocolVersion":"#, Name::ProtocolVersion),
    (r#""io.modelcontextprotocol/clientInfo":"#, Name::Other),
    (r#""io.modelcontextprotocol/clientCapabilities":"#, Name::ClientCapabilities),
    (r#""io.modelcontextprotocol/logLevel":"#, Name::LogLevel),
    (r#""progressToken":"#, Name::ProgressToken),
];

/// Takes the next member's name; `None` when the object is closed.
#[inline(always)]
fn next_name<const N: usize>(scanner: &mut Scanner<'_>, names: &Names<N>) -> Result<Option<Name>, ScanError> {
    if let Some(name) = scanner.take_known_name(names) {
        return Ok(Some(name));
    }
    if scanner.take_end_of_object() {
        return Ok(None);
    }
    other_name(scanner, names)
}

/// A name that is written in another way, or not known.
#[inline(never)]
fn other_name(scanner: &mut Scanner<'_>, names: &[(&str, Name)]) -> Result<Option<Name>, ScanError> {
    if let Some(name) = scanner.take_known_spaced_name(names) {
        return Ok(Some(name));
    }
    let Some(key) = scanner.next_key()? else { return Ok(None) };
    let mut buffer = String::new();
    let key = key.unescaped(&mut buffer);
    let known = names.iter().find(|(text, _)| text.get(1..text.len() - 2) == Some(key));
    Ok(Some(known.map_or(Name::Other, |(_, name)| *name)))
}

/// Reads into a message that is empty yet.
fn message<'a>(scanner: &mut Scanner<'a>, message: &mut Message<'a>) -> Result<(), ScanError> {
    let mut seen_version = false;
    scanner.enter_object()?;
    while let Some(name) = next_name(scanner, &MESSAGE)? {
        match name {
            Name::Version => {
                message.is_ambiguous |= std::mem::replace(&mut seen_version, true);
                message.is_rpc = scanner.value()?.is_text("2.0");
            }
            Name::VersionAndId => {
                message.is_ambiguous |= std::mem::replace(&mut seen_version, true);
                message.is_rpc = true;
                message.take_id(scanner)?;
            }
            Name::Id => message.take_id(scanner)?,
            Name::Method => {
                message.is_ambiguous |= message.method.is_some();
                message.method = Some(scanner.value()?);
            }
            Name::CallAndParams => {
                message.is_ambiguous |= message.method.is_some();
                message.method = Some(CALL);
                message.take_params(scanner)?;
            }
            Name::Params => message.take_params(scanner)?,
            name => {
                message.is_answer |= matches!(name, Name::Answer);
                scanner.value()?;
            }
        }
    }
    Ok(())
}

/// Whether a member that matters is there twice.
fn params<'a>(scanner: &mut Scanner<'a>, params: &mut Params<'a>) -> Result<bool, ScanError> {
    params.is_present = true;
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return Ok(false);
    }
    params.is_object = true;
    let mut twice = false;
    let mut seen_meta = false;
    scanner.enter_object()?;
    while let Some(name) = next_name(scanner, &PARAMS)? {
        match name {
            Name::Tool => {
                twice |= params.name.is_some();
                params.name = Some(scanner.value()?);
            }
            Name::Arguments => {
                twice |= params.arguments.is_some();
                let kind = scanner.peek()?;
                params.arguments = Some(if kind == Kind::Object {
                    scanner.object_with_tape(&mut params.argument_tape)?
                } else {
                    scanner.take(kind)?
                });
            }
            Name::Meta => {
                twice |= std::mem::replace(&mut seen_meta, true);
                twice |= meta(scanner, &mut params.meta)?;
            }
            name => twice |= rare_param(scanner, params, name)?,
        }
    }
    Ok(twice)
}

/// As [`params`], for a member that few messages have.
#[inline(never)]
fn rare_param<'a>(scanner: &mut Scanner<'a>, params: &mut Params<'a>, name: Name) -> Result<bool, ScanError> {
    let slot = match name {
        Name::Cursor => &mut params.cursor,
        Name::Uri => &mut params.uri,
        Name::ProtocolVersion => &mut params.protocol_version,
        Name::Notifications => &mut params.notifications,
        Name::InputResponses => &mut params.input_responses,
        Name::RequestState => &mut params.request_state,
        _ => {
            scanner.value()?;
            return Ok(false);
        }
    };
    Ok(slot.replace(scanner.value()?).is_some())
}

fn meta<'a>(scanner: &mut Scanner<'a>, meta: &mut Meta<'a>) -> Result<bool, ScanError> {
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return Ok(false);
    }
    meta.is_object = true;
    let mut twice = false;
    scanner.enter_object()?;
    while let Some(name) = next_name(scanner, &META)? {
        let slot = match name {
            Name::ProtocolVersion => &mut meta.protocol_version,
            Name::ClientCapabilities => &mut meta.client_capabilities,
            Name::LogLevel => &mut meta.log_level,
            Name::ProgressToken => &mut meta.progress_token,
            _ => {
                scanner.value()?;
                continue;
            }
        };
        twice |= slot.is_some();
        *slot = Some(scanner.value()?);
    }
    Ok(twice)
}

/// MCP allows strings and integers.
fn id(value: Value<'_>) -> Id<'_> {
    match value.kind {
        Kind::String => Id::Text(value.text),
        Kind::Number if !value.text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            Id::Text(value.text)
        }
        _ => Id::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Message<'_> {
        match read(text.as_bytes(), 64, 8, &mut None).unwrap() {
            Body::One(message) => *message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_call_is_taken_apart() {
        let message = one(
            r#" {"jsonrpc":"2.0","id":"a\"b","method":"tools\/call","params":{"name":"t","arguments":{"a":[1]},"_meta":{"x":1}}} "#,
        );
        assert_eq!(message.id, Id::Text(r#""a\"b""#));
        assert!(message.is_rpc && message.is_method("tools/call") && !message.is_ambiguous);
        assert_eq!(message.params.arguments.unwrap().text, r#"{"a":[1]}"#);
        assert!(message.params.meta.is_object);
    }

    #[test]
    fn members_that_clients_write_together_are_members_all_the_same() {
        let orders = [
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}"#,
            r#"{"method":"tools/call","params":{"name":"t"},"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0", "id":7,"params":{"name":"t"},"method":"tools/call"}"#,
            r#"{"id":7,"jsonrpc":"2.0","method":"tools/call" ,"params":{"name":"t"}}"#,
            r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "t"}}"#,
            r#"{ "jsonrpc" : "2.0",  "id" :7, "method":  "tools/call", "params" : { "name":"t" } }"#,
        ];
        for text in orders {
            let message = one(text);
            assert!(message.is_rpc && message.is_method("tools/call") && !message.is_ambiguous, "{text}");
            assert_eq!(message.id_text(), Some("7"));
            assert!(message.params.name.unwrap().is_text("t"));
        }
        for text in [
            r#"{"jsonrpc":"2.0","id":}"#,
            r#"{"jsonrpc":"2.0","id"}"#,
            r#"{"method":"tools/call","params":}"#,
            r#"{"id": 7, "method": }"#,
            r#"{"id": 7 "method": "a"}"#,
            r#"{, "id": 7}"#,
            r#"{"id": 7, }"#,
        ] {
            assert!(read(text.as_bytes(), 64, 8, &mut None).is_err(), "{text}");
        }
    }

    #[test]
    fn ids_are_strings_or_integers() {
        assert_eq!(one(r#"{"id":12}"#).id, Id::Text("12"));
        assert_eq!(one(r#"{"id":-1}"#).id, Id::Text("-1"));
        for text in [r#"{"id":null}"#, r#"{"id":1.5}"#, r#"{"id":1e3}"#, r#"{"id":true}"#, r#"{"id":[]}"#] {
            assert_eq!(one(text).id, Id::Invalid, "{text}");
        }
    }

    #[test]
    fn a_duplicate_member_that_decides_something_is_refused() {
        for text in [
            r#"{"method":"a","method":"b"}"#,
            r#"{"id":1,"id":2}"#,
            r#"{"id": 1, "id": 2}"#,
            r#"{"params":{},"params":{}}"#,
            r#"{"params":{"name":"a","name":"b"}}"#,
            r#"{"params":{"name":"a","n\u0061me":"b"}}"#,
            r#"{"params":{"_meta":{},"_meta":{}}}"#,
            r#"{"jsonrpc":"2.0","jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"jsonrpc":"2.0"}"#,
            r#"{"id":1,"jsonrpc":"2.0","id":1}"#,
            r#"{"method":"a","method":"tools/call","params":{}}"#,
            r#"{"params":{},"method":"tools/call","params":{}}"#,
        ] {
            assert!(one(text).is_ambiguous, "{text}");
        }
        assert!(!one(r#"{"x":1,"x":2,"params":{"y":1,"y":2}}"#).is_ambiguous);
    }

    #[test]
    fn batches_are_bounded() {
        let text = format!("[{}]", vec!["{}"; 100].join(","));
        let Body::Batch(messages) = read(text.as_bytes(), 64, 8, &mut None).unwrap() else { panic!() };
        assert_eq!(messages.len(), 9);
    }

    #[test]
    fn invalid_json_is_an_error() {
        for text in ["", "{", "{}x", "[1,]", "\u{feff}{}", "{\"a\":\"\\ud800\"}"] {
            assert!(read(text.as_bytes(), 64, 8, &mut None).is_err(), "{text}");
        }
        assert!(read(&b"[".repeat(1000), 64, 8, &mut None).is_err());
    }
}
