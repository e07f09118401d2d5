//! The keys of the spec language, once: parsing, "did you mean", `mcpc schema` and the docs read these tables.

mod limits;

pub use limits::{AWAY, BREAKER, CACHE, PLACES, RATE, RATES_BY};

use limits::{KEPT_SECONDS, PLACES_SHAPE};
use mcp_diagnostics::keys::{Key, Shape, Table};

const fn key(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key::new(name, shape, doc)
}

/// Largest duration, one day: longer is surely a mistake in the unit.
const MAX_SECONDS: u32 = 86_400;
const SECONDS: Shape = Shape::Seconds { max: MAX_SECONDS };
const LENGTH: Shape = Shape::Integer { min: 0, max: u32::MAX as i64 };
const BYTES: Shape = Shape::Integer { min: 1, max: u32::MAX as i64 };
const RETRIES: Shape = Shape::Integer { min: 0, max: 10 };

pub const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
pub const POSITIONS: &[&str] = &["path", "query", "header", "cookie", "body"];
pub const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object"];
pub const STYLES: &[&str] = &["repeat", "comma", "space", "pipe", "deep", "json"];
pub const ENCODINGS: &[&str] = &["base64"];
pub const UPSTREAM_KINDS: &[&str] = &["http", "mcp"];
pub const TRANSPORTS: &[&str] = &["http", "sse", "stdio"];
pub const ON_DRIFT: &[&str] = &["refuse", "warn"];
pub const ERROR_TYPES: &[&str] = &["service", "database"];
pub const AUTH_KINDS: &[&str] = &["basic", "bearer", "api_key", "oauth2", "exchange"];
pub const CLIENT_AUTHS: &[&str] = &["basic", "post"];
pub const LEVELS: &[&str] = &["allow", "warn", "error"];

pub static ROOT: Table = Table {
    name: "a spec file",
    doc: "A toolset: the tools of one API.",
    keys: &[
        key("toolset", Shape::Table(&TOOLSET), "The toolset as a whole."),
        key("upstream", Shape::NamedTables(&UPSTREAM), "APIs that tools are sent to, by name."),
        key("tool", Shape::Tables(&TOOL), "The tools, one `[[tool]]` each."),
    ],
};

pub static TOOLSET: Table = Table {
    name: "the toolset",
    doc: "The toolset as a whole.",
    keys: &[
        key("name", Shape::Text, "Name of the toolset; default: the file's stem. Never `tools` or `invoke`."),
        key("title", Shape::Text, "Name for people."),
        key("instructions", Shape::Text, "What a model should know before it uses these tools.")
            .elsewhere(&["description", "desc"]),
        key(
            "lenient",
            Shape::Boolean,
            "All tools also take arguments that can be converted without loss; default false.",
        )
        .elsewhere(&["coerce"]),
        key("allow", Shape::Tables(&ALLOW), "Rules that are switched off for all tools of this file."),
    ],
};

pub static UPSTREAM: Table = Table {
    name: "an upstream",
    doc: "An API that tools are sent to.",
    keys: &[
        key("kind", Shape::Word(UPSTREAM_KINDS), "`http` (default) for an HTTP API, `mcp` for an MCP server.").elsewhere(&["type"]),
        key("url", Shape::Text, "Base URL, `https://host/base/path`; that of an MCP server is its endpoint. `${NAME}` and `${NAME:-default}` may replace the host, the port, or everything before the path. Only an MCP server over `stdio` has none.")
            .elsewhere(&["base", "host", "address"]),
        key("transport", Shape::Word(TRANSPORTS), "How an MCP server is spoken to: `http` (default, Streamable HTTP), `sse` (HTTP+SSE), or `stdio` (a program at the edge).").elsewhere(&["protocol"]),
        key("server", Shape::Text, "For `stdio`: what the edge's `[stdio.NAME]` calls the program; default: the upstream's name. A spec never says which program runs.")
            .elsewhere(&["command", "program"]),
        key("headers", Shape::TextMap, "Headers of every request; `${NAME}` is resolved at the edge."),
        key("timeout_seconds", SECONDS, "Limit of a whole call; default 30.").elsewhere(&["timeout", "timeout_ms", "timeout_millis", "timeout_s", "timeout_secs", "request_timeout"]),
        key("connect_timeout_seconds", SECONDS, "Limit for connecting; default 5."),
        key("attempt_timeout_seconds", SECONDS, "Limit of one attempt; default: attempts share the time of the call."),
        key("error_type", Shape::Word(ERROR_TYPES), "`database` if the API is that of a database: failures are then `DATABASE_ERROR` in `/mcp/invoke`."),
        key("retry_count", RETRIES, "Retries of idempotent calls; default 0, and 3 for an MCP server.").elsewhere(&["retries", "max_retries", "retry"]),
        key("max_in_flight", PLACES_SHAPE, "Calls that the upstream gets at once, or `{ calls = 20, shared = true }` for all edges together; default: no limit of its own.").elsewhere(&["max_concurrency", "concurrency", "max_connections"]),
        key("queue", Shape::Integer { min: 0, max: 1_000_000 }, "Calls that may wait for a place among `max_in_flight`; default 0."),
        key("queue_timeout_seconds", SECONDS, "How long a call waits for a place; default 5."),
        key("breaker", Shape::TableOrFalse(&BREAKER), "When an upstream that fails is left alone for a while; `false`: never.").elsewhere(&["circuit_breaker"]),
        key("auth", Shape::Table(&AUTH), "How the edge shows the API who it is.").elsewhere(&["authentication", "credentials", "oauth"]),
    ],
};

pub static AUTH: Table = Table {
    name: "`auth`",
    doc: "How the edge shows an API who it is. Secrets are `${NAME}`.",
    keys: &[
        key("kind", Shape::Word(AUTH_KINDS), "`basic`, `bearer`, `api_key`, `oauth2` (client credentials) or `exchange` (of the caller's token).")
            .required()
            .elsewhere(&["type", "scheme"]),
        key("username", Shape::Text, "For `basic`: the name, with `${NAME}` or without.").elsewhere(&["user", "login"]),
        key("password", Shape::Text, "For `basic`: the password, as `${NAME}`.").elsewhere(&["pass"]),
        key("token", Shape::Text, "For `bearer`: the token, as `${NAME}`."),
        key("name", Shape::Text, "For `api_key`: the name of the header or of the query parameter.").elsewhere(&["header"]),
        key("in", Shape::Word(&["header", "query"]), "For `api_key`: where it goes; default `header`.").elsewhere(&["position"]),
        key("value", Shape::Text, "For `api_key`: the key, as `${NAME}`.").elsewhere(&["key"]),
        key("token_url", Shape::Text, "For `oauth2` and `exchange`: where tokens come from. `${NAME}` may stand for the host, the port or all before the path.")
            .elsewhere(&["url", "token_endpoint"]),
        key("client_id", Shape::Text, "For `oauth2` and `exchange`: who the edge is to the token server.").elsewhere(&["client", "id"]),
        key("client_secret", Shape::Text, "For `oauth2` and `exchange`: its secret there, as `${NAME}`.").elsewhere(&["secret"]),
        key("scopes", Shape::Texts, "For `oauth2` and `exchange`: what is asked for.").elsewhere(&["scope"]),
        key("audience", Shape::Text, "For `oauth2` and `exchange`: whom the token is for.").elsewhere(&["resource"]),
        key("client_auth", Shape::Word(CLIENT_AUTHS), "For `oauth2` and `exchange`: the secret goes into a header (`basic`, the default) or into the form (`post`)."),
    ],
};

pub static TOOL: Table = Table {
    name: "a tool",
    doc: "One tool: one HTTP request, or one tool of an MCP server.",
    keys: &[
        key("name", Shape::Text, "Name of the tool, `[A-Za-z0-9_-]{1,64}`, unique in the bundle.").required(),
        key("title", Shape::Text, "Name for people."),
        key("description", Shape::Text, "What the tool does, for the model that chooses among tools.").elsewhere(&["desc", "summary", "doc"]),
        key("upstream", Shape::Text, "Name of an `[upstream.NAME]` of this file.").elsewhere(&["server", "host", "base_url", "api"]),
        key("method", Shape::Word(METHODS), "HTTP method.").elsewhere(&["verb", "http_method"]),
        key(
            "endpoint",
            Shape::Text,
            "Path below the upstream's URL with `{name}` placeholders, or an absolute URL and then no `upstream`. Path and query may end in a template.",
        ).elsewhere(&["url", "uri", "path", "route"]),
        key(
            "headers",
            Shape::TextMap,
            "Headers of the request, fixed or templates; `${NAME}` is resolved at the edge.",
        ),
        key(
            "parameters",
            Shape::Tables(&PARAMETER),
            "The arguments of the tool and where each of them goes.",
        ).elsewhere(&["params", "args", "arguments", "inputs", "input"]),
        key("body", Shape::Text, "`json` (default), `form`, `multipart`, `whole:PARAMETER`, or `bytes:PARAMETER` for an argument in base64."),
        key(
            "body_template",
            Shape::TextOrTable(&TEMPLATE),
            "Template of the request body, which is JSON, or a form with `body = \"form\"`.",
        ),
        key(
            "input_schema",
            Shape::ObjectOrText,
            "A full JSON Schema 2020-12 of the arguments instead of a generated one: a table, JSON text, or `{ file = \"x.json\" }`.",
        ).elsewhere(&["schema", "request_schema"]),
        key("lenient", Shape::Boolean, "Also takes arguments that can be converted without loss: `43` for a string, `\"43\"` for a number, `\"true\"` for a boolean; default: the toolset's.").elsewhere(&["coerce"]),
        key("output_schema", Shape::SchemaOrText, "JSON Schema of the structured result: a table, JSON text, or `{ file = \"x.json\" }`.").elsewhere(&["response_schema", "returns"]),
        key("mcp_tool", Shape::Text, "For an MCP server: what it calls the tool; default: the tool's own name.").elsewhere(&["remote_name", "original_name"]),
        key("pin", Shape::Text, "For an MCP server: the digest of the definition that was reviewed, `sha256:…`.").elsewhere(&["digest", "hash", "sha256"]),
        key("on_drift", Shape::Word(ON_DRIFT), "For an MCP server whose definition of the tool is no longer the pinned one: `refuse` calls (default), or `warn` only."),
        key(
            "arguments_template",
            Shape::TextOrTable(&TEMPLATE),
            "For an MCP server: template of the arguments that it gets, which is JSON; default: the arguments as they are.",
        ),
        key("pinned", Shape::Table(&PINNED), "For an MCP server: what its definition says where the tool says something else."),
        key(
            "answer_schema",
            Shape::SchemaOrText,
            "JSON Schema of the whole answer: what `select` and templates read must be in it, and `output_schema` follows from it and `select`. A table, JSON text, or `{ file = \"x.json\" }`.",
        )
        .elsewhere(&["upstream_schema"]),
        key("select", Shape::Texts, "Paths of the answer to keep, such as `items[].name`."),
        key("response_template", Shape::TextOrTable(&TEMPLATE), "Turns the JSON answer into text.").elsewhere(&["template", "output_template"]),
        key("error_template", Shape::TextOrTable(&TEMPLATE), "Turns an upstream error into text."),
        key("timeout_seconds", SECONDS, "Limit of a whole call; default: the upstream's.").elsewhere(&["timeout", "timeout_ms", "timeout_millis", "timeout_s", "timeout_secs", "request_timeout"]),
        key("retry_count", RETRIES, "Retries, if the call is idempotent; default: the upstream's.").elsewhere(&["retries", "max_retries", "retry"]),
        key("attempt_timeout_seconds", SECONDS, "Limit of one attempt; default: the upstream's."),
        key("idempotent", Shape::Boolean, "The call may be repeated though its method is not idempotent."),
        key(
            "cache_seconds",
            KEPT_SECONDS,
            "How long an answer may be reused; safe methods only.",
        ).elsewhere(&["ttl", "cache_ttl"]),
        key("cache", Shape::Table(&CACHE), "Instead of `cache_seconds`, if more is to be said than the time."),
        key("rate", Shape::Table(&RATE), "How many calls are taken in a time; default: no limit.").elsewhere(&["rate_limit", "limit"]),
        key("max_response_bytes", BYTES, "Limit of the upstream's answer."),
        key("max_text_bytes", BYTES, "Limit of the rendered text."),
        key("max_results", Shape::Integer { min: 1, max: u32::MAX as i64 }, "Elements that each list of the answer keeps; the result says how many are missing."),
        key("scopes", Shape::Texts, "Scopes that a caller must hold."),
        key(
            "annotations",
            Shape::Table(&ANNOTATIONS),
            "MCP tool annotations; hints that follow from the method are set by themselves.",
        ),
        key("icons", Shape::Tables(&ICON), "Icons for clients that show them."),
        key("tags", Shape::Texts, "Free tags, published in `_meta`."),
        key("respond", Shape::TextOrTable(&TEMPLATE), "The answer: a text, or a template that reads the arguments. The tool then has no upstream, method or endpoint.").elsewhere(&["answer"]),
        key("examples", Shape::Tables(&EXAMPLE), "Examples: docs, tests and mock in one.").elsewhere(&["tests"]),
        key("allow", Shape::Tables(&ALLOW), "Rules that are switched off for this tool, each with a reason."),
    ],
};

pub static PINNED: Table = Table {
    name: "`pinned`",
    doc: "The definition at the MCP server, where it is not that of the tool.",
    keys: &[
        key("description", Shape::Text, "Their description; default: the tool's. Empty if they have none.")
            .elsewhere(&["desc"]),
        key(
            "input_schema",
            Shape::ObjectOrText,
            "Their schema of the arguments; default: the tool's, or the one made of its parameters.",
        )
        .elsewhere(&["schema", "inputSchema"]),
        key(
            "output_schema",
            Shape::SchemaOrText,
            "Their schema of the structured result; default: the tool's. `false` if they have none.",
        )
        .elsewhere(&["outputSchema"]),
    ],
};

pub static PARAMETER: Table = Table {
    name: "a parameter",
    doc: "One argument of a tool.",
    keys: &[
        key("name", Shape::Text, "Name of the argument.").required(),
        key("type", Shape::Word(TYPES), "JSON type; default `string`.").alias(&["parameter_type"]),
        key("description", Shape::Text, "What the argument means, for the model that fills it.")
            .elsewhere(&["desc", "summary", "doc"]),
        key("required", Shape::Boolean, "Callers must supply this argument (default: false)."),
        key("default", Shape::Any, "Used when the caller leaves it out.").alias(&["default_value"]),
        key("enum", Shape::List, "The allowed values.")
            .elsewhere(&["choices", "options", "one_of", "allowed"])
            .alias(&["enum_values"]),
        key(
            "position",
            Shape::Word(POSITIONS),
            "Where it goes; default: where a template of the request puts it, or else `body`.",
        )
        .elsewhere(&["in", "location", "place"]),
        key("wire_name", Shape::Text, "Its name upstream; in a JSON body a dotted name nests.")
            .elsewhere(&["alias", "key", "field"]),
        key("style", Shape::Word(STYLES), "How an array or object is written outside a JSON body."),
        key("encoding", Shape::Word(ENCODINGS), "`base64`: callers give bytes in base64, and a multipart body has the bytes.")
            .elsewhere(&["contentEncoding"]),
        key("file_name", Shape::Text, "In a multipart body: the name of the file that the part is; default for bytes: the name of the part.")
            .elsewhere(&["filename"]),
        key("content_type", Shape::Text, "In a multipart body: the type of the part, such as `image/png`.")
            .elsewhere(&["contentMediaType", "mime_type"]),
        key("value", Shape::Any, "A constant, or `${NAME}`; the caller never sees the parameter.")
            .elsewhere(&["const", "constant", "fixed"]),
        key("mcp_header", Shape::Text, "Publishes the argument as this `Mcp-Param-` header."),
        key("sensitive", Shape::Boolean, "Its value never appears in logs or messages.")
            .elsewhere(&["secret"]),
        key("minimum", Shape::Number, "Least number.").elsewhere(&["min"]),
        key("maximum", Shape::Number, "Greatest number.").elsewhere(&["max"]),
        key("exclusiveMinimum", Shape::Number, "The number must be greater.").alias(&["exclusive_minimum"]),
        key("exclusiveMaximum", Shape::Number, "The number must be less.").alias(&["exclusive_maximum"]),
        key("minLength", LENGTH, "Least number of characters.").alias(&["min_length"]),
        key("maxLength", LENGTH, "Greatest number of characters.").alias(&["max_length"]),
        key("minItems", LENGTH, "Least number of elements.").alias(&["min_items"]),
        key("maxItems", LENGTH, "Greatest number of elements.").alias(&["max_items"]),
        key("pattern", Shape::Text, "Regular expression that a string must match somewhere.")
            .elsewhere(&["regex", "regexp"]),
        key("format", Shape::Text, "Format of a string, such as `date-time` or `uuid`."),
        key("items", Shape::Schema, "JSON Schema of the elements of an array."),
        key("properties", Shape::Object, "JSON Schemas of the members of an object, by name."),
        key("required_properties", Shape::Texts, "Names of the members that an object must have.")
            .alias(&["requiredProperties"]),
        key("additionalProperties", Shape::Schema, "Whether an object may have other members.")
            .alias(&["additional_properties"]),
    ],
};

pub static EXAMPLE: Table = Table {
    name: "an example",
    doc: "A call of the tool: its arguments, the request they become, an answer and the text made of it.",
    keys: &[
        key("title", Shape::Text, "What the example shows."),
        key("arguments", Shape::Object, "The arguments of the call.").elsewhere(&["args", "params", "input"]),
        key("request", Shape::Table(&EXAMPLE_REQUEST), "The exact request."),
        key("response", Shape::Table(&EXAMPLE_RESPONSE), "An answer of the upstream."),
        key("text", Shape::Text, "The exact text of the result.")
            .elsewhere(&["output", "result", "expected"]),
        key(
            "content",
            Shape::Any,
            "All items of the result, for what is not text; a string may be their JSON text.",
        ),
        key("structured_content", Shape::Any, "The structured result; a string may be its JSON text."),
    ],
};

pub static EXAMPLE_REQUEST: Table = Table {
    name: "an example's request",
    doc: "The exact request of an example; what is left out is not compared.",
    keys: &[
        key("method", Shape::Word(METHODS), "HTTP method."),
        key("url", Shape::Text, "The whole URL.").elsewhere(&["uri", "path"]),
        key("headers", Shape::TextMap, "Headers that must be there."),
        key(
            "body",
            Shape::Any,
            "The body: a string is compared as text, anything else as JSON. A multipart body is a list of its parts, one of bytes is their base64.",
        ),
    ],
};

pub static EXAMPLE_RESPONSE: Table = Table {
    name: "an example's response",
    doc: "An answer of the upstream.",
    keys: &[
        key("status", Shape::Integer { min: 100, max: 599 }, "HTTP status; default 200.")
            .elsewhere(&["code", "status_code"]),
        key("headers", Shape::TextMap, "Headers of the answer."),
        key("body", Shape::Any, "The body: a string is taken as it is, anything else as JSON."),
        key("body_base64", Shape::Text, "Instead of `body`: one that is not text, in base64."),
    ],
};

pub static ANNOTATIONS: Table = Table {
    name: "annotations",
    doc: "Hints about a tool's behaviour.",
    keys: &[
        key("title", Shape::Text, "Name for people."),
        key("readOnlyHint", Shape::Boolean, "The tool changes nothing.").alias(&["read_only_hint"]),
        key("destructiveHint", Shape::Boolean, "The tool may destroy something.")
            .alias(&["destructive_hint"]),
        key("idempotentHint", Shape::Boolean, "Calling it again changes nothing more.")
            .alias(&["idempotent_hint"]),
        key("openWorldHint", Shape::Boolean, "The tool deals with an open world.")
            .alias(&["open_world_hint"]),
    ],
};

pub static ICON: Table = Table {
    name: "an icon",
    doc: "An icon for clients that show them.",
    keys: &[
        key("src", Shape::Text, "`https:` or `data:` URL.").required(),
        key("mimeType", Shape::Text, "Such as `image/png`.").alias(&["mime_type"]),
        key("sizes", Shape::Texts, "Such as `48x48`, or `any`."),
        key("theme", Shape::Word(&["light", "dark"]), "Background it is made for."),
    ],
};

pub static ALLOW: Table = Table {
    name: "an `allow`",
    doc: "Switches a rule off, and says why.",
    keys: &[
        key("rule", Shape::Text, "Name of the rule.").required(),
        key("reason", Shape::Text, "Why it does not apply here.").required(),
    ],
};

pub static TEMPLATE: Table = Table {
    name: "a template",
    doc: "A template with its dialect, or from a file.",
    keys: &[
        key("go", Shape::Text, "A Go template."),
        key("handlebars", Shape::Text, "A Handlebars template."),
        key("file", Shape::Text, "A file beside the spec: `.hbs` is Handlebars, `.tmpl` is Go."),
    ],
};

/// `mcpc.toml`.
pub static CONFIG: Table = Table {
    name: "`mcpc.toml`",
    doc: "Settings of a folder of specs.",
    keys: &[
        key(
            "version",
            Shape::Text,
            "Version of the tools, three numbers such as `1.4.0`; `mcpc diff` compares how it moves with what changed.",
        ),
        key("bundle", Shape::Table(&CONFIG_BUNDLE), "The bundle as a whole."),
        key("budget", Shape::Table(&CONFIG_BUDGET), "Budgets."),
        key("rules", Shape::TextMap, "Level of rules by name: `allow`, `warn` or `error`."),
        key("clients", Shape::Texts, "Clients whose limits the names must respect; default: all known ones."),
        key(
            "exclude",
            Shape::Texts,
            "Files and folders that a search for specs skips, such as `drafts` or `*.test.toml`.",
        )
        .elsewhere(&["ignore", "skip"]),
    ],
};

pub static CONFIG_BUNDLE: Table = Table {
    name: "`bundle`",
    doc: "The bundle as a whole.",
    keys: &[key("name", Shape::Text, "Name of the bundle; default `tools`.")],
};

pub static CONFIG_BUDGET: Table = Table {
    name: "`budget`",
    doc: "What tools may cost a model's context. Breaking a budget that is set is an error; the defaults only warn.",
    keys: &[
        key("tool_tokens", BYTES, "Tokens of one tool's entry in `tools/list`; default 1000."),
        key("toolset_tokens", BYTES, "Tokens of the entries of one toolset; default: no budget."),
        key("list_tokens", BYTES, "Tokens of the whole list; default 20000."),
        key("result_bytes", BYTES, "Bytes of the longest result that a tool can give; default: no budget."),
    ],
};

/// Every table, for tests and docs.
pub static TABLES: &[&Table] = &[
    &ROOT,
    &TOOLSET,
    &UPSTREAM,
    &AUTH,
    &BREAKER,
    &TOOL,
    &PINNED,
    &RATE,
    &CACHE,
    &PARAMETER,
    &EXAMPLE,
    &EXAMPLE_REQUEST,
    &EXAMPLE_RESPONSE,
    &ANNOTATIONS,
    &ICON,
    &ALLOW,
    &TEMPLATE,
    &CONFIG,
    &CONFIG_BUNDLE,
    &CONFIG_BUDGET,
];

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::wire_enums::{ClientAuth, Method, OnDrift, Position, Style, Transport};

    #[test]
    fn no_table_has_a_name_twice() {
        for table in TABLES {
            let mut names: Vec<&str> = table.keys.iter().flat_map(Key::names).collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(all, names.len(), "{}", table.name);
        }
    }

    #[test]
    fn every_key_is_documented() {
        for key in TABLES.iter().flat_map(|table| table.keys) {
            assert!(key.doc.ends_with('.'), "{}", key.name);
        }
    }

    #[test]
    fn words_are_those_of_the_bundle() {
        let words = |all: Vec<&'static str>| all;
        assert_eq!(words(Method::ALL.iter().map(|m| m.as_str()).collect()), METHODS);
        assert_eq!(words(Position::ALL.iter().map(|p| p.as_str()).collect()), POSITIONS);
        assert_eq!(words(ClientAuth::ALL.iter().map(|a| a.as_str()).collect()), CLIENT_AUTHS);
        assert_eq!(words(Transport::ALL.iter().map(|t| t.as_str()).collect()), TRANSPORTS);
        assert_eq!(words(OnDrift::ALL.iter().map(|d| d.as_str()).collect()), ON_DRIFT);
        assert_eq!(words(Style::ALL.iter().map(|s| s.as_str()).collect()), STYLES);
    }
}
