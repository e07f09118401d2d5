//! A request from its head to its reply: what was asked, who asks, whether that is allowed here, and what is answered.

pub mod accept;
pub mod access;
pub mod certificate;
pub mod facts;
pub mod failure;
pub mod head;
pub mod id;
pub mod identity;
pub(crate) mod refuse;
pub mod reply;
pub mod resource;
pub mod route;
