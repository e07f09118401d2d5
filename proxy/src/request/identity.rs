//! Who calls.

use crate::request::head::Head;

/// The identity behind a request, settled before anything of its body is looked at. This is the one place where
/// authentication will say who it is; until then everyone is anonymous and sees every tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    pub tenant_id: Option<String>,
    pub principal_sub: Option<String>,
}

impl Caller {
    /// The caller of a request.
    pub fn of(_head: &Head) -> Caller {
        Caller::default()
    }
}
