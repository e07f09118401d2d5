//! The keys of a language, once: parsing, "did you mean", editor schemas and docs read these tables.

/// A kind of TOML table.
#[derive(Debug)]
pub struct Table {
    /// As messages call it: "a tool".
    pub name: &'static str,
    pub doc: &'static str,
    pub keys: &'static [Key],
}

#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// What other languages call it. Not accepted, but suggested from.
    pub known_elsewhere_as: &'static [&'static str],
    pub shape: Shape,
    pub required: bool,
    pub doc: &'static str,
}

/// What a key's value must look like. What it must mean is checked elsewhere.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text,
    /// One of some words; the schema for editors lists them.
    Word(&'static [&'static str]),
    Integer {
        min: i64,
        max: i64,
    },
    /// A positive number of seconds, whole or with a fraction; read in milliseconds.
    Seconds {
        max: u32,
    },
    /// A number of bytes with its unit: `"64KiB"`.
    Size {
        min: u64,
        max: u64,
    },
    Number,
    Boolean,
    Texts,
    /// A table of strings, such as headers.
    TextMap,
    /// Any value.
    Any,
    List,
    /// A table of anything, such as a JSON Schema.
    Object,
    /// A JSON Schema, which may be `true` or `false`.
    Schema,
    /// As [`Shape::Object`], or its JSON text.
    ObjectOrText,
    /// As [`Shape::Schema`], or its JSON text.
    SchemaOrText,
    /// A number, or a table that says more about it.
    IntegerOrTable {
        min: i64,
        max: i64,
        table: &'static Table,
    },
    TextOrTable(&'static Table),
    /// One of some words, or a table.
    WordOrTable(&'static [&'static str], &'static Table),
    /// A table, or `false` to switch off what it is about.
    TableOrFalse(&'static Table),
    Table(&'static Table),
    Tables(&'static Table),
    /// Tables by name: `[upstream.NAME]`.
    NamedTables(&'static Table),
}

impl Shape {
    /// A number or a boolean: little depends on whether it is there.
    pub fn is_scalar(self) -> bool {
        matches!(
            self,
            Shape::Integer { .. }
                | Shape::Seconds { .. }
                | Shape::Size { .. }
                | Shape::Number
                | Shape::Boolean
        )
    }
}

impl Key {
    pub const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Key {
        Key { name, aliases: &[], known_elsewhere_as: &[], shape, required: false, doc }
    }

    pub const fn required(mut self) -> Key {
        self.required = true;
        self
    }

    pub const fn alias(mut self, aliases: &'static [&'static str]) -> Key {
        self.aliases = aliases;
        self
    }

    /// Sets [`Key::known_elsewhere_as`].
    pub const fn elsewhere(mut self, names: &'static [&'static str]) -> Key {
        self.known_elsewhere_as = names;
        self
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

impl Table {
    /// The key with this name or alias.
    pub fn find(&self, name: &str) -> Option<&'static Key> {
        // Looked up for every key of every table: most names already differ in length or first letter.
        let same = |known: &str| {
            known.len() == name.len() && known.as_bytes().first() == name.as_bytes().first() && known == name
        };
        self.keys.iter().find(|key| same(key.name) || key.aliases.iter().any(|alias| same(alias)))
    }

    /// The key that another language calls so.
    pub fn find_elsewhere(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.known_elsewhere_as.contains(&name))
    }

    /// The names of all keys, without other spellings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.keys.iter().map(|key| key.name)
    }
}
