//! Proxies under load: who is compared, how they are started and asked, and what is measured.
//!
//! Everything runs on loopback in one run, the contenders in turn, so that a noisy machine is noisy to all. Linux only:
//! CPU time and memory of the servers are read from `/proc`.

pub mod answer;
pub mod contender;
pub mod process;
pub mod round;
pub mod servers;
pub mod size;
pub mod spec;
pub mod table;
