//! What a caller gets.

use super::changes;

changes! {
    /// A tool no longer has an `output_schema`.
    ///
    /// Results have no `structuredContent` any more.
    OUTPUT_SCHEMA_REMOVED = "MCD0601", "output-schema-removed", Breaking;
    /// A tool has an `output_schema`.
    ///
    /// Results have `structuredContent`. A response that the schema refuses is an error.
    OUTPUT_SCHEMA_ADDED = "MCD0602", "output-schema-added", Safe;
    /// A field of the structured result is no longer described.
    ///
    /// Programs that read it find nothing, or something else.
    OUTPUT_FIELD_REMOVED = "MCD0603", "output-field-removed", Breaking;
    /// A field of the structured result is new.
    ///
    /// Those who do not know it ignore it.
    OUTPUT_FIELD_ADDED = "MCD0604", "output-field-added", Safe;
    /// A field of the structured result may be missing.
    ///
    /// Programs rely on what is required.
    OUTPUT_FIELD_BECAME_OPTIONAL = "MCD0605", "output-field-became-optional", Breaking;
    /// The structured result may be something that it could not be: another type, another value of an
    /// enum, or beyond a bound.
    ///
    /// Programs are not prepared for it.
    OUTPUT_SCHEMA_WIDENED = "MCD0606", "output-schema-widened", Breaking;
    /// The structured result is described more closely.
    ///
    /// What it can be, it could be before.
    OUTPUT_SCHEMA_NARROWED = "MCD0607", "output-schema-narrowed", Safe;
    /// The `output_schema` is another one, and it is not known whether results can be something that
    /// they could not be.
    ///
    /// JSON Schema can say more than can be compared. Read both.
    OUTPUT_SCHEMA_UNDECIDED = "MCD0608", "output-schema-undecided", Risky;
    /// `select` no longer keeps a part of the response.
    ///
    /// Models and templates that read it find nothing.
    SELECTED_FIELD_REMOVED = "MCD0609", "selected-field-removed", Risky;
    /// `select` keeps one more part of the response.
    ///
    /// Results cost more tokens.
    SELECTED_FIELD_ADDED = "MCD0610", "selected-field-added", Safe;
    /// A response template no longer reads a field.
    ///
    /// Models do not learn it any more.
    TEMPLATE_FIELD_DROPPED = "MCD0611", "template-field-dropped", Risky;
    /// A response template is another one, new, or gone.
    ///
    /// The same response becomes another text. `mcpc test` shows it for the examples.
    RESPONSE_TEMPLATE_CHANGED = "MCD0612", "response-template-changed", Risky;
    /// An error template is another one, new, or gone.
    ///
    /// Models read other words when a call fails.
    ERROR_TEMPLATE_CHANGED = "MCD0613", "error-template-changed", Risky;
    /// A fixed answer is another one.
    ///
    /// Every call gets it.
    FIXED_ANSWER_CHANGED = "MCD0614", "fixed-answer-changed", Risky;
}
