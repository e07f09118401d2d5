//! The answers that the upstream has.

use mcpc_instructions::bodies::{Case, cases};

/// How long an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Size {
    #[value(name = "300")]
    Small,
    #[value(name = "4k")]
    List,
    #[value(name = "100k")]
    LongList,
    #[value(name = "1m")]
    Large,
}

impl Size {
    pub const ALL: [Size; 4] = [Size::Small, Size::List, Size::LongList, Size::Large];

    /// Stands in the names of tools.
    pub const fn label(self) -> &'static str {
        match self {
            Size::Small => "300",
            Size::List => "4k",
            Size::LongList => "100k",
            Size::Large => "1m",
        }
    }

    /// What the upstream's path begins with; any id may follow.
    pub const fn path(self) -> &'static str {
        match self {
            Size::Small => "/users/",
            Size::List => "/4k/",
            Size::LongList => "/100k/",
            Size::Large => "/1m/",
        }
    }

    /// The answer, and templates for it.
    pub fn case(self) -> Case {
        let [small, list, long_list, large] = cases();
        match self {
            Size::Small => small,
            Size::List => list,
            Size::LongList => long_list,
            Size::Large => large,
        }
    }
}
