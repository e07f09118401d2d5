//! Connections to a server that says what the test wants.

mod calls;
mod ends;
mod server;
mod streams;
