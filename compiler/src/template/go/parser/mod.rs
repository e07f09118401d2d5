//! Text, blocks and actions: the outer half of the Go parser. [`super::pipeline`] is the inner one.
//!
//! An error ends its action, not the parse. The parser continues after the `}}` of the action, with
//! the same open blocks, so that one run reports all errors. A tree with an error in it is never
//! handed out.

use super::ast::{Action, Arm, Branches, Inclusion, Node, RangeLoop, Span, Template, Text};
use super::definitions::Definitions;
use super::lexer::lex;
use super::scope::Scope;
use super::token::{Keyword, Token, TokenKind};
use crate::template::{MAX_BLOCK_DEPTH, TemplateError, check_size};

/// Parses a template, or reports all errors in it, in the order of the source.
pub fn parse(source: &str) -> Result<Template, Vec<TemplateError>> {
    check_size(source)?;
    let (tokens, errors) = lex(source);
    let mut parser = Parser {
        source,
        tokens,
        next: 0,
        scope: Scope::new(),
        errors,
        blocks: 0,
        loops: 0,
        definitions: Definitions::default(),
    };
    let body = parser.template();
    parser.check_definitions(&body);
    if parser.errors.is_empty() {
        let definitions = parser.definitions.bodies;
        return Ok(Template { body, definitions, variables: parser.scope.declared() });
    }
    parser.errors.sort_by_key(|error| error.span.start);
    Err(parser.errors)
}

pub(super) struct Parser<'s> {
    pub source: &'s str,
    pub tokens: Vec<Token>,
    pub next: usize,
    pub scope: Scope,
    pub errors: Vec<TemplateError>,
    blocks: usize,
    /// How many `range` bodies are open.
    loops: usize,
    pub definitions: Definitions,
}

/// The action was given up; its error is already recorded.
pub(super) struct GivenUp;

/// What ended a list of nodes.
enum Stop {
    /// `{{end}}`.
    End(Span),
    /// `{{else}}`, or `{{else if` and `{{else with` up to the keyword. With the start of its span.
    Else(usize, Option<Keyword>),
    Source,
}

impl Parser<'_> {
    fn template(&mut self) -> Vec<Node> {
        let mut body = Vec::new();
        loop {
            match self.list(&mut body) {
                Stop::Source => return body,
                Stop::End(span) => self.refuse(span, "unexpected `{{end}}`"),
                Stop::Else(at, keyword) => {
                    if keyword.is_some() {
                        self.skip_action();
                    }
                    self.refuse(at..self.end_of_last(), "unexpected `{{else}}`");
                }
            }
        }
    }

    /// Reads nodes into `nodes` up to whatever ends a block.
    fn list(&mut self, nodes: &mut Vec<Node>) -> Stop {
        loop {
            let Token { kind, span } = self.take();
            match kind {
                TokenKind::Text => {
                    let text = self.source.get(span.clone()).unwrap_or_default().to_owned();
                    nodes.push(Node::Text(Text { text, span }));
                }
                TokenKind::End => return Stop::Source,
                TokenKind::Left => match self.peek().kind {
                    TokenKind::Keyword(Keyword::End) => {
                        self.take();
                        self.expect_right("{{end}}");
                        return Stop::End(span.start..self.end_of_last());
                    }
                    TokenKind::Keyword(Keyword::Else) => {
                        self.take();
                        if let TokenKind::Keyword(keyword @ (Keyword::If | Keyword::With)) = self.peek().kind
                        {
                            self.take();
                            return Stop::Else(span.start, Some(keyword));
                        }
                        self.expect_right("{{else}}");
                        return Stop::Else(span.start, None);
                    }
                    _ => match self.action(span.start) {
                        Ok(node) => nodes.push(node),
                        Err(GivenUp) => self.skip_action(),
                    },
                },
                // The lexer closes every action, so there is nothing else outside of one.
                _ => {}
            }
        }
    }

    fn action(&mut self, start: usize) -> Result<Node, GivenUp> {
        let TokenKind::Keyword(keyword) = self.peek().kind else {
            let pipe = self.command_pipe()?;
            return Ok(Node::Action(Action { pipe, span: start..self.end_of_last() }));
        };
        self.take();
        match keyword {
            Keyword::If => self.branches(keyword, start).map(Node::If),
            Keyword::With => self.branches(keyword, start).map(Node::With),
            Keyword::Range => self.range_loop(start).map(Node::Range),
            Keyword::Break => Ok(Node::Break(self.jump(keyword, start))),
            Keyword::Continue => Ok(Node::Continue(self.jump(keyword, start))),
            Keyword::Define => {
                if self.blocks > 0 {
                    self.refuse(start..self.end_of_last(), "`{{define}}` must not be inside another block");
                }
                self.definition(keyword, start).and(Err(GivenUp))
            }
            Keyword::Block => self.definition(keyword, start).map(Node::Inclusion),
            Keyword::Template => {
                let name = self.name_of_template("`{{template}}`")?;
                let data = self.data_of_template()?;
                let span = start..self.end_of_last();
                Ok(Node::Inclusion(Inclusion { name, data, span }))
            }
            // Handled by `list`, which ends there.
            Keyword::Else | Keyword::End => Err(GivenUp),
        }
    }

    fn branches(&mut self, keyword: Keyword, start: usize) -> Result<Branches, GivenUp> {
        let outer = self.scope.mark();
        self.enter(keyword, start)?;
        let mut arms = Vec::new();
        let mut at = start;
        let (otherwise, end) = loop {
            let condition = self.condition_pipe(keyword.as_str()).map_err(|GivenUp| self.skip_action());
            let span = at..self.end_of_last();
            let (body, stop) = self.body();
            if let Ok(condition) = condition {
                arms.push(Arm { condition, body, span });
            }
            match stop {
                Stop::Else(next, Some(again)) if again == keyword => at = next,
                stop => break self.finish(keyword, start, stop),
            }
        };
        self.leave();
        self.scope.leave(outer);
        Ok(Branches { arms, otherwise, span: start..end })
    }

    fn range_loop(&mut self, start: usize) -> Result<RangeLoop, GivenUp> {
        let outer = self.scope.mark();
        self.enter(Keyword::Range, start)?;
        let head = self.range_pipe().map_err(|GivenUp| self.skip_action());
        self.loops += 1;
        let (body, stop) = self.body();
        self.loops -= 1;
        let (otherwise, end) = self.finish(Keyword::Range, start, stop);
        self.leave();
        self.scope.leave(outer);
        let (bind, over) = head.map_err(|()| GivenUp)?;
        Ok(RangeLoop { bind, over, body, otherwise, span: start..end })
    }

    /// A block's nodes; what they declare ends with them.
    fn body(&mut self) -> (Vec<Node>, Stop) {
        let mark = self.scope.mark();
        let mut nodes = Vec::new();
        let stop = self.list(&mut nodes);
        self.scope.leave(mark);
        (nodes, stop)
    }

    /// Reads the `else` of a block, if `stop` is one, and its `end`. Gives the end of the block's span.
    fn finish(&mut self, keyword: Keyword, start: usize, stop: Stop) -> (Vec<Node>, usize) {
        let mut otherwise = Vec::new();
        let mut stop = stop;
        let mut seen_else = false;
        loop {
            match stop {
                Stop::End(span) => return (otherwise, span.end),
                Stop::Source => {
                    self.unclosed(keyword, start);
                    return (otherwise, self.source.len());
                }
                Stop::Else(at, again) => {
                    if again.is_some() {
                        self.skip_action();
                    }
                    if seen_else {
                        self.refuse(at..self.end_of_last(), "expected `{{end}}`, found a second `{{else}}`");
                    } else if let Some(again) = again {
                        let message = format!(
                            "unexpected `{{{{else {}}}}}` in `{{{{{}}}}}`",
                            again.as_str(),
                            keyword.as_str()
                        );
                        self.refuse(at..self.end_of_last(), message);
                    }
                    seen_else = true;
                    (otherwise, stop) = self.body();
                }
            }
        }
    }

    fn unclosed(&mut self, keyword: Keyword, start: usize) {
        // An unclosed action or comment, or a limit, has swallowed the rest of the source and the `end` with it.
        let swallowed = self.tokens.iter().rev().nth(1).is_some_and(|token| {
            token.kind == TokenKind::Right && token.span.is_empty() && token.span.end == self.source.len()
        });
        if !swallowed {
            let message = format!("`{{{{{}}}}}` is never closed", keyword.as_str());
            let error = TemplateError::syntax(start..start + 2, message).with_help("add `{{end}}`");
            self.errors.push(error);
        }
    }

    fn jump(&mut self, keyword: Keyword, start: usize) -> Span {
        let name = format!("{{{{{}}}}}", keyword.as_str());
        self.expect_right(&name);
        let span = start..self.end_of_last();
        if self.loops == 0 {
            self.refuse(span.clone(), format!("`{name}` outside `{{{{range}}}}`"));
        }
        span
    }

    /// A `define` or `block` up to its `end`. Only what a `block` gives is used.
    fn definition(&mut self, keyword: Keyword, start: usize) -> Result<Inclusion, GivenUp> {
        self.enter(keyword, start)?;
        let context = format!("`{{{{{}}}}}`", keyword.as_str());
        let head = self.name_of_template(&context).and_then(|name| {
            if keyword == Keyword::Block {
                return self.condition_pipe("block").map(|data| (name, Some(data)));
            }
            self.expect_right("{{define}}");
            Ok((name, None))
        });
        if head.is_err() {
            self.skip_action();
        }
        let span = start..self.end_of_last();
        // It is a template of its own: it sees no variable of this one, and no loop.
        let scope = std::mem::replace(&mut self.scope, Scope::new());
        self.scope.continue_from(&scope);
        let loops = std::mem::take(&mut self.loops);
        let (body, stop) = self.body();
        self.finish(keyword, start, stop);
        self.loops = loops;
        let inner = std::mem::replace(&mut self.scope, scope);
        self.scope.continue_from(&inner);
        self.leave();
        let (name, data) = head?;
        self.define(&name, body, &span);
        Ok(Inclusion { name, data, span })
    }

    fn enter(&mut self, keyword: Keyword, start: usize) -> Result<(), GivenUp> {
        if self.blocks >= MAX_BLOCK_DEPTH {
            let message =
                format!("`{{{{{}}}}}` nests deeper than {MAX_BLOCK_DEPTH} blocks", keyword.as_str());
            self.errors.push(TemplateError::too_complex(start..start + 2, message));
            // Nothing behind it could be paired with its block any more.
            self.tokens.truncate(self.next);
            let end = self.source.len();
            self.tokens.push(Token { kind: TokenKind::Right, span: end..end });
            self.tokens.push(Token { kind: TokenKind::End, span: end..end });
            return Err(GivenUp);
        }
        self.blocks += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.blocks -= 1;
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
