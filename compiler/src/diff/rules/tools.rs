//! Tools and toolsets as such.

use super::changes;

changes! {
    /// A tool is gone.
    ///
    /// Clients that call it get "unknown tool", and prompts that name it mislead the model. Keep it for
    /// a while beside its replacement, and say in its description which tool to use instead.
    TOOL_REMOVED = "MCD0101", "tool-removed", Breaking;
    /// A tool has another name: one is gone, and a new one takes the same arguments and sends the same
    /// request.
    ///
    /// For clients that is a removed tool. Lists of allowed tools, prompts and tests have the old name.
    TOOL_RENAMED = "MCD0102", "tool-renamed", Breaking;
    /// There is a new tool.
    ///
    /// It costs tokens in every conversation, and a model may choose it instead of another one.
    TOOL_ADDED = "MCD0103", "tool-added", Safe;
    /// A tool belongs to another toolset.
    ///
    /// Clients that use one toolset, at `/mcp/TOOLSET`, no longer see it. Tenants are given toolsets, so
    /// others may call it now.
    TOOL_MOVED = "MCD0104", "tool-moved", Breaking;
    /// A toolset is gone.
    ///
    /// Its path `/mcp/TOOLSET` is not found any more, and a file of tenants that names it is refused.
    TOOLSET_REMOVED = "MCD0105", "toolset-removed", Breaking;
    /// There is a new toolset.
    ///
    /// Tenants with `toolsets = ["*"]` see its tools at once.
    TOOLSET_ADDED = "MCD0106", "toolset-added", Safe;
    /// The instructions of a toolset are other ones.
    ///
    /// Models read them before all descriptions, so they may use every tool of it in another way.
    INSTRUCTIONS_CHANGED = "MCD0107", "instructions-changed", Risky;
    /// The bundle has another name.
    ///
    /// Clients show it as the name of the server, and some tell servers apart by it.
    BUNDLE_RENAMED = "MCD0108", "bundle-renamed", Risky;
    /// The title of a toolset is another one.
    ///
    /// Only people see it.
    TOOLSET_RETITLED = "MCD0109", "toolset-retitled", Safe;
}
