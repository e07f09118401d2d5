//! The functions that a Go template may call. The table says how many arguments each takes, a piped one included;
//! what they compute is the machine's business.

use mcp_diagnostics::suggest::nearest;

macro_rules! functions {
    ($($function:ident $name:literal $least:literal .. $most:tt),* $(,)?) => {
        /// A function of the Go dialect.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $($function),*
        }

        /// Every function, sorted by name.
        pub const FUNCTIONS: &[Signature] = &[
            $(Signature { function: Function::$function, name: $name, least: $least, most: functions!(@most $most) }),*
        ];
    };
    (@most any) => { None };
    (@most $most:literal) => { Some($most) };
}

functions! {
    Add "add" 1..any,
    Add1 "add1" 1..1,
    Addf "addf" 1..any,
    And "and" 1..any,
    Append "append" 2..2,
    B64Dec "b64dec" 1..1,
    B64Enc "b64enc" 1..1,
    CamelCase "camelcase" 1..1,
    Cat "cat" 0..any,
    Ceil "ceil" 1..1,
    Coalesce "coalesce" 1..any,
    Compact "compact" 1..1,
    Concat "concat" 0..any,
    Contains "contains" 2..2,
    Date "date" 2..2,
    DateInZone "dateInZone" 3..3,
    Default "default" 2..2,
    Dict "dict" 0..any,
    Div "div" 2..2,
    Divf "divf" 1..any,
    Empty "empty" 1..1,
    Eq "eq" 2..any,
    First "first" 1..1,
    Float64 "float64" 1..1,
    Floor "floor" 1..1,
    FromJson "fromJson" 1..1,
    Ge "ge" 2..2,
    Get "get" 2..2,
    Gjson "gjson" 1..1,
    Gt "gt" 2..2,
    Has "has" 2..2,
    HasKey "hasKey" 2..2,
    HasPrefix "hasPrefix" 2..2,
    HasSuffix "hasSuffix" 2..2,
    Html "html" 0..any,
    Indent "indent" 2..2,
    Index "index" 1..any,
    Initial "initial" 1..1,
    Int "int" 1..1,
    Join "join" 2..2,
    Js "js" 0..any,
    KebabCase "kebabcase" 1..1,
    Keys "keys" 1..any,
    KindOf "kindOf" 1..1,
    Last "last" 1..1,
    Le "le" 2..2,
    Len "len" 1..1,
    List "list" 0..any,
    Lower "lower" 1..1,
    Lt "lt" 2..2,
    Max "max" 1..any,
    Min "min" 1..any,
    Mod "mod" 2..2,
    Mul "mul" 1..any,
    Mulf "mulf" 1..any,
    Ne "ne" 2..2,
    NIndent "nindent" 2..2,
    NoSpace "nospace" 1..1,
    Not "not" 1..1,
    Now "now" 0..0,
    Omit "omit" 1..any,
    Or "or" 1..any,
    Pick "pick" 1..any,
    Prepend "prepend" 2..2,
    Print "print" 0..any,
    Printf "printf" 1..any,
    Println "println" 0..any,
    Quote "quote" 1..any,
    RegexFind "regexFind" 2..2,
    RegexMatch "regexMatch" 2..2,
    RegexReplaceAll "regexReplaceAll" 3..3,
    Repeat "repeat" 2..2,
    Replace "replace" 3..3,
    Rest "rest" 1..1,
    Reverse "reverse" 1..1,
    Round "round" 2..3,
    Seq "seq" 1..3,
    Sha1Sum "sha1sum" 1..1,
    Sha256Sum "sha256sum" 1..1,
    Slice "slice" 1..3,
    SnakeCase "snakecase" 1..1,
    SortAlpha "sortAlpha" 1..1,
    Split "split" 2..2,
    SQuote "squote" 0..any,
    Sub "sub" 2..2,
    Subf "subf" 1..any,
    Substr "substr" 3..3,
    Ternary "ternary" 3..3,
    Title "title" 1..1,
    ToDate "toDate" 2..2,
    ToJson "toJson" 1..1,
    ToPrettyJson "toPrettyJson" 1..1,
    ToString "toString" 1..1,
    Trim "trim" 1..1,
    TrimAll "trimAll" 2..2,
    TrimPrefix "trimPrefix" 2..2,
    TrimSuffix "trimSuffix" 2..2,
    Trunc "trunc" 2..2,
    Uniq "uniq" 1..1,
    UnixEpoch "unixEpoch" 1..1,
    Until "until" 1..1,
    Upper "upper" 1..1,
    UrlQuery "urlquery" 0..any,
    Uuidv4 "uuidv4" 0..0,
    Values "values" 1..1,
    Without "without" 1..any,
}

/// Other names of functions, sorted. Sprig's functions fail in silence, or stop the program; those that begin with `must` give
/// an error instead, as all do here.
const ALIASES: &[(&str, &str)] = &[
    ("biggest", "max"),
    ("date_in_zone", "dateInZone"),
    ("int64", "int"),
    ("mustAppend", "append"),
    ("mustCompact", "compact"),
    ("mustFirst", "first"),
    ("mustFromJson", "fromJson"),
    ("mustHas", "has"),
    ("mustInitial", "initial"),
    ("mustLast", "last"),
    ("mustPrepend", "prepend"),
    ("mustPush", "append"),
    ("mustRegexFind", "regexFind"),
    ("mustRegexMatch", "regexMatch"),
    ("mustRegexReplaceAll", "regexReplaceAll"),
    ("mustRest", "rest"),
    ("mustReverse", "reverse"),
    ("mustSlice", "slice"),
    ("mustToDate", "toDate"),
    ("mustToJson", "toJson"),
    ("mustToPrettyJson", "toPrettyJson"),
    ("mustToRawJson", "toJson"),
    ("mustUniq", "uniq"),
    ("mustWithout", "without"),
    ("push", "append"),
    ("splitList", "split"),
    ("toRawJson", "toJson"),
    ("trimall", "trimAll"),
    ("tuple", "list"),
];

impl Function {
    /// Functions whose first argument is a regular expression.
    pub fn has_pattern(self) -> bool {
        matches!(self, Function::RegexMatch | Function::RegexFind | Function::RegexReplaceAll)
    }

    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|signature| signature.function == self).map_or("", |signature| signature.name)
    }
}

/// A function's name and arity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub function: Function,
    pub name: &'static str,
    pub least: usize,
    /// `None`: any number.
    pub most: Option<usize>,
}

impl Signature {
    pub fn find(name: &str) -> Option<&'static Self> {
        let alias =
            ALIASES.binary_search_by(|(alias, _)| alias.cmp(&name)).ok().and_then(|at| ALIASES.get(at));
        let name = alias.map_or(name, |(_, function)| function);
        let at = FUNCTIONS.binary_search_by(|signature| signature.name.cmp(name)).ok()?;
        FUNCTIONS.get(at)
    }

    pub fn accepts(&self, arguments: usize) -> bool {
        arguments >= self.least && self.most.is_none_or(|most| arguments <= most)
    }

    /// The arity in words, as in "takes 2 arguments".
    pub fn arity(&self) -> String {
        let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
        match (self.least, self.most) {
            (0, Some(0)) => "no arguments".to_owned(),
            (least, Some(most)) if least == most => format!("{least} {}", plural(least)),
            (least, Some(most)) => format!("{least} to {most} arguments"),
            (least, None) => format!("at least {least} {}", plural(least)),
        }
    }
}

/// What Go writes for a word of another language's blocks.
fn foreign_word(name: &str) -> Option<&'static str> {
    match name {
        "endif" | "endfor" | "endforeach" | "endrange" | "endwith" => Some("end"),
        "elseif" | "elsif" | "elif" => Some("else if"),
        "for" | "foreach" | "forEach" => Some("range"),
        _ => None,
    }
}

/// The function that another template language calls so. Without arguments, such a name is meant as a field.
fn foreign_function(name: &str) -> Option<&'static str> {
    match name {
        "json" | "toJSON" | "jsonify" | "stringify" => Some("toJson"),
        "length" | "size" | "count" => Some("len"),
        "lowercase" | "downcase" | "toLower" => Some("lower"),
        "uppercase" | "upcase" | "toUpper" => Some("upper"),
        _ => None,
    }
}

/// What to write instead of an unknown function. Without arguments it may be meant as a field.
pub(super) fn help_for_unknown(name: &str, has_arguments: bool) -> Option<String> {
    if let Some(word) = foreign_word(name) {
        return Some(format!("write `{word}`"));
    }
    if let Some(function) = foreign_function(name).filter(|_| has_arguments) {
        return Some(format!("did you mean `{function}`?"));
    }
    match nearest(name, FUNCTIONS.iter().map(|signature| signature.name)) {
        Some(known) => Some(format!("did you mean `{known}`?")),
        None if has_arguments => Some("`docs/TEMPLATES.md` lists the functions".to_owned()),
        None if name == "this" => Some("the current value is written `.`".to_owned()),
        None => Some(format!("a field is written with a dot: `.{name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_every_function_is_found() {
        assert!(FUNCTIONS.is_sorted_by_key(|signature| signature.name));
        for signature in FUNCTIONS {
            assert_eq!(Signature::find(signature.name), Some(signature));
        }
        assert_eq!(Signature::find("env"), None);
        assert!(ALIASES.is_sorted());
        for (alias, name) in ALIASES {
            assert!(FUNCTIONS.iter().all(|signature| signature.name != *alias), "{alias}");
            assert_eq!(Signature::find(alias).map(|signature| signature.name), Some(*name));
        }
    }

    #[test]
    fn the_documented_functions_are_all_there_and_no_others() {
        let documented = "and or not eq ne lt le gt ge len index slice print printf println html js urlquery gjson \
            add sub mul div mod default coalesce ternary empty upper lower trim trimPrefix trimSuffix replace \
            contains hasPrefix hasSuffix join split first last quote toJson toString b64enc b64dec uuidv4 now date \
            dateInZone add1 round floor ceil max min int float64 addf subf mulf divf title trunc substr cat nospace \
            camelcase snakecase kebabcase squote repeat trimAll indent nindent until seq list append prepend concat \
            uniq sortAlpha reverse rest initial compact without has dict get hasKey keys values pick omit \
            toPrettyJson fromJson kindOf regexMatch regexFind regexReplaceAll sha1sum sha256sum toDate unixEpoch";
        let mut names: Vec<_> = documented.split_whitespace().collect();
        names.sort_unstable();
        assert_eq!(FUNCTIONS.iter().map(|signature| signature.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn arity_counts_both_ends() {
        let slice = Signature::find("slice").unwrap();
        assert_eq!([0, 1, 3, 4].map(|count| slice.accepts(count)), [false, true, true, false]);
        let eq = Signature::find("eq").unwrap();
        assert_eq!([1, 2, 9].map(|count| eq.accepts(count)), [false, true, true]);
    }

    #[test]
    fn arity_reads_as_words() {
        let words = |name| Signature::find(name).unwrap().arity();
        assert_eq!(words("now"), "no arguments");
        assert_eq!(words("len"), "1 argument");
        assert_eq!(words("date"), "2 arguments");
        assert_eq!(words("slice"), "1 to 3 arguments");
        assert_eq!(words("and"), "at least 1 argument");
    }

    #[test]
    fn help_names_a_similar_function_or_the_field() {
        let help = |name, has_arguments| help_for_unknown(name, has_arguments).unwrap_or_default();
        assert_eq!(help("tojson", true), "did you mean `toJson`?");
        assert_eq!(help("name", false), "a field is written with a dot: `.name`");
        assert_eq!(help("this", false), "the current value is written `.`");
        assert_eq!(help("typeOf", true), "`docs/TEMPLATES.md` lists the functions");
        assert_eq!(help("json", true), "did you mean `toJson`?");
        assert_eq!(help("length", true), "did you mean `len`?");
        assert_eq!(help("size", false), "a field is written with a dot: `.size`");
        assert_eq!(help("lowercase", true), "did you mean `lower`?");
        assert_eq!(help("uppercase", true), "did you mean `upper`?");
        assert_eq!(help("endif", false), "write `end`");
        assert_eq!(help("elif", true), "write `else if`");
        assert_eq!(help("foreach", true), "write `range`");
    }
}
