//! What is measured here and in the other benches, too, which depend on much more than this.

pub mod bodies;
