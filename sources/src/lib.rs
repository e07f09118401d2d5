//! Bundles that come from a network, and how they get there: web servers, registries and object stores.
//!
//! [`Location`] is what a person writes, [`open`] makes a [`Remote`] of it, [`push`] uploads. Everything blocks: whoever calls
//! has a thread that may. Nothing is decided about a bundle here, only about its transfer: signatures are checked by those who
//! read it.

#[cfg(feature = "buckets")]
mod bucket;
#[cfg(feature = "web")]
mod client;
mod copy;
#[cfg(feature = "web")]
mod credentials;
mod error;
mod kinds;
pub mod location;
#[cfg(feature = "web")]
pub mod oci;
mod patience;
mod remote;
#[cfg(feature = "web")]
mod web;

pub use copy::{Copy, CopyError};
pub use error::TransferError;
pub use kinds::{open, push};
pub use location::{Location, LocationError};
pub use patience::Patience;
pub use remote::{Facts, Fetched, Options, Pushed, Remote, Variables, Version};
