//! What an API gets.

use super::changes;

changes! {
    /// Something else answers a tool: an HTTP API, an MCP server, or a fixed text.
    ///
    /// Nothing of what it did before can be expected of it.
    BACKEND_CHANGED = "MCD0401", "backend-changed", Breaking;
    /// A tool's requests go to another host, port or scheme, or to one that another variable names.
    ///
    /// Arguments and secrets go to another place. Callers agreed to the old one.
    HOST_CHANGED = "MCD0402", "host-changed", Breaking;
    /// A tool sends another HTTP method.
    ///
    /// A call may write where it read, and the other way round.
    METHOD_CHANGED = "MCD0403", "method-changed", Breaking;
    /// A tool's requests have another path.
    ///
    /// The API may do something else, or know nothing of it.
    PATH_CHANGED = "MCD0404", "path-changed", Risky;
    /// A fixed part of the query is another one.
    ///
    /// The API may answer something else.
    QUERY_CHANGED = "MCD0405", "query-changed", Risky;
    /// An argument goes to another part of the request, such as the body instead of the query.
    ///
    /// An API ignores what it does not look for.
    POSITION_CHANGED = "MCD0406", "position-changed", Risky;
    /// An argument has another name in the request.
    ///
    /// An API ignores what it does not look for.
    WIRE_NAME_CHANGED = "MCD0407", "wire-name-changed", Risky;
    /// A list or an object is written in another style, such as `1,2` instead of a pair for each
    /// element.
    ///
    /// The API may read something else.
    STYLE_CHANGED = "MCD0408", "style-changed", Risky;
    /// The body of a tool's requests is of another kind, such as a form instead of JSON.
    ///
    /// The API may refuse it.
    BODY_KIND_CHANGED = "MCD0409", "body-kind-changed", Risky;
    /// A fixed part of the body is another one.
    ///
    /// The API may do something else.
    BODY_CHANGED = "MCD0410", "body-changed", Risky;
    /// A fixed header is another one, new, or gone.
    ///
    /// The API may answer something else, or refuse the request.
    HEADER_CHANGED = "MCD0411", "header-changed", Risky;
    /// A fixed cookie is another one, new, or gone.
    ///
    /// The API may answer something else, or refuse the request.
    COOKIE_CHANGED = "MCD0412", "cookie-changed", Risky;
    /// A template of the request is another one.
    ///
    /// The same arguments make another request. `mcpc replay` shows the difference for recorded calls.
    REQUEST_TEMPLATE_CHANGED = "MCD0413", "request-template-changed", Risky;
    /// The edge shows an API who it is in another way: the kind of credential, the token server, or what
    /// is asked of it.
    ///
    /// The API may refuse calls, or allow more than before.
    CREDENTIAL_CHANGED = "MCD0414", "credential-changed", Risky;
    /// The bundle needs a variable that it did not need.
    ///
    /// An edge refuses the bundle, and keeps the last one, until the variable has a value. Set it first.
    VARIABLE_ADDED = "MCD0415", "variable-added", Risky;
    /// The bundle no longer needs a variable.
    ///
    /// Its value can be removed from the edge.
    VARIABLE_REMOVED = "MCD0416", "variable-removed", Safe;
}
