//! Rules about the syntax and the keys of a file. The code that reads a file reports them. `lint::rules` has
//! the table of all rules.

mod empty_spec;
mod invalid_utf8;
mod invalid_value;
mod key_given_twice;
mod misplaced_key;
mod missing_key;
mod oversized_file;
mod toml_syntax;
mod unknown_key;
mod unknown_method;
mod unknown_position;
mod unknown_type;
mod unreadable_file;
mod wrong_type;

pub use empty_spec::EMPTY_SPEC;
pub use invalid_utf8::INVALID_UTF8;
pub use invalid_value::INVALID_VALUE;
pub use key_given_twice::KEY_GIVEN_TWICE;
pub use misplaced_key::MISPLACED_KEY;
pub use missing_key::MISSING_KEY;
pub use oversized_file::OVERSIZED_FILE;
pub use toml_syntax::TOML_SYNTAX;
pub use unknown_key::UNKNOWN_KEY;
pub use unknown_method::UNKNOWN_METHOD;
pub use unknown_position::UNKNOWN_POSITION;
pub use unknown_type::UNKNOWN_TYPE;
pub use unreadable_file::UNREADABLE_FILE;
pub use wrong_type::WRONG_TYPE;

/// Declares a rule; its doc comment becomes the rule's docs.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ pub $name:ident = $code:literal, $rule:literal, $level:ident;) => {
        $(#[doc = $doc])+
        pub static $name: mcp_diagnostics::Rule = mcp_diagnostics::Rule {
            code: $code,
            name: $rule,
            level: mcp_diagnostics::Level::$level,
            docs: concat!($($doc, "\n"),+),
        };
    };
}
pub(crate) use rule;
