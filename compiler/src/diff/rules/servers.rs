//! Tools of MCP servers.

use super::changes;

changes! {
    /// A tool's MCP server is spoken to in another way, or is another program.
    ///
    /// What the edge calls the program says which one runs there.
    SERVER_CHANGED = "MCD0701", "server-changed", Breaking;
    /// A tool calls another tool of its MCP server.
    ///
    /// Nothing of what it did before can be expected of it.
    SERVER_TOOL_CHANGED = "MCD0702", "server-tool-changed", Breaking;
    /// The pinned definition of a tool at its MCP server is another one.
    ///
    /// The server changed the tool, and a person pinned it again. Read what changed.
    PIN_CHANGED = "MCD0703", "pin-changed", Risky;
    /// A tool is called even if its MCP server's definition is not the pinned one (`on_drift`).
    ///
    /// What nobody has read may be called.
    DRIFT_TOLERATED = "MCD0704", "drift-tolerated", Risky;
    /// A tool is no longer called if its MCP server's definition is not the pinned one (`on_drift`).
    ///
    /// It is quarantined as soon as the server changes it.
    DRIFT_REFUSED = "MCD0705", "drift-refused", Safe;
}
