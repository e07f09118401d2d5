//! The tokens of the Go dialect. A token holds its place; names are read from the source by that place.

use std::ops::Range;

use super::literal::Number;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// Text outside actions; trimming has already shortened its span.
    Text,
    /// `{{` or `{{- `.
    Left,
    /// `}}` or ` -}}`. Every `Left` is followed by its `Right`, also after a lexical error.
    Right,
    Space,
    Identifier,
    Keyword(Keyword),
    /// `.name`.
    Field,
    /// `$` or `$name`.
    Variable,
    /// A lone `.`.
    Dot,
    Str(String),
    Number(Number),
    Bool(bool),
    Nil,
    /// `=`.
    Assign,
    /// `:=`.
    Declare,
    Comma,
    Pipe,
    OpenParen,
    CloseParen,
    /// A printable character that means nothing in an action.
    Other,
    /// The lexer reported an error here and skipped the rest of the action.
    Broken,
    /// The end of the source; the last token.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

impl Keyword {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Break => "break",
            Self::Continue => "continue",
            Self::Define => "define",
            Self::Else => "else",
            Self::End => "end",
            Self::If => "if",
            Self::Range => "range",
            Self::Template => "template",
            Self::With => "with",
        }
    }
}

impl TokenKind {
    /// The token that a whole word is.
    pub fn of_word(word: &str) -> Self {
        match word {
            "block" => Self::Keyword(Keyword::Block),
            "break" => Self::Keyword(Keyword::Break),
            "continue" => Self::Keyword(Keyword::Continue),
            "define" => Self::Keyword(Keyword::Define),
            "else" => Self::Keyword(Keyword::Else),
            "end" => Self::Keyword(Keyword::End),
            "if" => Self::Keyword(Keyword::If),
            "range" => Self::Keyword(Keyword::Range),
            "template" => Self::Keyword(Keyword::Template),
            "with" => Self::Keyword(Keyword::With),
            "nil" => Self::Nil,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            _ => Self::Identifier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_by_its_own_spelling() {
        for keyword in [
            Keyword::Block,
            Keyword::Break,
            Keyword::Continue,
            Keyword::Define,
            Keyword::Else,
            Keyword::End,
            Keyword::If,
            Keyword::Range,
            Keyword::Template,
            Keyword::With,
        ] {
            assert_eq!(TokenKind::of_word(keyword.as_str()), TokenKind::Keyword(keyword));
        }
        assert_eq!(TokenKind::of_word("iff"), TokenKind::Identifier);
    }
}
