//! What changes for tools of Higress, beside what changes for all tools of Go templates.

use crate::import::codes::codes;

codes! {
    pub KUBERNETES = "kubernetes", "It belongs to the Kubernetes resource around the servers.";
    pub LEGACY_ONLY = "legacy-only", "Every revision of MCP sees the tool here.";
    pub STATUS_TEMPLATE = "status-template", "The template of errors reads the status or headers, so errors are shown as the edge shows them.";
}
