//! What a tool accepts.

use super::changes;

changes! {
    /// A tool no longer has an argument.
    ///
    /// Calls with it are refused.
    PARAMETER_REMOVED = "MCD0301", "parameter-removed", Breaking;
    /// A tool has a new argument that is required.
    ///
    /// Calls without it are refused. Make it optional, with a default that does what was done before.
    REQUIRED_PARAMETER_ADDED = "MCD0302", "required-parameter-added", Breaking;
    /// A tool has a new argument that may be left out.
    ///
    /// Every call that was accepted is accepted.
    PARAMETER_ADDED = "MCD0303", "parameter-added", Safe;
    /// An argument, or a member of one, has become required.
    ///
    /// Calls without it are refused.
    PARAMETER_BECAME_REQUIRED = "MCD0304", "parameter-became-required", Breaking;
    /// An argument, or a member of one, may be left out.
    ///
    /// Every call that was accepted is accepted.
    PARAMETER_BECAME_OPTIONAL = "MCD0305", "parameter-became-optional", Safe;
    /// An argument takes fewer types of values.
    ///
    /// Calls with values of the other types are refused.
    TYPE_NARROWED = "MCD0306", "type-narrowed", Breaking;
    /// An argument takes more types of values.
    ///
    /// Every call that was accepted is accepted.
    TYPE_WIDENED = "MCD0307", "type-widened", Safe;
    /// An argument no longer takes a certain value.
    ///
    /// Calls with it are refused.
    ENUM_VALUE_REMOVED = "MCD0308", "enum-value-removed", Breaking;
    /// An argument takes one more value.
    ///
    /// Every call that was accepted is accepted.
    ENUM_VALUE_ADDED = "MCD0309", "enum-value-added", Safe;
    /// A bound of an argument is tighter: its least or greatest value, its length, its number of
    /// elements, its pattern or its format.
    ///
    /// Calls with values beyond it are refused.
    BOUND_TIGHTENED = "MCD0310", "bound-tightened", Breaking;
    /// A bound of an argument is looser, or gone.
    ///
    /// Every call that was accepted is accepted.
    BOUND_LOOSENED = "MCD0311", "bound-loosened", Safe;
    /// Arguments, or members of one, that the schema does not name are refused.
    ///
    /// They were accepted before.
    UNNAMED_ARGUMENTS_REFUSED = "MCD0312", "unnamed-arguments-refused", Breaking;
    /// Arguments, or members of one, that the schema does not name are accepted.
    ///
    /// They were refused before. A name that is misspelt is no longer reported.
    UNNAMED_ARGUMENTS_ACCEPTED = "MCD0313", "unnamed-arguments-accepted", Safe;
    /// The schema of the arguments refuses what it accepted, in a way that no other rule describes.
    ///
    /// Some call that was accepted is refused.
    INPUT_SCHEMA_NARROWED = "MCD0314", "input-schema-narrowed", Breaking;
    /// The schema of the arguments is another one, and it is not known whether it accepts all that it
    /// accepted.
    ///
    /// JSON Schema can say more than can be compared. Read both, or run recorded calls with
    /// `mcpc replay`.
    INPUT_SCHEMA_UNDECIDED = "MCD0315", "input-schema-undecided", Risky;
    /// The schema of the arguments is written in another way, and accepts all that it accepted.
    ///
    /// Every call that was accepted is accepted.
    INPUT_SCHEMA_REWRITTEN = "MCD0316", "input-schema-rewritten", Safe;
    /// The default of an argument is another one, new, or gone.
    ///
    /// A call without the argument does something else.
    DEFAULT_CHANGED = "MCD0317", "default-changed", Risky;
    /// An argument is no longer `sensitive`.
    ///
    /// Its value may appear in messages to the caller.
    PARAMETER_EXPOSED = "MCD0318", "parameter-exposed", Risky;
    /// An argument has become `sensitive`.
    ///
    /// Messages no longer quote its value.
    PARAMETER_HIDDEN = "MCD0319", "parameter-hidden", Safe;
    /// The `Mcp-Param-` header that mirrors an argument is another one, new, or gone.
    ///
    /// Clients of revision 2026-07-28 send it, and what stands between them and the edge may read it.
    MCP_HEADER_CHANGED = "MCD0320", "mcp-header-changed", Risky;
    /// A tool is no longer `lenient`.
    ///
    /// Calls with `"5"` for an integer, or `5` for a string, are refused.
    LENIENCE_LOST = "MCD0321", "lenience-lost", Breaking;
    /// A tool is `lenient`.
    ///
    /// It also takes arguments that convert without loss, such as `"5"` for an integer.
    LENIENCE_GAINED = "MCD0322", "lenience-gained", Safe;
}
