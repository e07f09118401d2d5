//! Whatever a Handlebars template says, it is refused with places in it, or made a program that can be loaded and ends.
#![no_main]

mod template_support;

use libfuzzer_sys::fuzz_target;
use mcpc::template::Dialect;

fuzz_target!(|source: &str| template_support::check(Dialect::Handlebars, source));
