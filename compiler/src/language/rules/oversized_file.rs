use super::rule;

rule! {
    /// ## What it does
    /// Finds spec files larger than 64 MiB.
    ///
    /// ## Why is this bad
    /// A file of that size is almost never a spec, but an archive or a dump. The limit also bounds the memory
    /// that a run needs.
    ///
    /// ## Fails
    /// A `.toml` file of 70 MiB.
    ///
    /// ## Passes
    /// The same tools split into several files: all specs of a folder are built into one bundle.
    pub OVERSIZED_FILE = "MCP0003", "oversized-file", HardError;
}
