//! What is measured: which contenders, with which answers, over how many connections.

use super::contender::Contender;
use super::size::Size;

/// Contenders that take turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub title: String,
    pub size: Size,
    pub connections: u16,
    pub contenders: Vec<Contender>,
}

/// Connections where nothing else is said.
pub const CONNECTIONS: u16 = 64;
/// Connections of the comparison of memory.
pub const MANY: u16 = 640;

/// All who answer a call of 300 bytes.
const SMALL: [Contender; 14] = [
    Contender::Direct,
    Contender::Nginx,
    Contender::Passthrough,
    Contender::Call,
    Contender::Template,
    Contender::CallKey,
    Contender::CallJwt,
    Contender::CallCached,
    Contender::CallOff,
    Contender::CallOn,
    Contender::AxumHyper,
    Contender::Rmcp,
    Contender::FastMcp,
    Contender::TypeScript,
];
/// All who answer a call of a tool of an MCP server.
const MCP: [Contender; 3] = [Contender::NginxPost, Contender::Mcp, Contender::RmcpProxy];
const LONGER: [Contender; 5] =
    [Contender::Direct, Contender::Nginx, Contender::Passthrough, Contender::Call, Contender::Template];
const LARGE: [Contender; 4] = [Contender::Direct, Contender::Nginx, Contender::Passthrough, Contender::Call];
const LIST: [Contender; 2] = [Contender::List, Contender::NginxFile];
const MEMORY: [Contender; 3] = [Contender::Nginx, Contender::Passthrough, Contender::Call];

/// Who is measured at fixed rates.
pub const PACED: [Contender; 4] =
    [Contender::Direct, Contender::Nginx, Contender::Passthrough, Contender::Call];

/// The cases of these sizes; the small ones with each of these numbers of connections.
pub fn cases(sizes: &[Size], connections: &[u16], wanted: impl Fn(Contender) -> bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |title: String, size: Size, connections: u16, contenders: &[Contender]| {
        let contenders: Vec<_> = contenders.iter().copied().filter(|contender| wanted(*contender)).collect();
        if sizes.contains(&size) && !contenders.is_empty() {
            cases.push(Case { title, size, connections, contenders });
        }
    };
    for count in connections {
        let word = if *count == 1 { "connection" } else { "connections" };
        add(format!("300-byte answers, {count} {word}"), Size::Small, *count, &SMALL);
    }
    add(format!("4 KiB answers, {CONNECTIONS} connections"), Size::List, CONNECTIONS, &LONGER);
    add(format!("100 KiB answers, {CONNECTIONS} connections"), Size::LongList, CONNECTIONS, &LONGER);
    add(format!("1 MiB answers, {CONNECTIONS} connections"), Size::Large, CONNECTIONS, &LARGE);
    let server = "of an MCP server";
    add(format!("300-byte results {server}, {CONNECTIONS} connections"), Size::Small, CONNECTIONS, &MCP);
    add(format!("100 KiB results {server}, {CONNECTIONS} connections"), Size::LongList, CONNECTIONS, &MCP);
    add(format!("A list of 20 tools, {CONNECTIONS} connections"), Size::Small, CONNECTIONS, &LIST);
    add(format!("Memory: 300-byte answers, {MANY} connections"), Size::Small, MANY, &MEMORY);
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured_by_default() {
        let all = cases(&Size::ALL, &[1, 64, 512], |_| true);
        let turns: Vec<_> = all.iter().map(|case| (case.connections, case.contenders.len())).collect();
        assert_eq!(
            turns,
            [(1, 14), (64, 14), (512, 14), (64, 5), (64, 5), (64, 4), (64, 3), (64, 3), (64, 2), (640, 3)]
        );
        assert!(all[0].title.ends_with("1 connection"));
    }

    #[test]
    fn cases_without_contenders_are_left_out() {
        let some = cases(&[Size::Large, Size::Small], &[8], |contender| contender == Contender::AxumHyper);
        assert_eq!(some.len(), 1);
        assert_eq!((some[0].connections, &some[0].contenders[..]), (8, &[Contender::AxumHyper][..]));
    }
}
