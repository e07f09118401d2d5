//! A Go template's tree as text.

use super::go::{Arm, Bind, Expr, Node, Text};

#[derive(Debug)]
enum Token<'n> {
    Text(&'n Text),
    Tag(String),
}

pub fn print(nodes: &[Node]) -> String {
    let mut tokens = Vec::new();
    body(nodes, &mut tokens);
    let mut out = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Text(text) => out.push_str(text.text),
            Token::Tag(inside) => {
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                let trims_before = matches!(before, Some(Token::Text(text)) if text.trim_end);
                let trims_after = matches!(tokens.get(at + 1), Some(Token::Text(text)) if text.trim_start);
                out.push_str(if trims_before { "{{- " } else { "{{" });
                out.push_str(inside);
                out.push_str(if trims_after { " -}}" } else { "}}" });
            }
        }
    }
    out
}

fn body<'n>(nodes: &'n [Node], out: &mut Vec<Token<'n>>) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push(Token::Text(text)),
            Node::Emit(value) => out.push(Token::Tag(expr(value))),
            Node::Set(bind, value) => out.push(Token::Tag(pipe(Some(*bind), value))),
            Node::If(arms, otherwise) => branches("if", arms, otherwise, out),
            Node::With(arms, otherwise) => branches("with", arms, otherwise, out),
            Node::Range(range) => {
                let names: Vec<String> = range.names.iter().map(|name| format!("${name}")).collect();
                let bind = match (names.is_empty(), range.assign) {
                    (true, _) => String::new(),
                    (false, true) => format!("{} = ", names.join(", ")),
                    (false, false) => format!("{} := ", names.join(", ")),
                };
                out.push(Token::Tag(format!("range {bind}{}", expr(&range.over))));
                body(&range.body, out);
                end(&range.otherwise, out);
            }
            Node::Break => out.push(Token::Tag("break".to_owned())),
            Node::Continue => out.push(Token::Tag("continue".to_owned())),
        }
    }
}

fn branches<'n>(word: &str, arms: &'n [Arm], otherwise: &'n [Node], out: &mut Vec<Token<'n>>) {
    for (at, arm) in arms.iter().enumerate() {
        let before = if at == 0 { "" } else { "else " };
        out.push(Token::Tag(format!("{before}{word} {}", pipe(arm.bind, &arm.condition))));
        body(&arm.body, out);
    }
    end(otherwise, out);
}

fn end<'n>(otherwise: &'n [Node], out: &mut Vec<Token<'n>>) {
    if !otherwise.is_empty() {
        out.push(Token::Tag("else".to_owned()));
        body(otherwise, out);
    }
    out.push(Token::Tag("end".to_owned()));
}

fn pipe(bind: Option<Bind>, value: &Expr) -> String {
    match bind {
        Some(Bind { name, assign }) => format!("${name} {} {}", if assign { "=" } else { ":=" }, expr(value)),
        None => expr(value),
    }
}

fn expr(value: &Expr) -> String {
    match value {
        Expr::Dot(fields) if fields.is_empty() => ".".to_owned(),
        Expr::Dot(fields) => keys(fields),
        Expr::Variable(name, fields) => format!("${name}{}", keys(fields)),
        Expr::Of(value, fields) => format!("({}){}", expr(value), keys(fields)),
        Expr::Int(number) => number.to_string(),
        Expr::Str(text) => format!("{text:?}"),
        Expr::Bool(truth) => truth.to_string(),
        Expr::And(values) => call("and", values),
        Expr::Or(values) => call("or", values),
        Expr::Not(value) => call("not", std::slice::from_ref(value)),
    }
}

fn call(name: &str, arguments: &[Expr]) -> String {
    let mut text = name.to_owned();
    for argument in arguments {
        let argument = match argument {
            Expr::And(_) | Expr::Or(_) | Expr::Not(_) => format!("({})", expr(argument)),
            _ => expr(argument),
        };
        text.push(' ');
        text.push_str(&argument);
    }
    text
}

fn keys(fields: &[&str]) -> String {
    fields.iter().map(|field| format!(".{field}")).collect()
}
