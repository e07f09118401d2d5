//! What a template is compiled to: flat tables that all programs of a bundle share.
//!
//! A program is a run of [`Op`]s over registers, a stack and loops that are all numbered by the compiler, so that
//! running one needs no scopes, no names and no recursion. A [`Shape`] says which parts of the data it can read by
//! name; those are found while the data are scanned, and reading one is then a look into a table.

use crate::strings::StrId;
use crate::wire_enums::{Dialect, tags};
use serde::{Deserialize, Serialize};

/// Stands for "none" where an index is expected.
pub const NONE: u32 = u32::MAX;

/// The most registers that a program may have; loops have as many at most.
pub const MAX_REGISTERS: u32 = 4096;
/// How deep shapes may nest, and how many keys a path may take.
pub const MAX_PATH: usize = 64;
/// The most fields of a shape: every key of the data may be compared with each of them, which counts as no step.
pub const MAX_FIELDS: u32 = 1024;

/// The programs of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    pub programs: Vec<Program>,
    pub ops: Vec<Op>,
    pub paths: Vec<Path>,
    pub steps: Vec<Step>,
    pub constants: Vec<Constant>,
    pub shapes: Vec<Shape>,
    pub fields: Vec<Field>,
    pub spots: Vec<Spot>,
}

/// A part of a table: `start..start + count`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    pub start: u32,
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub dialect: Dialect,
    pub place: Destination,
    /// In [`Programs::ops`]; jumps count from its start.
    pub ops: Run,
    /// Register 0 holds the data.
    pub registers: u32,
    /// How many loops there are; each has a number of its own.
    pub loops: u32,
    /// The data's, in [`Programs::shapes`].
    pub shape: u32,
    /// In [`Programs::spots`].
    pub spots: Run,
}

tags! {
    /// What a program writes, which decides how its literals and values are encoded.
    pub enum Destination {
        /// The inside of a JSON string: the text of a result.
        Text = 1, "text";
        /// Path and query of a request.
        Target = 2, "target";
        Header = 3, "header";
        /// A JSON body.
        Json = 4, "json";
        Form = 5, "form";
    }
}

tags! {
    /// How a value is encoded where it is.
    pub enum Encoding {
        /// Inside a JSON string.
        Text = 1, "text";
        /// As a JSON value of its own.
        Json = 2, "json";
        PathSegment = 3, "path segment";
        /// A name or value of a query or form.
        Query = 4, "query";
        Header = 5, "header";
    }
}

/// One instruction. What `a`, `b` and `c` mean depends on the code; unused ones are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    pub code: OpCode,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

tags! {
    pub enum OpCode {
        /// Writes string `a`, which is already encoded.
        Literal = 1, "literal";
        /// Writes the value at path `a` in encoding `b`.
        Emit = 2, "emit";
        /// Pops a value and writes it in encoding `a`.
        EmitTop = 3, "emit-top";
        /// Pushes the value at path `a`.
        Push = 4, "push";
        /// Pushes constant `a`.
        Constant = 5, "constant";
        /// Pushes [`LoopItem`] `b` of loop `a`.
        LoopItem = 6, "loop-item";
        /// Pops `b` arguments, the last on top, and pushes what function `a` gives.
        Call = 7, "call";
        /// Pops a value into register `a`.
        Store = 8, "store";
        /// Pops a value and pushes what path `a` finds in it; the path's base is not used.
        Fields = 9, "fields";
        Jump = 10, "jump";
        /// Pops a value and goes to `a` if it fails test `b`.
        JumpUnless = 11, "jump-unless";
        /// Goes to `b` if the value at path `a` fails test `c`.
        Branch = 12, "branch";
        /// Goes to `a` if the value on top fails test `b`, and else pops it.
        KeepUnless = 13, "keep-unless";
        /// Pops what to loop over, and begins loop `a`. Register `c` is set to the element, the next one to the key or
        /// index. Without an element, both are set to what was popped, and it goes to `b`.
        Loop = 14, "loop";
        /// Goes to `b` with the next element of loop `a` in registers `c` and `c + 1`, or goes on.
        Next = 15, "next";
        /// Writes a variable, a [`crate::plan::Part`] of kind `a` and id `b`, in encoding `c`.
        Variable = 16, "variable";
        /// Pops a value and forgets it.
        Drop = 17, "drop";
    }
}

/// How a value is tested: a set of bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Test(pub u32);

impl Test {
    pub const TRUE: Test = Test(0);
    pub const FALSE: Test = Test(1);
    /// The number zero passes as true.
    pub const INCLUDE_ZERO: Test = Test(2);

    pub const fn contains(self, other: Test) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn union(self, other: Test) -> Test {
        Test(self.0 | other.0)
    }
}

tags! {
    /// What a loop says about where it is.
    pub enum LoopItem {
        Index = 1, "index";
        /// Absent in a loop over an array.
        Key = 2, "key";
        First = 3, "first";
        Last = 4, "last";
        /// The key in a loop over an object, else the index.
        KeyOrIndex = 5, "key-or-index";
    }
}

/// A value in a register and the keys taken from it, one from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// A register.
    pub base: u32,
    /// In [`Programs::steps`].
    pub steps: Run,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub key: StrId,
    /// The place among the fields of the shape that the value was scanned with; [`NONE`] to search for the key.
    pub field: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    pub kind: ConstantKind,
    /// Of a string, its characters; of a number, its JSON text; else empty.
    pub text: StrId,
}

tags! {
    pub enum ConstantKind {
        Null = 1, "null";
        True = 2, "true";
        False = 3, "false";
        Number = 4, "number";
        String = 5, "string";
    }
}

/// What of a value is found while it is scanned. A program may read more; it then searches the value's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// In [`Programs::fields`]. Only if the value is an object.
    pub fields: Run,
    /// The shape of each element of an array or member of an object, [`NONE`] if they are not looped over.
    /// A shape has either fields or this.
    pub items: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub key: StrId,
    /// What is compared first: see [`Field::prefix_of`].
    pub prefix: u64,
    /// In [`Programs::shapes`]; before the shape that has the field.
    pub shape: u32,
}

impl Field {
    pub fn new(key: StrId, text: &str, shape: u32) -> Field {
        Field { key, prefix: Field::prefix_of(text.as_bytes()), shape }
    }

    /// The first seven bytes of a key as a number, the first one lowest and those that it does not have zero, and in
    /// the highest byte the key's length, at most 255. So keys of up to seven bytes are equal if their prefixes are.
    #[inline]
    pub fn prefix_of(key: &[u8]) -> u64 {
        let start = key.iter().take(7).rev().fold(0, |prefix, byte| prefix << 8 | u64::from(*byte));
        start | Field::prefix_length(key.len())
    }

    /// The part of a prefix that is the length of its key.
    #[inline(always)]
    pub(crate) fn prefix_length(length: usize) -> u64 {
        (length.min(255) as u64) << 56
    }
}

/// Where in its template an instruction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Instructions from this one on, up to the next spot's; counted from the program's start.
    pub op: u32,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl Run {
    /// The part of a table; empty if the table is too short, which no loaded bundle has.
    #[inline]
    pub fn of<T>(self, table: &[T]) -> &[T] {
        let start = self.start as usize;
        table.get(start..start.saturating_add(self.count as usize)).unwrap_or_default()
    }
}

impl Programs {
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }
}

impl Op {
    pub const fn new(code: OpCode, a: u32, b: u32, c: u32) -> Op {
        Op { code, a, b, c }
    }

    /// Where it may go instead of going on.
    pub const fn jump(&self) -> Option<u32> {
        match self.code {
            OpCode::Jump | OpCode::JumpUnless | OpCode::KeepUnless => Some(self.a),
            OpCode::Branch | OpCode::Loop | OpCode::Next => Some(self.b),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Function;

    // These lists are the format. A change here needs a new format version.
    #[test]
    fn wire_tags_never_change() {
        let words: Vec<String> = Destination::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(words.join(" "), "text target header json form");
        assert!(
            (1..)
                .zip(Destination::ALL)
                .all(|(tag, v)| v.tag() == tag && Destination::from_tag(tag) == Some(*v))
        );
        let words: Vec<String> = Encoding::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(words.join(" "), "text json path_segment query header");
        assert!(
            (1..).zip(Encoding::ALL).all(|(tag, v)| v.tag() == tag && Encoding::from_tag(tag) == Some(*v))
        );
        let words: Vec<String> = OpCode::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(
            words.join(" "),
            "literal emit emit-top push constant loop-item call store fields jump jump-unless branch keep-unless loop next variable drop"
        );
        assert!((1..).zip(OpCode::ALL).all(|(tag, v)| v.tag() == tag && OpCode::from_tag(tag) == Some(*v)));
        let words: Vec<String> = LoopItem::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(words.join(" "), "index key first last key-or-index");
        assert!(
            (1..).zip(LoopItem::ALL).all(|(tag, v)| v.tag() == tag && LoopItem::from_tag(tag) == Some(*v))
        );
        let words: Vec<String> = ConstantKind::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(words.join(" "), "null true false number string");
        assert!(
            (1..)
                .zip(ConstantKind::ALL)
                .all(|(tag, v)| v.tag() == tag && ConstantKind::from_tag(tag) == Some(*v))
        );
        let words: Vec<String> = Function::ALL.iter().map(|v| v.as_str().replace(' ', "_")).collect();
        assert_eq!(
            words.join(" "),
            "add add1 b64dec b64enc coalesce contains date dateInZone default div empty eq first ge gt hasPrefix hasSuffix html index join js last le len lower lt mod mul ne not now print printf println quote replace slice split sub ternary toJson toString trim trimPrefix trimSuffix upper urlquery uuidv4 #gjson-key #gjson-each #and #eq #gt #gte #len #lookup #lt #lte #ne #not #or round floor ceil max min int float64 addf subf mulf divf title trunc substr cat nospace camelcase snakecase kebabcase squote repeat trimAll indent nindent until seq list append prepend concat uniq sortAlpha reverse rest initial compact without has dict get hasKey keys values pick omit toPrettyJson fromJson kindOf regexMatch regexFind regexReplaceAll sha1sum sha256sum toDate unixEpoch #gjson-reverse #gjson-keys #gjson-values #gjson-flatten #gjson-pretty"
        );
        assert!(
            (1..).zip(Function::ALL).all(|(tag, v)| v.tag() == tag && Function::from_tag(tag) == Some(*v))
        );
    }

    #[test]
    fn prefixes_distinguish_short_keys() {
        let prefix = |key: &str| Field::prefix_of(key.as_bytes());
        assert_ne!(prefix("a"), prefix("a\0"));
        assert_ne!(prefix("abcdefg"), prefix("abcdefgh"));
        assert_eq!(prefix("abcdefgh"), prefix("abcdefgi"));
        assert_eq!(prefix(&"a".repeat(255)), prefix(&"a".repeat(300)));
    }
}
