//! The table of all rules, sorted by code. The docs of `lint` explain how to add one.

mod allow_without_reason;
mod ambiguous_dialect;
mod array_without_items;
mod bad_pattern;
mod body_on_get;
mod cache_on_unsafe_method;
mod cached_exchange;
mod caller_in_session;
mod caller_in_shared_cache;
mod conflicting_credentials;
mod conflicting_upstream;
mod constant_template;
mod contradictory_bounds;
mod cut_below_minimum;
mod default_on_required;
mod default_outside_enum;
mod duplicate_parameter;
mod duplicate_tool;
mod duplicate_toolset;
mod duplicate_upstream;
mod forbidden_header;
mod hidden_characters;
mod html_in_template;
mod inapplicable_keyword;
mod instructing_description;
mod invalid_allow;
mod invalid_example;
mod invalid_header_name;
mod invalid_header_value;
mod invalid_icon;
mod invalid_mcp_header;
mod invalid_rule_level;
mod invalid_schema;
mod invalid_scope;
mod invalid_select;
mod invalid_server_name;
mod invalid_tool_name;
mod invalid_toolset_name;
mod invalid_url;
mod invalid_variable;
mod list_over_budget;
mod literal_credential;
mod loop_over_scalar;
mod malformed_placeholder;
mod mismatched_pin;
mod misplaced_additional_arguments;
mod misplaced_encoding;
mod misplaced_style;
mod missing_description;
mod missing_example;
mod missing_pin;
mod missing_upstream;
mod misspelt_variable;
mod mistyped_constant;
mod mistyped_default;
mod mixed_enum;
mod optional_path_parameter;
mod overridden_boundary;
mod overridden_constant;
mod oversized_name;
mod parameter_outside_schema;
mod plaintext_http;
mod plaintext_token_url;
mod position_mismatch;
mod refused_arguments;
mod repeated_header;
mod repeated_placeholder;
mod reserved_toolset_name;
mod respond_with_request;
mod result_over_budget;
mod retry_on_non_idempotent;
mod secret_in_spec;
mod server_with_two_names;
mod shared_secret;
mod short_description;
mod template_in_value;
mod template_syntax;
mod tool_over_budget;
mod toolset_over_budget;
mod unbound_placeholder;
mod unknown_body_parameter;
mod unknown_client;
mod unknown_response_field;
mod unknown_rule;
mod unknown_template_argument;
mod unknown_template_function;
mod unknown_upstream;
mod unportable_header_name;
mod unportable_name;
mod unsent_parameter;
mod unstyled_path_array;
mod unsupported_scheme;
mod unsupported_template_feature;
mod unusable_enum_value;
mod unusable_path_value;
mod unused_allow;
mod unused_answer_schema;
mod unused_path_parameter;
mod unused_upstream;
mod unusual_header_case;
mod url_user_info;
mod variable_in_composite;
mod wire_name_conflict;

pub use allow_without_reason::ALLOW_WITHOUT_REASON;
pub use ambiguous_dialect::AMBIGUOUS_DIALECT;
pub use array_without_items::ARRAY_WITHOUT_ITEMS;
pub use bad_pattern::BAD_PATTERN;
pub use body_on_get::BODY_ON_GET;
pub use cache_on_unsafe_method::CACHE_ON_UNSAFE_METHOD;
pub use cached_exchange::CACHED_EXCHANGE;
pub use caller_in_session::CALLER_IN_SESSION;
pub use caller_in_shared_cache::CALLER_IN_SHARED_CACHE;
pub use conflicting_credentials::CONFLICTING_CREDENTIALS;
pub use conflicting_upstream::CONFLICTING_UPSTREAM;
pub use constant_template::CONSTANT_TEMPLATE;
pub use contradictory_bounds::CONTRADICTORY_BOUNDS;
pub use cut_below_minimum::CUT_BELOW_MINIMUM;
pub use default_on_required::DEFAULT_ON_REQUIRED;
pub use default_outside_enum::DEFAULT_OUTSIDE_ENUM;
pub use duplicate_parameter::DUPLICATE_PARAMETER;
pub use duplicate_tool::DUPLICATE_TOOL;
pub use duplicate_toolset::DUPLICATE_TOOLSET;
pub use duplicate_upstream::DUPLICATE_UPSTREAM;
pub use forbidden_header::FORBIDDEN_HEADER;
pub use hidden_characters::HIDDEN_CHARACTERS;
pub use html_in_template::HTML_IN_TEMPLATE;
pub use inapplicable_keyword::INAPPLICABLE_KEYWORD;
pub use instructing_description::INSTRUCTING_DESCRIPTION;
pub use invalid_allow::INVALID_ALLOW;
pub use invalid_example::INVALID_EXAMPLE;
pub use invalid_header_name::INVALID_HEADER_NAME;
pub use invalid_header_value::INVALID_HEADER_VALUE;
pub use invalid_icon::INVALID_ICON;
pub use invalid_mcp_header::INVALID_MCP_HEADER;
pub use invalid_rule_level::INVALID_RULE_LEVEL;
pub use invalid_schema::INVALID_SCHEMA;
pub use invalid_scope::INVALID_SCOPE;
pub use invalid_select::INVALID_SELECT;
pub use invalid_server_name::INVALID_SERVER_NAME;
pub use invalid_tool_name::INVALID_TOOL_NAME;
pub use invalid_toolset_name::INVALID_TOOLSET_NAME;
pub use invalid_url::INVALID_URL;
pub use invalid_variable::INVALID_VARIABLE;
pub use list_over_budget::LIST_OVER_BUDGET;
pub use literal_credential::LITERAL_CREDENTIAL;
pub use loop_over_scalar::LOOP_OVER_SCALAR;
pub use malformed_placeholder::MALFORMED_PLACEHOLDER;
pub use mismatched_pin::MISMATCHED_PIN;
pub use misplaced_additional_arguments::MISPLACED_ADDITIONAL_ARGUMENTS;
pub use misplaced_encoding::MISPLACED_ENCODING;
pub use misplaced_style::MISPLACED_STYLE;
pub use missing_description::MISSING_DESCRIPTION;
pub use missing_example::MISSING_EXAMPLE;
pub use missing_pin::MISSING_PIN;
pub use missing_upstream::MISSING_UPSTREAM;
pub use misspelt_variable::MISSPELT_VARIABLE;
pub use mistyped_constant::MISTYPED_CONSTANT;
pub use mistyped_default::MISTYPED_DEFAULT;
pub use mixed_enum::MIXED_ENUM;
pub use optional_path_parameter::OPTIONAL_PATH_PARAMETER;
pub use overridden_boundary::OVERRIDDEN_BOUNDARY;
pub use overridden_constant::OVERRIDDEN_CONSTANT;
pub use oversized_name::OVERSIZED_NAME;
pub use parameter_outside_schema::PARAMETER_OUTSIDE_SCHEMA;
pub use plaintext_http::PLAINTEXT_HTTP;
pub use plaintext_token_url::PLAINTEXT_TOKEN_URL;
pub use position_mismatch::POSITION_MISMATCH;
pub use refused_arguments::REFUSED_ARGUMENTS;
pub use repeated_header::REPEATED_HEADER;
pub use repeated_placeholder::REPEATED_PLACEHOLDER;
pub use reserved_toolset_name::RESERVED_TOOLSET_NAME;
pub use respond_with_request::RESPOND_WITH_REQUEST;
pub use result_over_budget::RESULT_OVER_BUDGET;
pub use retry_on_non_idempotent::RETRY_ON_NON_IDEMPOTENT;
pub use secret_in_spec::SECRET_IN_SPEC;
pub use server_with_two_names::SERVER_WITH_TWO_NAMES;
pub use shared_secret::SHARED_SECRET;
pub use short_description::SHORT_DESCRIPTION;
pub use template_in_value::TEMPLATE_IN_VALUE;
pub use template_syntax::TEMPLATE_SYNTAX;
pub use tool_over_budget::TOOL_OVER_BUDGET;
pub use toolset_over_budget::TOOLSET_OVER_BUDGET;
pub use unbound_placeholder::UNBOUND_PLACEHOLDER;
pub use unknown_body_parameter::UNKNOWN_BODY_PARAMETER;
pub use unknown_client::UNKNOWN_CLIENT;
pub use unknown_response_field::UNKNOWN_RESPONSE_FIELD;
pub use unknown_rule::UNKNOWN_RULE;
pub use unknown_template_argument::UNKNOWN_TEMPLATE_ARGUMENT;
pub use unknown_template_function::UNKNOWN_TEMPLATE_FUNCTION;
pub use unknown_upstream::UNKNOWN_UPSTREAM;
pub use unportable_header_name::UNPORTABLE_HEADER_NAME;
pub use unportable_name::UNPORTABLE_NAME;
pub use unsent_parameter::UNSENT_PARAMETER;
pub use unstyled_path_array::UNSTYLED_PATH_ARRAY;
pub use unsupported_scheme::UNSUPPORTED_SCHEME;
pub use unsupported_template_feature::UNSUPPORTED_TEMPLATE_FEATURE;
pub use unusable_enum_value::UNUSABLE_ENUM_VALUE;
pub use unusable_path_value::UNUSABLE_PATH_VALUE;
pub use unused_allow::UNUSED_ALLOW;
pub use unused_answer_schema::UNUSED_ANSWER_SCHEMA;
pub use unused_path_parameter::UNUSED_PATH_PARAMETER;
pub use unused_upstream::UNUSED_UPSTREAM;
pub use unusual_header_case::UNUSUAL_HEADER_CASE;
pub use url_user_info::URL_USER_INFO;
pub use variable_in_composite::VARIABLE_IN_COMPOSITE;
pub use wire_name_conflict::WIRE_NAME_CONFLICT;

use super::Lint;
use crate::language::rules::{
    EMPTY_SPEC, INVALID_UTF8, INVALID_VALUE, KEY_GIVEN_TWICE, MISPLACED_KEY, MISSING_KEY, OVERSIZED_FILE,
    TOML_SYNTAX, UNKNOWN_KEY, UNKNOWN_METHOD, UNKNOWN_POSITION, UNKNOWN_TYPE, UNREADABLE_FILE, WRONG_TYPE,
};
use mcp_diagnostics::{Level, Rule};

pub static LINTS: &[Lint] = &[
    Lint::of_reading(&UNREADABLE_FILE),
    Lint::of_reading(&INVALID_UTF8),
    Lint::of_reading(&OVERSIZED_FILE),
    Lint::of_reading(&TOML_SYNTAX),
    Lint::of_reading(&EMPTY_SPEC),
    Lint::of_reading(&UNKNOWN_KEY),
    Lint::of_reading(&MISSING_KEY),
    Lint::of_reading(&WRONG_TYPE),
    Lint::of_reading(&KEY_GIVEN_TWICE),
    Lint::of_reading(&INVALID_VALUE),
    Lint::of_reading(&UNKNOWN_POSITION),
    Lint::of_reading(&UNKNOWN_TYPE),
    Lint::of_reading(&UNKNOWN_METHOD),
    Lint::of_reading(&MISPLACED_KEY),
    reserved_toolset_name::LINT,
    invalid_toolset_name::LINT,
    duplicate_toolset::LINT,
    unknown_upstream::LINT,
    invalid_url::LINT,
    url_user_info::LINT,
    unsupported_scheme::LINT,
    conflicting_upstream::LINT,
    missing_upstream::LINT,
    duplicate_upstream::LINT,
    unused_upstream::LINT,
    plaintext_http::LINT,
    secret_in_spec::LINT,
    invalid_variable::LINT,
    misspelt_variable::LINT,
    literal_credential::LINT,
    plaintext_token_url::LINT,
    conflicting_credentials::LINT,
    shared_secret::LINT,
    cached_exchange::LINT,
    missing_pin::LINT,
    mismatched_pin::LINT,
    invalid_server_name::LINT,
    caller_in_session::LINT,
    server_with_two_names::LINT,
    unbound_placeholder::LINT,
    unused_path_parameter::LINT,
    repeated_placeholder::LINT,
    malformed_placeholder::LINT,
    optional_path_parameter::LINT,
    unstyled_path_array::LINT,
    unusable_path_value::LINT,
    unusable_enum_value::LINT,
    position_mismatch::LINT,
    duplicate_parameter::LINT,
    default_outside_enum::LINT,
    mistyped_default::LINT,
    mixed_enum::LINT,
    bad_pattern::LINT,
    invalid_schema::LINT,
    array_without_items::LINT,
    misplaced_style::LINT,
    invalid_mcp_header::LINT,
    wire_name_conflict::LINT,
    inapplicable_keyword::LINT,
    contradictory_bounds::LINT,
    overridden_constant::LINT,
    parameter_outside_schema::LINT,
    default_on_required::LINT,
    mistyped_constant::LINT,
    variable_in_composite::LINT,
    oversized_name::LINT,
    template_in_value::LINT,
    misplaced_encoding::LINT,
    invalid_header_name::LINT,
    forbidden_header::LINT,
    invalid_header_value::LINT,
    repeated_header::LINT,
    unusual_header_case::LINT,
    unportable_header_name::LINT,
    duplicate_tool::LINT,
    invalid_tool_name::LINT,
    cache_on_unsafe_method::LINT,
    retry_on_non_idempotent::LINT,
    body_on_get::LINT,
    unportable_name::LINT,
    unknown_body_parameter::LINT,
    respond_with_request::LINT,
    invalid_icon::LINT,
    invalid_scope::LINT,
    misplaced_additional_arguments::LINT,
    caller_in_shared_cache::LINT,
    overridden_boundary::LINT,
    template_syntax::LINT,
    unknown_template_function::LINT,
    unsupported_template_feature::LINT,
    ambiguous_dialect::LINT,
    constant_template::LINT,
    unknown_response_field::LINT,
    loop_over_scalar::LINT,
    html_in_template::LINT,
    unknown_template_argument::LINT,
    unsent_parameter::LINT,
    invalid_select::LINT,
    unused_answer_schema::LINT,
    cut_below_minimum::LINT,
    missing_description::LINT,
    short_description::LINT,
    hidden_characters::LINT,
    instructing_description::LINT,
    missing_example::LINT,
    tool_over_budget::LINT,
    list_over_budget::LINT,
    toolset_over_budget::LINT,
    result_over_budget::LINT,
    unknown_rule::LINT,
    allow_without_reason::LINT,
    unused_allow::LINT,
    invalid_allow::LINT,
    invalid_rule_level::LINT,
    unknown_client::LINT,
    invalid_example::LINT,
    refused_arguments::LINT,
];

/// All rules, by code.
pub fn all() -> impl ExactSizeIterator<Item = &'static Rule> {
    LINTS.iter().map(|lint| lint.rule)
}

/// The rule with this name or code.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.name == name || rule.code.eq_ignore_ascii_case(name))
}

pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|rule| rule.name)
}

/// A rule's docs, with its name and level.
pub fn markdown(rule: &Rule) -> String {
    let level = match rule.level {
        Level::HardError => "Error; cannot be allowed.",
        Level::Error => "Error; a tool may allow it with a reason.",
        Level::Warning => "Warning; a spec may allow it with a reason, `mcpc.toml` may set its level.",
    };
    let docs = rule.text().replace("## ", "### ");
    format!("## {} {}\n\n{level}\n\n{}\n", rule.code, rule.name, docs.trim())
}

/// `docs/rules.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Rules\n\nEverything that `mcpc check` can find. This page is generated by `mcpc rules --format markdown`.\n\n\
         | code | rule | level | what it finds |\n|---|---|---|---|\n",
    );
    for rule in all() {
        let anchor = format!("{}-{}", rule.code.to_lowercase(), rule.name);
        let row = format!(
            "| {} | [{}](#{anchor}) | {} | {} |\n",
            rule.code,
            rule.name,
            rule.level.severity().word(),
            rule.summary()
        );
        page.push_str(&row);
    }
    for rule in all() {
        page.push('\n');
        page.push_str(&markdown(rule));
    }
    page
}

#[cfg(test)]
mod tests;
