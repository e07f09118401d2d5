//! What is wrong with a value, in words and with its place.

use super::super::shorten;
use super::{MAX_PROBLEMS, SchemaProblem};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

/// Members that are missing or too many are each a problem of their own, at their own path. Of a choice between schemas, the
/// problems are those of the one that is meant, if that can be told.
pub fn problems_of(error: &ValidationError<'_>) -> Vec<SchemaProblem> {
    let at = |name: Option<&str>, message: &str| {
        let mut problem =
            SchemaProblem { path: String::new(), root: String::new(), message: message.to_owned() };
        for segment in error.instance_path().segments() {
            problem.descend(&segment);
        }
        if let Some(name) = name {
            problem.descend(&LocationSegment::Property(name.into()));
        }
        problem
    };
    match error.kind() {
        ValidationErrorKind::Required { property: Value::String(name) } => {
            vec![at(Some(name), "is required")]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().take(MAX_PROBLEMS).map(|name| at(Some(name), "is not allowed")).collect()
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if let Some(branch) = meant(context, error.instance_path()) =>
        {
            branch.iter().flat_map(problems_of).take(MAX_PROBLEMS).collect()
        }
        _ => vec![at(None, &error.masked_with("the value").to_string())],
    }
}

/// The problems of the schema that is meant by a value at that place: all others want another type, or another constant in the
/// value or right below it.
fn meant<'e>(
    branches: &'e [Vec<ValidationError<'static>>],
    at: &Location,
) -> Option<&'e [ValidationError<'static>]> {
    let depth = at.segments().count();
    let tells_apart = |error: &ValidationError<'static>| {
        let below = error.instance_path().segments().count().saturating_sub(depth);
        match error.kind() {
            ValidationErrorKind::Type { .. } => below == 0,
            ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => below <= 1,
            _ => false,
        }
    };
    let mut fitting = branches.iter().filter(|branch| !branch.is_empty() && !branch.iter().any(tells_apart));
    match (fitting.next(), fitting.next()) {
        (Some(branch), None) => Some(branch),
        _ => None,
    }
}

impl SchemaProblem {
    fn descend(&mut self, segment: &LocationSegment<'_>) {
        let first = self.path.is_empty();
        match segment {
            LocationSegment::Index(index) => self.path.push_str(&format!("[{index}]")),
            LocationSegment::Property(name) => {
                if !first {
                    self.path.push('.');
                }
                self.path.push_str(&shorten(name));
            }
        }
        if first {
            self.root = segment.to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{compile, validate};
    use serde_json::{Value, json};

    fn paths(schema: &Value, value: &Value) -> Vec<String> {
        let validator = compile(&schema.to_string()).unwrap();
        let mut paths: Vec<String> =
            validate(&validator, value).into_iter().map(|problem| problem.path).collect();
        paths.sort();
        paths
    }

    #[test]
    fn problems_of_a_choice_are_those_of_the_schema_that_is_meant() {
        let card = json!({"type": "object", "properties": {"kind": {"const": "card"}, "number": {"minLength": 4},
            "to": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["city"]}]}}, "required": ["kind", "number"]});
        let bank = json!({"type": "object", "properties": {"kind": {"enum": ["bank", "sepa"]}, "iban": {"type": "string"}}, "required": ["iban"]});
        for choice in ["oneOf", "anyOf"] {
            let schema = json!({"properties": {"pay": {choice: [card, bank, {"type": "string"}]}}});
            let of = |pay: Value| paths(&schema, &json!({"pay": pay}));
            assert_eq!(of(json!({"kind": "card"})), ["pay.number"], "{choice}");
            assert_eq!(of(json!({"kind": "card", "number": "1", "to": {}})), ["pay.number", "pay.to.city"]);
            assert_eq!(of(json!({"kind": "sepa", "iban": 1})), ["pay.iban"]);
            assert_eq!(of(json!({"kind": "cash"})), ["pay"], "none is meant");
            assert_eq!(of(json!({})), ["pay"], "two may be meant");
            assert_eq!(of(json!(1)), ["pay"]);
        }
    }
}
