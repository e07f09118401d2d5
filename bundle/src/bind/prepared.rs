//! What is the same for all calls: worked out once, when a bundle is activated.

use super::quick::{Layout, Tables};
use super::{Arguments, Limits, Prepared, Problems, Request, Scratch, Values};
use crate::lookup::Lookup;
use crate::matchers::Matchers;
use crate::plan::{Contents, Placed, ToolPlan};
use crate::position;
use crate::tag::PartKind;
use std::collections::BTreeMap;

/// The tools of a bundle, ready to be called.
#[derive(Debug, Clone, Default)]
pub struct PreparedTools {
    lookup: Lookup,
    tables: Tables,
    /// Fixed headers. Tools of one upstream mostly have the same, which are kept once.
    headers: Vec<Prepared>,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct PreparedTool<'a> {
    tables: &'a Tables,
    index: usize,
    pub(crate) headers: &'a Prepared,
}

impl PreparedTools {
    /// `variables` and `limits` are those of the calls.
    pub fn new(contents: &Contents, variables: &[Box<str>], limits: &Limits) -> PreparedTools {
        let values = Values { variables, ..Values::default() };
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let mut known: BTreeMap<&[Placed], u32> = BTreeMap::new();
        let mut headers: Vec<Prepared> = Vec::new();
        let mut layout = Layout::new(contents, variables);
        for tool in &contents.tools {
            let fixed = fixed(tool);
            let index = *known.entry(fixed).or_insert_with(|| {
                let mut problems = Problems::default();
                request.clear();
                let (source, mut sink) =
                    scratch.ends(contents, tool, "", &values, limits, &mut request, &mut problems);
                position::write_headers(&source, &mut sink, fixed);
                // What cannot be sent is told call by call.
                let covers = if problems.count() == 0 { fixed.len() } else { 0 };
                headers.push(if covers > 0 { request.prepared(covers) } else { Prepared::default() });
                headers.len() as u32 - 1
            });
            layout.add(tool, index, headers.get(index as usize).map_or(0, |headers| headers.covers));
        }
        let lookup = Lookup::new(contents.tools.iter().map(|tool| contents.strings.bytes(tool.name)));
        PreparedTools { lookup, tables: layout.finish(), headers }
    }

    /// The index of the tool with this name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        let name = name.as_bytes();
        self.lookup.find(name, |index| self.tables.is_named(index, name))
    }

    /// The tool at this index.
    #[inline]
    pub fn of(&self, tool: usize) -> Option<PreparedTool<'_>> {
        let headers = self.headers.get(self.tables.headers(tool)?)?;
        Some(PreparedTool { tables: &self.tables, index: tool, headers })
    }
}

impl PreparedTool<'_> {
    /// Binds arguments the quick way, or gives up: then what is in `request` means nothing. As [`super::bind_arguments`], which
    /// tries this first.
    #[inline]
    pub fn bind_quickly(
        &self,
        contents: &Contents,
        matchers: &Matchers,
        arguments: &Arguments<'_>,
        limits: &Limits,
        scratch: &mut Scratch,
        request: &mut Request,
    ) -> Option<()> {
        let PreparedTool { tables, index, headers } = self;
        request.clear();
        tables.bind(*index, headers, contents, matchers, arguments, limits, &mut scratch.marks, request)
    }
}

/// The first headers of a plan, as far as nothing of a call is in them.
fn fixed(tool: &ToolPlan) -> &[Placed] {
    let is_fixed = |placed: &&Placed| {
        placed.value.iter().all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable))
    };
    tool.headers.get(..tool.headers.iter().take_while(is_fixed).count()).unwrap_or_default()
}
