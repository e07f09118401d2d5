//! The kinds of JSON values, as a set.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

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

    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// Whether it has any of the others.
    pub const fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
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
