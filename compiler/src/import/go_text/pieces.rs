//! A template's text in pieces, for what is not a template in a spec: a URL, or a constant.

use crate::language::json::Json;
use crate::template::go::ast::{Base, ExprKind, Node};
use crate::template::go::parse;

/// A part of a template that [`super::rewrite`] has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text, with variables in it.
    Text(String),
    /// An argument that is inserted as it is.
    Argument(String),
    /// Anything else, as its source.
    Template(String),
}

/// The pieces of a template; all of it is one if it cannot be read.
pub fn pieces(source: &str) -> Vec<Piece> {
    let Ok(template) = parse(source) else { return vec![Piece::Template(source.to_owned())] };
    if !template.definitions.is_empty() {
        return vec![Piece::Template(source.to_owned())];
    }
    let mut all: Vec<Piece> = Vec::new();
    for node in &template.body {
        let piece = match node {
            Node::Text(text) => Piece::Text(text.text.clone()),
            Node::Action(action) => match argument(node) {
                Some(name) => Piece::Argument(name),
                None => Piece::Template(part(source, action.span.clone())),
            },
            Node::If(branches) | Node::With(branches) => Piece::Template(part(source, branches.span.clone())),
            Node::Range(range) => Piece::Template(part(source, range.span.clone())),
            Node::Inclusion(inclusion) => Piece::Template(part(source, inclusion.span.clone())),
            // They are inside a loop.
            Node::Break(_) | Node::Continue(_) => continue,
        };
        match (all.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(next)) => last.push_str(&next),
            (_, piece) => all.push(piece),
        }
    }
    all
}

/// The argument that an action inserts.
fn argument(node: &Node) -> Option<String> {
    let Node::Action(action) = node else { return None };
    let ExprKind::Path(path) = &action.pipe.head.kind else { return None };
    let is_root = matches!(&path.base, Base::Dot)
        || matches!(&path.base, Base::Variable(variable) if variable.name == "$");
    match path.fields.as_slice() {
        [name] if is_root && action.pipe.stages.is_empty() && action.pipe.bind.is_none() => {
            Some(name.text.clone())
        }
        _ => None,
    }
}

fn part(source: &str, span: std::ops::Range<usize>) -> String {
    source.get(span).unwrap_or_default().to_owned()
}

/// The template that pieces make.
pub fn template_text(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Template(text) => text.clone(),
        Piece::Argument(name) => go_action(name),
    };
    pieces.iter().map(text).collect()
}

/// An action that inserts an argument, whatever its name is.
pub fn go_action(name: &str) -> String {
    let is_identifier = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_numeric());
    if is_identifier {
        return format!("{{{{ .{name} }}}}");
    }
    // Go's strings have the escapes of JSON.
    format!("{{{{ index . {} }}}}", Json::string(name).to_text())
}

/// Text in which `${` means itself.
pub fn escape_variables(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_apart() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            pieces("${A}/x/{{ .id }}?a={{ .b | upper }}{{ if .c }}c{{ end }}"),
            [
                text("${A}/x/"),
                Piece::Argument("id".to_owned()),
                text("?a="),
                Piece::Template("{{ .b | upper }}".to_owned()),
                Piece::Template("{{ if .c }}c{{ end }}".to_owned()),
            ]
        );
        assert_eq!(pieces("plain"), [text("plain")]);
        assert_eq!(pieces("{{ $.x }}"), [Piece::Argument("x".to_owned())]);
        assert_eq!(go_action("a-b"), "{{ index . \"a-b\" }}");
        assert_eq!(template_text(&pieces("a{{ .b }}{{ now }}")), "a{{ .b }}{{ now }}");
    }
}
