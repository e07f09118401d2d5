//! The path argument of `gjson`: keys and indexes joined by dots, `\` before a character that would mean something
//! else, one `#` for the elements of an array, and some modifiers. The rest of GJSON (queries, wildcards) is refused.

use mcp_bundle::template::Function;

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A key of an object, or the index of an array's element if it is a number and the value an array.
    Key(String),
    /// `#`, with the keys up to the next `|`. Without any: how many elements the array has. Otherwise: the array of what
    /// they find in each element, leaving out those where they find nothing.
    Each(Vec<String>),
    /// `@reverse` and its like.
    Modifier(Function),
}

/// The modifiers by their names in GJSON.
const MODIFIERS: [(&str, Function); 5] = [
    ("reverse", Function::GjsonReverse),
    ("keys", Function::GjsonKeys),
    ("values", Function::GjsonValues),
    ("flatten", Function::GjsonFlatten),
    ("pretty", Function::GjsonPretty),
];

/// Why a path is refused, and the byte offset in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    pub at: usize,
    pub message: String,
}

/// Reads a path. The result has at least one segment.
pub fn parse_path(path: &str) -> Result<Vec<Segment>, PathError> {
    let mut reader =
        Reader { segments: Vec::new(), key: String::new(), start: 0, escaped: false, each: false };
    let mut chars = path.char_indices();
    while let Some((at, c)) = chars.next() {
        let is_first = at == reader.start;
        match c {
            '.' | '|' => {
                reader.finish()?;
                reader.start = at + 1;
                // The elements of an array end with the part that is not about each of them.
                reader.each &= c == '.';
            }
            '\\' => {
                let (_, escaped) = chars.next().ok_or_else(|| refuse(at, "a `\\` ends the path"))?;
                reader.key.push(escaped);
                reader.escaped = true;
            }
            '*' | '?' => return Err(refuse(at, "wildcards are not supported in a `gjson` path")),
            '!' if is_first => return Err(refuse(at, "`!` is not supported in a `gjson` path")),
            '{' | '[' if is_first => {
                return Err(refuse(at, "multipaths are not supported in a `gjson` path"));
            }
            '(' | '[' if reader.key == "#" => {
                return Err(refuse(at, "queries are not supported in a `gjson` path"));
            }
            c => reader.key.push(c),
        }
    }
    reader.finish()?;
    Ok(reader.segments)
}

/// A path that is being read.
struct Reader {
    segments: Vec<Segment>,
    /// The part that is being read, and where it starts.
    key: String,
    start: usize,
    /// Something in it was escaped.
    escaped: bool,
    /// It belongs to the `#` before it.
    each: bool,
}

impl Reader {
    fn finish(&mut self) -> Result<(), PathError> {
        let key = std::mem::take(&mut self.key);
        let is_plain = std::mem::take(&mut self.escaped) || !key.starts_with(['#', '@']);
        if key.is_empty() {
            return Err(refuse(self.start, "a `gjson` path has an empty part"));
        }
        if !is_plain && key == "#" {
            if self.segments.iter().any(|segment| matches!(segment, Segment::Each(_))) {
                return Err(refuse(self.start, "a `gjson` path may hold one `#` only"));
            }
            self.segments.push(Segment::Each(Vec::new()));
            self.each = true;
        } else if let (false, Some(name)) = (is_plain, key.strip_prefix('@')) {
            self.modifier(name)?;
        } else if let (true, Some(Segment::Each(keys))) = (self.each, self.segments.last_mut()) {
            keys.push(key);
        } else {
            self.segments.push(Segment::Key(key));
        }
        Ok(())
    }

    fn modifier(&mut self, name: &str) -> Result<(), PathError> {
        if self.each {
            return Err(refuse(
                self.start,
                "write `|` before a modifier of all elements, as in `list.#.name|@reverse`",
            ));
        }
        let known = MODIFIERS.iter().find(|(known, _)| *known == name);
        let (_, function) = known.ok_or_else(|| {
            let names = MODIFIERS.map(|(name, _)| format!("`@{name}`")).join(", ");
            PathError {
                at: self.start,
                message: format!("`@{name}` is not supported in a `gjson` path; the modifiers are {names}"),
            }
        })?;
        self.segments.push(Segment::Modifier(*function));
        Ok(())
    }
}

fn refuse(at: usize, message: &str) -> PathError {
    PathError { at, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Segment {
        Segment::Key(name.to_owned())
    }

    #[test]
    fn keys_indexes_and_elements() {
        assert_eq!(parse_path("args.hy-phen"), Ok(vec![key("args"), key("hy-phen")]));
        assert_eq!(parse_path("items.0.name"), Ok(vec![key("items"), key("0"), key("name")]));
        assert_eq!(parse_path("items.#"), Ok(vec![key("items"), Segment::Each(Vec::new())]));
        assert_eq!(
            parse_path("items.#.name"),
            Ok(vec![key("items"), Segment::Each(vec!["name".to_owned()])])
        );
        assert_eq!(parse_path("_headers.:status"), Ok(vec![key("_headers"), key(":status")]));
    }

    #[test]
    fn a_backslash_makes_a_character_plain() {
        assert_eq!(parse_path(r"a\.b.\#.\@c"), Ok(vec![key("a.b"), key("#"), key("@c")]));
        assert_eq!(parse_path(r"_headers.\:status"), Ok(vec![key("_headers"), key(":status")]));
    }

    #[test]
    fn modifiers_come_after_a_dot_or_a_pipe() {
        let reverse = Segment::Modifier(Function::GjsonReverse);
        assert_eq!(parse_path("@reverse"), Ok(vec![reverse.clone()]));
        assert_eq!(parse_path("a.@reverse.0"), Ok(vec![key("a"), reverse.clone(), key("0")]));
        assert_eq!(
            parse_path("a|@reverse|@keys"),
            Ok(vec![key("a"), reverse.clone(), Segment::Modifier(Function::GjsonKeys)])
        );
        let each = Segment::Each(vec!["k".to_owned(), "l".to_owned()]);
        assert_eq!(parse_path("a.#.k.l|@reverse|0"), Ok(vec![key("a"), each, reverse, key("0")]));
    }

    #[test]
    fn the_rest_of_gjson_is_refused_where_it_starts() {
        for (path, at) in [
            ("items.#(v>1)#.name", 7),
            ("a.*", 2),
            ("a.b?", 3),
            ("a.@tostr", 2),
            ("a.@reverse:1", 2),
            ("a|@this", 2),
            ("a.#.@keys", 4),
            ("a||b", 2),
            ("{n:a}", 0),
            ("a.[b]", 2),
            ("!true", 0),
            ("a.#.b.#", 6),
            ("", 0),
            ("a..b", 2),
            ("a.", 2),
            ("a\\", 1),
        ] {
            assert_eq!(parse_path(path).map_err(|error| error.at), Err(at), "{path}");
        }
    }
}
