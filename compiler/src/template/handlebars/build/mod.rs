//! Turns the parser crate's tree into ours, and refuses what we do not run.

use std::ops::Range;

use ::handlebars::template::{HelperTemplate, Parameter, Template as Parsed, TemplateElement};

use super::ast::{Arm, Branches, Each, Emit, Node, Span, Template, With};
use super::helpers::Known;
use super::position::Positions;
use super::scope::Scopes;
use crate::template::{MAX_BLOCK_DEPTH, TemplateError};

/// Builds the tree, or reports all that is refused in it.
pub(super) fn build(parsed: &Parsed, positions: Positions<'_>) -> Result<Template, Vec<TemplateError>> {
    let mut builder =
        Builder { positions, scopes: Scopes::new(), errors: Vec::new(), blocks: 0, parentheses: 0 };
    let body = builder.nodes(parsed);
    if builder.errors.is_empty() {
        return Ok(Template { body, scopes: builder.scopes.made() });
    }
    builder.errors.sort_by_key(|error| error.span.start);
    Err(builder.errors)
}

pub(super) struct Builder<'s> {
    pub positions: Positions<'s>,
    pub scopes: Scopes,
    pub errors: Vec<TemplateError>,
    pub parentheses: usize,
    blocks: usize,
}

impl Builder<'_> {
    fn nodes(&mut self, template: &Parsed) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (at, element) in template.elements.iter().enumerate() {
            if let TemplateElement::RawString(text) = element {
                push_text(&mut nodes, text);
                continue;
            }
            let span = match (template.mapping.get(at), element) {
                (Some(mapping), _) => self.positions.tag_at(mapping.0, mapping.1),
                (None, TemplateElement::HelperBlock(block)) => self.else_span(block),
                (None, _) => 0..0,
            };
            match element {
                TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
                TemplateElement::Expression(tag) | TemplateElement::HtmlExpression(tag) => {
                    let value = self.tag_value(tag, &span);
                    nodes.extend(value.map(|value| Node::Emit(Emit { value, span })));
                }
                TemplateElement::HelperBlock(block) => self.block(block, span, &mut nodes),
                TemplateElement::PartialExpression(_) | TemplateElement::PartialBlock(_) => {
                    self.unsupported(span, "partials are not supported", "write the text where it is used");
                }
                TemplateElement::DecoratorBlock(block) if block.name.as_name() == Some("inline") => {
                    self.unsupported(
                        span,
                        "inline partials are not supported",
                        "write the text where it is used",
                    );
                }
                _ => self.unsupported(span, "decorators are not supported", "remove it"),
            }
        }
        nodes
    }

    /// `{{else if …}}` has a block of its own in the crate's tree, but no place.
    fn else_span(&mut self, block: &HelperTemplate) -> Span {
        let name = block.name.as_name().unwrap_or_default();
        self.positions.next_else(name).unwrap_or(0..0)
    }

    fn block(&mut self, block: &HelperTemplate, span: Span, nodes: &mut Vec<Node>) {
        let name = block.name.as_name().unwrap_or_default();
        if self.blocks >= MAX_BLOCK_DEPTH {
            let message = format!("block `{name}` nests deeper than {MAX_BLOCK_DEPTH} blocks");
            self.errors.push(TemplateError::too_complex(span, message));
            return;
        }
        self.blocks += 1;
        match Known::find(name) {
            Some(known) if known.is_condition() => nodes.push(Node::If(self.branches(block, span))),
            Some(Known::Each) => nodes.extend(self.each(block, span).map(Node::Each)),
            Some(Known::With) => nodes.extend(self.with(block, span).map(Node::With)),
            Some(Known::Raw) => {
                self.expect(block, &span, 0, 0);
                if block.inverse.is_some() {
                    self.refuse(self.positions.within(&span, name), "`raw` takes no `else`");
                }
                for node in self.body(block.template.as_ref()) {
                    match node {
                        Node::Text(text) => push_text(nodes, &text),
                        other => nodes.push(other),
                    }
                }
            }
            known => {
                self.not_a_block(known, name, &span);
                self.body(block.template.as_ref());
                self.body(block.inverse.as_ref());
            }
        }
        self.blocks -= 1;
    }

    /// A condition and every condition in its `else`: a loop, so that a long chain does not nest.
    fn branches(&mut self, block: &HelperTemplate, span: Span) -> Branches {
        let mut arms = Vec::new();
        let mut block = block;
        let mut span = span;
        loop {
            let arm = self.condition(block, &span);
            let body = self.body(block.template.as_ref());
            arms.extend(arm.map(|arm| Arm { body, ..arm }));
            let Some(inverse) = &block.inverse else {
                return Branches { arms, otherwise: Vec::new() };
            };
            match (inverse.elements.as_slice(), inverse.mapping.first()) {
                ([TemplateElement::HelperBlock(next)], None) if is_condition(next) => {
                    span = self.else_span(next);
                    block = next;
                }
                _ => return Branches { arms, otherwise: self.nodes(inverse) },
            }
        }
    }

    /// The condition of one arm; its body is still empty.
    fn condition(&mut self, block: &HelperTemplate, span: &Span) -> Option<Arm> {
        let name = block.name.as_name().unwrap_or_default();
        let known = Known::find(name)?;
        let include_zero = matches!(known, Known::If | Known::Unless) && self.include_zero(block, span);
        let condition = match known {
            Known::Value(_) => {
                self.expect_params(block, span, 0);
                self.call(block, span)?
            }
            _ => {
                self.expect_params(block, span, 0);
                self.expect_count(block, span, 1);
                self.parameter(block.params.first()?, span)?
            }
        };
        let negate = known == Known::Unless;
        Some(Arm { condition, negate, include_zero, body: Vec::new(), span: span.clone() })
    }

    fn each(&mut self, block: &HelperTemplate, span: Span) -> Option<Each> {
        self.expect(block, &span, 1, 2);
        let over = block.params.first().and_then(|over| self.parameter(over, &span));
        let scope = self.scopes.enter_each(block_params(block));
        let body = self.body(block.template.as_ref());
        self.scopes.leave();
        let otherwise = self.body(block.inverse.as_ref());
        Some(Each { over: over?, scope, body, otherwise, span })
    }

    fn with(&mut self, block: &HelperTemplate, span: Span) -> Option<With> {
        self.expect(block, &span, 1, 1);
        let value = block.params.first().and_then(|value| self.parameter(value, &span));
        let scope = self.scopes.enter_with(block_params(block));
        let body = self.body(block.template.as_ref());
        self.scopes.leave();
        let otherwise = self.body(block.inverse.as_ref());
        Some(With { value: value?, scope, body, otherwise, span })
    }

    fn body(&mut self, template: Option<&Parsed>) -> Vec<Node> {
        template.map(|template| self.nodes(template)).unwrap_or_default()
    }

    pub fn refuse(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.errors.push(TemplateError::syntax(span, message));
    }

    pub fn unsupported(&mut self, span: Range<usize>, message: impl Into<String>, help: &str) {
        self.errors.push(TemplateError::unsupported(span, message).with_help(help));
    }
}

fn push_text(nodes: &mut Vec<Node>, text: &str) {
    match nodes.last_mut() {
        Some(Node::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => nodes.push(Node::Text(text.to_owned())),
    }
}

fn is_condition(block: &HelperTemplate) -> bool {
    block.name.as_name().and_then(Known::find).is_some_and(Known::is_condition)
}

/// The names in `as |a b|`.
pub(super) fn block_params(block: &HelperTemplate) -> Vec<String> {
    use ::handlebars::template::BlockParam;
    let names: Vec<&Parameter> = match &block.block_param {
        Some(BlockParam::Single(name)) => vec![name],
        Some(BlockParam::Pair((value, key))) => vec![value, key],
        _ => Vec::new(),
    };
    names.into_iter().filter_map(Parameter::as_name).map(str::to_owned).collect()
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod tests;
