//! Why something of an OpenAPI document is not in the specs as it was.

crate::import::codes::codes! {
    pub INVALID = "invalid", "The document breaks its own format there; what is wrong is left out.";
    pub UNRESOLVED_REF = "unresolved-ref", "A `$ref` leads out of the document, to nothing, or in a circle.";
    pub REF_SIBLING = "ref-sibling", "What is beside a `$ref` does not count.";
    pub UNSUPPORTED_METHOD = "unsupported-method", "No tool sends requests with this method.";
    pub CALLBACK = "callback", "Nothing calls an edge back: callbacks and webhooks.";
    pub NOT_PUBLISHED = "not-published", "It says little to a model and costs tokens: titles, links, XML names.";
    pub COMPACT = "compact", "`--compact` leaves it out of the list.";
    pub EXAMPLE_USED = "example-used", "The example is in the tool's example, and not in its schema.";
    pub EXAMPLE_TOO_LONG = "example-too-long", "The response of an example has more than 32 KiB.";
    pub READ_ONLY = "read-only", "Only the API sets the property, so it is no argument.";
    pub FORMAT = "format", "Nothing checks the `format`, and it says no more than the type.";
    pub DISCRIMINATOR = "discriminator", "JSON Schema has no discriminator; the branches say which values they are for.";
    pub ALTERNATIVES = "alternatives", "Which of several arguments must be given is checked by the API alone.";
    pub OPTIONAL_BODY = "optional-body", "The body may be left out, so none of its arguments is required.";
    pub CONSTANT = "constant", "The argument has one possible value, so it is always sent and never asked for.";
    pub STYLE = "style", "A value is written in another way than the document says, or cannot be written.";
    pub IGNORED_HEADER = "ignored-header", "A header that follows from the request or from `auth`.";
    pub FORBIDDEN_HEADER = "forbidden-header-parameter", "A header that no tool may set.";
    pub PATH = "path", "The path cannot be an endpoint, or its placeholders and parameters differ.";
    pub OTHER_MEDIA_TYPE = "other-media-type", "The body is sent as another one of its media types.";
    pub MEDIA_TYPE = "media-type", "No tool sends a body of this media type.";
    pub MULTIPART = "multipart", "The parts of a multipart body are not known.";
    pub TOO_LARGE = "too-large", "The schema of the tool, or all of them together, would be too large.";
    pub ANSWER = "answer", "Of an answer, the specs have what `select` keeps.";
    pub OTHER_ANSWER = "other-answer", "Only the first success is described; other answers are shown as they are.";
    pub OTHER_SERVER = "other-server", "Tools are sent to one server.";
    pub SERVER = "server", "The URL of a server cannot be that of an upstream.";
    pub OTHER_SECURITY = "other-security", "One of several ways to show who calls is used.";
    pub SECURITY = "security", "The edge has no credential of this kind.";
    pub NO_LOGIN = "no-login", "The edge logs nobody in; it needs a token or a certificate.";
    pub DOCUMENTATION = "documentation", "It describes the API as a whole, for people.";
}
