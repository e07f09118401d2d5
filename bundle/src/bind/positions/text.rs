//! Values as text, for the places that take nothing else.

use super::{Refusal, percent};
use crate::json::{self, Kind, Value};
use crate::wire_enums::Style;

/// A place that holds text: how it encodes a piece, and what separates two.
pub(super) trait TextPosition {
    /// Appends one piece. `separator` is what separates it from others, if it is one of several.
    fn piece(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal>;

    /// Appends a piece that is a JSON text.
    fn json(&mut self, text: &str, separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        self.piece(text, separator, out)
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Space,
    Pipe,
}

/// Percent-encoded pieces, for query and form.
///
/// A comma between pieces stays a comma; one inside a piece is encoded, so no piece can become two.
#[derive(Debug)]
pub(super) struct Percent;

impl Separator {
    pub(super) const fn byte(self) -> u8 {
        match self {
            Separator::Comma => b',',
            Separator::Space => b' ',
            Separator::Pipe => b'|',
        }
    }

    /// How the elements of a value are separated; `None` for a value that is one piece.
    ///
    /// Only a query can repeat a name, so elsewhere `repeat` separates by commas. The names of an
    /// object's members never become names of the request: that would let a caller choose them.
    pub(super) const fn of(style: Style, kind: Kind) -> Option<Separator> {
        match (style, kind) {
            (Style::Comma, Kind::Array | Kind::Object) | (Style::Repeat, Kind::Array) => {
                Some(Separator::Comma)
            }
            (Style::Space, Kind::Array | Kind::Object) => Some(Separator::Space),
            (Style::Pipe, Kind::Array | Kind::Object) => Some(Separator::Pipe),
            _ => None,
        }
    }
}

impl TextPosition for Percent {
    fn piece(&mut self, text: &str, _separator: Option<Separator>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        percent::encode(text, out);
        Ok(())
    }

    fn separate(&mut self, separator: Separator, out: &mut Vec<u8>) {
        out.extend_from_slice(match separator {
            Separator::Comma => b",",
            Separator::Space => b"%20",
            Separator::Pipe => b"%7C",
        });
    }
}

/// Writes a value as one text and gives the number of pieces, which is 0 for what is left out: null,
/// and an array or object with nothing but nulls in it.
pub(super) fn write(
    value: Value<'_>,
    style: Style,
    place: &mut impl TextPosition,
    buffer: &mut String,
    out: &mut Vec<u8>,
) -> Result<usize, Refusal> {
    let Some(separator) = Separator::of(style, value.kind) else {
        return if value.kind == Kind::Null {
            Ok(0)
        } else {
            one(value, None, place, buffer, out).map(|()| 1)
        };
    };
    let mut count = 0;
    let mut next = |place: &mut _, out: &mut Vec<u8>| {
        if count > 0 {
            TextPosition::separate(place, separator, out);
        }
        count += 1;
    };
    for element in json::elements(value).filter(|element| element.kind != Kind::Null) {
        next(place, out);
        one(element, Some(separator), place, buffer, out)?;
    }
    for (key, member) in json::members(value).filter(|(_, member)| member.kind != Kind::Null) {
        next(place, out);
        one(key, Some(separator), place, buffer, out)?;
        next(place, out);
        one(member, Some(separator), place, buffer, out)?;
    }
    Ok(count)
}

/// The characters of a value, if it is one piece and has no escapes.
#[inline]
pub(super) fn plain(value: Value<'_>) -> Option<&[u8]> {
    match value.kind {
        Kind::String if !value.escaped => Some(value.raw().as_bytes()),
        Kind::Number | Kind::Boolean => Some(value.text.as_bytes()),
        Kind::String | Kind::Null | Kind::Array | Kind::Object => None,
    }
}

/// Writes one piece: a string's characters, a number's digits, an array or object as compact JSON.
pub(super) fn one(
    value: Value<'_>,
    separator: Option<Separator>,
    place: &mut impl TextPosition,
    buffer: &mut String,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    match value.kind {
        Kind::String => place.piece(value.unescaped(buffer), separator, out),
        Kind::Array | Kind::Object => {
            buffer.clear();
            json::compact(value.text, buffer);
            place.json(buffer, separator, out)
        }
        Kind::Null | Kind::Boolean | Kind::Number => place.piece(value.text, separator, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, style: Style) -> (usize, String) {
        let mut out = Vec::new();
        let count = write(Value::of_valid(text), style, &mut Percent, &mut String::new(), &mut out).unwrap();
        (count, String::from_utf8(out).unwrap())
    }

    #[test]
    fn elements_are_separated_by_style() {
        let array = r#"["a,b", 1, null, [2], "\n"]"#;
        assert_eq!(written(array, Style::Comma), (4, "a%2Cb,1,%5B2%5D,%0A".into()));
        assert_eq!(written(array, Style::Repeat), written(array, Style::Comma));
        assert_eq!(written(array, Style::Space), (4, "a%2Cb%201%20%5B2%5D%20%0A".into()));
        assert_eq!(written(array, Style::Pipe), (4, "a%2Cb%7C1%7C%5B2%5D%7C%0A".into()));
        assert_eq!(written("[1, 2]", Style::Json), (1, "%5B1%2C2%5D".into()));
    }

    #[test]
    fn members_alternate_with_their_names() {
        let object = r#"{"R": 100, "n": null, "G": "x"}"#;
        assert_eq!(written(object, Style::Comma), (4, "R,100,G,x".into()));
        assert_eq!(written(r#"{"a": 1}"#, Style::Repeat), (1, "%7B%22a%22%3A1%7D".into()));
    }

    #[test]
    fn nothing_is_written_for_nothing() {
        for text in ["null", "[]", "{}", "[null]", r#"{"a":null}"#] {
            assert_eq!(written(text, Style::Comma), (0, String::new()), "{text}");
        }
        assert_eq!(written("\"\"", Style::Comma), (1, String::new()));
    }
}
