use super::rule;

rule! {
    /// ## What it does
    /// Finds spec files that are not UTF-8 text.
    ///
    /// ## Why is this bad
    /// TOML is UTF-8 by definition, and guessing another encoding would change what a model reads.
    ///
    /// ## Fails
    /// A file saved as Latin-1 or UTF-16, where the byte `E9` stands for `é`, or a binary file with the ending `.toml`.
    ///
    /// ## Passes
    /// A file saved as UTF-8, with or without a byte order mark.
    pub INVALID_UTF8 = "MCP0002", "invalid-utf8", HardError;
}
