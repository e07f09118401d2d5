//! MCP servers.

use super::expose::encode_counter;
use crate::upstream::mcp::State;
use crate::upstream::mcp::servers::Servers;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use std::fmt::Error;

pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>, servers: &Servers) -> Result<(), Error> {
    let servers = servers.all();
    let help = "Whether an MCP server is in a state";
    let mut metric = encoder.encode_descriptor("mcp_server_state", help, None, MetricType::Gauge)?;
    for server in servers.iter().map(|supervised| &supervised.server) {
        let now = server.status().state.as_str();
        for state in State::NAMES {
            let labels = [("server", server.name.as_str()), ("state", state)];
            metric.encode_family(&labels)?.encode_gauge(&i64::from(state == now))?;
        }
    }
    let help = "Tools of an MCP server that are not what was reviewed";
    let mut metric = encoder.encode_descriptor("mcp_server_drift", help, None, MetricType::Gauge)?;
    for server in servers.iter().map(|supervised| &supervised.server) {
        let drifted = server.pins().iter().filter(|pin| pin.has_drifted()).count();
        metric.encode_family(&[("server", server.name.as_str())])?.encode_gauge(&(drifted as i64))?;
    }
    let help = "Connections to an MCP server after the first";
    let mut metric = encoder.encode_descriptor("mcp_server_reconnects", help, None, MetricType::Counter)?;
    for server in servers.iter().map(|supervised| &supervised.server) {
        encode_counter(&mut metric.encode_family(&[("server", server.name.as_str())])?, server.reconnects())?;
    }
    let help = "Calls of the tools of an MCP server, by how they ended";
    let mut metric = encoder.encode_descriptor("mcp_server_calls", help, None, MetricType::Counter)?;
    for server in servers.iter().map(|supervised| &supervised.server) {
        for (code, count) in server.counts() {
            let labels = [("server", server.name.as_str()), ("code", code)];
            encode_counter(&mut metric.encode_family(&labels)?, count)?;
        }
    }
    Ok(())
}
