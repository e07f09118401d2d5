//! What models and clients read of a tool.

use super::changes;

changes! {
    /// The description of a tool is another one.
    ///
    /// It is what a model chooses tools by: requests may go to this tool that went elsewhere, and the
    /// other way round. Run the prompts that matter to you with the new text.
    DESCRIPTION_CHANGED = "MCD0201", "description-changed", Risky;
    /// The description of an argument is another one.
    ///
    /// It is what a model fills in arguments by.
    PARAMETER_DESCRIPTION_CHANGED = "MCD0202", "parameter-description-changed", Risky;
    /// The title of a tool is another one.
    ///
    /// Only people see it.
    TITLE_CHANGED = "MCD0203", "title-changed", Safe;
    /// A tool is no longer said to be harmless: `readOnlyHint` or `idempotentHint` is gone,
    /// `destructiveHint` or `openWorldHint` is there.
    ///
    /// Clients call harmless tools without asking a person. What they were allowed to do before is
    /// something else now.
    TOOL_BECAME_UNSAFE = "MCD0204", "tool-became-unsafe", Breaking;
    /// The annotations of a tool are other ones.
    ///
    /// A tool that is said to be more harmless than before may be called without a person's yes.
    ANNOTATIONS_CHANGED = "MCD0205", "annotations-changed", Risky;
    /// The icons or tags of a tool are other ones.
    ///
    /// Models do not see them.
    METADATA_CHANGED = "MCD0206", "metadata-changed", Safe;
}
