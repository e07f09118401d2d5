//! Who may call, and what they may see: the tenants of a place, their keys, and the issuers of the tokens it accepts.
//!
//! ```text
//! tenants.toml ─lower→ TenantFile ─build→ Directory ─authenticate→ Caller
//! ```
//!
//! A [`Directory`] is swapped together with settings and tools. What a caller may see is a [`Visibility`], of which
//! the directory keeps each distinct one once; the catalog makes a view of it when it is first asked for.

pub mod api_key;

mod certificates;
mod credential;
mod directory;
mod glob;
mod keys;
mod lower;
mod recent;

pub use crate::request::resource::Resource;
pub use certificates::CertificateNames;
pub(crate) use directory::variable_value;
pub use directory::{Directory, Mode, PUBLIC, Visibility};
pub use glob::Glob;
pub use keys::{TABLES, TOP};
pub use lower::{KeyEntry, TenantEntry, TenantFile, TenantRate, parse};
