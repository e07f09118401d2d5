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
        Round = 62, "round";
        Floor = 63, "floor";
        Ceil = 64, "ceil";
        Max = 65, "max";
        Min = 66, "min";
        Int = 67, "int";
        Float64 = 68, "float64";
        Addf = 69, "addf";
        Subf = 70, "subf";
        Mulf = 71, "mulf";
        Divf = 72, "divf";
        Title = 73, "title";
        Trunc = 74, "trunc";
        Substr = 75, "substr";
        Cat = 76, "cat";
        NoSpace = 77, "nospace";
        CamelCase = 78, "camelcase";
        SnakeCase = 79, "snakecase";
        KebabCase = 80, "kebabcase";
        SQuote = 81, "squote";
        Repeat = 82, "repeat";
        TrimAll = 83, "trimAll";
        Indent = 84, "indent";
        NIndent = 85, "nindent";
        Until = 86, "until";
        Seq = 87, "seq";
        List = 88, "list";
        Append = 89, "append";
        Prepend = 90, "prepend";
        Concat = 91, "concat";
        Uniq = 92, "uniq";
        SortAlpha = 93, "sortAlpha";
        Reverse = 94, "reverse";
        Rest = 95, "rest";
        Initial = 96, "initial";
        Compact = 97, "compact";
        Without = 98, "without";
        Has = 99, "has";
        Dict = 100, "dict";
        Get = 101, "get";
        HasKey = 102, "hasKey";
        Keys = 103, "keys";
        Values = 104, "values";
        Pick = 105, "pick";
        Omit = 106, "omit";
        ToPrettyJson = 107, "toPrettyJson";
        FromJson = 108, "fromJson";
        KindOf = 109, "kindOf";
        RegexMatch = 110, "regexMatch";
        RegexFind = 111, "regexFind";
        RegexReplaceAll = 112, "regexReplaceAll";
        Sha1Sum = 113, "sha1sum";
        Sha256Sum = 114, "sha256sum";
        ToDate = 115, "toDate";
        UnixEpoch = 116, "unixEpoch";
        /// The modifiers of `gjson`.
        GjsonReverse = 117, "#gjson-reverse";
        GjsonKeys = 118, "#gjson-keys";
        GjsonValues = 119, "#gjson-values";
        GjsonFlatten = 120, "#gjson-flatten";
        GjsonPretty = 121, "#gjson-pretty";
    }
}

impl Function {
    /// Functions that came after the first: a bundle that calls one says so by a feature.
    pub const fn is_later(self) -> bool {
        self.tag() > Function::HelperOr.tag()
    }

    /// Functions whose first argument is a regular expression.
    pub const fn has_pattern(self) -> bool {
        matches!(self, Function::RegexMatch | Function::RegexFind | Function::RegexReplaceAll)
    }

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
            | Function::Upper
            | Function::Floor
            | Function::Ceil
            | Function::Int
            | Function::Float64
            | Function::Title
            | Function::NoSpace
            | Function::CamelCase
            | Function::SnakeCase
            | Function::KebabCase
            | Function::Until
            | Function::Uniq
            | Function::SortAlpha
            | Function::Reverse
            | Function::Rest
            | Function::Initial
            | Function::Compact
            | Function::Values
            | Function::ToPrettyJson
            | Function::FromJson
            | Function::KindOf
            | Function::Sha1Sum
            | Function::Sha256Sum
            | Function::UnixEpoch
            | Function::GjsonReverse
            | Function::GjsonKeys
            | Function::GjsonValues
            | Function::GjsonFlatten
            | Function::GjsonPretty => (1, Some(1)),
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
            | Function::GjsonKey
            | Function::Trunc
            | Function::Repeat
            | Function::TrimAll
            | Function::Indent
            | Function::NIndent
            | Function::Append
            | Function::Prepend
            | Function::Has
            | Function::Get
            | Function::HasKey
            | Function::RegexMatch
            | Function::RegexFind
            | Function::ToDate => (2, Some(2)),
            Function::DateInZone
            | Function::Replace
            | Function::Ternary
            | Function::Substr
            | Function::RegexReplaceAll => (3, Some(3)),
            Function::Round => (2, Some(3)),
            Function::Seq => (1, Some(3)),
            Function::Slice => (1, Some(4)),
            Function::Print
            | Function::Println
            | Function::Quote
            | Function::SQuote
            | Function::Cat
            | Function::List
            | Function::Concat
            | Function::Dict => (0, None),
            Function::Add
            | Function::Coalesce
            | Function::Html
            | Function::Index
            | Function::Js
            | Function::Mul
            | Function::Printf
            | Function::UrlQuery
            | Function::GjsonEach
            | Function::Max
            | Function::Min
            | Function::Addf
            | Function::Subf
            | Function::Mulf
            | Function::Divf
            | Function::Without
            | Function::Keys
            | Function::Pick
            | Function::Omit => (1, None),
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
