//! What all requests share, and what each of them is answered with. Everything above `catalog` works on it: calls, MCP, the
//! REST forms and the edge itself.

pub mod changes;
pub(crate) mod context;
pub mod events;
pub(crate) mod in_flight;
pub(crate) mod shared;

use crate::catalog::Catalog;
use crate::settings::Settings;
use crate::tenants::Directory;
use arc_swap::Guard;
use events::EventStream;
use std::sync::Arc;

/// What requests are served with: settings, tenants and tools change in one swap. A request loads it once and keeps it.
#[derive(Debug)]
pub struct Serving {
    pub settings: Arc<Settings>,
    /// Who may call.
    pub directory: Arc<Directory>,
    /// `None` until the first bundle is activated.
    pub catalog: Option<Arc<Catalog>>,
}

/// Settings and tools as they were when a request began.
pub type Loaded = Guard<Arc<Serving>>;

/// What follows [`crate::Edge::answer`].
#[derive(Debug)]
pub enum Answered {
    /// The reply is to be sent.
    Reply,
    /// A stream is to be opened with status 200 and the headers of the reply, which has no body.
    Stream(Box<EventStream>),
}

/// What a swap did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activated {
    pub list_changed: bool,
}
