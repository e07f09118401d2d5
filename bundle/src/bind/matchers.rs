//! The regular expressions and full schemas of a bundle, compiled when they are first needed.
//!
//! A bundle of ten thousand tools would otherwise spend its activation on patterns that no call asks
//! for. The compiler accepts a pattern or a schema with the very functions used here, so what a
//! bundle holds does compile.

use super::patterns::Pattern;
use super::schema::{self, Validator};
use crate::plan::Contents;
use crate::strings::StrId;
use std::sync::OnceLock;

/// Indexed like [`crate::plan::Manifest::patterns`] and [`crate::plan::Manifest::schemas`].
#[derive(Debug, Default)]
pub struct Matchers {
    patterns: Vec<OnceLock<Option<Pattern>>>,
    schemas: Vec<OnceLock<Option<Validator>>>,
}

impl Matchers {
    pub fn new(contents: &Contents) -> Matchers {
        Matchers {
            patterns: contents.manifest.patterns.iter().map(|_| OnceLock::new()).collect(),
            schemas: contents.manifest.schemas.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The pattern, or `None` if the bundle has no valid one there. `contents` are those of `new`.
    #[inline]
    pub fn pattern(&self, contents: &Contents, index: u32) -> Option<&Pattern> {
        let compile = || {
            contents.manifest.patterns.get(index as usize).and_then(|id| Pattern::new(text(contents, *id)))
        };
        self.patterns.get(index as usize)?.get_or_init(compile).as_ref()
    }

    /// The schema, or `None` if the bundle has no valid one there. `contents` are those of `new`.
    pub fn schema(&self, contents: &Contents, index: u32) -> Option<&Validator> {
        let id = *contents.manifest.schemas.get(index as usize)?;
        let compile = || schema::compile(text(contents, id)).ok();
        self.schemas.get(index as usize)?.get_or_init(compile).as_ref()
    }
}

fn text(contents: &Contents, id: StrId) -> &str {
    contents.strings.get(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::PoolBuilder;

    #[test]
    fn matchers_compile_what_is_asked_for() {
        let mut strings = PoolBuilder::new();
        let mut contents = Contents::default();
        contents.manifest.patterns = vec![strings.intern("^a"), strings.intern("(")];
        contents.manifest.schemas = vec![strings.intern(r#"{"type":"object"}"#)];
        contents.strings = strings.finish();
        let matchers = Matchers::new(&contents);
        assert!(matchers.pattern(&contents, 0).unwrap().is_match("ab"));
        assert!(matchers.pattern(&contents, 1).is_none());
        assert!(matchers.pattern(&contents, 2).is_none());
        assert!(matchers.schema(&contents, 0).is_some());
        assert!(matchers.schema(&contents, 1).is_none());
    }
}
