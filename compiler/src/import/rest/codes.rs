//! What changes for tools that were Go templates of a gateway.

use crate::import::codes::codes;

codes! {
    pub RAW_BECOMES_ENCODED = "raw-becomes-encoded", "The source inserts the argument as it is; here it is encoded for its place.";
    pub SETTING_BECOMES_VARIABLE = "setting-becomes-variable", "A setting of the source became a variable, `${NAME}`; its value does not come over.";
    pub ADDRESS_BECOMES_VARIABLE = "address-becomes-variable", "The source leaves the API's address to the gateway, so it became a variable, `${NAME}`.";
    pub PLAIN_HTTP = "plain-http", "The API's address is `http`, so credentials and answers can be read on the way.";
    pub NEVER_SENT = "never-sent", "The source never sends the argument, so the tool does not have it.";
    pub NOW_SENT = "now-sent", "The source declares the argument and never sends it; here it is sent.";
    pub SENT_ONCE = "sent-once", "The source sends the argument in two places; here only a template does.";
    pub UNDECLARED_ARGUMENT = "undeclared-argument", "A template reads an argument that is not declared, so there is never one.";
    pub REQUIRED_IN_PATH = "required-in-path", "An argument in a path is required here.";
    pub DEFAULT_OF_REQUIRED = "default-of-required", "A required argument has a default, so it is not required here.";
    pub DEFAULT_CONVERTED = "default-converted", "A default was of another type than its argument.";
    pub SCHEMA_CORRECTED = "schema-corrected", "The type or schema of an argument was not valid, and the nearest one was taken.";
    pub NOW_ENFORCED = "now-enforced", "The source accepts the keyword and ignores it; here it is enforced.";
    pub HEADER_NOT_NEEDED = "header-not-needed", "The edge sets this header itself.";
    pub HEADER_REFUSED = "header-refused", "A spec cannot set this header.";
    pub TEMPLATE_REFUSED = "template-refused", "The template cannot be had here, so the answer is shown as it is.";
    pub TEMPLATE_CORRECTED = "template-corrected", "A function had its arguments in the wrong order.";
    pub FRAGMENT_DROPPED = "fragment-dropped", "The part of a URL after `#` is never sent.";
    pub METHOD_ADDED = "method-added", "The source names no method, so `GET` was taken.";
    pub CONTENT_TYPE_CHANGED = "content-type-changed", "The body is sent as what it is.";
    pub DUPLICATE_ARGUMENT = "duplicate-argument", "A later argument of the tool has the same name, and the source takes that one.";
    pub ARGUMENTS_CHECKED = "arguments-checked", "Arguments are checked against their types here; the source checks nothing.";
    pub CLIENT_HEADERS = "client-headers", "The source sends the headers of its caller to the API; here none of them are sent.";
    pub ANSWER_MUST_BE_JSON = "answer-must-be-json", "Text around the answer is a template here, which reads JSON only.";
    pub GATEWAY_SECURITY = "gateway-security", "How callers prove who they are is for `[auth]` of `edge.toml` to say.";
    pub CREDENTIAL_NOT_PASSED = "credential-not-passed", "A caller's own credential never reaches an API here; the edge has one of its own.";
    pub AUTH_UNSUPPORTED = "auth-unsupported", "The source cannot use the security scheme either, so nothing is sent for it.";
    pub REQUEST_REFUSED = "request-refused", "The request cannot be had here, so the tool was left out.";
    pub NOT_ALLOWED = "not-allowed", "The source has a list of allowed tools, and this is none of them.";
}
