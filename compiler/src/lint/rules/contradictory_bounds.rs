use crate::lint::{Check, Findings, ToolContext, rule};
use mcp_bundle::json::decimal;
use mcp_diagnostics::Diagnostic;
use std::cmp::Ordering;

rule! {
    /// ## What it does
    /// Finds limits of a parameter that no value can satisfy, such as a minimum above the maximum.
    ///
    /// ## Why is this bad
    /// Every call with the parameter would be refused.
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
    /// minimum = 100
    /// maximum = 1
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
    /// minimum = 1
    /// maximum = 100
    /// ```
    pub CONTRADICTORY_BOUNDS = "MCP0412", "contradictory-bounds", HardError, Check::Tool(check);
}

/// Lower bound, upper bound, and whether the two may be equal.
const PAIRS: &[(&str, &str, bool)] = &[
    ("minimum", "maximum", true),
    ("exclusiveMinimum", "maximum", false),
    ("minimum", "exclusiveMaximum", false),
    ("exclusiveMinimum", "exclusiveMaximum", false),
    ("minLength", "maxLength", true),
    ("minItems", "maxItems", true),
];

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let bounded = context.tool.parameters.iter().filter(|p| p.keywords.len() > 1);
    for parameter in bounded {
        for (low, high, may_be_equal) in PAIRS {
            let (Some(least), Some(most)) = (parameter.keyword(low), parameter.keyword(high)) else {
                continue;
            };
            let (Some(lower), Some(upper)) = (least.value.as_number(), most.value.as_number()) else {
                continue;
            };
            let order = decimal::compare(lower, upper);
            if order == Ordering::Less || (order == Ordering::Equal && *may_be_equal) {
                continue;
            }
            let name = &parameter.name.value;
            let message = format!(
                "no value of parameter `{name}` can satisfy both `{low}` {lower} and `{high}` {upper}"
            );
            findings.report(
                Diagnostic::new(&CONTRADICTORY_BOUNDS, least.span, message)
                    .related(most.span, "the other bound"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{parameter_with, underlined};

    fn refused(keys: &str) -> Vec<String> {
        underlined(&CONTRADICTORY_BOUNDS, &parameter_with(&format!("type = \"number\"\n{keys}")))
    }

    #[test]
    fn equal_bounds_contradict_only_where_one_is_exclusive() {
        assert_eq!(refused("minimum = 1\nmaximum = 1.0"), [""; 0]);
        assert_eq!(refused("exclusiveMinimum = 1\nmaximum = 1.0"), ["1"]);
        assert_eq!(refused("minimum = 1\nexclusiveMaximum = 1"), ["1"]);
    }

    #[test]
    fn bounds_are_compared_in_all_their_digits() {
        assert_eq!(refused("minimum = 9007199254740993\nmaximum = 9007199254740992").len(), 1);
        assert_eq!(refused("minimum = 9007199254740992\nmaximum = 9007199254740993"), [""; 0]);
    }
}
