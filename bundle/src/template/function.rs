//! The functions that a program can call, by their tags.

use crate::wire_enums::tags;

tags! {
    /// Words are the names in Go templates; those with a `#` have none there.
    pub enum Function {
        Add = 1, "add";
        Add1 = 2, "add1";
        B64Dec = 3, "b64dec";
        B64Enc = 4, "b64enc";
        Coalesce = 5, "coalesce";
        Contains = 6, "contains";
        Date = 7, "date";
        DateInZone = 8, "dateInZone";
        Default = 9, "default";
        Div = 10, "div";
        Empty = 11, "empty";
        Eq = 12, "eq";
        First = 13, "first";
        Ge = 14, "ge";
        Gt = 15, "gt";
        HasPrefix = 16, "hasPrefix";
        HasSuffix = 17, "hasSuffix";
        Html = 18, "html";
        Index = 19, "index";
        Join = 20, "join";
        Js = 21, "js";
        Last = 22, "last";
        Le = 23, "le";
        Len = 24, "len";
        Lower = 25, "lower";
        Lt = 26, "lt";
        Mod = 27, "mod";
        Mul = 28, "mul";
        Ne = 29, "ne";
        Not = 30, "not";
        Now = 31, "now";
        Print = 32, "print";
        Printf = 33, "printf";
        Println = 34, "println";
        Quote = 35, "quote";
        Replace = 36, "replace";
        Slice = 37, "slice";
        Split = 38, "split";
        Sub = 39, "sub";
        Ternary = 40, "ternary";
        ToJson = 41, "toJson";
        ToString = 42, "toString";
        Trim = 43, "trim";
        TrimPrefix = 44, "trimPrefix";
        TrimSuffix = 45, "trimSuffix";
        Upper = 46, "upper";
        UrlQuery = 47, "urlquery";
        Uuidv4 = 48, "uuidv4";
        /// `gjson` from the first key that is a number on: a member of an object, or an element of an array.
        GjsonKey = 49, "#gjson-key";
        /// `gjson` from `#` on: the number of elements, or what the keys find in each of them.
        GjsonEach = 50, "#gjson-each";
        /// The Handlebars helpers.
        HelperAnd = 51, "#and";
        HelperEq = 52, "#eq";
        HelperGt = 53, "#gt";
        HelperGte = 54, "#gte";
        HelperLen = 55, "#len";
        HelperLookup = 56, "#lookup";
        HelperLt = 57, "#lt";
        HelperLte = 58, "#lte";
        HelperNe = 59, "#ne";
        HelperNot = 60, "#not";
        HelperOr = 61, "#or";
    }
}

impl Function {
    /// How many arguments it takes: at least, and at most.
    pub const fn arity(self) -> (usize, Option<usize>) {
        match self {
            Function::Now | Function::Uuidv4 => (0, Some(0)),
            Function::Add1
            | Function::B64Dec
            | Function::B64Enc
            | Function::Empty
            | Function::First
            | Function::Last
            | Function::Len
            | Function::Lower
            | Function::Not
            | Function::ToJson
            | Function::ToString
            | Function::Trim
            | Function::Upper => (1, Some(1)),
            Function::Default => (1, Some(2)),
            Function::Contains
            | Function::Date
            | Function::Div
            | Function::Ge
            | Function::Gt
            | Function::HasPrefix
            | Function::HasSuffix
            | Function::Join
            | Function::Le
            | Function::Lt
            | Function::Mod
            | Function::Ne
            | Function::Split
            | Function::Sub
            | Function::TrimPrefix
            | Function::TrimSuffix
            | Function::GjsonKey => (2, Some(2)),
            Function::DateInZone | Function::Replace | Function::Ternary => (3, Some(3)),
            Function::Slice => (1, Some(4)),
            Function::Print | Function::Println | Function::Quote => (0, None),
            Function::Add
            | Function::Coalesce
            | Function::Html
            | Function::Index
            | Function::Js
            | Function::Mul
            | Function::Printf
            | Function::UrlQuery
            | Function::GjsonEach => (1, None),
            Function::Eq => (2, None),
            // The `handlebars` crate looks at the arguments it needs, and not at further ones.
            Function::HelperAnd | Function::HelperOr => (0, None),
            Function::HelperLen | Function::HelperNot => (1, None),
            Function::HelperEq
            | Function::HelperGt
            | Function::HelperGte
            | Function::HelperLookup
            | Function::HelperLt
            | Function::HelperLte
            | Function::HelperNe => (2, None),
        }
    }
}
