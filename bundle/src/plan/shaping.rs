//! The part of a plan that matters once the upstream has answered.

use super::{ResponsePlan, ToolPlan};
use crate::strings::StrId;

/// What of a tool's plan shaping needs.
#[derive(Debug, Clone, Copy)]
pub struct Shaping<'a> {
    pub name: StrId,
    pub fixed_answer: Option<StrId>,
    /// As [`ToolPlan::policy`].
    pub policy: u32,
    pub response: &'a ResponsePlan,
}

impl<'a> From<&'a ToolPlan> for Shaping<'a> {
    fn from(tool: &'a ToolPlan) -> Shaping<'a> {
        Shaping {
            name: tool.name,
            fixed_answer: tool.fixed_answer(),
            policy: tool.policy,
            response: &tool.response,
        }
    }
}
