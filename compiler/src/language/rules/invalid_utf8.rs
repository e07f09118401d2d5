use super::rule;

rule! {
    /// ## What it does
    /// Finds spec files that are not UTF-8 text.
    ///
    /// ## Why is this bad
    /// TOML is UTF-8 by definition. Guessing another encoding could change the text that a model reads.
    ///
    /// ## Fails
    /// A file saved as Latin-1 (where `é` is the byte `E9`) or UTF-16, or a binary file named `.toml`.
    ///
    /// ## Passes
    /// A file saved as UTF-8, with or without a byte order mark.
    pub INVALID_UTF8 = "MCP0002", "invalid-utf8", HardError;
}
