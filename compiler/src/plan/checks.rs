//! Compiles JSON Schemas of the common subset into check nodes.

use super::builder::Builder;
use crate::language::json::Json;
use mcp_bundle::plan::{ArrayCheck, Check, NumberCheck, ObjectCheck, Property, StringCheck, TypeSet};
use mcp_bundle::wire_enums::ValueFormat;

/// Keywords that say nothing about validity.
const ANNOTATIONS: &[&str] = &[
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "contentEncoding",
    "contentMediaType",
];

/// Deeper schemas are left to the full validator.
const MAX_DEPTH: usize = 16;

/// Nodes of one tool; a node refers only to nodes before it.
#[derive(Debug, Default)]
pub struct Checks {
    nodes: Vec<Check>,
}

impl Checks {
    pub fn into_nodes(self) -> Vec<Check> {
        self.nodes
    }

    /// The node that admits everything.
    pub fn any(&mut self) -> u32 {
        self.push(Check::default())
    }

    /// The node of a schema; `None` if the schema is beyond the subset.
    pub fn compile(&mut self, builder: &mut Builder, schema: &Json) -> Option<u32> {
        let length = self.nodes.len();
        let node = self.node(builder, schema, 0);
        if node.is_none() {
            self.nodes.truncate(length);
        }
        node
    }

    fn push(&mut self, check: Check) -> u32 {
        // Few nodes a tool: looking for an equal one is cheap and keeps bundles small.
        if let Some(index) = self.nodes.iter().position(|known| *known == check) {
            return index as u32;
        }
        self.nodes.push(check);
        self.nodes.len() as u32 - 1
    }

    fn node(&mut self, builder: &mut Builder, schema: &Json, depth: usize) -> Option<u32> {
        if depth > MAX_DEPTH {
            return None;
        }
        if *schema == Json::Bool(true) {
            return Some(self.any());
        }
        let mut check = Check::default();
        let mut number = NumberCheck::default();
        let mut string = StringCheck::default();
        let mut array = ArrayCheck::default();
        let mut object = ObjectCheck::default();
        let mut required: &[Json] = &[];
        let mut properties: &[(String, Json)] = &[];
        for (keyword, value) in schema.as_object()? {
            let mut bound = |slot: &mut Option<_>| -> Option<()> {
                *slot = Some(builder.intern(value.as_number()?));
                Some(())
            };
            match keyword.as_str() {
                "type" => check.types = types(value)?,
                "enum" => {
                    let values = value.as_array()?.iter().filter(|v| v.is_scalar());
                    check.enumeration = values.map(|v| builder.intern(&v.to_text())).collect();
                    if check.enumeration.len() != value.as_array()?.len() || check.enumeration.is_empty() {
                        return None;
                    }
                }
                "const" if value.is_scalar() && schema.get("enum").is_none() => {
                    check.enumeration = vec![builder.intern(&value.to_text())];
                }
                "minimum" => bound(&mut number.minimum)?,
                "maximum" => bound(&mut number.maximum)?,
                "exclusiveMinimum" => bound(&mut number.exclusive_minimum)?,
                "exclusiveMaximum" => bound(&mut number.exclusive_maximum)?,
                "minLength" => string.min_length = Some(count(value)?),
                "maxLength" => string.max_length = Some(count(value)?),
                "pattern" => string.pattern = Some(builder.pattern(value.as_str()?)),
                "format" => string.format = ValueFormat::from_word(value.as_str()?),
                "minItems" => array.min_items = Some(count(value)?),
                "maxItems" => array.max_items = Some(count(value)?),
                "items" => array.items = Some(self.node(builder, value, depth + 1)?),
                "minProperties" => object.min_properties = Some(count(value)?),
                "maxProperties" => object.max_properties = Some(count(value)?),
                "properties" => properties = value.as_object()?,
                "required" => required = value.as_array()?,
                "additionalProperties" => match value {
                    Json::Bool(allowed) => object.closed = !allowed,
                    schema => object.additional = Some(self.node(builder, schema, depth + 1)?),
                },
                other if ANNOTATIONS.contains(&other) || other.starts_with("x-") => {}
                _ => return None,
            }
        }
        let declared = |name: &Json| properties.iter().any(|(n, _)| Some(n.as_str()) == name.as_str());
        if object.closed && !required.iter().all(declared) {
            return None;
        }
        object.properties = self.properties(builder, properties, required, object.additional, depth)?;
        let given = |present: bool| present.then_some(());
        check.number = given(number != NumberCheck::default()).map(|()| number);
        check.string = given(string != StringCheck::default()).map(|()| string);
        check.array = given(array != ArrayCheck::default()).map(|()| array);
        check.object = given(object != ObjectCheck::default()).map(|()| object);
        Some(self.push(check))
    }

    fn properties(
        &mut self,
        builder: &mut Builder,
        properties: &[(String, Json)],
        required: &[Json],
        additional: Option<u32>,
        depth: usize,
    ) -> Option<Vec<Property>> {
        let required: Vec<&str> = required.iter().map(Json::as_str).collect::<Option<_>>()?;
        // Sorted, as the bundle wants them.
        let mut compiled = std::collections::BTreeMap::new();
        for (name, schema) in properties {
            compiled.insert(name.as_str(), self.node(builder, schema, depth + 1)?);
        }
        for name in &required {
            let undeclared = additional.unwrap_or_else(|| self.any());
            compiled.entry(name).or_insert(undeclared);
        }
        let property = |(name, check): (&str, u32)| Property {
            name: builder.intern(name),
            required: required.contains(&name),
            check,
        };
        Some(compiled.into_iter().map(property).collect())
    }
}

fn types(value: &Json) -> Option<TypeSet> {
    match value {
        Json::String(name) => TypeSet::from_name(name),
        Json::Array(names) if !names.is_empty() => names
            .iter()
            .try_fold(TypeSet(0), |set, name| Some(set.union(TypeSet::from_name(name.as_str()?)?))),
        _ => None,
    }
}

fn count(value: &Json) -> Option<u32> {
    value.as_number()?.parse().ok()
}
