//! Generated programs of templates and data for them. Tests of several crates and the fuzz targets make theirs here.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed helper is a failed test")]

pub mod choices;
pub mod data;
pub mod programs;
