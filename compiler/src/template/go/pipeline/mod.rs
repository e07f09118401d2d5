//! Pipes, commands and operands: the inside of an action.

use super::ast::{Base, BindMode, CallExpr, Expr, ExprKind, Literal, Name, Path, Pipe, RangeBinding, Span};
use super::functions::{Function, Signature, help_for_unknown};
use super::gjson;
use super::parser::{GivenUp, Parser};
use super::token::{Token, TokenKind};
use crate::template::{ErrorKind, TemplateError};

/// A pipe as written, before the variables in front of it are bound.
pub(super) struct RawPipe {
    pub variables: Vec<Token>,
    pub mode: Option<BindMode>,
    pub head: Expr,
    pub stages: Vec<CallExpr>,
    pub start: usize,
    pub end: usize,
}

/// One command, up to a `|` or the end of the pipe.
struct Command {
    first: Word,
    arguments: Vec<Word>,
}

enum Word {
    /// A function's name. The first word of a command takes those behind it as arguments.
    Function(Token),
    Operand(Expr),
}

impl Parser<'_> {
    /// The pipe of a plain action, with the right delimiter.
    pub fn command_pipe(&mut self) -> Result<Pipe, GivenUp> {
        let raw = self.raw_pipe("command", &TokenKind::Right, 1)?;
        Ok(self.bind_one(raw))
    }

    /// The pipe of an `if` or `with`, with the right delimiter.
    pub fn condition_pipe(&mut self, keyword: &str) -> Result<Pipe, GivenUp> {
        let raw = self.raw_pipe(&format!("`{keyword}`"), &TokenKind::Right, 1)?;
        Ok(self.bind_one(raw))
    }

    /// The pipe of a `range`, with the right delimiter.
    pub fn range_pipe(&mut self) -> Result<(Option<RangeBinding>, Pipe), GivenUp> {
        let raw = self.raw_pipe("`range`", &TokenKind::Right, 2)?;
        Ok(self.bind_range(raw))
    }

    fn raw_pipe(&mut self, context: &str, end: &TokenKind, most: usize) -> Result<RawPipe, GivenUp> {
        let start = self.peek().span.start;
        let mut variables = Vec::new();
        let mode = self.declarations(context, most, &mut variables);
        match mode.and_then(|mode| Ok((mode, self.stages(context, end)?))) {
            Ok((mode, (head, stages))) => {
                Ok(RawPipe { variables, mode, head, stages, start, end: self.end_of_last() })
            }
            Err(GivenUp) => {
                // Declared all the same, or every use would be reported too.
                for token in variables {
                    let name = self.text(&token.span).to_owned();
                    self.scope.declare(&name);
                }
                Err(GivenUp)
            }
        }
    }

    /// `$x :=`, `$x =`, and in a `range` also `$i, $v :=`.
    fn declarations(
        &mut self,
        context: &str,
        most: usize,
        variables: &mut Vec<Token>,
    ) -> Result<Option<BindMode>, GivenUp> {
        let start = self.next;
        while self.peek().kind == TokenKind::Variable {
            variables.push(self.take());
            let mode = match self.peek().kind {
                TokenKind::Declare => BindMode::Declare,
                TokenKind::Assign => BindMode::Assign,
                TokenKind::Comma if variables.len() < most => {
                    let comma = self.take();
                    if self.peek().kind != TokenKind::Variable {
                        self.refuse(comma.span, "`range` can only initialize variables");
                        return Err(GivenUp);
                    }
                    continue;
                }
                TokenKind::Comma => {
                    let comma = self.take();
                    self.refuse(comma.span, format!("too many declarations in {context}"));
                    return Err(GivenUp);
                }
                _ if variables.len() > 1 => {
                    let token = self.take();
                    return Err(self.unexpected(&token, "a declaration"));
                }
                // No declaration after all: an operand.
                _ => break,
            };
            self.take();
            return Ok(Some(mode));
        }
        variables.clear();
        self.next = start;
        Ok(None)
    }

    /// The commands of a pipe, and its end.
    fn stages(&mut self, context: &str, end: &TokenKind) -> Result<(Expr, Vec<CallExpr>), GivenUp> {
        let mut head = None;
        let mut stages = Vec::new();
        loop {
            let token = self.peek().clone();
            if token.kind == *end {
                self.take();
                let Some(head) = head else {
                    self.refuse(token.span, format!("missing value for {context}"));
                    return Err(GivenUp);
                };
                return Ok((head, stages));
            }
            if !starts_operand(&token.kind) {
                self.take();
                return Err(self.unexpected(&token, context));
            }
            let command = self.command()?;
            if head.is_none() {
                head = Some(self.head(command));
            } else {
                stages.extend(self.stage(command));
            }
        }
    }

    fn command(&mut self) -> Result<Command, GivenUp> {
        let first = self.word()?;
        let mut arguments = Vec::new();
        loop {
            match self.peek_any().kind {
                TokenKind::Space => {
                    if starts_operand(&self.peek().kind) {
                        arguments.push(self.word()?);
                    }
                }
                TokenKind::Right | TokenKind::CloseParen => return Ok(Command { first, arguments }),
                TokenKind::Pipe => {
                    self.take();
                    return Ok(Command { first, arguments });
                }
                _ => {
                    let token = self.take();
                    return Err(self.unexpected(&token, "operand"));
                }
            }
        }
    }

    /// The first command of a pipe: a call, or one value.
    fn head(&mut self, command: Command) -> Expr {
        let value = match command.first {
            Word::Function(name) => return self.call_value(&name, command.arguments),
            Word::Operand(value) => value,
        };
        if !command.arguments.is_empty() {
            self.not_a_function(&value);
        } else if value.kind == ExprKind::Literal(Literal::Nil) {
            self.refuse(value.span.clone(), "`nil` is not a command");
        }
        value
    }

    /// A later command of a pipe, which takes the value so far: only a call can.
    fn stage(&mut self, command: Command) -> Option<CallExpr> {
        match command.first {
            Word::Function(name) => self.call(&name, command.arguments, true),
            Word::Operand(value) => {
                self.not_a_function(&value);
                None
            }
        }
    }

    fn call_value(&mut self, name: &Token, arguments: Vec<Word>) -> Expr {
        match self.call(name, arguments, false) {
            Some(call) => Expr { span: call.span.clone(), kind: ExprKind::Call(call) },
            // Stands in for the call in a tree that is not handed out.
            None => Expr { kind: ExprKind::Literal(Literal::Bool(false)), span: name.span.clone() },
        }
    }

    fn call(&mut self, name: &Token, arguments: Vec<Word>, piped: bool) -> Option<CallExpr> {
        let mut values = Vec::with_capacity(arguments.len());
        let text = self.text(&name.span).to_owned();
        let signature = Signature::find(&text);
        if signature.is_none() {
            let message = format!("unknown function `{text}`");
            let mut error = TemplateError::new(ErrorKind::UnknownFunction, name.span.clone(), message);
            error.help = help_for_unknown(&text, piped || !arguments.is_empty());
            self.errors.push(error);
        }
        for word in arguments {
            values.push(match word {
                Word::Operand(value) => value,
                // A function's name alone is a call without arguments.
                Word::Function(name) => self.call_value(&name, Vec::new()),
            });
        }
        let signature = signature?;
        let end = values.last().map_or(name.span.end, |last| last.span.end);
        let span = name.span.start..end;
        let given = values.len() + usize::from(piped);
        if !signature.accepts(given) {
            self.refuse(span, format!("`{text}` takes {}, not {given}", signature.arity()));
            return None;
        }
        let call =
            CallExpr { function: signature.function, arguments: values, name_span: name.span.clone(), span };
        if call.function == Function::Gjson {
            self.check_gjson(&call);
        }
        let pattern = call.arguments.first().map(|argument| &argument.kind);
        if call.function.has_pattern() && !matches!(pattern, Some(ExprKind::Literal(Literal::Str(_)))) {
            let message = format!("the pattern of `{text}` must be a text in quotes");
            self.errors.push(TemplateError::unsupported(call.span.clone(), message));
        }
        Some(call)
    }

    fn check_gjson(&mut self, call: &CallExpr) {
        let (span, message) = match call.arguments.first() {
            Some(Expr { kind: ExprKind::Literal(Literal::Str(path)), span }) => match gjson::parse_path(path)
            {
                Ok(_) => return,
                Err(error) => (span.clone(), error.message),
            },
            _ => (call.span.clone(), "the path of `gjson` must be a string literal".to_owned()),
        };
        self.errors.push(TemplateError::unsupported(span, message));
    }

    fn not_a_function(&mut self, value: &Expr) {
        let text = self.text(&value.span).to_owned();
        let message = format!("`{text}` is not a function and takes no arguments");
        let is_field = matches!(&value.kind, ExprKind::Path(path) if !path.fields.is_empty());
        self.errors.push(if is_field {
            TemplateError::unsupported(value.span.clone(), message)
                .with_help("methods do not exist in JSON data")
        } else {
            TemplateError::syntax(value.span.clone(), message)
        });
    }

    fn word(&mut self) -> Result<Word, GivenUp> {
        let token = self.take();
        let value = match &token.kind {
            TokenKind::Identifier if self.peek_any().kind != TokenKind::Field => {
                return Ok(Word::Function(token));
            }
            TokenKind::Identifier => self.call_value(&token, Vec::new()),
            TokenKind::OpenParen => {
                let raw = self.raw_pipe("parentheses", &TokenKind::CloseParen, 1)?;
                let pipe = self.bind_one(raw);
                Expr { kind: ExprKind::Pipe(Box::new(pipe)), span: token.span.start..self.end_of_last() }
            }
            TokenKind::Dot => path(Base::Dot, Vec::new(), token.span.clone()),
            TokenKind::Field => path(Base::Dot, vec![self.field(&token)], token.span.clone()),
            TokenKind::Variable => {
                let variable = self.use_of(&token);
                path(Base::Variable(variable), Vec::new(), token.span.clone())
            }
            kind => match literal(kind) {
                Some(value) => Expr { kind: ExprKind::Literal(value), span: token.span.clone() },
                None => return Err(self.unexpected(&token, "operand")),
            },
        };
        self.with_fields(value, &token).map(Word::Operand)
    }

    /// The fields that follow a value without a blank.
    fn with_fields(&mut self, value: Expr, first: &Token) -> Result<Expr, GivenUp> {
        let mut fields = Vec::new();
        while self.peek_any().kind == TokenKind::Field {
            let token = self.take_any();
            fields.push(self.field(&token));
        }
        let Some(last) = fields.last() else { return Ok(value) };
        let span = value.span.start..last.span.end;
        match value.kind {
            ExprKind::Path(mut known) if first.kind != TokenKind::Dot => {
                known.fields.extend(fields);
                Ok(Expr { kind: ExprKind::Path(known), span })
            }
            ExprKind::Call(_) | ExprKind::Pipe(_) => Ok(path(Base::Value(Box::new(value)), fields, span)),
            // An unknown function is reported already.
            _ if first.kind == TokenKind::Identifier => Ok(value),
            ExprKind::Path(_) | ExprKind::Literal(_) => {
                let text = self.text(&first.span).to_owned();
                self.refuse(span, format!("unexpected field after `{text}`"));
                Err(GivenUp)
            }
        }
    }

    fn field(&self, token: &Token) -> Name {
        let text = self.text(&token.span);
        Name { text: text.strip_prefix('.').unwrap_or(text).to_owned(), span: token.span.clone() }
    }
}

fn starts_operand(kind: &TokenKind) -> bool {
    use TokenKind::{Bool, Dot, Field, Identifier, Nil, Number, OpenParen, Str, Variable};
    matches!(kind, Bool(_) | Dot | Field | Identifier | Nil | Number(_) | OpenParen | Str(_) | Variable)
}

fn literal(kind: &TokenKind) -> Option<Literal> {
    match kind {
        TokenKind::Nil => Some(Literal::Nil),
        TokenKind::Bool(value) => Some(Literal::Bool(*value)),
        TokenKind::Number(value) => Some(Literal::Number(*value)),
        TokenKind::Str(value) => Some(Literal::Str(value.clone())),
        _ => None,
    }
}

fn path(base: Base, fields: Vec<Name>, span: Span) -> Expr {
    Expr { kind: ExprKind::Path(Path { base, fields }), span }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
