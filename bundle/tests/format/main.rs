//! The bundle file: what is written can be read, and nothing else can.

mod arguments;
mod bytes;
mod container;
mod credentials;
mod documented;
mod encoder;
mod growth;
mod limits;
mod properties;
mod release;
mod requests;
mod rules;
mod servers;
mod signatures;
mod support;
