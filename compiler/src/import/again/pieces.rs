//! Parts of a spec file: what is before its tools, and each tool with the comments above it.

use mcp_diagnostics::toml_tree;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

const HEADER: &str = "[[tool]]";

/// Which part it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    Head,
    /// By its name; of tools that share a name by mistake, the number tells them apart.
    Tool(String, usize),
}

impl Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Head => f.write_str("what is before the tools"),
            Piece::Tool(name, _) => write!(f, "`{name}`"),
        }
    }
}

/// A file in parts; together they are its text.
pub struct Pieces<'t> {
    in_order: Vec<(Piece, &'t str)>,
    by_key: BTreeMap<Piece, &'t str>,
}

impl<'t> Pieces<'t> {
    pub fn of(text: &'t str) -> Pieces<'t> {
        let mut starts: Vec<(usize, Piece)> = vec![(0, Piece::Head)];
        let mut seen = BTreeMap::new();
        let (root, _) = toml_tree::read(text);
        let tools = root.get("tool").and_then(|tools| tools.get_ref().as_array()).unwrap_or_default();
        for tool in tools {
            let at = tool.span().start;
            let is_header = text.get(at..).is_some_and(|rest| rest.starts_with("[["));
            // `tool = [{ … }]` is part of what is before the tools.
            let Some(table) = tool.get_ref().as_table().filter(|_| is_header) else { continue };
            let name = table.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or_default();
            let count = seen.entry(name.to_owned()).or_insert(0);
            starts.push((above(text, at), Piece::Tool(name.to_owned(), *count)));
            *count += 1;
        }
        starts.sort_by_key(|(at, _)| *at);
        let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
        let ranges = starts.iter().map(|(at, _)| *at).zip(ends);
        let in_order: Vec<(Piece, &'t str)> = starts
            .iter()
            .zip(ranges)
            .map(|((_, piece), (start, end))| (piece.clone(), text.get(start..end).unwrap_or_default()))
            .collect();
        let by_key = in_order.iter().cloned().collect();
        Pieces { in_order, by_key }
    }

    pub fn keys(&self) -> Vec<Piece> {
        self.in_order.iter().map(|(piece, _)| piece.clone()).collect()
    }

    pub fn tools(&self) -> Vec<&Piece> {
        self.by_key.keys().filter(|piece| **piece != Piece::Head).collect()
    }

    /// Its text, without the empty lines after it: how many there are is nobody's edit.
    pub fn get(&self, key: &Piece) -> Option<&'t str> {
        let text = *self.by_key.get(key)?;
        text.get(..end(text))
    }

    pub fn empty_lines_after(&self, key: &Piece) -> &'t str {
        let text = self.by_key.get(key).copied().unwrap_or_default();
        text.get(end(text)..).unwrap_or_default()
    }
}

/// Where its last line ends that is not empty.
fn end(text: &str) -> usize {
    text.len().min(text.trim_end_matches('\n').len() + 1)
}

/// Where the comments directly above a header begin.
fn above(text: &str, header: usize) -> usize {
    let mut start = header;
    for line in text.get(..header).unwrap_or_default().split_inclusive('\n').rev() {
        if !line.starts_with('#') {
            break;
        }
        start -= line.len();
    }
    start
}

/// Whether a part is a tool, which an empty line sets off from what is before it.
pub fn begins_tool(piece: &str) -> bool {
    piece.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with(HEADER))
}

/// Whether a merged part is TOML by itself.
pub fn is_readable(piece: &str) -> bool {
    toml_tree::is_toml(piece)
}
