//! Variables: where a pipe binds them and where an operand uses them.

use super::ast::{BindMode, Binding, Pipe, RangeBinding, Variable, VariableId};
use super::parser::Parser;
use super::pipeline::RawPipe;
use super::token::Token;
use crate::template::TemplateError;
use mcp_diagnostics::suggest::nearest;

impl Parser<'_> {
    /// Binds the variable of a pipe outside `range`.
    pub fn bind_one(&mut self, mut raw: RawPipe) -> Pipe {
        let bind = raw.mode.zip(raw.variables.pop());
        let bind = bind.map(|(mode, token)| Binding { mode, variable: self.bind(mode, &token) });
        Pipe { bind, head: raw.head, stages: raw.stages, span: raw.start..raw.end }
    }

    /// Binds the one or two variables of a `range`.
    pub fn bind_range(&mut self, raw: RawPipe) -> (Option<RangeBinding>, Pipe) {
        let bind = raw.mode.and_then(|mode| {
            let mut bound: Vec<_> = raw.variables.iter().map(|token| self.bind(mode, token)).collect();
            let element = bound.pop()?;
            Some(RangeBinding { mode, index: bound.pop(), element })
        });
        (bind, Pipe { bind: None, head: raw.head, stages: raw.stages, span: raw.start..raw.end })
    }

    fn bind(&mut self, mode: BindMode, token: &Token) -> Variable {
        let name = self.text(&token.span).to_owned();
        if name == "$" {
            let error =
                TemplateError::unsupported(token.span.clone(), "`$` is the whole data and cannot be set");
            self.errors.push(error);
        }
        match mode {
            BindMode::Assign => self.use_of(token),
            BindMode::Declare => Variable { id: self.scope.declare(&name), name, span: token.span.clone() },
        }
    }

    pub fn use_of(&mut self, token: &Token) -> Variable {
        let name = self.text(&token.span).to_owned();
        let id = self.scope.find(&name);
        if id.is_none() {
            let help = match nearest(&name, self.scope.nearest_names()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("declare it first, as in `{{{{ {name} := … }}}}`"),
            };
            let error = TemplateError::syntax(token.span.clone(), format!("undefined variable `{name}`"));
            self.errors.push(error.with_help(help));
        }
        // The root is a placeholder for it in a tree that is not handed out.
        Variable { id: id.unwrap_or(VariableId::ROOT), name, span: token.span.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::ErrorKind;
    use crate::template::go::ast::{Action, Base, ExprKind, Node, Template};
    use crate::template::go::parse;

    fn tree(source: &str) -> Template {
        parse(source).unwrap_or_else(|errors| panic!("`{source}` is refused: {errors:?}"))
    }

    fn single(source: &str) -> Node {
        tree(source).body.remove(0)
    }

    fn errors(source: &str) -> Vec<TemplateError> {
        parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"))
    }

    fn messages(source: &str) -> Vec<String> {
        errors(source).into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn range_binds_an_element_or_an_index_and_an_element() {
        let Node::Range(two) = single("{{ range $i, $v := .l }}{{ $i }}{{ $v }}{{ end }}") else { panic!() };
        let bind = two.bind.unwrap();
        assert_eq!((bind.mode, bind.index.unwrap().name.as_str()), (BindMode::Declare, "$i"));
        assert_eq!(bind.element.name, "$v");
        let Node::Range(one) = single("{{ range $v := .l }}{{ end }}") else { panic!() };
        assert!(one.bind.is_some_and(|bind| bind.index.is_none() && bind.element.name == "$v"));
        let Node::Range(none) = single("{{ range .l }}{{ end }}") else { panic!() };
        assert!(none.bind.is_none() && none.over.bind.is_none());
    }

    #[test]
    fn a_variable_is_the_nearest_declaration() {
        let template = tree("{{ $x := 1 }}{{ if $x }}{{ $x := $x }}{{ $x = 2 }}{{ end }}{{ $x }}{{ $ }}");
        assert_eq!(template.variables, 3);
        let Node::If(branches) = &template.body[1] else { panic!() };
        let [Node::Action(inner), Node::Action(assign)] = branches.arms[0].body.as_slice() else { panic!() };
        let bound =
            |action: &Action| action.pipe.bind.clone().map(|bind| (bind.mode, bind.variable.id.0)).unwrap();
        assert_eq!(bound(inner), (BindMode::Declare, 2));
        assert!(matches!(&inner.pipe.head.kind,
            ExprKind::Path(path) if matches!(&path.base, Base::Variable(used) if used.id == VariableId(1))));
        assert_eq!(bound(assign), (BindMode::Assign, 2));
        assert!(matches!(&template.body[3], Node::Action(action) if matches!(&action.pipe.head.kind,
            ExprKind::Path(path) if matches!(&path.base, Base::Variable(used) if used.id == VariableId::ROOT))));
    }

    #[test]
    fn a_condition_variable_lives_through_every_arm() {
        assert!(parse("{{ if $x := .a }}{{ $x }}{{ else if $x }}{{ else }}{{ $x }}{{ end }}").is_ok());
        assert!(parse("{{ range $v := .a }}{{ else }}{{ $v }}{{ end }}").is_ok());
        assert_eq!(messages("{{ with $x := .a }}{{ end }}{{ $x }}"), ["undefined variable `$x`"]);
        assert_eq!(
            messages("{{ if .a }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}"),
            ["undefined variable `$x`"]
        );
    }

    #[test]
    fn a_broken_declaration_still_declares() {
        assert_eq!(messages("{{ $x := .a ? }}{{ $x }}").len(), 1);
        assert_eq!(messages("{{ range $a, $b, $c := .l }}{{ $a }}{{ $b }}{{ end }}").len(), 1);
    }

    #[test]
    fn the_root_cannot_be_rebound() {
        assert_eq!(errors("{{ $ := 1 }}")[0].kind, ErrorKind::Unsupported);
        assert_eq!(errors("{{ $ = 1 }}")[0].kind, ErrorKind::Unsupported);
    }

    #[test]
    fn an_undefined_variable_names_a_similar_one() {
        let help = |source| errors(source).remove(0).help.unwrap_or_default();
        assert_eq!(help("{{ $total := 1 }}{{ $totl }}"), "did you mean `$total`?");
        assert_eq!(help("{{ $x }}"), "declare it first, as in `{{ $x := … }}`");
    }
}
