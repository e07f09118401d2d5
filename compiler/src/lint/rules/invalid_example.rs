use crate::lint::{Check, rule};

rule! {
    /// ## What it does
    /// Finds examples whose arguments the tool would refuse.
    ///
    /// ## Why is this bad
    /// People and models copy examples. One that does not work teaches a mistake.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// maximum = 100
    /// [[tool.examples]]
    /// arguments = { limit = 1000 }
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// type = "integer"
    /// position = "query"
    /// maximum = 100
    /// [[tool.examples]]
    /// arguments = { limit = 50 }
    /// ```
    pub INVALID_EXAMPLE = "MCP0907", "invalid-example", HardError, Check::Reading;
}
