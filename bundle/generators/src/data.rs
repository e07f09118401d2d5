//! JSON as a tree that knows its own spelling.

use std::fmt::Write;

use super::choices::Choices;

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As it is spelled.
    Number(&'static str),
    String(Text),
    /// With space between its tokens or without.
    Array(Vec<Json>, bool),
    /// In the order of the text, maybe with a name more than once.
    Object(Vec<(Text, Json)>, bool),
}

/// The inside of a string.
#[derive(Debug, Clone, PartialEq)]
pub struct Text(Vec<Piece>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece {
    Plain(char),
    /// With `\u`, as a pair if it needs one.
    Escaped(char),
    /// A surrogate without its other half, unless that comes next.
    Surrogate(u16),
}

/// What a generator may make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flavor {
    /// What the `handlebars` crate keeps as it is: names sorted, none twice, numbers that it prints as they came.
    Tame,
    /// Whatever JSON may be.
    Wild,
}

/// Names in data and templates. Few, so that paths find something.
pub const KEYS: &[&str] = &["a", "b", "c", "a", "b", "a", "b", "0", "1", "x y"];
const STRINGS: &[&str] =
    &["", "a", "b", "x y", "0", "1", "2.5", "é\u{1f600}", "<\"&\\>", "l\nm\tn", "true", "no"];
const TAME: &[&str] = &["0", "1", "2", "3", "-1", "0.5", "2.5", "-7.5", "10", "100"];
const WILD: &[&str] =
    &["-0", "0.0", "0e7", "1.0", "1.50", "1e2", "3E+0", "-4", "12345678901234567890", "1e400"];

pub fn json(choices: &mut Choices<'_>, flavor: Flavor, depth: usize) -> Json {
    let containers = if depth == 0 { 0 } else { 11 };
    match choices.below(7 + containers) {
        0 => Json::Null,
        1 => Json::Bool(false),
        2 => Json::Bool(true),
        3 | 4 if flavor == Flavor::Wild && choices.rarely(3) => Json::Number(choices.one(WILD)),
        3 | 4 => Json::Number(choices.one(TAME)),
        5 | 6 => {
            let text = choices.one(STRINGS);
            Json::String(spell(choices, flavor, text))
        }
        7..=11 => {
            let count = choices.one(&[1, 2, 0, 3]);
            let items = (0..count).map(|_| json(choices, flavor, depth - 1)).collect();
            Json::Array(items, choices.rarely(3))
        }
        _ => object(choices, flavor, depth),
    }
}

/// What most paths begin from.
pub fn root(choices: &mut Choices<'_>, flavor: Flavor) -> Json {
    if choices.rarely(16) {
        return json(choices, flavor, 4);
    }
    let members = ["a", "b", "c"].map(|name| {
        let name = spell(choices, flavor, name);
        (name, json(choices, flavor, 4))
    });
    let mut members = members.to_vec();
    if let Json::Object(more, _) = object(choices, flavor, 3)
        && flavor == Flavor::Wild
    {
        members.extend(more);
    }
    Json::Object(members, choices.rarely(3))
}

fn object(choices: &mut Choices<'_>, flavor: Flavor, depth: usize) -> Json {
    let count = choices.one(&[2, 0, 1, 3, 4, 3, 4]);
    let mut names: Vec<&str> = (0..count).map(|_| choices.one(KEYS)).collect();
    if flavor == Flavor::Tame {
        names.sort_unstable();
        names.dedup();
    }
    let members = names.into_iter().map(|name| {
        let name = spell(choices, flavor, name);
        (name, json(choices, flavor, depth - 1))
    });
    let members = members.collect();
    Json::Object(members, choices.rarely(3))
}

fn spell(choices: &mut Choices<'_>, flavor: Flavor, text: &str) -> Text {
    let mut pieces = Vec::new();
    for c in text.chars() {
        pieces.push(if choices.rarely(6) { Piece::Escaped(c) } else { Piece::Plain(c) });
    }
    if flavor == Flavor::Wild && choices.rarely(12) {
        for _ in 0..=choices.below(2) {
            pieces.push(Piece::Surrogate(choices.one(&[0xD800, 0xDC00, 0xDBFF, 0xDFFF])));
        }
    }
    Text(pieces)
}

impl Text {
    /// What it stands for.
    pub fn decoded(&self) -> String {
        let mut text = String::new();
        let mut pieces = self.0.iter().peekable();
        while let Some(piece) = pieces.next() {
            match (*piece, pieces.peek()) {
                (Piece::Plain(c) | Piece::Escaped(c), _) => text.push(c),
                (
                    Piece::Surrogate(high @ 0xD800..=0xDBFF),
                    Some(&&Piece::Surrogate(low @ 0xDC00..=0xDFFF)),
                ) => {
                    pieces.next();
                    text.extend(char::decode_utf16([high, low]).map(Result::unwrap));
                }
                (Piece::Surrogate(_), _) => text.push('\u{FFFD}'),
            }
        }
        text
    }

    fn write(&self, out: &mut String) {
        out.push('"');
        for piece in &self.0 {
            match *piece {
                Piece::Plain('"') => out.push_str("\\\""),
                Piece::Plain('\\') => out.push_str("\\\\"),
                Piece::Plain('\n') => out.push_str("\\n"),
                Piece::Plain('\t') => out.push_str("\\t"),
                Piece::Plain(c) => out.push(c),
                Piece::Escaped(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04X}").unwrap();
                    }
                }
                Piece::Surrogate(unit) => write!(out, "\\u{unit:04x}").unwrap(),
            }
        }
        out.push('"');
    }
}

impl Json {
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(truth) => write!(out, "{truth}").unwrap(),
            Json::Number(digits) => out.push_str(digits),
            Json::String(text) => text.write(out),
            Json::Array(items, spaced) => {
                let space = if *spaced { " \n" } else { "" };
                out.push('[');
                out.push_str(space);
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                    out.push_str(space);
                }
                out.push(']');
            }
            Json::Object(members, spaced) => {
                let space = if *spaced { "\t " } else { "" };
                out.push('{');
                out.push_str(space);
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    name.write(out);
                    out.push_str(space);
                    out.push(':');
                    out.push_str(space);
                    value.write(out);
                }
                out.push_str(space);
                out.push('}');
            }
        }
    }

    /// The members of an object: of those with the same name the last value, in the place of the first.
    pub fn members(&self) -> Vec<(String, &Json)> {
        let Json::Object(members, _) = self else { return Vec::new() };
        let mut kept: Vec<(String, &Json)> = Vec::new();
        for (name, value) in members {
            let name = name.decoded();
            match kept.iter_mut().find(|(known, _)| *known == name) {
                Some((_, slot)) => *slot = value,
                None => kept.push((name, value)),
            }
        }
        kept
    }
}
