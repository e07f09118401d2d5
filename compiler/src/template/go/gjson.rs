//! The path argument of `gjson`: keys and indexes joined by dots, `\` before a character that would mean something
//! else, and one `#` for the elements of an array. The rest of GJSON (queries, wildcards, modifiers) is refused.

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A key of an object, or the index of an array's element if it is a number and the value an array.
    Key(String),
    /// `#`. As the last part: how many elements the array has. Otherwise: the array of what the remaining parts
    /// find in each element, leaving out those where they find nothing.
    Each,
}

/// Why a path is refused, and the byte offset in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    pub at: usize,
    pub message: String,
}

/// Reads a path. The result has at least one segment.
pub fn parse_path(path: &str) -> Result<Vec<Segment>, PathError> {
    let mut segments = Vec::new();
    let mut key = String::new();
    let mut start = 0;
    let mut escaped_any = false;
    let mut chars = path.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '.' => {
                finish(&mut segments, std::mem::take(&mut key), escaped_any, start)?;
                start = at + 1;
                escaped_any = false;
            }
            '\\' => {
                let (_, escaped) = chars.next().ok_or_else(|| refuse(at, "a `\\` ends the path"))?;
                key.push(escaped);
                escaped_any = true;
            }
            '*' | '?' => return Err(refuse(at, "wildcards are not supported in a `gjson` path")),
            '|' => return Err(refuse(at, "`|` is not supported in a `gjson` path")),
            '@' | '!' if key.is_empty() => {
                return Err(refuse(at, "modifiers are not supported in a `gjson` path"));
            }
            '{' | '[' if key.is_empty() => {
                return Err(refuse(at, "multipaths are not supported in a `gjson` path"));
            }
            '(' | '[' if key == "#" => return Err(refuse(at, "queries are not supported in a `gjson` path")),
            c => key.push(c),
        }
    }
    finish(&mut segments, key, escaped_any, start)?;
    Ok(segments)
}

fn finish(segments: &mut Vec<Segment>, key: String, escaped: bool, at: usize) -> Result<(), PathError> {
    if key.is_empty() {
        return Err(refuse(at, "a `gjson` path has an empty part"));
    }
    if key == "#" && !escaped {
        if segments.contains(&Segment::Each) {
            return Err(refuse(at, "a `gjson` path may hold one `#` only"));
        }
        segments.push(Segment::Each);
    } else {
        segments.push(Segment::Key(key));
    }
    Ok(())
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
        assert_eq!(parse_path("items.#"), Ok(vec![key("items"), Segment::Each]));
        assert_eq!(parse_path("items.#.name"), Ok(vec![key("items"), Segment::Each, key("name")]));
        assert_eq!(parse_path("_headers.:status"), Ok(vec![key("_headers"), key(":status")]));
    }

    #[test]
    fn a_backslash_makes_a_character_plain() {
        assert_eq!(parse_path(r"a\.b.\#.\@c"), Ok(vec![key("a.b"), key("#"), key("@c")]));
        assert_eq!(parse_path(r"_headers.\:status"), Ok(vec![key("_headers"), key(":status")]));
    }

    #[test]
    fn the_rest_of_gjson_is_refused_where_it_starts() {
        for (path, at) in [
            ("items.#(v>1)#.name", 7),
            ("a.*", 2),
            ("a.b?", 3),
            ("a.@tostr", 2),
            ("a|@this", 1),
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
