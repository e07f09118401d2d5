//! Whether a call may begin. Today one limit holds, that of the calls in flight; others will be asked here, too, cheap ones first.

use super::failure::CallFailure;
use crate::serving::context::Context;
use crate::serving::in_flight::Permit;

/// A place among the calls in flight.
pub(super) fn admit<'a>(context: &Context<'a>) -> Result<Permit<'a>, CallFailure> {
    let limit = context.settings.limits.calls_in_flight;
    context.shared.in_flight.enter(limit).ok_or(CallFailure::Overloaded)
}
