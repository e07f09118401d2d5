//! Splits a Go template into tokens, by the rules of Go's own lexer.
//!
//! A lexical error does not stop the work: the rest of its action is skipped and the next one is read, so that one
//! run finds them all. Letters are Rust's `is_alphanumeric`, a superset of Go's: it also takes the combining
//! vowels that names in many scripts need and that Go refuses.

use std::ops::Range;

use super::cursor::operator_help;
use super::literal::{self, LiteralError};
use super::token::{Token, TokenKind};
use crate::template::{MAX_PAREN_DEPTH, TemplateError};

const LEFT: &str = "{{";
const RIGHT: &str = "}}";
const LEFT_COMMENT: &str = "/*";
const RIGHT_COMMENT: &str = "*/";
/// A minus and the blank that must be between it and the rest.
const TRIM_BYTES: usize = 2;

/// Lexes all of `source`. The tokens end with [`TokenKind::End`].
pub(super) fn lex(source: &str) -> (Vec<Token>, Vec<TemplateError>) {
    let mut lexer = Lexer { source, pos: 0, tokens: Vec::new(), errors: Vec::new(), parens: Vec::new() };
    while lexer.text() {
        if let Err(error) = lexer.action() {
            lexer.skip_action(error);
        }
    }
    lexer.tokens.push(Token { kind: TokenKind::End, span: source.len()..source.len() });
    (lexer.tokens, lexer.errors)
}

struct Lexer<'s> {
    source: &'s str,
    pos: usize,
    tokens: Vec<Token>,
    errors: Vec<TemplateError>,
    /// Where the open parentheses of the current action are.
    parens: Vec<usize>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.pos..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: start..self.pos });
    }

    /// Reads text up to the next action; `false` at the end of the source.
    fn text(&mut self) -> bool {
        let start = self.pos;
        let rest = self.rest();
        let length = rest.find(LEFT).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(length);
        let trimmed = if tail.get(LEFT.len()..).is_some_and(trims_left) {
            text.trim_end_matches(is_space)
        } else {
            text
        };
        if !trimmed.is_empty() {
            self.tokens.push(Token { kind: TokenKind::Text, span: start..start + trimmed.len() });
        }
        self.pos = start + length;
        !tail.is_empty()
    }

    /// Reads one action or comment, from its `{{` to behind its `}}`.
    fn action(&mut self) -> Result<(), TemplateError> {
        let start = self.pos;
        self.pos += LEFT.len();
        if trims_left(self.rest()) {
            self.pos += TRIM_BYTES;
        }
        if self.rest().starts_with(LEFT_COMMENT) {
            return self.comment(start);
        }
        self.push(TokenKind::Left, start);
        self.parens.clear();
        loop {
            if let Some(length) = right_length(self.rest()) {
                if let Some(&open) = self.parens.last() {
                    return Err(TemplateError::syntax(open..open + 1, "unclosed `(`"));
                }
                let right = self.pos;
                self.close(length);
                self.tokens.push(Token { kind: TokenKind::Right, span: right..right + length });
                return Ok(());
            }
            let Some(next) = self.peek() else {
                return Err(TemplateError::syntax(start..start + LEFT.len(), "unclosed action")
                    .with_help("close it with `}}`"));
            };
            self.token(next)?;
        }
    }

    fn comment(&mut self, start: usize) -> Result<(), TemplateError> {
        let body = self.rest().get(LEFT_COMMENT.len()..).unwrap_or_default();
        let Some(length) = body.find(RIGHT_COMMENT) else {
            self.push(TokenKind::Left, start);
            self.pos = self.source.len();
            return Err(TemplateError::syntax(start..start + LEFT.len(), "unclosed comment")
                .with_help("close it with `*/}}`"));
        };
        self.pos += LEFT_COMMENT.len() + length + RIGHT_COMMENT.len();
        let Some(length) = right_length(self.rest()) else {
            self.push(TokenKind::Left, start);
            return Err(TemplateError::syntax(start..self.pos, "a comment must fill its action")
                .with_help("write `}}` or ` -}}` right behind the `*/`"));
        };
        self.close(length);
        Ok(())
    }

    /// Steps over a right delimiter and over the text that it trims.
    fn close(&mut self, length: usize) {
        self.pos += length;
        if length > RIGHT.len() {
            let rest = self.rest();
            self.pos += rest.len() - rest.trim_start_matches(is_space).len();
        }
    }

    /// Ends an action that has an error: an unreadable token, then a delimiter, whether or not there is one.
    fn skip_action(&mut self, error: TemplateError) {
        self.push(TokenKind::Broken, self.pos);
        let rest = self.rest();
        let right =
            if rest.starts_with('}') { self.pos } else { self.pos + rest.find(RIGHT).unwrap_or(rest.len()) };
        let length = if rest.starts_with('}') { 1 } else { RIGHT.len() };
        self.pos = self.source.len().min(right + length);
        self.push(TokenKind::Right, right);
        self.errors.push(error);
    }

    fn token(&mut self, next: char) -> Result<(), TemplateError> {
        let start = self.pos;
        match next {
            c if is_space(c) => self.space(),
            '"' | '\'' | '`' => return self.quoted(next),
            '.' if !self
                .rest()
                .get(1..)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                return self.name(TokenKind::Dot, TokenKind::Field);
            }
            '$' => return self.name(TokenKind::Variable, TokenKind::Variable),
            '.' | '+' | '-' | '0'..='9' => return self.number(),
            c if is_alphanumeric(c) => return self.word(),
            ':' => {
                if !self.rest().starts_with(":=") {
                    return Err(TemplateError::syntax(start..start + 1, "expected `:=`"));
                }
                self.pos += 2;
                self.push(TokenKind::Declare, start);
            }
            '(' => {
                if self.parens.len() >= MAX_PAREN_DEPTH {
                    let message = format!("parentheses nest deeper than {MAX_PAREN_DEPTH}");
                    return Err(TemplateError::too_complex(start..start + 1, message));
                }
                self.parens.push(start);
                self.single(TokenKind::OpenParen);
            }
            ')' => {
                if self.parens.pop().is_none() {
                    return Err(TemplateError::syntax(start..start + 1, "unexpected `)`"));
                }
                self.single(TokenKind::CloseParen);
            }
            '=' => self.single(TokenKind::Assign),
            '|' => self.single(TokenKind::Pipe),
            ',' => self.single(TokenKind::Comma),
            // Two of them would have ended the action.
            '}' => {
                return Err(TemplateError::syntax(
                    start..start + 1,
                    "an action ends with `}}`, not with `}`",
                )
                .with_help("write `}}`"));
            }
            c if c.is_ascii_graphic() => self.single(TokenKind::Other),
            c => {
                let message = format!("unexpected character `{}` in an action", c.escape_unicode());
                return Err(TemplateError::syntax(start..start + c.len_utf8(), message));
            }
        }
        Ok(())
    }

    fn single(&mut self, kind: TokenKind) {
        let start = self.pos;
        self.pos += 1;
        self.push(kind, start);
    }

    /// Blanks up to the next token; the last one belongs to the delimiter if that trims.
    fn space(&mut self) {
        let start = self.pos;
        while right_length(self.rest()).is_none() && self.peek().is_some_and(is_space) {
            self.pos += 1;
        }
        self.push(TokenKind::Space, start);
    }

    /// A `.` or `$` and the name behind it, if there is one.
    fn name(&mut self, bare: TokenKind, named: TokenKind) -> Result<(), TemplateError> {
        let start = self.pos;
        self.pos += 1;
        let is_bare = self.at_terminator();
        self.take_while(is_alphanumeric);
        self.expect_terminator(start)?;
        self.push(if is_bare { bare } else { named }, start);
        Ok(())
    }

    fn word(&mut self) -> Result<(), TemplateError> {
        let start = self.pos;
        let word = self.take_while(is_alphanumeric);
        self.expect_terminator(start)?;
        self.push(TokenKind::of_word(word), start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), TemplateError> {
        let start = self.pos;
        self.scan_number();
        if self.peek().is_some_and(|c| c == '+' || c == '-') {
            self.scan_number();
        }
        let junk = self.take_while(is_alphanumeric);
        let text = self.source.get(start..self.pos).unwrap_or_default();
        let value = if junk.is_empty() { literal::number(text) } else { Err(LiteralError::Malformed) };
        let number = value.map_err(|error| refused(error, "number", text, start..self.pos))?;
        self.push(TokenKind::Number(number), start);
        Ok(())
    }

    /// What can belong to a number; whether it is one is decided when its value is read.
    fn scan_number(&mut self) {
        self.accept("+-");
        let (mut digits, mut exponent) = ("0123456789_", "eE");
        if self.accept("0") {
            if self.accept("xX") {
                (digits, exponent) = ("0123456789abcdefABCDEF_", "pP");
            } else if self.accept("oO") {
                (digits, exponent) = ("01234567_", "");
            } else if self.accept("bB") {
                (digits, exponent) = ("01_", "");
            }
        }
        self.take_while(|c| digits.contains(c));
        if self.accept(".") {
            self.take_while(|c| digits.contains(c));
        }
        if self.accept(exponent) {
            self.accept("+-");
            self.take_while(|c| c.is_ascii_digit() || c == '_');
        }
        self.accept("i");
    }

    fn quoted(&mut self, quote: char) -> Result<(), TemplateError> {
        let start = self.pos;
        let what = match quote {
            '"' => "string",
            '`' => "raw string",
            _ => "rune",
        };
        let body = self.rest().get(1..).unwrap_or_default();
        let Some(length) = body_length(body, quote) else {
            return Err(TemplateError::syntax(start..start + 1, format!("unterminated {what}"))
                .with_help(format!("close it with `{quote}`")));
        };
        let body = body.get(..length).unwrap_or_default();
        self.pos += length + 2;
        let kind = match quote {
            '"' => literal::quoted(body).map(TokenKind::Str),
            '`' => Ok(TokenKind::Str(literal::raw(body))),
            _ => literal::rune(body).map(TokenKind::Number),
        };
        let text = self.source.get(start..self.pos).unwrap_or_default();
        let kind = kind.map_err(|error| refused(error, what, text, start..self.pos))?;
        self.push(kind, start);
        Ok(())
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|c: char| !accepts(c)).unwrap_or(rest.len());
        self.pos += length;
        rest.get(..length).unwrap_or_default()
    }

    fn accept(&mut self, any_of: &str) -> bool {
        let found = self.peek().is_some_and(|c| any_of.contains(c));
        // All sets are ASCII.
        self.pos += usize::from(found);
        found
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None => true,
            Some(c) if is_space(c) || matches!(c, '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(RIGHT),
        }
    }

    fn expect_terminator(&self, start: usize) -> Result<(), TemplateError> {
        let Some(c) = self.peek().filter(|_| !self.at_terminator()) else { return Ok(()) };
        let name = self.source.get(start..self.pos).unwrap_or_default();
        let span = self.pos..self.pos + c.len_utf8();
        let error = TemplateError::syntax(span, format!("unexpected `{c}` after `{name}`"));
        Err(if let Some(help) = operator_help(self.source, self.pos) {
            error.with_help(help)
        } else if name.starts_with('.') && c == '-' {
            error.with_help("a key that is not an identifier is read with `index`, as in `index . \"a-b\"`")
        } else {
            error
        })
    }
}

fn refused(error: LiteralError, what: &str, text: &str, span: Range<usize>) -> TemplateError {
    match error {
        LiteralError::Malformed => TemplateError::syntax(span, format!("malformed {what} `{text}`")),
        LiteralError::Overflow => TemplateError::syntax(span, format!("number `{text}` is out of range")),
        LiteralError::Unsupported(feature) => {
            TemplateError::unsupported(span, format!("{feature} are not supported"))
        }
    }
}

/// The length of a literal's body, up to its closing quote.
fn body_length(body: &str, quote: char) -> Option<usize> {
    if quote == '`' {
        return body.find(quote);
    }
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next().filter(|(_, escaped)| *escaped != '\n')?;
            }
            '\n' => return None,
            c if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether the text behind a `{{` starts with a trim marker: `{{-3}}` is a number, `{{- 3}}` trims.
fn trims_left(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(is_space))
}

/// The length of the right delimiter at the start of `rest`, trim marker included.
fn right_length(rest: &str) -> Option<usize> {
    if rest.starts_with(RIGHT) {
        return Some(RIGHT.len());
    }
    let marked = rest.strip_prefix(is_space)?.strip_prefix('-')?;
    marked.starts_with(RIGHT).then_some(TRIM_BYTES + RIGHT.len())
}

/// The four blanks that Go trims; others are text.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_alphanumeric(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
