//! Which variable a `$name` means.

use super::ast::VariableId;

/// The variables in sight, the innermost last.
pub(super) struct Scope {
    visible: Vec<(String, VariableId)>,
    declared: u32,
}

/// A place to return to when a block ends.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl Scope {
    pub fn new() -> Self {
        Self { visible: vec![("$".to_owned(), VariableId::ROOT)], declared: 1 }
    }

    pub fn declare(&mut self, name: &str) -> VariableId {
        let id = VariableId(self.declared);
        self.declared += 1;
        self.visible.push((name.to_owned(), id));
        id
    }

    pub fn find(&self, name: &str) -> Option<VariableId> {
        self.visible.iter().rev().find(|(visible, _)| visible == name).map(|(_, id)| *id)
    }

    /// The nearest names, for a suggestion; comparing with thousands would take seconds.
    pub fn nearest_names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().rev().take(64).map(|(name, _)| name.as_str())
    }

    pub fn declared(&self) -> u32 {
        self.declared
    }

    /// Goes on counting where another scope is: numbers are never used twice.
    pub fn continue_from(&mut self, other: &Self) {
        self.declared = other.declared;
    }

    pub fn mark(&self) -> Mark {
        Mark(self.visible.len())
    }

    pub fn leave(&mut self, mark: Mark) {
        self.visible.truncate(mark.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_declaration_shadows_until_its_block_ends() {
        let mut scope = Scope::new();
        let outer = scope.declare("$x");
        let mark = scope.mark();
        let inner = scope.declare("$x");
        assert_ne!(outer, inner);
        assert_eq!(scope.find("$x"), Some(inner));
        scope.leave(mark);
        assert_eq!(scope.find("$x"), Some(outer));
        assert_eq!(scope.find("$y"), None);
        assert_eq!(scope.find("$"), Some(VariableId::ROOT));
        assert_eq!(scope.declared(), 3);
    }
}
