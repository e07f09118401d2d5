//! The one exit of every message. Whatever wants to know how messages end is an observer: logs, metrics, the lines of
//! `mcpc dev`. Each message is observed exactly once, by one of the four.

pub mod counts;
pub mod record;

use record::{AnswerRecord, CallRecord, CallStart, Refusal};
use std::fmt::Debug;
use std::sync::Arc;

/// Sees how messages end. It is called on the path of each message: it must not wait.
pub trait Observer: Debug + Send + Sync {
    /// A call of a tool begins; how it ends is observed by `call`.
    fn calling(&self, _start: &CallStart<'_>) {}

    /// A call of a tool has ended.
    fn call(&self, _record: &CallRecord<'_>) {}

    /// A message was refused.
    fn refused(&self, _refusal: &Refusal<'_>) {}

    /// The tools were listed.
    fn listed(&self, _record: &AnswerRecord<'_>) {}

    /// Any other message was answered, or wanted no answer.
    fn answered(&self, _record: &AnswerRecord<'_>) {}
}

/// All observers of an edge.
#[derive(Debug)]
pub struct Observers(pub Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn calling(&self, start: &CallStart<'_>) {
        self.0.iter().for_each(|observer| observer.calling(start));
    }

    fn call(&self, record: &CallRecord<'_>) {
        self.0.iter().for_each(|observer| observer.call(record));
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        self.0.iter().for_each(|observer| observer.refused(refusal));
    }

    fn listed(&self, record: &AnswerRecord<'_>) {
        self.0.iter().for_each(|observer| observer.listed(record));
    }

    fn answered(&self, record: &AnswerRecord<'_>) {
        self.0.iter().for_each(|observer| observer.answered(record));
    }
}
