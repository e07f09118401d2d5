//! YAML 1.2 into JSON.
//!
//! The events of the parser become values here, and not through serde: so numbers keep their digits, and what aliases repeat is
//! counted while it is copied.

use super::{DocumentError, MAX_REPEATED_BYTES, MAX_VALUES};
use crate::language::json::{Json, duplicate};
use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag, options};
use mcp_bundle::json::MAX_DEPTH;
use std::collections::{BTreeMap, BTreeSet};

/// A collection that is not complete.
struct Open {
    collection: Collection,
    anchor: usize,
    /// How many values there were before it.
    before: usize,
}

enum Collection {
    Array(Vec<Json>),
    Object {
        members: Vec<(String, Json)>,
        /// Where each name is.
        names: Vec<Marker>,
        /// The name whose value comes next.
        key: Option<String>,
        /// What `<<` takes over.
        merged: Vec<Json>,
    },
}

/// What an anchor names; `None` until its end is read.
struct Anchored {
    value: Option<Json>,
    values: usize,
    bytes: usize,
}

#[derive(Default)]
struct Reader {
    documents: Vec<Json>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Anchored>,
    values: usize,
    repeated: usize,
}

/// The name of a member that takes over those of other objects.
const MERGE: &str = "<<";

pub fn read_all(text: &str) -> Result<Vec<Json>, DocumentError> {
    let mut limits = options! { flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
    limits.set_emit_comments(false);
    let mut reader = Reader::default();
    for next in Parser::new_from_str_with_options(text, limits) {
        let (event, span) = next.map_err(|error| DocumentError {
            at: Some(place(error.marker())),
            message: format!("this is not YAML: {}", error.info()),
        })?;
        reader.event(event, &span.start)?;
    }
    Ok(reader.documents)
}

impl Reader {
    fn event(&mut self, event: Event<'_>, at: &Marker) -> Result<(), DocumentError> {
        match event {
            Event::DocumentStart(..) => {
                self.anchors.clear();
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                if let Some(key) = self.awaited_key() {
                    *key = Some(text.clone().into_owned());
                    self.name_at(at);
                    if anchor > 0 {
                        let (value, bytes) = (Some(Json::String(text.into_owned())), 0);
                        self.anchors.insert(anchor, Anchored { value, values: 1, bytes });
                    }
                    return Ok(());
                }
                let value = scalar(text.into_owned(), style, tag.as_deref(), at)?;
                self.count(1, at)?;
                self.complete(value, anchor, self.values - 1, at)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(Collection::Array(Vec::new()), anchor, tag.as_deref(), at)
            }
            Event::MappingStart(_, anchor, tag) => {
                let object = Collection::Object {
                    members: Vec::new(),
                    names: Vec::new(),
                    key: None,
                    merged: Vec::new(),
                };
                self.start(object, anchor, tag.as_deref(), at)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { collection, anchor, before }) = self.open.pop() else { return Ok(()) };
                let value = match collection {
                    Collection::Array(items) => Json::Array(items),
                    Collection::Object { members, names, merged, .. } => object(members, &names, merged, at)?,
                };
                self.complete(value, anchor, before, at)
            }
            Event::Alias(anchor) => self.alias(anchor, at),
            _ => Ok(()),
        }
    }

    /// Where the name of the next member goes, if one is due.
    fn awaited_key(&mut self) -> Option<&mut Option<String>> {
        match self.open.last_mut() {
            Some(Open { collection: Collection::Object { key, .. }, .. }) if key.is_none() => Some(key),
            _ => None,
        }
    }

    fn name_at(&mut self, at: &Marker) {
        if let Some(Open { collection: Collection::Object { names, .. }, .. }) = self.open.last_mut() {
            names.push(*at);
        }
    }

    fn start(
        &mut self,
        collection: Collection,
        anchor: usize,
        tag: Option<&Tag>,
        at: &Marker,
    ) -> Result<(), DocumentError> {
        if self.awaited_key().is_some() {
            return Err(error(at, "the name of a member must be a text"));
        }
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(unknown_tag(tag, at));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(error(at, "nested too deeply"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { value: None, values: 0, bytes: 0 });
        }
        self.open.push(Open { collection, anchor, before: self.values });
        self.count(1, at)
    }

    fn alias(&mut self, anchor: usize, at: &Marker) -> Result<(), DocumentError> {
        let Some(Anchored { value: Some(value), values, bytes }) = self.anchors.get(&anchor) else {
            return Err(error(at, "this alias is inside of what it stands for, so it has no end"));
        };
        let (value_count, byte_count) = (*values, *bytes);
        let depth = depth(value);
        self.repeated = self.repeated.saturating_add(byte_count);
        if self.values.saturating_add(value_count) > MAX_VALUES || self.repeated > MAX_REPEATED_BYTES {
            return Err(error(
                at,
                "the aliases before this repeat too much; write the document without them",
            ));
        }
        if self.open.len() + depth > MAX_DEPTH {
            return Err(error(at, "nested too deeply"));
        }
        let value = value.clone();
        if let Some(key) = self.awaited_key() {
            let Json::String(text) = value else {
                return Err(error(at, "the name of a member must be a text"));
            };
            *key = Some(text);
            self.name_at(at);
            return Ok(());
        }
        self.values += value_count;
        self.complete(value, 0, self.values, at)
    }

    fn count(&mut self, more: usize, at: &Marker) -> Result<(), DocumentError> {
        self.values += more;
        if self.values > MAX_VALUES {
            return Err(error(at, "too many values"));
        }
        Ok(())
    }

    /// Puts a complete value where it belongs.
    fn complete(
        &mut self,
        value: Json,
        anchor: usize,
        before: usize,
        at: &Marker,
    ) -> Result<(), DocumentError> {
        if anchor > 0 {
            let values = self.values.saturating_sub(before);
            let bytes = bytes(&value);
            self.repeated = self.repeated.saturating_add(bytes);
            // The copy that is kept for aliases counts, too: anchors may be nested.
            self.count(values, at)?;
            if self.repeated > MAX_REPEATED_BYTES {
                return Err(error(at, "its anchors name too much; write the document without them"));
            }
            self.anchors.insert(anchor, Anchored { value: Some(value.clone()), values, bytes });
        }
        match self.open.last_mut().map(|open| &mut open.collection) {
            None => self.documents.push(value),
            Some(Collection::Array(items)) => items.push(value),
            Some(Collection::Object { members, names, key, merged }) => match key.take() {
                Some(name) if name == MERGE => {
                    names.pop();
                    merged.push(value);
                }
                Some(name) => members.push((name, value)),
                None => {}
            },
        }
        Ok(())
    }
}

/// The members of an object; its own win over those that it takes over.
fn object(
    mut members: Vec<(String, Json)>,
    names: &[Marker],
    merged: Vec<Json>,
    at: &Marker,
) -> Result<Json, DocumentError> {
    if let Some(index) = duplicate(&members) {
        let (name, at) = (members.get(index).map_or("", |(name, _)| name), names.get(index).unwrap_or(at));
        return Err(error(at, &format!("duplicate member `{name}`")));
    }
    let sources = merged.into_iter().flat_map(|value| match value {
        Json::Array(all) => all,
        one => vec![one],
    });
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for source in sources {
        let Json::Object(more) = source else {
            return Err(error(at, "`<<` takes over members of objects only"));
        };
        if taken.is_empty() {
            taken = members.iter().map(|(name, _)| name.clone()).collect();
        }
        members.extend(more.into_iter().filter(|(name, _)| taken.insert(name.clone())));
    }
    Ok(Json::Object(members))
}

/// A scalar by the core schema of YAML 1.2: `on`, `off`, `yes` and `no` are texts.
fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>, at: &Marker) -> Result<Json, DocumentError> {
    let is_text = match tag.map(|tag| (tag, tag.core_suffix())) {
        None => style != ScalarStyle::Plain,
        Some((_, Some("str" | "binary" | "timestamp"))) => true,
        Some((_, Some(_))) => false,
        Some((tag, None)) if tag.original() == "!" => true,
        Some((tag, None)) => return Err(unknown_tag(tag, at)),
    };
    if is_text {
        return Ok(Json::String(text));
    }
    Ok(match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        _ => match number(&text) {
            Some(number) => Json::Number(number),
            None => Json::String(text),
        },
    })
}

/// The JSON number that a plain scalar is, with its digits. Infinities and what is not a number stay texts.
fn number(text: &str) -> Option<String> {
    let radix = |digits: &str, radix| u128::from_str_radix(digits, radix).ok().map(|value| value.to_string());
    let has_digits = |digits: &str| !digits.starts_with('+');
    if let Some(digits) = text.strip_prefix("0x").filter(|digits| has_digits(digits)) {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o").filter(|digits| has_digits(digits)) {
        return radix(digits, 8);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => rest.split_at_checked(at)?,
        None => (rest, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let power = exponent.get(1..).unwrap_or_default();
    let power = power.strip_prefix(['-', '+']).unwrap_or(power);
    if !exponent.is_empty() && (power.is_empty() || !digits(power)) {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}{exponent}"))
}

/// How many bytes its texts have.
fn bytes(value: &Json) -> usize {
    match value {
        Json::String(text) | Json::Number(text) => text.len(),
        Json::Array(items) => items.iter().map(bytes).sum(),
        Json::Object(members) => members.iter().map(|(name, value)| name.len() + bytes(value)).sum(),
        Json::Null | Json::Bool(_) => 0,
    }
}

fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}

fn unknown_tag(tag: &Tag, at: &Marker) -> DocumentError {
    error(at, &format!("the tag `{}` has no meaning here; nothing is included or run", tag.original()))
}

fn error(at: &Marker, message: &str) -> DocumentError {
    DocumentError { at: Some(place(at)), message: message.to_owned() }
}

fn place(at: &Marker) -> (usize, usize) {
    (at.line(), at.col() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> String {
        let read = read_all(text);
        read.map_or_else(
            |error| error.to_string(),
            |all| all.iter().map(Json::to_text).collect::<Vec<_>>().join(" "),
        )
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        let cases = [
            ("on", r#""on""#),
            ("yes", r#""yes""#),
            ("True", "true"),
            ("", ""),
            ("~", "null"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("007", "7"),
            ("+1.", "1"),
            ("-.5", "-0.5"),
            ("1e400", "1e400"),
            ("1_000", r#""1_000""#),
            (".inf", r#"".inf""#),
            ("2020-01-01", r#""2020-01-01""#),
            ("1.2.3", r#""1.2.3""#),
            ("'1'", r#""1""#),
            ("!!str 1", r#""1""#),
            ("! 1", r#""1""#),
            ("|\n  a\n  b\n", r#""a\nb\n""#),
            (">\n  a\n  b\n", r#""a b\n""#),
        ];
        for (yaml, json) in cases {
            assert_eq!(one(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn aliases_and_merges_are_written_out() {
        assert_eq!(one("a: &x {b: 1}\nc: *x"), r#"{"a":{"b":1},"c":{"b":1}}"#);
        assert_eq!(one("a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}"), r#"{"a":{"b":1,"c":2},"d":{"b":3,"c":2}}"#);
        assert_eq!(one("a: &x b\n*x : 1"), r#"{"a":"b","b":1}"#);
    }

    #[test]
    fn circles_and_bombs_are_refused() {
        assert_eq!(
            one("a: &x [1, *x]"),
            "line 1, column 11: this alias is inside of what it stands for, so it has no end"
        );
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for i in 1..20 {
            let alias = format!("*a{}", i - 1);
            bomb += &format!("a{i}: &a{i} [{}]\n", vec![alias; 10].join(","));
        }
        assert!(one(&bomb).contains("the aliases before this repeat too much"), "{}", one(&bomb));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 2_000].join(","));
        assert!(one(&long).contains("the aliases before this repeat too much"), "{}", one(&long));
        let mut deep = String::from("a0: &a0 [x]\n");
        for i in 1..200 {
            deep += &format!("a{i}: &a{i} [*a{}]\n", i - 1);
        }
        assert!(one(&deep).contains("nested too deeply"), "{}", one(&deep));
    }

    #[test]
    fn odd_names_and_tags_are_refused() {
        assert_eq!(one("? [a]\n: b"), "line 1, column 3: the name of a member must be a text");
        assert_eq!(
            one("a: !include other.yaml"),
            "line 1, column 13: the tag `!include` has no meaning here; nothing is included or run"
        );
        assert!(one("a: [1").starts_with("line 1, column 4: this is not YAML: "), "{}", one("a: [1"));
        assert!(one("a: *x").contains("this is not YAML: "), "{}", one("a: *x"));
    }
}
