//! An edge whose tools are those of scripted MCP servers, over real sockets.

mod calls;
mod drift;
mod properties;
mod support;
