//! From ECMA-262 pattern syntax to that of the `regex` crate.
//!
//! The two agree on most things. Where they do not, the ECMA meaning is written out; where ECMA
//! itself has two meanings, with and without its `u` flag, the stricter one with the flag is taken,
//! as JSON Schema recommends.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

struct Translator<'p> {
    input: Peekable<Chars<'p>>,
    output: String,
}

/// What comes before a place in the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that could be repeated: the start, an assertion.
    Nothing,
    Atom,
    Quantifier,
}

/// What one escape stands for.
enum Escape {
    /// The members of a class, and whether they are excluded.
    Class(&'static str, bool),
    /// A `\p{…}` class, which the engine knows too.
    Property(String),
    Character(char),
    /// `\b` or `\B`, which is not a boundary inside a class.
    Boundary(char),
}

pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator =
        Translator { input: pattern.chars().peekable(), output: String::with_capacity(pattern.len() + 16) };
    let mut before = Before::Nothing;
    while let Some(character) = translator.input.next() {
        before = match character {
            '\\' => translator.escape()?,
            '*' | '+' | '?' | '{' => {
                translator.quantifier(character, before)?;
                Before::Quantifier
            }
            '(' => {
                translator.group()?;
                Before::Nothing
            }
            '|' | '^' | '$' => {
                translator.output.push(character);
                Before::Nothing
            }
            '[' => {
                translator.class()?;
                Before::Atom
            }
            '.' => {
                translator.output.push_str(r"[^\n\r\x{2028}\x{2029}]");
                Before::Atom
            }
            other => {
                translator.output.push(other);
                Before::Atom
            }
        };
    }
    Ok(translator.output)
}

impl Translator<'_> {
    fn escape(&mut self) -> Result<Before, String> {
        let escape = self.read_escape()?;
        let before = if matches!(escape, Escape::Boundary(_)) { Before::Nothing } else { Before::Atom };
        match escape {
            Escape::Class(members, false) => write_all(&mut self.output, &["[", members, "]"]),
            Escape::Class(members, true) => write_all(&mut self.output, &["[^", members, "]"]),
            Escape::Property(class) => self.output.push_str(&class),
            Escape::Character(character) => push_character(&mut self.output, character),
            Escape::Boundary('b') => self.output.push_str(r"(?-u:\b)"),
            Escape::Boundary(_) => self.output.push_str(r"(?-u:\B)"),
        }
        Ok(before)
    }

    /// A `*`, `+`, `?` or `{2,3}`, with the `?` that makes it lazy.
    fn quantifier(&mut self, first: char, before: Before) -> Result<(), String> {
        let mut quantifier = String::from(first);
        if first == '{' {
            let is_part = |c: &char| c.is_ascii_digit() || *c == ',';
            while let Some(part) = self.input.next_if(is_part) {
                quantifier.push(part);
            }
            let counts = quantifier.get(1..).unwrap_or_default();
            let is_count =
                counts.starts_with(|c: char| c.is_ascii_digit()) && counts.matches(',').count() < 2;
            if !is_count || self.input.next_if_eq(&'}').is_none() {
                return Err(
                    r"invalid pattern: `{` begins no count such as `{2,3}`, and a brace is written `\{`"
                        .to_owned(),
                );
            }
            quantifier.push('}');
        }
        match before {
            Before::Atom => {}
            Before::Nothing => return Err(format!("invalid pattern: `{quantifier}` has nothing to repeat")),
            Before::Quantifier => {
                return Err(format!(
                    "`{quantifier}` after another quantifier is not ECMA-262, which has no possessive ones"
                ));
            }
        }
        self.output.push_str(&quantifier);
        if self.input.next_if_eq(&'?').is_some() {
            self.output.push('?');
        }
        Ok(())
    }

    /// What follows a `(`, up to the first thing in the group.
    fn group(&mut self) -> Result<(), String> {
        self.output.push('(');
        if self.input.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        let kind = self.input.next();
        match (kind, self.input.peek()) {
            (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
                Err("look-around is not supported: matching must take linear time".to_owned())
            }
            (Some(':'), _) => {
                self.output.push_str("?:");
                Ok(())
            }
            (Some('<'), _) => {
                self.output.push_str("?<");
                for character in self.input.by_ref() {
                    self.output.push(character);
                    if character == '>' {
                        break;
                    }
                }
                Ok(())
            }
            (Some('P'), Some('<')) => Err("`(?P<name>…)` is not ECMA-262: write `(?<name>…)`".to_owned()),
            (Some(flag), _) if flag.is_ascii_alphabetic() || flag == '-' => Err(format!(
                "inline flags such as `(?{flag})` are not ECMA-262: write the alternatives out, as in `[aA]`"
            )),
            (Some(other), _) => Err(format!("`(?{other}` is not ECMA-262")),
            (None, _) => Err("invalid pattern: unclosed group".to_owned()),
        }
    }

    fn class(&mut self) -> Result<(), String> {
        let negated = self.input.next_if_eq(&'^').is_some();
        if self.input.next_if_eq(&']').is_some() {
            // ECMA's `[]` matches nothing and `[^]` anything.
            self.output.push_str(if negated { r"[\x{0}-\x{10FFFF}]" } else { r"[^\x{0}-\x{10FFFF}]" });
            return Ok(());
        }
        self.output.push_str(if negated { "[^" } else { "[" });
        while let Some(first) = self.class_atom()? {
            let Escape::Character(first) = first else {
                self.class_escape(first)?;
                continue;
            };
            push_character(&mut self.output, first);
            let mut ahead = self.input.clone();
            if ahead.next() != Some('-') || matches!(ahead.next(), None | Some(']')) {
                continue;
            }
            self.input.next();
            match self.class_atom()? {
                Some(Escape::Character(last)) => {
                    self.output.push('-');
                    push_character(&mut self.output, last);
                }
                // A class cannot end a range: the hyphen is only a hyphen.
                Some(class) => {
                    self.output.push_str(r"\-");
                    self.class_escape(class)?;
                }
                None => break,
            }
        }
        self.output.push(']');
        Ok(())
    }

    /// The next member of a class, or `None` at its end.
    fn class_atom(&mut self) -> Result<Option<Escape>, String> {
        match self.input.next() {
            None => Err("invalid pattern: unclosed character class".to_owned()),
            Some(']') => Ok(None),
            Some('\\') => self.read_escape().map(Some),
            Some(character) => Ok(Some(Escape::Character(character))),
        }
    }

    fn class_escape(&mut self, escape: Escape) -> Result<(), String> {
        match escape {
            Escape::Class(members, false) => self.output.push_str(members),
            Escape::Class(members, true) => write_all(&mut self.output, &["[^", members, "]"]),
            Escape::Property(class) => self.output.push_str(&class),
            Escape::Character(character) => push_character(&mut self.output, character),
            Escape::Boundary('b') => push_character(&mut self.output, '\u{8}'),
            Escape::Boundary(_) => return Err(r"invalid pattern: `\B` inside a character class".to_owned()),
        }
        Ok(())
    }

    fn read_escape(&mut self) -> Result<Escape, String> {
        let Some(escaped) = self.input.next() else {
            return Err(r"invalid pattern: it ends with `\`".to_owned());
        };
        Ok(match escaped {
            'd' => Escape::Class(DIGIT, false),
            'D' => Escape::Class(DIGIT, true),
            'w' => Escape::Class(WORD, false),
            'W' => Escape::Class(WORD, true),
            's' => Escape::Class(SPACE, false),
            'S' => Escape::Class(SPACE, true),
            'p' | 'P' => Escape::Property(self.property(escaped)),
            'b' | 'B' => Escape::Boundary(escaped),
            'n' => Escape::Character('\n'),
            'r' => Escape::Character('\r'),
            't' => Escape::Character('\t'),
            'v' => Escape::Character('\u{b}'),
            'f' => Escape::Character('\u{c}'),
            'c' => Escape::Character(self.control()?),
            'x' => Escape::Character(self.code_point(2)?),
            'u' => Escape::Character(self.unicode()?),
            '0' if !self.input.peek().is_some_and(char::is_ascii_digit) => Escape::Character('\0'),
            '0'..='9' | 'k' => {
                return Err("back-references are not supported: matching must take linear time".to_owned());
            }
            other if other.is_ascii_punctuation() => Escape::Character(other),
            other => return Err(format!(r"invalid pattern: unknown escape `\{other}`")),
        })
    }

    /// `\p{…}` unchanged; the engine refuses one that it does not know.
    fn property(&mut self, letter: char) -> String {
        let mut class = format!(r"\{letter}");
        if self.input.peek() == Some(&'{') {
            for character in self.input.by_ref() {
                class.push(character);
                if character == '}' {
                    break;
                }
            }
        }
        class
    }

    fn control(&mut self) -> Result<char, String> {
        let letter = self.input.next_if(char::is_ascii_alphabetic);
        let control = letter.and_then(|letter| char::from_u32(u32::from(letter) % 32));
        control.ok_or_else(|| r"invalid pattern: `\c` needs a letter".to_owned())
    }

    fn unicode(&mut self) -> Result<char, String> {
        if self.input.next_if_eq(&'{').is_some() {
            let mut digits = String::new();
            while let Some(digit) = self.input.next_if(|&c| c != '}') {
                digits.push(digit);
            }
            self.input.next();
            let value = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
            return value.ok_or_else(bad_code_point);
        }
        let first = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).ok_or_else(bad_code_point);
        }
        let escape = self.input.next() == Some('\\') && self.input.next() == Some('u');
        let second = if escape { self.hex(4)? } else { 0 };
        if !(0xDC00..0xE000).contains(&second) {
            return Err(bad_code_point());
        }
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or_else(bad_code_point)
    }

    fn code_point(&mut self, digits: usize) -> Result<char, String> {
        char::from_u32(self.hex(digits)?).ok_or_else(bad_code_point)
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        let mut value = 0;
        for _ in 0..digits {
            let digit = self.input.next().and_then(|digit| digit.to_digit(16)).ok_or_else(bad_code_point)?;
            value = value << 4 | digit;
        }
        Ok(value)
    }
}

/// Writes a character that means only itself, in and outside a class.
fn push_character(output: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        output.push(character);
    } else {
        // Writing to a `String` cannot fail.
        let _ = write!(output, r"\x{{{:x}}}", u32::from(character));
    }
}

fn write_all(output: &mut String, texts: &[&str]) {
    output.extend(texts.iter().copied());
}

fn bad_code_point() -> String {
    "invalid pattern: bad code point in an escape".to_owned()
}
