//! What a store of shared limits is asked, and what it answers. It decides by its own clock alone.

use futures::future::BoxFuture;
use std::fmt::Debug;

/// A connection to a store. Several things may be asked at once.
pub trait Store: Send + Sync + Debug {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Answer, StoreError>>;
}

/// Opens connections to a store.
pub trait Connector: Send + Sync + Debug {
    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Store>, StoreError>>;

    /// Where the store is, for people; without secrets.
    fn place(&self) -> &str;
}

/// Why a store gave no answer; without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub enum StoreError {
    /// It is away.
    Lost(String),
    /// It is there, and will not do what this question needs: a key holds something else, or the user may not.
    #[cfg_attr(not(feature = "redis"), allow(dead_code, reason = "only a Redis refuses"))]
    Refused(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    Rate(RateQuestion),
    Places(PlacesQuestion),
    /// An edge is there for so many milliseconds more; how many are there?
    Edges {
        edge: String,
        ttl_ms: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(not(feature = "redis"), allow(dead_code, reason = "only a Redis answers"))]
pub enum Answer {
    Rate(RateAnswer),
    /// Places that are the edge's now.
    Places(u32),
    Edges(u32),
}

/// Calls of a rate; times in microseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RateQuestion {
    pub name: String,
    /// That a call takes up.
    pub interval: f64,
    /// How far ahead of its time a call may come.
    pub tolerance: f64,
    /// How long what is given may be held.
    pub hold: f64,
    /// Calls that are wanted now.
    pub want: u32,
    /// Further ones, if there are many.
    pub more: u32,
    /// Calls that were made already.
    pub debt: u32,
    /// Calls that were given and not made, and when, by the clock of the store.
    pub back: u32,
    pub back_given: i64,
    /// Calls that are held longer, and when they were given.
    pub renew: u32,
    pub renew_given: i64,
    /// When the next call was due, by the last answer: for a store that has lost it.
    pub known: i64,
    /// What others may have been given since, then.
    pub others: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateAnswer {
    pub given: u32,
    /// Calls to renew are held from now on.
    pub renewed: bool,
    /// Until there is another call to give; 0 if there is one.
    pub wait: u64,
    /// When the next call is due, by the clock of the store.
    pub due: i64,
    /// What that clock says.
    pub now: i64,
}

/// Places of calls in flight, which an edge gives back or asks for again before their time ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlacesQuestion {
    pub name: String,
    pub edge: String,
    /// Of all edges together.
    pub places: u32,
    /// In all, for this edge.
    pub want: u32,
    pub ttl_ms: u64,
}
