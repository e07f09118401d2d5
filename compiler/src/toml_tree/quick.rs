//! The quick way to read TOML: the spellings that nearly all specs consist of.
//!
//! It only ever says yes. Dotted keys, dates, rare numbers and escapes, carriage returns, whatever is wrong: then it gives
//! up, and the `toml` crate, which knows every rule and every message, begins anew. Where it does not give up, its tree is that
//! of the crate, with the same places; tests compare them.

use super::{Integer, Placed, Table, TomlKey, TomlValue, Value};
use std::borrow::Cow;
use std::ops::Range;

/// Values in values, and keys of a header: each far from the crate's own limit.
const MAX_DEPTH: usize = 32;
/// Keys are looked for one by one, so a table with more is not for this way.
const MAX_KEYS: usize = 64;

/// The tree of a text, unless something in it is rare or wrong.
pub fn read(text: &str) -> Option<Table<'_>> {
    let mut reader = Reader { text, at: 0 };
    let mut root = Table::default();
    let mut current = Table::default();
    let mut header: Option<Header<'_>> = None;
    loop {
        reader.blanks();
        match reader.peek() {
            None => {
                place(text, &mut root, header, current)?;
                return Some(root);
            }
            Some(b'\n' | b'#') => {}
            Some(b'[') => {
                place(text, &mut root, header.take(), std::mem::take(&mut current))?;
                header = Some(reader.header()?);
            }
            Some(_) => {
                let (key, value) = reader.pair(0)?;
                current.add(key, value)?;
            }
        }
        reader.line_end()?;
    }
}

/// `[path.key]` or `[[path.key]]`
struct Header<'i> {
    path: Vec<TomlKey<'i>>,
    key: TomlKey<'i>,
    span: Range<usize>,
    is_array: bool,
}

/// Puts a table where its header says.
fn place<'i>(text: &str, root: &mut Table<'i>, header: Option<Header<'i>>, table: Table<'i>) -> Option<()> {
    let Some(Header { path, key, span, is_array }) = header else {
        *root = table;
        return Some(());
    };
    let mut parent = root;
    for step in path {
        parent = parent.descend(text, step)?;
    }
    let table = Placed::new(span.clone(), Value::Table(table));
    if !is_array {
        return parent.add(key, table);
    }
    match parent.position(key.get_ref()) {
        None => parent.add(key, Placed::new(span, Value::Array(vec![table]))),
        Some(index) => {
            tables(parent.entries.get_mut(index).map(|(_, value)| value)?)?.push(table);
            Some(())
        }
    }
}

/// The list, if headers wrote it: then its place is that of its first header.
fn tables<'t, 'i>(value: &'t mut TomlValue<'i>) -> Option<&'t mut Vec<TomlValue<'i>>> {
    let span = value.span();
    match value.get_mut() {
        Value::Array(items) if items.first().is_some_and(|first| first.span() == span) => Some(items),
        _ => None,
    }
}

impl<'i> Table<'i> {
    fn position(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|(key, _)| key.get_ref() == name)
    }

    /// Gives up if the key is there already.
    fn add(&mut self, key: TomlKey<'i>, value: TomlValue<'i>) -> Option<()> {
        if self.entries.len() == MAX_KEYS || self.position(key.get_ref()).is_some() {
            return None;
        }
        self.entries.push((key, value));
        Some(())
    }

    /// The table below a key of a header, which may be the last one of a list, or not be there yet.
    fn descend(&mut self, text: &str, key: TomlKey<'i>) -> Option<&mut Table<'i>> {
        let index = match self.position(key.get_ref()) {
            Some(index) => index,
            None => {
                let span = key.span();
                self.add(key, Placed::new(span, Value::Table(Table::default())))?;
                self.entries.len() - 1
            }
        };
        let (_, value) = self.entries.get_mut(index)?;
        let value = match value.get_ref() {
            Value::Array(_) => tables(value)?.last_mut()?,
            _ => value,
        };
        // What braces hold is complete.
        let is_inline = text.as_bytes().get(value.span().start) == Some(&b'{');
        match value.get_mut() {
            Value::Table(table) if !is_inline => Some(table),
            _ => None,
        }
    }
}

struct Reader<'i> {
    text: &'i str,
    at: usize,
}

impl<'i> Reader<'i> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'i str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes on if this byte is next.
    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Blanks, a comment, and the end of the line or of the text.
    fn line_end(&mut self) -> Option<()> {
        self.blanks();
        self.comment()?;
        (self.eat(b'\n') || self.peek().is_none()).then_some(())
    }

    fn comment(&mut self) -> Option<()> {
        if self.peek() == Some(b'#') {
            let rest = self.rest().as_bytes();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            is_plain(rest.get(..length)?).then_some(())?;
            self.at += length;
        }
        Some(())
    }

    /// Everything that may stand between the elements of an array.
    fn space(&mut self) -> Option<()> {
        loop {
            self.blanks();
            self.comment()?;
            if !self.eat(b'\n') {
                return Some(());
            }
        }
    }

    fn header(&mut self) -> Option<Header<'i>> {
        let start = self.at;
        self.at += 1;
        let is_array = self.eat(b'[');
        let mut path = Vec::new();
        loop {
            self.blanks();
            let key = self.key()?;
            self.blanks();
            if self.eat(b'.') {
                if path.len() == MAX_DEPTH {
                    return None;
                }
                path.push(key);
                continue;
            }
            let closed = self.eat(b']') && (!is_array || self.eat(b']'));
            return closed.then_some(Header { path, key, span: start..self.at, is_array });
        }
    }

    fn key(&mut self) -> Option<TomlKey<'i>> {
        let start = self.at;
        if let quote @ (b'"' | b'\'') = self.peek()? {
            self.at += 1;
            let key = self.string_on_line(quote)?;
            return Some(Placed::new(start..self.at, key));
        }
        let is_bare = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let length = self.rest().bytes().take_while(is_bare).count();
        self.at += length;
        (length > 0)
            .then(|| Placed::new(start..self.at, self.text.get(start..self.at).unwrap_or_default().into()))
    }

    fn pair(&mut self, depth: usize) -> Option<(TomlKey<'i>, TomlValue<'i>)> {
        let key = self.key()?;
        self.blanks();
        // A dotted key has a dot here, and is left to the crate.
        self.eat(b'=').then_some(())?;
        self.blanks();
        Some((key, self.value(depth)?))
    }

    fn value(&mut self, depth: usize) -> Option<TomlValue<'i>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => Value::String(self.string(quote)?),
            b'[' => Value::Array(self.array(depth)?),
            b'{' => Value::Table(self.inline_table(depth)?),
            _ => self.word()?,
        };
        Some(Placed::new(start..self.at, value))
    }

    fn array(&mut self, depth: usize) -> Option<Vec<TomlValue<'i>>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space()?;
            if self.eat(b']') {
                return Some(items);
            }
            items.push(self.value(depth + 1)?);
            self.space()?;
            if !self.eat(b',') {
                return self.eat(b']').then_some(items);
            }
        }
    }

    fn inline_table(&mut self, depth: usize) -> Option<Table<'i>> {
        self.at += 1;
        let mut table = Table::default();
        self.blanks();
        if self.eat(b'}') {
            return Some(table);
        }
        loop {
            let (key, value) = self.pair(depth + 1)?;
            table.add(key, value)?;
            self.blanks();
            if !self.eat(b',') {
                return self.eat(b'}').then_some(table);
            }
            self.blanks();
        }
    }

    /// A number or a truth value, up to what may follow it.
    fn word(&mut self) -> Option<Value<'i>> {
        let ends = |b: u8| matches!(b, b' ' | b'\t' | b'\n' | b',' | b']' | b'}' | b'#');
        let rest = self.rest();
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        self.at += length;
        match word {
            "true" => return Some(Value::Boolean(true)),
            "false" => return Some(Value::Boolean(false)),
            _ => {}
        }
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let is_whole = |digits: &str| is_number(digits) && (digits == "0" || !digits.starts_with('0'));
        let unsigned = word.strip_prefix('-').unwrap_or(word);
        match unsigned.split_once('.') {
            None => is_whole(unsigned).then(|| Value::Integer(Integer { digits: word.into(), radix: 10 })),
            Some((whole, fraction)) => {
                (is_whole(whole) && is_number(fraction)).then(|| Value::Float(word.into()))
            }
        }
    }

    fn string(&mut self, quote: u8) -> Option<Cow<'i, str>> {
        self.at += 1;
        let rest = self.rest().as_bytes();
        if rest.starts_with(&[quote; 2]) {
            self.at += 2;
            return self.string_of_lines(quote);
        }
        self.string_on_line(quote)
    }

    /// From behind the opening quote on.
    fn string_on_line(&mut self, quote: u8) -> Option<Cow<'i, str>> {
        let rest = self.rest();
        let mut length = memchr::memchr(quote, rest.as_bytes())?;
        let mut text = Cow::Borrowed(rest.get(..length)?);
        if quote == b'"' && memchr::memchr(b'\\', text.as_bytes()).is_some() {
            length = closing_quote(rest)?;
            text = unescaped(rest.get(..length)?)?;
        }
        is_plain(rest.as_bytes().get(..length)?).then_some(())?;
        self.at += length + 1;
        Some(text)
    }

    /// From behind the opening quotes on.
    fn string_of_lines(&mut self, quote: u8) -> Option<Cow<'i, str>> {
        // A line end right behind them is for people.
        self.eat(b'\n');
        let rest = self.rest();
        let length = memchr::memmem::find(rest.as_bytes(), &[quote; 3])?;
        let text = rest.get(..length)?;
        let is_rare = quote == b'"' && memchr::memchr(b'\\', text.as_bytes()).is_some();
        let goes_on = rest.as_bytes().get(length + 3) == Some(&quote);
        let are_plain = text.split('\n').all(|line| is_plain(line.as_bytes()));
        (!is_rare && !goes_on && are_plain).then_some(())?;
        self.at += length + 3;
        Some(text.into())
    }
}

/// Where the first quote stands that is no part of an escape.
fn closing_quote(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', text.as_bytes().get(from..)?)?;
        if text.as_bytes().get(at) == Some(&b'"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// A text with its escapes read, if they are of the usual ones.
fn unescaped(text: &str) -> Option<Cow<'static, str>> {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    out.push_str(pieces.next()?);
    while let Some(piece) = pieces.next() {
        let mut chars = piece.chars();
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('"') => out.push('"'),
            // Two backslashes: what follows them has no escape.
            None => {
                out.push('\\');
                out.push_str(pieces.next()?);
                continue;
            }
            Some(_) => return None,
        }
        out.push_str(chars.as_str());
    }
    Some(out.into())
}

/// Whether there is nothing in it that TOML forbids in a string or a comment: control characters other than tabs.
fn is_plain(line: &[u8]) -> bool {
    line.iter().all(|b| (*b >= b' ' || *b == b'\t') && *b != 0x7f)
}

#[cfg(test)]
#[path = "quick_tests.rs"]
mod tests;
