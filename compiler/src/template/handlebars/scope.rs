//! What a path means: which scope it starts from and which keys it takes.

use ::handlebars::{Path as ParsedPath, PathSeg};

use super::ast::{Expr, Literal, LoopItem, LoopValue, Path, ScopeId};

/// The scopes around a place, the innermost last. There is always the root.
pub(super) struct Scopes {
    outer: Vec<Scope>,
    inner: Scope,
    made: u32,
}

struct Scope {
    id: ScopeId,
    /// The loop whose variables are seen here. A `with` sees those of the scope around it.
    each: Option<ScopeId>,
    params: Vec<(String, Param)>,
}

/// What a block parameter (`as |item index|`) stands for.
#[derive(Clone, Copy)]
enum Param {
    Value,
    KeyOrIndex,
}

/// Why a path means nothing.
pub(super) enum Unresolved {
    /// More `../` than there are scopes.
    AboveRoot,
    /// A `@name` that does not exist.
    UnknownLocal(String),
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            outer: Vec::new(),
            inner: Scope { id: ScopeId::ROOT, each: None, params: Vec::new() },
            made: 1,
        }
    }

    pub fn made(&self) -> u32 {
        self.made
    }

    /// Enters an `each` with the names of its element and of its key.
    pub fn enter_each(&mut self, params: Vec<String>) -> ScopeId {
        let id = self.next_id();
        let params = params.into_iter().zip([Param::Value, Param::KeyOrIndex]).collect();
        self.enter(Scope { id, each: Some(id), params })
    }

    /// Enters a `with` with the name of its value.
    pub fn enter_with(&mut self, params: Vec<String>) -> ScopeId {
        let id = self.next_id();
        let params = params.into_iter().map(|name| (name, Param::Value)).collect();
        self.enter(Scope { id, each: self.inner.each, params })
    }

    pub fn leave(&mut self) {
        if let Some(scope) = self.outer.pop() {
            self.inner = scope;
        }
    }

    pub fn resolve(&self, path: &ParsedPath) -> Result<Expr, Unresolved> {
        match path {
            ParsedPath::Local((levels, name, _)) => self.local(*levels, name),
            ParsedPath::Relative((segments, raw)) => self.relative(segments, raw),
        }
    }

    fn relative(&self, segments: &[PathSeg], raw: &str) -> Result<Expr, Unresolved> {
        let marks = segments.iter().filter(|segment| matches!(segment, PathSeg::Ruled(_))).count();
        let mut keys = segments.iter().filter_map(|segment| match segment {
            PathSeg::Named(name) => Some(name.clone()),
            _ => None,
        });
        // The marks are `@root` or any number of `../`; their type is private to the crate.
        let raw = ["this.", "this/", "./"].iter().find_map(|here| raw.strip_prefix(here)).unwrap_or(raw);
        if marks > 0 && raw.starts_with("@root") {
            return Ok(Expr::Path(path(ScopeId::ROOT, keys.collect())));
        }
        let first = keys.next();
        match first.as_deref().and_then(|name| self.param(name)) {
            // A string or a number, in which no key finds anything.
            Some((_, Param::KeyOrIndex)) if keys.next().is_some() => Ok(Expr::Literal(Literal::Null)),
            Some((scope, Param::KeyOrIndex)) => {
                Ok(Expr::Loop(LoopValue { scope, item: LoopItem::KeyOrIndex }))
            }
            Some((scope, Param::Value)) => Ok(Expr::Path(path(scope, keys.collect()))),
            None => {
                let scope = self.up(marks).ok_or(Unresolved::AboveRoot)?.id;
                Ok(Expr::Path(path(scope, first.into_iter().chain(keys).collect())))
            }
        }
    }

    fn local(&self, levels: usize, name: &str) -> Result<Expr, Unresolved> {
        let item = match name {
            "index" => LoopItem::Index,
            "key" => LoopItem::Key,
            "first" => LoopItem::First,
            "last" => LoopItem::Last,
            "root" if levels == 0 => return Ok(Expr::Path(path(ScopeId::ROOT, Vec::new()))),
            _ => return Err(Unresolved::UnknownLocal(name.to_owned())),
        };
        let each = self.up(levels).and_then(|scope| scope.each);
        Ok(match each {
            Some(scope) => Expr::Loop(LoopValue { scope, item }),
            None => Expr::Literal(Literal::Null),
        })
    }

    /// The scope `levels` above the innermost.
    fn up(&self, levels: usize) -> Option<&Scope> {
        std::iter::once(&self.inner).chain(self.outer.iter().rev()).nth(levels)
    }

    /// The innermost block parameter of that name; `../` does not matter to it.
    fn param(&self, name: &str) -> Option<(ScopeId, Param)> {
        std::iter::once(&self.inner).chain(self.outer.iter().rev()).find_map(|scope| {
            // Of two with the same name, the crate keeps the second.
            let (_, param) = scope.params.iter().rev().find(|(param, _)| param == name)?;
            Some((scope.id, *param))
        })
    }

    fn next_id(&mut self) -> ScopeId {
        let id = ScopeId(self.made);
        self.made += 1;
        id
    }

    fn enter(&mut self, scope: Scope) -> ScopeId {
        let id = scope.id;
        self.outer.push(std::mem::replace(&mut self.inner, scope));
        id
    }
}

/// A path whose place is not known here.
fn path(scope: ScopeId, keys: Vec<String>) -> Path {
    Path { scope, keys, span: 0..0, key_span: 0..0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(scope: u32, keys: &[&str]) -> Expr {
        Expr::Path(super::path(ScopeId(scope), keys.iter().map(|key| (*key).to_owned()).collect()))
    }

    fn resolve(scopes: &Scopes, text: &str) -> Option<Expr> {
        scopes.resolve(&ParsedPath::parse(text).unwrap()).ok()
    }

    fn nested() -> Scopes {
        let mut scopes = Scopes::new();
        scopes.enter_each(vec!["item".to_owned(), "at".to_owned()]);
        scopes.enter_with(vec!["inner".to_owned()]);
        scopes
    }

    #[test]
    fn names_start_from_the_innermost_scope() {
        let scopes = nested();
        for text in ["a.b", "a/b", "./a/b", "this.a.b", "this/a.[b]"] {
            assert_eq!(resolve(&scopes, text), Some(path(2, &["a", "b"])), "{text}");
        }
        assert_eq!(resolve(&scopes, "this"), Some(path(2, &[])));
    }

    #[test]
    fn dots_go_up_to_the_root_and_no_further() {
        let scopes = nested();
        assert_eq!(resolve(&scopes, "../a"), Some(path(1, &["a"])));
        assert_eq!(resolve(&scopes, "../../a"), Some(path(0, &["a"])));
        assert_eq!(resolve(&scopes, "../../../a"), None);
        assert_eq!(resolve(&Scopes::new(), "../a"), None);
    }

    #[test]
    fn the_root_is_reached_from_everywhere() {
        let scopes = nested();
        for text in ["@root.a", "@root/a", "this/@root/a"] {
            assert_eq!(resolve(&scopes, text), Some(path(0, &["a"])), "{text}");
        }
        assert_eq!(resolve(&scopes, "@root"), Some(path(0, &[])));
    }

    #[test]
    fn block_parameters_are_seen_until_their_block_ends() {
        let mut scopes = nested();
        assert_eq!(resolve(&scopes, "inner.x"), Some(path(2, &["x"])));
        assert_eq!(resolve(&scopes, "item.x"), Some(path(1, &["x"])));
        let key = LoopValue { scope: ScopeId(1), item: LoopItem::KeyOrIndex };
        assert_eq!(resolve(&scopes, "at"), Some(Expr::Loop(key)));
        assert_eq!(resolve(&scopes, "at.x"), Some(Expr::Literal(Literal::Null)));
        scopes.leave();
        scopes.leave();
        assert_eq!(resolve(&scopes, "item.x"), Some(path(0, &["item", "x"])));
    }

    #[test]
    fn of_two_block_parameters_with_one_name_the_second_counts() {
        let mut scopes = Scopes::new();
        scopes.enter_each(vec!["a".to_owned(), "a".to_owned()]);
        let key = LoopValue { scope: ScopeId(1), item: LoopItem::KeyOrIndex };
        assert_eq!(resolve(&scopes, "a"), Some(Expr::Loop(key)));
    }

    #[test]
    fn loop_variables_belong_to_the_loop_around_them() {
        let scopes = nested();
        let index = Expr::Loop(LoopValue { scope: ScopeId(1), item: LoopItem::Index });
        assert_eq!(resolve(&scopes, "@index"), Some(index.clone()));
        assert_eq!(resolve(&scopes, "@../index"), Some(index));
        assert_eq!(resolve(&scopes, "@../../index"), Some(Expr::Literal(Literal::Null)));
        assert_eq!(resolve(&scopes, "@level"), None);
    }
}
