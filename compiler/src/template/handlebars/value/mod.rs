//! Values in tags: paths, literals, helpers with their parameters, subexpressions.

use ::handlebars::template::{HelperTemplate, Parameter, Subexpression, TemplateElement};
use serde_json::Value as Json;

use super::ast::{Expr, HelperCall, Literal, Span};
use super::build::{Builder, block_params};
use super::helpers::{self, Known};
use super::scope::Unresolved;
use crate::template::{ErrorKind, MAX_PAREN_DEPTH, TemplateError};
use mcp_diagnostics::suggest::nearest;

impl Builder<'_> {
    /// The value of `{{…}}`: a path, or a helper with parameters.
    pub fn tag_value(&mut self, tag: &HelperTemplate, span: &Span) -> Option<Expr> {
        if !tag.params.is_empty() || !tag.hash.is_empty() {
            return self.call(tag, span);
        }
        // A bare name is a helper before it is a field.
        if let Some(known) = tag.name.as_name().and_then(Known::find) {
            let name = tag.name.as_name().unwrap_or_default();
            self.bare_helper(known, name, span);
            return None;
        }
        self.parameter(&tag.name, span)
    }

    /// A helper that gives a value.
    pub fn call(&mut self, tag: &HelperTemplate, span: &Span) -> Option<Expr> {
        let name = tag.name.as_name().unwrap_or_default();
        let Some(Known::Value(helper)) = Known::find(name) else {
            self.not_a_value(name, span);
            return None;
        };
        self.expect_count(tag, span, helper.arity());
        self.expect_hash(tag, span, &[]);
        let arguments: Vec<_> = tag.params.iter().filter_map(|param| self.parameter(param, span)).collect();
        Some(Expr::Call(HelperCall { helper, arguments }))
    }

    pub fn parameter(&mut self, parameter: &Parameter, span: &Span) -> Option<Expr> {
        match parameter {
            Parameter::Path(path) => match self.scopes.resolve(path) {
                Ok(Expr::Path(mut path)) => {
                    let raw = parameter.as_name().unwrap_or_default();
                    path.span = self.positions.word(span, raw);
                    let key = path.keys.last().filter(|key| raw.ends_with(key.as_str()));
                    let start = match key {
                        Some(key) if path.span != *span => path.span.end - key.len(),
                        _ => path.span.start,
                    };
                    path.key_span = start..path.span.end;
                    Some(Expr::Path(path))
                }
                Ok(value) => Some(value),
                Err(unresolved) => {
                    self.unresolved(unresolved, parameter.as_name().unwrap_or_default(), span);
                    None
                }
            },
            Parameter::Literal(literal) => self.literal(literal, span).map(Expr::Literal),
            Parameter::Subexpression(expression) => self.subexpression(expression, span),
            _ => {
                self.refuse(span.clone(), "expected a value");
                None
            }
        }
    }

    fn subexpression(&mut self, expression: &Subexpression, span: &Span) -> Option<Expr> {
        if self.parentheses >= MAX_PAREN_DEPTH {
            let message = format!("parentheses nest deeper than {MAX_PAREN_DEPTH}");
            self.errors.push(TemplateError::too_complex(span.clone(), message));
            return None;
        }
        let TemplateElement::Expression(tag) = expression.as_element() else {
            self.refuse(span.clone(), "expected a helper in parentheses");
            return None;
        };
        self.parentheses += 1;
        let value = self.call(tag, span);
        self.parentheses -= 1;
        value
    }

    fn literal(&mut self, literal: &Json, span: &Span) -> Option<Literal> {
        Some(match literal {
            Json::Null => Literal::Null,
            Json::Bool(value) => Literal::Bool(*value),
            Json::Number(value) => Literal::Number(value.clone()),
            Json::String(value) => Literal::Str(value.clone()),
            Json::Array(_) | Json::Object(_) => {
                let message = "array and object literals are not supported";
                self.unsupported(span.clone(), message, "take the value from the data");
                return None;
            }
        })
    }

    fn unresolved(&mut self, unresolved: Unresolved, raw: &str, span: &Span) {
        let place = self.positions.within(span, raw);
        self.errors.push(match unresolved {
            Unresolved::AboveRoot => TemplateError::syntax(place, format!("`{raw}` goes above the root"))
                .with_help("only `each` and `with` make a level that `../` leaves"),
            Unresolved::UnknownLocal(name) => {
                let known = nearest(&name, ["first", "index", "key", "last", "root"]);
                let help = match known {
                    Some(known) => format!("did you mean `@{known}`?"),
                    None => "there are `@root`, `@index`, `@key`, `@first` and `@last`".to_owned(),
                };
                TemplateError::unsupported(place, format!("unknown variable `@{name}`")).with_help(help)
            }
        });
    }

    /// `{{len}}`, `{{if}}`: meant as a field, most likely.
    fn bare_helper(&mut self, known: Known, name: &str, span: &Span) {
        let place = self.positions.within(span, name);
        let help = format!("for the field of that name write `{{{{this.{name}}}}}`");
        self.errors.push(match known {
            Known::Log => TemplateError::unsupported(place, "`log` is not supported").with_help(help),
            Known::Value(helper) => TemplateError::syntax(
                place,
                format!("`{name}` is a helper and takes {}", count(helper.arity())),
            )
            .with_help(help),
            _ => TemplateError::syntax(place, format!("`{name}` is a block helper")).with_help(help),
        });
    }

    /// A name with parameters that gives no value.
    fn not_a_value(&mut self, name: &str, span: &Span) {
        let place = self.positions.within(span, name);
        let error = match Known::find(name) {
            Some(Known::Log) => TemplateError::unsupported(place, "`log` is not supported"),
            Some(_) => TemplateError::syntax(place, format!("`{name}` is a block helper"))
                .with_help(format!("write `{{{{#{name} …}}}}…{{{{/{name}}}}}`")),
            None => unknown(name, place),
        };
        self.errors.push(error);
    }

    /// A block whose name is not a block helper.
    pub fn not_a_block(&mut self, known: Option<Known>, name: &str, span: &Span) {
        let place = self.positions.within(span, name);
        let meant = self.meant_block(name, span);
        let error = match known {
            Some(Known::Log) => TemplateError::unsupported(place, "`log` is not supported"),
            Some(_) => TemplateError::syntax(place, format!("`{name}` is not a block helper"))
                .with_help(format!("write `{{{{{name} …}}}}`")),
            None => match meant {
                Some(block) => unknown(name, place).with_help(format!("write `{block}`")),
                None if Known::closest(name).is_some() => unknown(name, place),
                None => unknown(name, place).with_help(format!(
                    "write `{{{{#if {name}}}}}`, `{{{{#each {name}}}}}` or `{{{{#with {name}}}}}`"
                )),
            },
        };
        self.errors.push(error);
    }

    /// The block that one of other languages or libraries stands for, with the same parameters.
    fn meant_block(&self, name: &str, span: &Span) -> Option<String> {
        let tag = self.positions.tag_text(span.start)?;
        let inner = tag.trim_matches(['{', '}', '~', '#', ' ']);
        let params = inner.strip_prefix(name)?.trim();
        Some(match name {
            "foreach" | "forEach" | "for" => format!("{{{{#each {params}}}}}"),
            "ifEquals" | "ifEq" | "if_eq" | "ifeq" | "equals" => format!("{{{{#if (eq {params})}}}}"),
            "ifNotEquals" | "ifNotEq" | "ifNe" | "unlessEquals" | "unlessEq" | "unless_eq" => {
                format!("{{{{#if (ne {params})}}}}")
            }
            _ => return None,
        })
    }

    /// Checks a block's parameters, hash and block parameters.
    pub fn expect(&mut self, block: &HelperTemplate, span: &Span, params: usize, named: usize) {
        self.expect_count(block, span, params);
        self.expect_hash(block, span, &[]);
        self.expect_params(block, span, named);
    }

    pub fn expect_count(&mut self, tag: &HelperTemplate, span: &Span, params: usize) {
        let given = tag.params.len();
        if given != params {
            let name = tag.name.as_name().unwrap_or_default();
            let place = self.positions.within(span, name);
            self.refuse(place, format!("`{name}` takes {}, not {given}", count(params)));
        }
    }

    /// The crate ignores surplus block parameters; a name that silently means nothing is an error here.
    pub fn expect_params(&mut self, block: &HelperTemplate, span: &Span, most: usize) {
        let names = block_params(block);
        if let Some(surplus) = names.get(most) {
            let name = block.name.as_name().unwrap_or_default();
            let place = self.positions.within(span, &format!("|{}", names.join(" ")));
            self.refuse(place, format!("`{name}` gives no block parameter `{surplus}`"));
        }
    }

    fn expect_hash(&mut self, tag: &HelperTemplate, span: &Span, known: &[&str]) {
        // The crate keeps the hash in a random order.
        let mut keys: Vec<_> = tag.hash.keys().filter(|key| !known.contains(&key.as_str())).collect();
        keys.sort();
        for key in keys {
            let name = tag.name.as_name().unwrap_or_default();
            let place = self.positions.within(span, &format!("{key}="));
            self.refuse(place, format!("`{name}` takes no `{key}=`"));
        }
    }

    pub fn include_zero(&mut self, block: &HelperTemplate, span: &Span) -> bool {
        self.expect_hash(block, span, &["includeZero"]);
        match block.hash.get("includeZero") {
            None => false,
            Some(Parameter::Literal(Json::Bool(value))) => *value,
            Some(_) => {
                let place = self.positions.within(span, "includeZero");
                self.unsupported(
                    place,
                    "`includeZero` must be `true` or `false`",
                    "write `includeZero=true`",
                );
                false
            }
        }
    }
}

fn unknown(name: &str, span: Span) -> TemplateError {
    let error = TemplateError::new(ErrorKind::UnknownFunction, span, format!("unknown helper `{name}`"));
    match Known::closest(name) {
        Some(known) => error.with_help(format!("did you mean `{known}`?")),
        None => {
            let names: Vec<String> = helpers::names().map(|name| format!("`{name}`")).collect();
            error.with_help(format!("the helpers are {}", names.join(", ")))
        }
    }
}

fn count(params: usize) -> String {
    match params {
        0 => "no parameters".to_owned(),
        1 => "1 parameter".to_owned(),
        many => format!("{many} parameters"),
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
