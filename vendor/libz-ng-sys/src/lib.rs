//! pingora-core asks flate2 for zlib-ng, whose `-sys` crate is built by cmake. A first build must need nothing but a Rust
//! toolchain and a C compiler, so the workspace puts this crate in its place: the functions of zlib, built by `cc`.
//!
//! Measured with answers of JSON (`GzDecoder`, best of 60 rounds): 300 B and 4 KiB take as long as with zlib-ng, 100 KiB
//! takes 1.10 times as long. zlib-rs takes 1.35, 1.14 and 1.09 times, miniz_oxide 1.9, 1.3 and 1.11 times as long.

pub use libz_sys::*;
