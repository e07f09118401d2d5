//! How the parser moves over the tokens.

use std::ops::Range;

use super::parser::{GivenUp, Parser};
use super::token::{Token, TokenKind};
use crate::template::TemplateError;

const END: Token = Token { kind: TokenKind::End, span: 0..0 };

impl Parser<'_> {
    /// The next token, blanks included. Stays on the last one.
    pub fn take_any(&mut self) -> Token {
        let token = self.tokens.get(self.next).cloned().unwrap_or(END);
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
        token
    }

    pub fn peek_any(&self) -> &Token {
        self.tokens.get(self.next).unwrap_or(&END)
    }

    pub fn skip_spaces(&mut self) {
        while self.peek_any().kind == TokenKind::Space {
            self.next += 1;
        }
    }

    pub fn peek(&mut self) -> &Token {
        self.skip_spaces();
        self.peek_any()
    }

    pub fn take(&mut self) -> Token {
        self.skip_spaces();
        self.take_any()
    }

    pub fn text(&self, span: &Range<usize>) -> &str {
        self.source.get(span.clone()).unwrap_or_default()
    }

    /// Where the last token taken ends.
    pub fn end_of_last(&self) -> usize {
        self.next.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.span.end)
    }

    /// Moves behind the current action, if the last token taken was inside one.
    pub fn skip_action(&mut self) {
        let last = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        if last.is_some_and(|token| token.kind == TokenKind::Right) {
            return;
        }
        while !matches!(self.take_any().kind, TokenKind::Right | TokenKind::End) {}
    }

    pub fn refuse(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.errors.push(TemplateError::syntax(span, message));
    }

    /// Reports a token that is not allowed in its place, unless the lexer already did.
    pub fn unexpected(&mut self, token: &Token, context: &str) -> GivenUp {
        let what = match &token.kind {
            TokenKind::Broken => return GivenUp,
            TokenKind::Right => "end of the action".to_owned(),
            TokenKind::End => "end of the template".to_owned(),
            _ => format!("`{}`", self.text(&token.span)),
        };
        let error = TemplateError::syntax(token.span.clone(), format!("unexpected {what} in {context}"));
        let handlebars =
            matches!(self.text(&token.span), "#" | "/" | "^" | ">" | "!" | "&" | "@" | "~" | "{");
        let operator = operator_help(self.source, token.span.start);
        self.errors.push(match &token.kind {
            TokenKind::Other | TokenKind::Assign | TokenKind::Pipe if operator.is_some() => {
                TemplateError { help: operator, ..error }
            }
            TokenKind::Other if handlebars => error.with_help("this is Handlebars syntax, not Go's"),
            TokenKind::Number(_) => error.with_help("an element is read with `index`, as in `index .list 0`"),
            _ => error,
        });
        GivenUp
    }

    /// Takes the action's right delimiter; anything in front of it is an error and skipped.
    pub fn expect_right(&mut self, context: &str) {
        let token = self.take();
        if token.kind != TokenKind::Right {
            self.unexpected(&token, &format!("`{context}`"));
            self.skip_action();
        }
    }
}

/// What Go writes for the operator at an offset. Of two characters that are alike, it may be the second one's.
pub(super) fn operator_help(source: &str, at: usize) -> Option<String> {
    const OPERATORS: [(&str, &str); 9] = [
        ("&&", "and .a .b"),
        ("||", "or .a .b"),
        ("==", "eq .a .b"),
        ("!=", "ne .a .b"),
        ("<=", "le .a .b"),
        (">=", "ge .a .b"),
        ("<", "lt .a .b"),
        (">", "gt .a .b"),
        ("!", "not .a"),
    ];
    let (before, rest) = source.split_at_checked(at)?;
    let second = |operator: &str| {
        let half = operator.get(..1).unwrap_or_default();
        matches!(operator, "||" | "==") && before.ends_with(half) && rest.starts_with(half)
    };
    let (operator, call) =
        OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator) || second(operator))?;
    // Handlebars has partials and comments that begin so.
    let is_first = before.trim_end().trim_end_matches('-').ends_with("{{");
    let negates = *operator == "!" && rest.get(1..).is_some_and(|rest| rest.starts_with(['.', '$', '(']));
    (!is_first || negates).then(|| format!("write `{call}`"))
}

#[cfg(test)]
mod tests {
    use crate::template::go::parse;

    fn first(source: &str) -> (String, Option<String>) {
        let error = parse(source).unwrap_err().remove(0);
        (error.message, error.help)
    }

    #[test]
    fn an_unexpected_token_is_quoted() {
        assert_eq!(first("{{ .a := 1 }}"), ("unexpected `:=` in operand".to_owned(), None));
        assert_eq!(first("{{ if .a }}{{ end 3 }}").0, "unexpected `3` in `{{end}}`");
        assert_eq!(first("{{ range $a, $b }}{{ end }}").0, "unexpected end of the action in a declaration");
    }

    #[test]
    fn what_the_lexer_reported_is_not_reported_twice() {
        assert_eq!(parse("{{ len \u{7f} }}").unwrap_err().len(), 1);
        assert_eq!(parse("{{ if .a }}{{ end \u{7f} }}").unwrap_err().len(), 1);
    }

    #[test]
    fn foreign_syntax_is_named_in_the_help() {
        let help = |source| first(source).1.unwrap_or_default();
        assert_eq!(help("{{#if x}}a{{/if}}"), "this is Handlebars syntax, not Go's");
        assert_eq!(help("{{> x}}"), "this is Handlebars syntax, not Go's");
        assert_eq!(help("{{! x}}"), "this is Handlebars syntax, not Go's");
        assert_eq!(help("{{ .l.0 }}"), "an element is read with `index`, as in `index .list 0`");
    }

    #[test]
    fn operators_are_functions() {
        for (condition, call) in [
            (".a && .b", "and .a .b"),
            (".a || .b", "or .a .b"),
            ("!.a", "not .a"),
            (".a == 1", "eq .a .b"),
            (".a==1", "eq .a .b"),
            ("$ == 1", "eq .a .b"),
            (".a != 1", "ne .a .b"),
            (".a < 1", "lt .a .b"),
            (".a > 1", "gt .a .b"),
            (".a <= 1", "le .a .b"),
            ("len .a >= 1", "ge .a .b"),
            ("(.a) && (.b)", "and .a .b"),
        ] {
            let help = Some(format!("write `{call}`"));
            assert_eq!(first(&format!("{{{{ if {condition} }}}}x{{{{ end }}}}")).1, help, "{condition}");
        }
        assert_eq!(first("{{ !.a }}").1.as_deref(), Some("write `not .a`"));
    }
}
