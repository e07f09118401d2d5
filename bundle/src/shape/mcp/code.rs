//! What can go wrong with a tool of an MCP server, in the names that programs know it by.

use std::fmt;

/// The kind of a failure, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum McpCode {
    Unreachable,
    AuthFailed,
    ProtocolError,
    Timeout,
    ToolNotFound,
    InvalidParams,
    ExecutionError,
    ParseError,
}

impl McpCode {
    pub const ALL: [McpCode; 8] = [
        McpCode::Unreachable,
        McpCode::AuthFailed,
        McpCode::ProtocolError,
        McpCode::Timeout,
        McpCode::ToolNotFound,
        McpCode::InvalidParams,
        McpCode::ExecutionError,
        McpCode::ParseError,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            McpCode::Unreachable => "MCP_UNREACHABLE",
            McpCode::AuthFailed => "MCP_AUTH_FAILED",
            McpCode::ProtocolError => "MCP_PROTOCOL_ERROR",
            McpCode::Timeout => "MCP_TIMEOUT",
            McpCode::ToolNotFound => "MCP_TOOL_NOT_FOUND",
            McpCode::InvalidParams => "MCP_INVALID_PARAMS",
            McpCode::ExecutionError => "MCP_EXECUTION_ERROR",
            McpCode::ParseError => "MCP_PARSE_ERROR",
        }
    }

    /// What to do about it, as a sentence.
    pub const fn advice(self) -> &'static str {
        match self {
            McpCode::Unreachable => "Check that the server runs and that its URL or command is right.",
            McpCode::AuthFailed => "Check the key or token that the server gets.",
            McpCode::ProtocolError => "Check which version of the server runs, and its transport.",
            McpCode::Timeout => "Try again later, or give the tool a longer `timeout_seconds`.",
            McpCode::ToolNotFound => "Compare the tools with those of the server: `mcpc lock --check`.",
            McpCode::InvalidParams => "Correct the arguments as the message says.",
            McpCode::ExecutionError => "The message is the server's; its own log may say more.",
            McpCode::ParseError => {
                "Look at the raw response: the server wrote something that is not a result."
            }
        }
    }
}

impl fmt::Display for McpCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
