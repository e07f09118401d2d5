//! Documents and configurations of others that become specs.
//!
//! ```text
//! text ─document→ Json ─importer→ DraftSpec… ─judge→ files
//!                   └─ledger: what became of each member─→ fidelity report
//! ```
//!
//! An importer is a folder here with a function that takes a document and gives an [`Imported`]. It marks in the [`Ledger`] what
//! it reads. [`finish`] does the rest, for all formats alike.

pub mod again;
pub mod codes;
pub mod document;
pub mod draft;
pub mod fidelity;
pub mod gateways;
pub mod go_text;
pub mod higress;
pub mod judge;
pub mod ledger;
pub mod openapi;
pub mod output;
pub mod rest;
pub mod secrets;
pub mod unla;
pub mod write;

pub use fidelity::{Fate, Fidelity, ToolCount};
pub use judge::{LeftOut, SpecFile};
pub use ledger::Ledger;

use std::collections::BTreeMap;

/// What an importer made of a source.
#[derive(Debug)]
pub struct Imported<'d> {
    pub specs: Vec<draft::DraftSpec>,
    pub ledger: Ledger<'d>,
    /// What could have been a tool and is none. The ledger knows, too.
    pub refused: usize,
}

/// Specs that the check has no error in, and the report about them.
#[derive(Debug)]
pub struct Finished {
    pub files: Vec<SpecFile>,
    pub fidelity: Fidelity,
    pub tools: ToolCount,
    /// How many warnings the check has, by the name of the rule.
    pub warnings: BTreeMap<&'static str, usize>,
}

/// Checks the drafts, leaves out what the check refuses, and closes the ledger.
pub fn finish(imported: Imported<'_>) -> Finished {
    let Imported { specs, ledger, refused } = imported;
    let judge::Judged { files, left_out, examples, warnings } = judge::judge(specs);
    let tools =
        ToolCount { imported: files.iter().map(|file| file.tools).sum(), refused: refused + left_out.len() };
    let mut by_place = BTreeMap::new();
    let examples = examples.into_iter().map(|example| ("the example", example));
    for (what, left_out) in examples.chain(left_out.into_iter().map(|tool| ("the tool", tool))) {
        let LeftOut { tool, place, code, why } = left_out;
        let of = if what == "the tool" { "" } else { "of " };
        let why = format!("{what} {of}`{tool}` was left out: {why}");
        if place.is_empty() {
            ledger.note("", Fate::Refused, code, why);
        } else {
            by_place.insert(place, (code, why));
        }
    }
    Finished { files, fidelity: ledger.audit(&by_place), tools, warnings }
}
