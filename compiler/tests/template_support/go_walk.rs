//! What a Go template means, said a second time: a walk over its tree with scopes that are searched by name.

use std::borrow::Cow;

use super::go::{Arm, Bind, Expr, Node, Range};
use mcp_generators::data::Json;

#[derive(Debug, Clone)]
enum Value<'a> {
    Absent,
    Json(&'a Json),
    Int(i64),
    Str(Cow<'a, str>),
    Bool(bool),
}

/// Why there is no text.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// A value cannot be looped over.
    Value,
    /// It takes too long to be worth it.
    TooLong,
}

/// Where the walk goes on after a node.
#[derive(Debug, PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
}

pub fn walk(nodes: &[Node], data: &Json) -> Result<String, Stopped> {
    let mut walker = Walker { data, scope: Vec::new(), out: String::new(), left: 20_000 };
    walker.body(nodes, &Value::Json(data))?;
    Ok(walker.out)
}

struct Walker<'a> {
    data: &'a Json,
    scope: Vec<(&'static str, Value<'a>)>,
    out: String,
    left: usize,
}

impl<'a> Walker<'a> {
    fn body(&mut self, nodes: &[Node], dot: &Value<'a>) -> Result<Flow, Stopped> {
        let outside = self.scope.len();
        let mut flow = Flow::Next;
        for node in nodes {
            flow = self.node(node, dot)?;
            if flow != Flow::Next {
                break;
            }
        }
        self.scope.truncate(outside);
        Ok(flow)
    }

    fn node(&mut self, node: &Node, dot: &Value<'a>) -> Result<Flow, Stopped> {
        self.left = self.left.checked_sub(1).ok_or(Stopped::TooLong)?;
        match node {
            Node::Text(text) => {
                let space = [' ', '\t', '\r', '\n'];
                let mut rest = text.text;
                if text.trim_start {
                    rest = rest.trim_start_matches(space);
                }
                if text.trim_end {
                    rest = rest.trim_end_matches(space);
                }
                self.out.push_str(rest);
            }
            Node::Emit(value) => {
                let value = self.expr(value, dot);
                self.out.push_str(&printed(&value));
            }
            Node::Set(bind, value) => {
                let value = self.expr(value, dot);
                self.bind(*bind, value);
            }
            Node::If(arms, otherwise) => return self.branches(arms, otherwise, dot, false),
            Node::With(arms, otherwise) => return self.branches(arms, otherwise, dot, true),
            Node::Range(range) => return self.range(range, dot),
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn branches(
        &mut self,
        arms: &[Arm],
        otherwise: &[Node],
        dot: &Value<'a>,
        with: bool,
    ) -> Result<Flow, Stopped> {
        let outside = self.scope.len();
        let mut taken = None;
        for arm in arms {
            let value = self.expr(&arm.condition, dot);
            if let Some(bind) = arm.bind {
                self.bind(bind, value.clone());
            }
            if is_true(&value) {
                taken = Some((&arm.body, value));
                break;
            }
        }
        let flow = match &taken {
            Some((body, value)) => self.body(body, if with { value } else { dot }),
            None => self.body(otherwise, dot),
        };
        self.scope.truncate(outside);
        flow
    }

    fn range(&mut self, range: &Range, dot: &Value<'a>) -> Result<Flow, Stopped> {
        let over = self.expr(&range.over, dot);
        let items: Vec<(Value<'a>, Value<'a>)> = match &over {
            Value::Absent | Value::Json(Json::Null) => Vec::new(),
            Value::Int(count) => (0..*count).map(|index| (Value::Int(index), Value::Int(index))).collect(),
            Value::Json(Json::Number(digits)) => {
                let count: f64 = digits.parse().unwrap();
                if count > 1000.0 {
                    return Err(Stopped::TooLong);
                }
                if count.fract() != 0.0 {
                    return Err(Stopped::Value);
                }
                (0..count as i64).map(|index| (Value::Int(index), Value::Int(index))).collect()
            }
            Value::Json(Json::Array(items, _)) => {
                items.iter().zip(0..).map(|(item, index)| (Value::Int(index), Value::Json(item))).collect()
            }
            Value::Json(object @ Json::Object(..)) => {
                let members = object.members().into_iter();
                members.map(|(name, value)| (Value::Str(Cow::Owned(name)), Value::Json(value))).collect()
            }
            Value::Str(_) | Value::Bool(_) | Value::Json(Json::Bool(_) | Json::String(_)) => {
                return Err(Stopped::Value);
            }
        };
        let outside = self.scope.len();
        // Before the first element, and where there is none, they hold what is looped over.
        for name in &range.names {
            self.bind(Bind { name, assign: range.assign }, over.clone());
        }
        let inside = self.scope.len();
        let is_empty = items.is_empty();
        for (key, element) in items {
            self.left = self.left.checked_sub(1).ok_or(Stopped::TooLong)?;
            let values = match range.names.len() {
                2 => vec![key, element.clone()],
                count => vec![element.clone(); count],
            };
            for (at, (name, value)) in range.names.iter().zip(values).enumerate() {
                if range.assign {
                    self.bind(Bind { name, assign: true }, value);
                } else {
                    self.scope[outside + at].1 = value;
                }
            }
            let flow = self.body(&range.body, &element)?;
            self.scope.truncate(inside);
            if flow == Flow::Break {
                break;
            }
        }
        let flow = if is_empty { self.body(&range.otherwise, dot)? } else { Flow::Next };
        self.scope.truncate(outside);
        Ok(flow)
    }

    fn bind(&mut self, bind: Bind, value: Value<'a>) {
        if bind.assign {
            let (_, slot) = self.scope.iter_mut().rev().find(|(name, _)| *name == bind.name).unwrap();
            *slot = value;
        } else {
            self.scope.push((bind.name, value));
        }
    }

    fn expr(&self, expr: &Expr, dot: &Value<'a>) -> Value<'a> {
        match expr {
            Expr::Dot(fields) => field(dot.clone(), fields),
            Expr::Variable("", fields) => field(Value::Json(self.data), fields),
            Expr::Variable(wanted, fields) => {
                let (_, value) = self.scope.iter().rev().find(|(name, _)| name == wanted).unwrap();
                field(value.clone(), fields)
            }
            Expr::Of(value, fields) => field(self.expr(value, dot), fields),
            Expr::Int(number) => Value::Int(*number),
            Expr::Str(text) => Value::Str(Cow::Borrowed(text)),
            Expr::Bool(truth) => Value::Bool(*truth),
            Expr::And(values) => self.decide(values, dot, false),
            Expr::Or(values) => self.decide(values, dot, true),
            Expr::Not(value) => Value::Bool(!is_true(&self.expr(value, dot))),
        }
    }

    /// The first value that is true or false as wanted, else the last.
    fn decide(&self, values: &[Expr], dot: &Value<'a>, wanted: bool) -> Value<'a> {
        let mut last = Value::Absent;
        for value in values {
            last = self.expr(value, dot);
            if is_true(&last) == wanted {
                break;
            }
        }
        last
    }
}

fn field<'a>(value: Value<'a>, fields: &[&str]) -> Value<'a> {
    fields.iter().fold(value, |value, field| match value {
        Value::Json(object @ Json::Object(..)) => {
            let found = object.members().into_iter().find(|(name, _)| name == field);
            found.map_or(Value::Absent, |(_, value)| Value::Json(value))
        }
        _ => Value::Absent,
    })
}

fn is_true(value: &Value<'_>) -> bool {
    match value {
        Value::Absent | Value::Json(Json::Null) => false,
        Value::Bool(truth) | Value::Json(Json::Bool(truth)) => *truth,
        Value::Int(number) => *number != 0,
        Value::Json(Json::Number(digits)) => digits.parse::<f64>().unwrap() != 0.0,
        Value::Str(text) => !text.is_empty(),
        Value::Json(Json::String(text)) => !text.decoded().is_empty(),
        Value::Json(Json::Array(items, _)) => !items.is_empty(),
        Value::Json(Json::Object(members, _)) => !members.is_empty(),
    }
}

fn printed(value: &Value<'_>) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Int(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Str(text) => text.clone().into_owned(),
        Value::Json(Json::String(text)) => text.decoded(),
        Value::Json(json) => json.text(),
    }
}
