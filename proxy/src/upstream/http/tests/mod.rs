//! Calls against an upstream that follows a script.

mod body;
mod client_tls;
mod connection;
mod faults;
mod repeat;
mod script;
mod tls;
