//! The helpers that a Handlebars template may use.

use mcp_diagnostics::suggest::nearest;

/// A helper that gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Helper {
    And,
    Eq,
    Gt,
    Gte,
    Len,
    Lookup,
    Lt,
    Lte,
    Ne,
    Not,
    Or,
}

impl Helper {
    /// How many parameters it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Len | Self::Not => 1,
            _ => 2,
        }
    }

    /// Whether it decides something, so that `{{#eq a b}}` is a block.
    pub fn is_condition(self) -> bool {
        !matches!(self, Self::Len | Self::Lookup)
    }
}

/// What a name stands for where a helper is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Value(Helper),
    If,
    Unless,
    Each,
    With,
    Raw,
    /// It writes to a log and nothing to the output; we have no log to write to.
    Log,
}

impl Known {
    const NAMES: &[(&str, Self)] = &[
        ("and", Self::Value(Helper::And)),
        ("each", Self::Each),
        ("eq", Self::Value(Helper::Eq)),
        ("gt", Self::Value(Helper::Gt)),
        ("gte", Self::Value(Helper::Gte)),
        ("if", Self::If),
        ("len", Self::Value(Helper::Len)),
        ("log", Self::Log),
        ("lookup", Self::Value(Helper::Lookup)),
        ("lt", Self::Value(Helper::Lt)),
        ("lte", Self::Value(Helper::Lte)),
        ("ne", Self::Value(Helper::Ne)),
        ("not", Self::Value(Helper::Not)),
        ("or", Self::Value(Helper::Or)),
        ("raw", Self::Raw),
        ("unless", Self::Unless),
        ("with", Self::With),
    ];

    pub fn find(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
    }

    /// Whether a chain of conditions, such as `else if`, may contain it.
    pub fn is_condition(self) -> bool {
        match self {
            Self::If | Self::Unless => true,
            Self::Value(helper) => helper.is_condition(),
            _ => false,
        }
    }

    /// The usable helper that `name` most likely stands for.
    pub fn closest(name: &str) -> Option<&'static str> {
        nearest(name, names())
    }
}

/// The helpers that can be used, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    Known::NAMES.iter().filter(|(_, known)| *known != Known::Log).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_helper_exists_in_the_parser_crate() {
        let registry = ::handlebars::Handlebars::new();
        for (name, _) in Known::NAMES {
            let source = format!("{{{{#{name} 1 1}}}}{{{{/{name}}}}}");
            let result = registry.render_template(&source, &());
            assert!(result.is_ok(), "{name}: {result:?}");
        }
        assert!(registry.render_template("{{#nope 1 1}}{{/nope}}", &()).is_err());
    }

    #[test]
    fn a_slip_finds_its_helper_and_never_the_log() {
        assert_eq!(Known::closest("unles"), Some("unless"));
        assert_eq!(Known::closest("loog"), None);
    }
}
