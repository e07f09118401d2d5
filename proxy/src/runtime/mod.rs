//! What a thread lends to the requests that it works on: memory, the time, limits of waits, random numbers, counters, a look
//! at sockets and files.

pub mod allocator;
pub mod arrived;
pub mod buffers;
pub mod clock;
pub mod deadline;
pub mod exposed;
pub mod random;
pub mod shards;
