//! The revisions of MCP: which there are, and what each may have. Nothing else compares versions.

use mcp_bundle::wire_enums::ProtocolVersion;

/// The stateless revision: each request says what it speaks.
pub const MODERN: ProtocolVersion = ProtocolVersion::V20260728;

/// The newest revision with a handshake.
pub const NEWEST_LEGACY: ProtocolVersion = ProtocolVersion::V20251125;

/// Says which revision a request speaks.
pub const VERSION_HEADER: &str = "mcp-protocol-version";

/// Whether arrays of messages are allowed. They came with 2025-03-26 and went with 2025-06-18.
pub const fn has_batches(version: ProtocolVersion) -> bool {
    matches!(version, ProtocolVersion::V20241105 | ProtocolVersion::V20250326)
}

/// Whether results may hold `structuredContent` of this kind.
pub const fn has_structured(version: ProtocolVersion, is_object: bool) -> bool {
    match version {
        ProtocolVersion::V20241105 | ProtocolVersion::V20250326 => false,
        ProtocolVersion::V20250618 | ProtocolVersion::V20251125 => is_object,
        ProtocolVersion::V20260728 => true,
    }
}

/// Whether results may hold audio.
pub const fn has_audio(version: ProtocolVersion) -> bool {
    !matches!(version, ProtocolVersion::V20241105)
}

/// Whether results may link to resources.
pub const fn has_resource_links(version: ProtocolVersion) -> bool {
    !matches!(version, ProtocolVersion::V20241105 | ProtocolVersion::V20250326)
}

/// Whether implementations may have a title.
pub const fn has_titles(version: ProtocolVersion) -> bool {
    !matches!(version, ProtocolVersion::V20241105 | ProtocolVersion::V20250326)
}
