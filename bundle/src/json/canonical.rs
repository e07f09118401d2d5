//! One text for all texts of the same value, and its digest: what an audit log knows arguments by.
//!
//! As in RFC 8785, members are sorted by name, there is no space between tokens, and strings have no escape that they do not
//! need. Unlike there, names are compared by code points, and a number keeps the digits that it came with: `1.0` and `1` make
//! different requests upstream, and digits beyond those of a double are not lost.

use super::{Kind, MAX_DEPTH, Span, record, write_string};
use sha2::{Digest, Sha256};

/// Makes canonical texts. Its memory serves one text after the other.
#[derive(Debug, Default)]
pub struct Canonical {
    tape: Vec<Span>,
    /// Members of the objects that are being written, by the places of names and values on the tape.
    members: Vec<(usize, usize)>,
    name: String,
    out: Vec<u8>,
}

/// What is read, and where it goes.
struct Writer<'a> {
    text: &'a str,
    tape: &'a [Span],
    members: &'a mut Vec<(usize, usize)>,
    name: &'a mut String,
    out: &'a mut Vec<u8>,
}

impl Canonical {
    /// The canonical text of an object. A text that is not JSON, or nests too deeply, is taken as it is.
    pub fn text(&mut self, object: &str) -> &[u8] {
        self.out.clear();
        let is_object = object.len() <= Span::MAX_TEXT
            && record(object, MAX_DEPTH, &mut self.tape).is_ok_and(|value| value.kind == Kind::Object);
        if !is_object {
            self.out.extend_from_slice(object.as_bytes());
            return &self.out;
        }
        let Canonical { tape, members, name, out } = self;
        members.clear();
        // The tape has all values but the object itself.
        Writer { text: object, tape, members, name, out }.object(0, tape.len());
        &self.out
    }

    /// SHA-256 of the canonical text.
    pub fn digest(&mut self, object: &str) -> [u8; 32] {
        Sha256::digest(self.text(object)).into()
    }
}

impl Writer<'_> {
    /// Writes the object whose members are from `place` to `end` of the tape. The depth is that of the scanner at most.
    fn object(&mut self, place: usize, end: usize) {
        let first = self.members.len();
        let mut at = place;
        while at < end {
            self.members.push((at, at + 1));
            at = self.after(at + 1);
        }
        let (text, tape) = (self.text, self.tape);
        let name = |place: usize| tape.get(place).map(|span| span.of(text));
        if let Some(members) = self.members.get_mut(first..) {
            // Stable: where a name is given twice, the order is that of the text.
            members.sort_by(|(a, _), (b, _)| match (name(*a), name(*b)) {
                (Some(a), Some(b)) => a.compare_strings(&b),
                _ => std::cmp::Ordering::Equal,
            });
        }
        self.out.push(b'{');
        let mut index = first;
        while let Some(&(name, value)) = self.members.get(index) {
            if index > first {
                self.out.push(b',');
            }
            self.value(name);
            self.out.push(b':');
            self.value(value);
            index += 1;
        }
        self.members.truncate(first);
        self.out.push(b'}');
    }

    fn value(&mut self, place: usize) {
        let Some(span) = self.tape.get(place) else { return };
        let value = span.of(self.text);
        match value.kind {
            Kind::Object => self.object(place + 1, self.after(place)),
            Kind::Array => {
                self.out.push(b'[');
                let (mut at, end) = (place + 1, self.after(place));
                while at < end {
                    if at > place + 1 {
                        self.out.push(b',');
                    }
                    self.value(at);
                    at = self.after(at);
                }
                self.out.push(b']');
            }
            Kind::String if value.escaped => write_string(value.unescaped(self.name), self.out),
            _ => self.out.extend_from_slice(value.text.as_bytes()),
        }
    }

    /// The place after a value and all that is in it.
    fn after(&self, place: usize) -> usize {
        let Some(span) = self.tape.get(place) else { return place + 1 };
        let rest = self.tape.get(place + 1..).unwrap_or_default();
        // They are in the order of the text.
        place + 1 + rest.partition_point(|inner| inner.start() < span.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        String::from_utf8(Canonical::default().text(text).to_vec()).unwrap()
    }

    #[test]
    fn one_value_has_one_text() {
        for (text, expected) in [
            ("{}", "{}"),
            (
                " { \"b\" : [ 1 , {\"d\":1,\"c\":[] } ] , \"a\" : null } ",
                r#"{"a":null,"b":[1,{"c":[],"d":1}]}"#,
            ),
            (r#"{"\u0062":1,"a\/":"\u00e9\n\u0000"}"#, "{\"a/\":\"é\\n\\u0000\",\"b\":1}"),
            (r#"{"a":[[],[[]],{}],"Z":1.0,"é":1e3}"#, r#"{"Z":1.0,"a":[[],[[]],{}],"é":1e3}"#),
            (r#"{"a":{"y":{"z":1,"b":2},"x":3},"a":1}"#, r#"{"a":{"x":3,"y":{"b":2,"z":1}},"a":1}"#),
        ] {
            assert_eq!(canonical(text), expected);
            assert_eq!(canonical(expected), expected, "it is its own canonical text");
        }
    }

    #[test]
    fn what_is_no_object_is_taken_as_it_is() {
        for text in ["", "[1, 2]", "{\"a\":", "{\"a\":1} x"] {
            assert_eq!(canonical(text), text);
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert_eq!(canonical(&deep), deep);
    }

    #[test]
    fn memory_of_one_text_does_not_show_in_the_next() {
        let mut canonical = Canonical::default();
        let first = canonical.digest(r#"{"a":{"b":"\n"},"c":[1]}"#);
        assert_ne!(canonical.digest("{}"), first);
        assert_eq!(canonical.digest("{ \"c\":[1], \"a\":{\"b\":\"\\u000a\"} }"), first);
        // Made by another program.
        let empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        let hex: String = canonical.digest("{ }").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, empty);
    }
}
