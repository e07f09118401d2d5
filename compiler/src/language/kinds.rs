//! The kinds of JSON values, as a set.

use super::json::Json;
use super::schema_walk;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    pub const NONE: Kinds = Kinds(0);
    pub const NULL: Kinds = Kinds(1);
    pub const BOOLEAN: Kinds = Kinds(2);
    pub const INTEGER: Kinds = Kinds(4);
    /// A number that is not whole.
    pub const NUMBER: Kinds = Kinds(8);
    pub const STRING: Kinds = Kinds(16);
    pub const ARRAY: Kinds = Kinds(32);
    pub const OBJECT: Kinds = Kinds(64);
    pub const ALL: Kinds = Kinds(127);

    /// Those that a schema's `type` names.
    pub fn of_type(name: &str) -> Option<Kinds> {
        Some(match name {
            "null" => Kinds::NULL,
            "boolean" => Kinds::BOOLEAN,
            "integer" => Kinds::INTEGER,
            "number" => Kinds::NUMBER.or(Kinds::INTEGER),
            "string" => Kinds::STRING,
            "array" => Kinds::ARRAY,
            "object" => Kinds::OBJECT,
            _ => return None,
        })
    }

    /// Those of the values that a schema allows, as far as `visit` lets it look: it is asked before each schema, with
    /// the number of references and applicators that lead there.
    pub fn of_schema(root: &Json, schema: &Json, visit: &dyn Fn(usize) -> bool, depth: usize) -> Kinds {
        let members = match schema {
            _ if !visit(depth) => return Kinds::ALL,
            Json::Bool(false) => return Kinds::NONE,
            Json::Object(members) => members,
            _ => return Kinds::ALL,
        };
        let inner = |schema: &Json| Kinds::of_schema(root, schema, visit, depth + 1);
        let mut kinds = Kinds::ALL;
        for (keyword, value) in members {
            kinds = kinds.and(match (keyword.as_str(), value) {
                ("type", Json::String(name)) => Kinds::of_type(name).unwrap_or(Kinds::ALL),
                ("type", Json::Array(names)) => {
                    union(names, |name| name.as_str().and_then(Kinds::of_type).unwrap_or(Kinds::ALL))
                }
                ("const", value) => Kinds::of(value),
                ("enum", Json::Array(values)) => union(values, Kinds::of),
                ("$ref", Json::String(target)) => {
                    schema_walk::follow(root, schema, target).map_or(Kinds::ALL, inner)
                }
                ("allOf", Json::Array(parts)) => {
                    parts.iter().fold(Kinds::ALL, |kinds, part| kinds.and(inner(part)))
                }
                ("anyOf" | "oneOf", Json::Array(choices)) => union(choices, inner),
                _ => Kinds::ALL,
            });
        }
        kinds
    }

    fn of(value: &Json) -> Kinds {
        Kinds::of_type(value.type_name()).map_or(Kinds::ALL, |kinds| match value {
            Json::Number(_) => Kinds::NUMBER.or(Kinds::INTEGER),
            _ => kinds,
        })
    }

    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it has any of the others.
    pub const fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

fn union(values: &[Json], kinds: impl Fn(&Json) -> Kinds) -> Kinds {
    values.iter().fold(Kinds::NONE, |all, value| all.or(kinds(value)))
}

/// As messages call such a value: "a string or a number".
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Kinds::OBJECT, "an object"),
            (Kinds::ARRAY, "a list"),
            (Kinds::STRING, "a string"),
            (Kinds::NUMBER.or(Kinds::INTEGER), "a number"),
            (Kinds::BOOLEAN, "a boolean"),
            (Kinds::NULL, "null"),
        ];
        let mut first = true;
        for (kinds, name) in names {
            if self.has(kinds) {
                f.write_str(if first { "" } else { " or " })?;
                f.write_str(name)?;
                first = false;
            }
        }
        if first { f.write_str("nothing") } else { Ok(()) }
    }
}
