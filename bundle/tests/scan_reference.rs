//! The scanner against a plain reference parser and `serde_json`, over all short texts of JSON's own characters.
#![expect(clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

use mcp_bundle::json::{Kind, ScanError, ScanErrorKind, Scanner};
use proptest::prelude::*;

/// Takes the value whole, where the fast paths are.
fn whole(text: &str) -> Result<(), ScanError> {
    let mut scanner = Scanner::of_text(text, 128);
    scanner.value()?;
    scanner.finish()
}

/// Steps into everything.
fn walked(text: &str) -> Result<(), ScanError> {
    fn walk(scanner: &mut Scanner<'_>) -> Result<(), ScanError> {
        match scanner.peek()? {
            Kind::Object => {
                scanner.enter_object()?;
                while scanner.next_key()?.is_some() {
                    walk(scanner)?;
                }
            }
            Kind::Array => {
                scanner.enter_array()?;
                while scanner.next_item()? {
                    walk(scanner)?;
                }
            }
            _ => drop(scanner.value()?),
        }
        Ok(())
    }
    let mut scanner = Scanner::of_text(text, 128);
    walk(&mut scanner)?;
    scanner.finish()
}

/// RFC 8259, a byte at a time. Fails at the first byte that no JSON text can have there.
struct Reference<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reference<'_> {
    fn parse(text: &str) -> Result<(), usize> {
        let mut parser = Reference { text: text.as_bytes(), at: 0 };
        parser.space();
        parser.value()?;
        parser.space();
        if parser.at == text.len() { Ok(()) } else { Err(parser.at) }
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, bytes: &[u8]) -> bool {
        let found = self.next().is_some_and(|byte| bytes.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while self.take(b" \n\r\t") {}
    }

    fn digits(&mut self) -> Result<(), usize> {
        let start = self.at;
        while self.take(b"0123456789") {}
        if self.at > start { Ok(()) } else { Err(self.at) }
    }

    fn value(&mut self) -> Result<(), usize> {
        match self.next() {
            Some(b'{') => self.container(b"}", true),
            Some(b'[') => self.container(b"]", false),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => {
                self.take(b"-");
                if !self.take(b"0") {
                    self.digits()?;
                }
                if self.take(b".") {
                    self.digits()?;
                }
                if self.take(b"eE") {
                    self.take(b"+-");
                    self.digits()?;
                }
                Ok(())
            }
            _ => {
                let rest = &self.text[self.at..];
                let word = [&b"true"[..], b"false", b"null"].into_iter().find(|word| rest.starts_with(word));
                self.at += word.ok_or(self.at)?.len();
                Ok(())
            }
        }
    }

    fn container(&mut self, end: &[u8], object: bool) -> Result<(), usize> {
        self.at += 1;
        self.space();
        if self.take(end) {
            return Ok(());
        }
        loop {
            if object {
                if self.next() != Some(b'"') {
                    return Err(self.at);
                }
                self.string()?;
                self.space();
                if !self.take(b":") {
                    return Err(self.at);
                }
                self.space();
            }
            self.value()?;
            self.space();
            if self.take(end) {
                return Ok(());
            }
            if !self.take(b",") {
                return Err(self.at);
            }
            self.space();
        }
    }

    fn string(&mut self) -> Result<(), usize> {
        self.at += 1;
        loop {
            match self.next() {
                None | Some(0..=0x1f) => return Err(self.at),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    if self.take(b"u") {
                        for _ in 0..4 {
                            if !self.take(b"0123456789abcdefABCDEF") {
                                return Err(self.at);
                            }
                        }
                    } else if !self.take(b"\"\\/bfnrt") {
                        return Err(self.at);
                    }
                }
                Some(_) => self.at += 1,
            }
        }
    }
}

fn check(text: &str) {
    let found = whole(text);
    assert_eq!(found, walked(text), "{text:?}");
    match (found, Reference::parse(text)) {
        (Ok(()), Ok(())) => assert!(serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(), "{text:?}"),
        (Err(error), _) if error.kind == ScanErrorKind::LoneSurrogate => {}
        (Err(error), Err(at)) => assert_eq!(error.offset, at, "{text:?}: {error}"),
        (found, expected) => panic!("{text:?}: {found:?} instead of {expected:?}"),
    }
}

#[test]
fn all_short_texts_are_judged_as_the_reference_judges_them() {
    const CHARACTERS: &[u8] = br#"{}[]",:\1-e.n "#;
    for length in 0..=4_u32 {
        for number in 0..CHARACTERS.len().pow(length) {
            let mut rest = number;
            let mut text = String::new();
            for _ in 0..length {
                text.push(char::from(CHARACTERS[rest % CHARACTERS.len()]));
                rest /= CHARACTERS.len();
            }
            check(&text);
        }
    }
}

proptest! {
    #[test]
    fn damaged_texts_are_judged_as_the_reference_judges_them(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4),
    ) {
        const SEED: &str = r#"{"id":12.50e+3,"name":"a long name, with \"quotes\" and é\u00e9","list":[1,-0,true,null,{"k":[]},[ {} ]],"s" : "" }"#;
        const PUT: &[&str] = &["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", "e", ".", "\n", " ", "é", "\u{1}"];
        let mut characters: Vec<String> = SEED.chars().map(String::from).collect();
        for (at, put) in edits {
            let at = at.index(characters.len());
            characters[at] = PUT[put.index(PUT.len())].to_owned();
        }
        check(&characters.concat());
    }
}
