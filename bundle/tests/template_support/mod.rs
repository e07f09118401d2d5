//! Generated programs and data.

pub mod choices;
pub mod data;
pub mod programs;
