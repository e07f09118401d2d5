//! The table of all rules, sorted by code. `lint` tells how to add one.

mod allow_without_reason;
mod ambiguous_dialect;
mod array_without_items;
mod bad_pattern;
mod body_on_get;
mod cache_on_unsafe_method;
mod conflicting_upstream;
mod constant_template;
mod contradictory_bounds;
mod default_on_required;
mod default_outside_enum;
mod duplicate_parameter;
mod duplicate_tool;
mod duplicate_toolset;
mod duplicate_upstream;
mod empty_spec;
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
mod invalid_tool_name;
mod invalid_toolset_name;
mod invalid_url;
mod invalid_utf8;
mod invalid_value;
mod invalid_variable;
mod key_given_twice;
mod list_over_budget;
mod loop_over_scalar;
mod malformed_placeholder;
mod misplaced_additional_arguments;
mod misplaced_style;
mod missing_description;
mod missing_example;
mod missing_key;
mod missing_upstream;
mod mistyped_constant;
mod mistyped_default;
mod mixed_enum;
mod optional_path_parameter;
mod overridden_constant;
mod oversized_file;
mod oversized_name;
mod parameter_outside_schema;
mod plaintext_http;
mod repeated_header;
mod repeated_placeholder;
mod reserved_toolset_name;
mod respond_with_request;
mod retry_on_non_idempotent;
mod secret_in_spec;
mod short_description;
mod template_syntax;
mod toml_syntax;
mod tool_over_budget;
mod unbound_placeholder;
mod unknown_body_parameter;
mod unknown_client;
mod unknown_key;
mod unknown_method;
mod unknown_position;
mod unknown_response_field;
mod unknown_rule;
mod unknown_template_argument;
mod unknown_template_function;
mod unknown_type;
mod unknown_upstream;
mod unportable_name;
mod unreadable_file;
mod unsent_parameter;
mod unstyled_path_array;
mod unsupported_scheme;
mod unsupported_template_feature;
mod unusable_enum_value;
mod unusable_path_value;
mod unused_allow;
mod unused_path_parameter;
mod unused_upstream;
mod unusual_header_case;
mod url_user_info;
mod variable_in_composite;
mod wire_name_conflict;
mod wrong_type;

pub use allow_without_reason::ALLOW_WITHOUT_REASON;
pub use ambiguous_dialect::AMBIGUOUS_DIALECT;
pub use array_without_items::ARRAY_WITHOUT_ITEMS;
pub use bad_pattern::BAD_PATTERN;
pub use body_on_get::BODY_ON_GET;
pub use cache_on_unsafe_method::CACHE_ON_UNSAFE_METHOD;
pub use conflicting_upstream::CONFLICTING_UPSTREAM;
pub use constant_template::CONSTANT_TEMPLATE;
pub use contradictory_bounds::CONTRADICTORY_BOUNDS;
pub use default_on_required::DEFAULT_ON_REQUIRED;
pub use default_outside_enum::DEFAULT_OUTSIDE_ENUM;
pub use duplicate_parameter::DUPLICATE_PARAMETER;
pub use duplicate_tool::DUPLICATE_TOOL;
pub use duplicate_toolset::DUPLICATE_TOOLSET;
pub use duplicate_upstream::DUPLICATE_UPSTREAM;
pub use empty_spec::EMPTY_SPEC;
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
pub use invalid_tool_name::INVALID_TOOL_NAME;
pub use invalid_toolset_name::INVALID_TOOLSET_NAME;
pub use invalid_url::INVALID_URL;
pub use invalid_utf8::INVALID_UTF8;
pub use invalid_value::INVALID_VALUE;
pub use invalid_variable::INVALID_VARIABLE;
pub use key_given_twice::KEY_GIVEN_TWICE;
pub use list_over_budget::LIST_OVER_BUDGET;
pub use loop_over_scalar::LOOP_OVER_SCALAR;
pub use malformed_placeholder::MALFORMED_PLACEHOLDER;
pub use misplaced_additional_arguments::MISPLACED_ADDITIONAL_ARGUMENTS;
pub use misplaced_style::MISPLACED_STYLE;
pub use missing_description::MISSING_DESCRIPTION;
pub use missing_example::MISSING_EXAMPLE;
pub use missing_key::MISSING_KEY;
pub use missing_upstream::MISSING_UPSTREAM;
pub use mistyped_constant::MISTYPED_CONSTANT;
pub use mistyped_default::MISTYPED_DEFAULT;
pub use mixed_enum::MIXED_ENUM;
pub use optional_path_parameter::OPTIONAL_PATH_PARAMETER;
pub use overridden_constant::OVERRIDDEN_CONSTANT;
pub use oversized_file::OVERSIZED_FILE;
pub use oversized_name::OVERSIZED_NAME;
pub use parameter_outside_schema::PARAMETER_OUTSIDE_SCHEMA;
pub use plaintext_http::PLAINTEXT_HTTP;
pub use repeated_header::REPEATED_HEADER;
pub use repeated_placeholder::REPEATED_PLACEHOLDER;
pub use reserved_toolset_name::RESERVED_TOOLSET_NAME;
pub use respond_with_request::RESPOND_WITH_REQUEST;
pub use retry_on_non_idempotent::RETRY_ON_NON_IDEMPOTENT;
pub use secret_in_spec::SECRET_IN_SPEC;
pub use short_description::SHORT_DESCRIPTION;
pub use template_syntax::TEMPLATE_SYNTAX;
pub use toml_syntax::TOML_SYNTAX;
pub use tool_over_budget::TOOL_OVER_BUDGET;
pub use unbound_placeholder::UNBOUND_PLACEHOLDER;
pub use unknown_body_parameter::UNKNOWN_BODY_PARAMETER;
pub use unknown_client::UNKNOWN_CLIENT;
pub use unknown_key::UNKNOWN_KEY;
pub use unknown_method::UNKNOWN_METHOD;
pub use unknown_position::UNKNOWN_POSITION;
pub use unknown_response_field::UNKNOWN_RESPONSE_FIELD;
pub use unknown_rule::UNKNOWN_RULE;
pub use unknown_template_argument::UNKNOWN_TEMPLATE_ARGUMENT;
pub use unknown_template_function::UNKNOWN_TEMPLATE_FUNCTION;
pub use unknown_type::UNKNOWN_TYPE;
pub use unknown_upstream::UNKNOWN_UPSTREAM;
pub use unportable_name::UNPORTABLE_NAME;
pub use unreadable_file::UNREADABLE_FILE;
pub use unsent_parameter::UNSENT_PARAMETER;
pub use unstyled_path_array::UNSTYLED_PATH_ARRAY;
pub use unsupported_scheme::UNSUPPORTED_SCHEME;
pub use unsupported_template_feature::UNSUPPORTED_TEMPLATE_FEATURE;
pub use unusable_enum_value::UNUSABLE_ENUM_VALUE;
pub use unusable_path_value::UNUSABLE_PATH_VALUE;
pub use unused_allow::UNUSED_ALLOW;
pub use unused_path_parameter::UNUSED_PATH_PARAMETER;
pub use unused_upstream::UNUSED_UPSTREAM;
pub use unusual_header_case::UNUSUAL_HEADER_CASE;
pub use url_user_info::URL_USER_INFO;
pub use variable_in_composite::VARIABLE_IN_COMPOSITE;
pub use wire_name_conflict::WIRE_NAME_CONFLICT;
pub use wrong_type::WRONG_TYPE;

use super::{Level, Rule};

pub static ALL: &[&Rule] = &[
    &UNREADABLE_FILE,
    &INVALID_UTF8,
    &OVERSIZED_FILE,
    &TOML_SYNTAX,
    &EMPTY_SPEC,
    &UNKNOWN_KEY,
    &MISSING_KEY,
    &WRONG_TYPE,
    &KEY_GIVEN_TWICE,
    &INVALID_VALUE,
    &UNKNOWN_POSITION,
    &UNKNOWN_TYPE,
    &UNKNOWN_METHOD,
    &RESERVED_TOOLSET_NAME,
    &INVALID_TOOLSET_NAME,
    &DUPLICATE_TOOLSET,
    &UNKNOWN_UPSTREAM,
    &INVALID_URL,
    &URL_USER_INFO,
    &UNSUPPORTED_SCHEME,
    &CONFLICTING_UPSTREAM,
    &MISSING_UPSTREAM,
    &DUPLICATE_UPSTREAM,
    &UNUSED_UPSTREAM,
    &PLAINTEXT_HTTP,
    &SECRET_IN_SPEC,
    &INVALID_VARIABLE,
    &UNBOUND_PLACEHOLDER,
    &UNUSED_PATH_PARAMETER,
    &REPEATED_PLACEHOLDER,
    &MALFORMED_PLACEHOLDER,
    &OPTIONAL_PATH_PARAMETER,
    &UNSTYLED_PATH_ARRAY,
    &UNUSABLE_PATH_VALUE,
    &UNUSABLE_ENUM_VALUE,
    &DUPLICATE_PARAMETER,
    &DEFAULT_OUTSIDE_ENUM,
    &MISTYPED_DEFAULT,
    &MIXED_ENUM,
    &BAD_PATTERN,
    &INVALID_SCHEMA,
    &ARRAY_WITHOUT_ITEMS,
    &MISPLACED_STYLE,
    &INVALID_MCP_HEADER,
    &WIRE_NAME_CONFLICT,
    &INAPPLICABLE_KEYWORD,
    &CONTRADICTORY_BOUNDS,
    &OVERRIDDEN_CONSTANT,
    &PARAMETER_OUTSIDE_SCHEMA,
    &DEFAULT_ON_REQUIRED,
    &MISTYPED_CONSTANT,
    &VARIABLE_IN_COMPOSITE,
    &OVERSIZED_NAME,
    &INVALID_HEADER_NAME,
    &FORBIDDEN_HEADER,
    &INVALID_HEADER_VALUE,
    &REPEATED_HEADER,
    &UNUSUAL_HEADER_CASE,
    &DUPLICATE_TOOL,
    &INVALID_TOOL_NAME,
    &CACHE_ON_UNSAFE_METHOD,
    &RETRY_ON_NON_IDEMPOTENT,
    &BODY_ON_GET,
    &UNPORTABLE_NAME,
    &UNKNOWN_BODY_PARAMETER,
    &RESPOND_WITH_REQUEST,
    &INVALID_ICON,
    &INVALID_SCOPE,
    &MISPLACED_ADDITIONAL_ARGUMENTS,
    &TEMPLATE_SYNTAX,
    &UNKNOWN_TEMPLATE_FUNCTION,
    &UNSUPPORTED_TEMPLATE_FEATURE,
    &AMBIGUOUS_DIALECT,
    &CONSTANT_TEMPLATE,
    &UNKNOWN_RESPONSE_FIELD,
    &LOOP_OVER_SCALAR,
    &HTML_IN_TEMPLATE,
    &UNKNOWN_TEMPLATE_ARGUMENT,
    &UNSENT_PARAMETER,
    &INVALID_SELECT,
    &MISSING_DESCRIPTION,
    &SHORT_DESCRIPTION,
    &HIDDEN_CHARACTERS,
    &INSTRUCTING_DESCRIPTION,
    &MISSING_EXAMPLE,
    &TOOL_OVER_BUDGET,
    &LIST_OVER_BUDGET,
    &UNKNOWN_RULE,
    &ALLOW_WITHOUT_REASON,
    &UNUSED_ALLOW,
    &INVALID_ALLOW,
    &INVALID_RULE_LEVEL,
    &UNKNOWN_CLIENT,
    &INVALID_EXAMPLE,
];

/// The rule with this name or code.
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.name == name || rule.code.eq_ignore_ascii_case(name))
}

pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|rule| rule.name)
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
        "# Rules\n\nAll that `mcpc check` can find. This page is made by `mcpc rules --format markdown`.\n\n\
         | code | rule | level | what it finds |\n|---|---|---|---|\n",
    );
    for rule in ALL {
        let anchor = format!("{}-{}", rule.code.to_lowercase(), rule.name);
        let row = format!(
            "| {} | [{}](#{anchor}) | {} | {} |\n",
            rule.code,
            rule.name,
            rule.level.word(),
            rule.summary()
        );
        page.push_str(&row);
    }
    for rule in ALL {
        page.push('\n');
        page.push_str(&markdown(rule));
    }
    page
}

#[cfg(test)]
mod tests;
