//! Proxies and MCP servers under load: who is compared, how they are started and asked, and what is measured.
//!
//! Everything runs on loopback in one run, the contenders in turn, so that a noisy machine is noisy to all. Linux only:
//! CPU time and memory of the servers are read from `/proc`.
//!
//! - What is compared: [`contender`], [`plan`], [`size`], [`spec`], [`contenders`], [`upstream`].
//! - How it is started and stopped: [`servers`], [`configs`], [`process`], [`cores`].
//! - How it is asked: [`closed`] and [`open`] loops over [`connection`]s; [`answer`], [`chunked`], [`schedule`], [`timer`].
//! - What is measured: [`histogram`], [`usage`], [`stats`].
//! - What is shown: [`results`], [`table`], [`bars`], [`chart`], [`machine`], [`report`].

pub mod answer;
pub mod bars;
pub mod chart;
pub mod chunked;
pub mod closed;
pub mod configs;
pub mod connection;
pub mod contender;
pub mod contenders;
pub mod cores;
pub mod histogram;
pub mod machine;
pub mod mcp_server;
pub mod open;
pub mod plan;
pub mod process;
pub mod report;
pub mod results;
pub mod run;
pub mod schedule;
pub mod servers;
pub mod size;
pub mod spec;
pub mod stats;
pub mod table;
pub mod timer;
pub mod upstream;
pub mod usage;
