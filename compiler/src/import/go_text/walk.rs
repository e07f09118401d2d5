//! Walks a template's tree and collects what has to change in its source.

use super::{Refusal, Rewritten, Roots};
use crate::template::go::ast::{
    Action, Base, Branches, CallExpr, Expr, ExprKind, Inclusion, Literal, Node, Path, Pipe, RangeLoop,
    Template, VariableId,
};
use crate::template::go::functions::Function;
use std::ops::Range;

pub(super) struct Walk<'s, 'v> {
    source: &'s str,
    roots: Roots<'s>,
    variable: &'v mut dyn FnMut(&str) -> String,
    /// What takes the place of parts of the source, none of them inside another.
    edits: Vec<(Range<usize>, String)>,
    rewritten: Rewritten,
    /// What is read is an argument of a call.
    is_argument: bool,
    /// `.` is the data that the template was given.
    is_root: bool,
    /// Within a definition, `$` is something else, too.
    is_main: bool,
}

impl<'s, 'v> Walk<'s, 'v> {
    pub fn new(source: &'s str, roots: Roots<'s>, variable: &'v mut dyn FnMut(&str) -> String) -> Self {
        let rewritten = Rewritten::default();
        Walk {
            source,
            roots,
            variable,
            edits: Vec::new(),
            rewritten,
            is_argument: false,
            is_root: true,
            is_main: true,
        }
    }

    pub fn template(&mut self, template: &Template) -> Result<(), Refusal> {
        self.body(&template.body)?;
        (self.is_root, self.is_main) = (false, false);
        // A `block` is defined where it is used, so that its text was not seen yet.
        template.definitions.values().try_for_each(|body| self.body(body))
    }

    pub fn finish(mut self) -> Rewritten {
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut at = 0;
        for (range, text) in self.edits {
            self.rewritten.text.push_str(self.source.get(at..range.start).unwrap_or_default());
            self.rewritten.text.push_str(&text);
            at = range.end.max(at);
        }
        self.rewritten.text.push_str(self.source.get(at..).unwrap_or_default());
        self.rewritten
    }

    fn edit(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.edits.push((range, text.into()));
    }

    fn body(&mut self, nodes: &[Node]) -> Result<(), Refusal> {
        for node in nodes {
            match node {
                Node::Text(text) => {
                    if self.roots.has_variables && text.text.contains("${") {
                        self.edit(text.span.clone(), super::escape_variables(&text.text));
                    }
                }
                Node::Action(action) => self.action(action)?,
                Node::If(branches) => self.branches(branches, false)?,
                Node::With(branches) => self.branches(branches, true)?,
                Node::Range(range) => self.range(range)?,
                Node::Inclusion(Inclusion { data, .. }) => {
                    if let Some(data) = data {
                        self.pipe(data)?;
                    }
                }
                Node::Break(_) | Node::Continue(_) => {}
            }
        }
        Ok(())
    }

    /// A setting that is inserted as it is becomes a variable in the text, and what is never there becomes nothing.
    fn action(&mut self, action: &Action) -> Result<(), Refusal> {
        let Some(text) = self.constant(&action.pipe) else { return self.pipe(&action.pipe) };
        // What `-` removes around it, the parser has removed from the text, but not from the source.
        let source = self.source;
        let before = source.get(..action.span.start).unwrap_or_default();
        let after = source.get(action.span.end..).unwrap_or_default();
        let written = source.get(action.span.clone()).unwrap_or_default();
        let start =
            if written.starts_with("{{-") { before.trim_end_matches(SPACE).len() } else { before.len() };
        let trimmed =
            if written.ends_with("-}}") { after.len() - after.trim_start_matches(SPACE).len() } else { 0 };
        self.edit(start..action.span.end + trimmed, text);
        Ok(())
    }

    /// The text of an action that prints the same for every call.
    fn constant(&mut self, pipe: &Pipe) -> Option<String> {
        let ExprKind::Path(path) = &pipe.head.kind else { return None };
        if !pipe.stages.is_empty() || pipe.bind.is_some() || self.roots.data.is_empty() {
            return None;
        }
        if let Some([key]) = self.setting(path).as_deref() {
            let variable = (self.variable)(key);
            self.rewritten.settings.insert(key.clone());
            return Some(format!("${{{variable}}}"));
        }
        let name = self.below(path, self.roots.data)?.into_iter().next()?;
        if self.is_declared(&name) {
            return None;
        }
        self.rewritten.undeclared.insert(name);
        Some(String::new())
    }

    fn is_declared(&self, name: &str) -> bool {
        self.roots.declared.is_none_or(|declared| declared.contains(name))
    }

    fn branches(&mut self, branches: &Branches, is_with: bool) -> Result<(), Refusal> {
        for arm in &branches.arms {
            self.pipe(&arm.condition)?;
            let outer = self.is_root;
            self.is_root &= !is_with;
            self.body(&arm.body)?;
            self.is_root = outer;
        }
        self.body(&branches.otherwise)
    }

    fn range(&mut self, range: &RangeLoop) -> Result<(), Refusal> {
        self.pipe(&range.over)?;
        let outer = std::mem::replace(&mut self.is_root, false);
        self.body(&range.body)?;
        self.is_root = outer;
        self.body(&range.otherwise)
    }

    fn pipe(&mut self, pipe: &Pipe) -> Result<(), Refusal> {
        let outer = std::mem::replace(&mut self.is_argument, false);
        self.expr(&pipe.head)?;
        self.is_argument = outer;
        pipe.stages.iter().try_for_each(|stage| self.call(stage))
    }

    fn expr(&mut self, expr: &Expr) -> Result<(), Refusal> {
        match &expr.kind {
            ExprKind::Literal(_) => Ok(()),
            ExprKind::Path(path) => self.path(path, &expr.span),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Pipe(pipe) => self.pipe(pipe),
        }
    }

    fn call(&mut self, call: &CallExpr) -> Result<(), Refusal> {
        if call.function == Function::Gjson {
            return self.gjson(call);
        }
        if let (Function::Join, [list, separator]) = (call.function, call.arguments.as_slice())
            && let (ExprKind::Path(path), ExprKind::Literal(Literal::Str(_))) = (&list.kind, &separator.kind)
        {
            let source = self.source;
            let text = |span: &Range<usize>| source.get(span.clone()).unwrap_or_default().to_owned();
            let inner = self.edits.len();
            self.path(path, &list.span)?;
            // The list moves, together with what changes in it.
            let moved = moved(&text(&list.span), list.span.start, self.edits.split_off(inner));
            self.edit(list.span.clone(), text(&separator.span));
            self.edit(separator.span.clone(), moved);
            self.rewritten.swapped_join = true;
            return Ok(());
        }
        if let (Function::Index, [of, key, ..]) = (call.function, call.arguments.as_slice())
            && let (ExprKind::Path(path), ExprKind::Literal(Literal::Str(name))) = (&of.kind, &key.kind)
            && self.below(path, self.roots.data).is_some_and(|rest| rest.is_empty())
            && !self.roots.data.is_empty()
        {
            self.rewritten.reads.insert(name.clone());
            self.strip(path, &of.span, self.roots.data.len());
            return call.arguments.iter().skip(1).try_for_each(|argument| self.expr(argument));
        }
        let outer = std::mem::replace(&mut self.is_argument, true);
        let result = call.arguments.iter().try_for_each(|argument| self.expr(argument));
        self.is_argument = outer;
        result
    }

    /// Its path begins at the root, wherever it is.
    fn gjson(&mut self, call: &CallExpr) -> Result<(), Refusal> {
        let Some(Expr { kind: ExprKind::Literal(Literal::Str(path)), span }) = call.arguments.first() else {
            return Ok(());
        };
        if self.roots.data.is_empty() {
            return Ok(());
        }
        let prefix = format!("{}.", self.roots.data.join("."));
        match path.strip_prefix(&prefix) {
            Some(rest) if !rest.is_empty() && !rest.contains(['"', '\\', '\n']) => {
                let name = rest.split(['.', '|']).next().unwrap_or_default();
                self.rewritten.reads.insert(name.to_owned());
                self.edit(span.clone(), format!("\"{rest}\""));
                Ok(())
            }
            _ => Err(refuse(span, format!("`gjson \"{path}\"` is not about an argument"))),
        }
    }

    fn path(&mut self, path: &Path, span: &Range<usize>) -> Result<(), Refusal> {
        if let Base::Value(base) = &path.base {
            return self.expr(base);
        }
        if !self.starts_at_root(path) {
            return Ok(());
        }
        if let Some(rest) = self.below(path, self.roots.data) {
            match rest.first() {
                Some(name) if !self.is_declared(name) => {
                    self.rewritten.undeclared.insert(name.clone());
                    // Nothing, as it always was.
                    self.edit(span.clone(), if self.is_argument { "nil" } else { "\"\"" });
                    return Ok(());
                }
                Some(name) => {
                    self.rewritten.reads.insert(name.clone());
                }
                None => self.rewritten.reads_all = true,
            }
            self.strip(path, span, self.roots.data.len());
            return Ok(());
        }
        if let Some(rest) = self.setting(path) {
            return Err(refuse(
                span,
                match rest.first() {
                    Some(key) => {
                        format!(
                            "the setting `{key}` is used in a computation, and variables can only be inserted"
                        )
                    }
                    None => "it reads all settings together".to_owned(),
                },
            ));
        }
        let text = self.source.get(span.clone()).unwrap_or_default();
        Err(refuse(
            span,
            match path.fields.is_empty() {
                true => "it reads arguments and settings together".to_owned(),
                false => format!("`{text}` is neither an argument nor a setting"),
            },
        ))
    }

    /// The names of a path below the settings, if the template sees settings.
    fn setting(&self, path: &Path) -> Option<Vec<String>> {
        if self.roots.settings.is_empty() { None } else { self.below(path, self.roots.settings) }
    }

    fn starts_at_root(&self, path: &Path) -> bool {
        match &path.base {
            Base::Dot => self.is_root,
            Base::Variable(variable) => variable.id == VariableId::ROOT && self.is_main,
            Base::Value(_) => false,
        }
    }

    /// The names of a path below another one at the root.
    fn below(&self, path: &Path, root: &[&str]) -> Option<Vec<String>> {
        if !self.starts_at_root(path) {
            return None;
        }
        let mut names = path.fields.iter().map(|name| name.text.clone());
        for step in root {
            if names.next()? != *step {
                return None;
            }
        }
        Some(names.collect())
    }

    /// Takes the first names out of a path.
    fn strip(&mut self, path: &Path, span: &Range<usize>, count: usize) {
        let Some(last) = count.checked_sub(1).and_then(|last| path.fields.get(last)) else { return };
        let start = path.fields.first().map_or(span.start, |first| first.span.start);
        let is_dot = matches!(path.base, Base::Dot) && path.fields.len() == count;
        self.edit(start..last.span.end, if is_dot { "." } else { "" });
    }
}

/// What Go's `-` removes.
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// A part of the source that begins at `start`, with its edits.
fn moved(text: &str, start: usize, edits: Vec<(Range<usize>, String)>) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (range, new) in edits {
        let range = range.start.saturating_sub(start)..range.end.saturating_sub(start);
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn refuse(range: &Range<usize>, message: String) -> Refusal {
    Refusal { range: range.clone(), message }
}
