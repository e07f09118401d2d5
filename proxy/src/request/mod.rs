//! A request from its head to its reply: what was asked, who asks, whether that is allowed here, and what is answered.

pub mod accept;
pub mod access;
pub(crate) mod context;
pub mod events;
pub mod failure;
pub mod head;
pub mod id;
pub mod identity;
pub mod reply;
pub mod route;
