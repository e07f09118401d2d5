//! The one exit of every message. Whatever wants to know how messages end is an observer: logs, metrics, the audit,
//! the lines of `mcpc dev`. Each message is observed exactly once, by one of the four.

pub mod counts;
pub mod record;

use futures::future::BoxFuture;
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

    /// Whether records of calls are to have their arguments. That costs each call a copy.
    fn keeps_arguments(&self) -> bool {
        false
    }

    /// Asked before a request is served: `Some` if it has to wait until the observer can take more. `false` at the end of the
    /// wait refuses it.
    fn full(&self) -> Option<BoxFuture<'_, bool>> {
        None
    }

    /// Why the process should get no requests, if there is a reason.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// All observers of an edge.
#[derive(Debug)]
pub struct Observers {
    all: Vec<Arc<dyn Observer>>,
    /// Whether one of them does.
    keep_arguments: bool,
}

impl Observers {
    pub fn new(all: Vec<Arc<dyn Observer>>) -> Observers {
        let keep_arguments = all.iter().any(|observer| observer.keeps_arguments());
        Observers { all, keep_arguments }
    }
}

impl Observer for Observers {
    fn calling(&self, start: &CallStart<'_>) {
        self.all.iter().for_each(|observer| observer.calling(start));
    }

    fn call(&self, record: &CallRecord<'_>) {
        self.all.iter().for_each(|observer| observer.call(record));
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        self.all.iter().for_each(|observer| observer.refused(refusal));
    }

    fn listed(&self, record: &AnswerRecord<'_>) {
        self.all.iter().for_each(|observer| observer.listed(record));
    }

    fn answered(&self, record: &AnswerRecord<'_>) {
        self.all.iter().for_each(|observer| observer.answered(record));
    }

    fn keeps_arguments(&self) -> bool {
        self.keep_arguments
    }

    fn full(&self) -> Option<BoxFuture<'_, bool>> {
        self.all.iter().find_map(|observer| observer.full())
    }

    fn problem(&self) -> Option<String> {
        self.all.iter().find_map(|observer| observer.problem())
    }
}
