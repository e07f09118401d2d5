//! `define`, `template` and `block`. A definition is put where it is used, so none may use itself.

use std::collections::BTreeMap;

use super::ast::{Branches, Inclusion, Node, Pipe, Span};
use super::parser::{GivenUp, Parser};
use super::token::TokenKind;
use crate::template::TemplateError;
use mcp_diagnostics::suggest::nearest;

/// How many definitions may be used in each other: each one nests the blocks of another.
const MAX_DEPTH: usize = 8;
/// How many times definitions are put somewhere, those in definitions included.
const MAX_INCLUSIONS: usize = 64;

/// The definitions that were read so far.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub bodies: BTreeMap<String, Vec<Node>>,
}

impl Parser<'_> {
    /// The name in quotes that begins a `define`, `template` or `block`.
    pub fn name_of_template(&mut self, context: &str) -> Result<String, GivenUp> {
        let token = self.take();
        match token.kind {
            TokenKind::Str(name) => Ok(name),
            _ => Err(self.unexpected(&token, context)),
        }
    }

    /// The value that a `template` is given, if any, with the right delimiter.
    pub fn data_of_template(&mut self) -> Result<Option<Pipe>, GivenUp> {
        if self.peek().kind == TokenKind::Right {
            self.take();
            return Ok(None);
        }
        self.command_pipe().map(Some)
    }

    pub fn define(&mut self, name: &str, body: Vec<Node>, span: &Span) {
        if self.definitions.bodies.insert(name.to_owned(), body).is_some() {
            self.refuse(span.clone(), format!("a second definition of \"{name}\""));
        }
    }

    /// Refuses the use of what is not defined, of what uses itself, and of too much.
    pub fn check_definitions(&mut self, body: &[Node]) {
        let bodies = std::mem::take(&mut self.definitions.bodies);
        let mut used = Vec::new();
        for nodes in bodies.values().map(Vec::as_slice).chain([body]) {
            inclusions(nodes, &mut used);
        }
        for inclusion in used.iter().filter(|inclusion| !bodies.contains_key(&inclusion.name)) {
            let error = TemplateError::syntax(
                inclusion.span.clone(),
                format!("the template \"{}\" is not defined", inclusion.name),
            );
            self.errors.push(match nearest(&inclusion.name, bodies.keys().map(String::as_str)) {
                Some(known) => error.with_help(format!("did you mean \"{known}\"?")),
                None => error.with_help("write its text between `{{define \"name\"}}` and `{{end}}`"),
            });
        }
        let definitions = bodies.iter().map(|(name, nodes)| (vec![name.as_str()], nodes.as_slice()));
        for (mut path, nodes) in definitions.chain([(Vec::new(), body)]) {
            // What is not used costs nothing, so each is counted by itself.
            let mut budget = MAX_INCLUSIONS;
            if let Err(error) = follow(&bodies, nodes, &mut path, &mut budget) {
                self.errors.push(error);
                break;
            }
        }
        self.definitions.bodies = bodies;
    }
}

/// Follows what nodes include, as it will be put into them.
fn follow<'t>(
    bodies: &'t BTreeMap<String, Vec<Node>>,
    nodes: &'t [Node],
    path: &mut Vec<&'t str>,
    budget: &mut usize,
) -> Result<(), TemplateError> {
    let mut used = Vec::new();
    inclusions(nodes, &mut used);
    for Inclusion { name, span, .. } in used {
        let refuse = |message: String| Err(TemplateError::too_complex(span.clone(), message));
        if path.contains(&name.as_str()) {
            return refuse(format!("the template \"{name}\" uses itself"));
        }
        if path.len() >= MAX_DEPTH {
            return refuse(format!("definitions are used in each other more than {MAX_DEPTH} deep"));
        }
        *budget = match budget.checked_sub(1) {
            Some(left) => left,
            None => return refuse(format!("definitions are used more than {MAX_INCLUSIONS} times")),
        };
        if let Some(body) = bodies.get(name) {
            path.push(name);
            follow(bodies, body, path, budget)?;
            path.pop();
        }
    }
    Ok(())
}

fn inclusions<'t>(nodes: &'t [Node], used: &mut Vec<&'t Inclusion>) {
    for node in nodes {
        match node {
            Node::Inclusion(inclusion) => used.push(inclusion),
            Node::If(Branches { arms, otherwise, .. }) | Node::With(Branches { arms, otherwise, .. }) => {
                arms.iter().for_each(|arm| inclusions(&arm.body, used));
                inclusions(otherwise, used);
            }
            Node::Range(range) => {
                inclusions(&range.body, used);
                inclusions(&range.otherwise, used);
            }
            Node::Text(_) | Node::Action(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::go::parse;

    fn messages(source: &str) -> Vec<String> {
        let errors = parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"));
        errors.into_iter().map(|error| error.to_string()).collect()
    }

    #[test]
    fn definitions_may_come_before_or_after_their_use() {
        let source =
            "{{ template \"a\" .x }}{{ define \"a\" }}{{ . }}{{ end }}{{ block \"b\" . }}{{ .y }}{{ end }}";
        let template = parse(source).unwrap();
        assert_eq!(template.definitions.keys().collect::<Vec<_>>(), ["a", "b"]);
        let names: Vec<_> = template
            .body
            .iter()
            .map(|node| match node {
                Node::Inclusion(inclusion) => (inclusion.name.as_str(), inclusion.data.is_some()),
                node => panic!("{node:?}"),
            })
            .collect();
        assert_eq!(names, [("a", true), ("b", true)]);
        let parsed = parse("{{ define \"a\" }}{{ end }}{{ template \"a\" }}").unwrap();
        assert!(matches!(parsed.body.as_slice(), [Node::Inclusion(Inclusion { data: None, .. })]));
    }

    #[test]
    fn a_definition_is_a_template_of_its_own() {
        for (source, expected) in [
            ("{{ $x := 1 }}{{ define \"a\" }}{{ $x }}{{ end }}", "undefined variable `$x`"),
            ("{{ define \"a\" }}{{ $x := 1 }}{{ end }}{{ $x }}", "undefined variable `$x`"),
            (
                "{{ range .l }}{{ block \"a\" . }}{{ break }}{{ end }}{{ end }}",
                "`{{break}}` outside `{{range}}`",
            ),
            (
                "{{ if .a }}{{ define \"a\" }}x{{ end }}{{ end }}",
                "`{{define}}` must not be inside another block",
            ),
            ("{{ define \"a\" }}x{{ end }}{{ define \"a\" }}y{{ end }}", "a second definition of \"a\""),
            ("{{ define a }}x{{ end }}", "unexpected `a` in `{{define}}`"),
            ("{{ define \"a\" . }}x{{ end }}", "unexpected `.` in `{{define}}`"),
            ("{{ block \"a\" }}x{{ end }}", "missing value for `block`"),
            ("{{ template }}", "unexpected end of the action in `{{template}}`"),
            ("{{ define \"a\" }}x", "`{{define}}` is never closed"),
        ] {
            let found = messages(source);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            assert!(found[0].starts_with(expected), "{source}: {found:?}");
        }
    }

    #[test]
    fn what_has_no_end_is_refused() {
        for (source, expected) in [
            ("{{ define \"a\" }}{{ template \"a\" . }}{{ end }}", "the template \"a\" uses itself"),
            (
                "{{ define \"a\" }}{{ template \"b\" . }}{{ end }}{{ define \"b\" }}{{ if .x }}{{ template \"a\" . }}{{ end }}{{ end }}",
                "the template \"a\" uses itself",
            ),
            ("{{ template \"nope\" }}", "the template \"nope\" is not defined"),
            (
                "{{ define \"item\" }}x{{ end }}{{ template \"itme\" }}",
                "the template \"itme\" is not defined (did you mean \"item\"?)",
            ),
        ] {
            let found = messages(source);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            assert!(found[0].starts_with(expected), "{source}: {found:?}");
        }
        let doubling: String = (0..7)
            .map(|at| {
                format!(
                    "{{{{ define \"d{at}\" }}}}{}{{{{ end }}}}",
                    format!("{{{{ template \"d{}\" }}}}", at + 1).repeat(2)
                )
            })
            .collect();
        let found =
            messages(&format!("{doubling}{{{{ define \"d7\" }}}}{{{{ end }}}}{{{{ template \"d0\" }}}}"));
        assert_eq!(found, ["definitions are used more than 64 times"]);
        let chain: String = (0..3000)
            .map(|at| format!("{{{{define \"{at}\"}}}}{{{{template \"{}\"}}}}{{{{end}}}}", at + 1))
            .take_while({
                let mut length = 0;
                move |part| {
                    length += part.len();
                    length < 60_000
                }
            })
            .collect();
        assert!(messages(&chain).iter().any(|message| message.contains("more than 8 deep")));
    }
}
