//! The template machine: runs compiled programs over JSON bytes.
//!
//! There is no template parser here. The compiler turns either dialect into one [`Program`]; this module scans the
//! data once, keeping only what the program can read, and writes the encoded text straight into the output.
//! Any program that [`crate::format`] accepts is safe to run: it ends, in bounded time and memory.

mod error;
mod function;
mod functions;
mod machine;
mod output;
mod project;
mod trace;
mod value;

pub use crate::plan::program::*;
pub use error::{Fault, Limit, RenderError};
pub use function::Function;
pub use functions::Ambient;
pub use machine::{Limits, Scratch, render_text};
pub(crate) use machine::{place, render};
pub(crate) use output::{Output, TextOutput, unescaped};
pub use trace::{Ran, Trace};
pub(crate) use value::print_json;
