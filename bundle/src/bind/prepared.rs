//! What is the same for all calls of a tool: worked out once, when a bundle is activated.

use super::{Limits, Prepared, Problems, Request, Scratch, Values};
use crate::plan::{Contents, Placed, ToolPlan};
use crate::position;
use crate::tag::PartKind;
use std::collections::BTreeMap;

/// One for each tool of a bundle. Tools of one upstream mostly have the same, which is kept once.
#[derive(Debug, Clone, Default)]
pub struct PreparedTools {
    /// Indexes in `prepared`, in the order of the tools.
    tools: Vec<u32>,
    prepared: Vec<Prepared>,
}

impl PreparedTools {
    /// `variables` and `limits` are those of the calls.
    pub fn new(contents: &Contents, variables: &[Box<str>], limits: &Limits) -> PreparedTools {
        let values = Values { variables, ..Values::default() };
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let mut known: BTreeMap<(&[Placed], bool), u32> = BTreeMap::new();
        let (mut prepared, mut tools) = (Vec::new(), Vec::with_capacity(contents.tools.len()));
        for tool in &contents.tools {
            let fixed = fixed(tool);
            let dotless_path = position::has_dotless_path(contents, tool);
            tools.push(*known.entry((fixed, dotless_path)).or_insert_with(|| {
                let mut problems = Problems::default();
                request.clear();
                let (source, mut sink) =
                    scratch.ends(contents, tool, "", &values, limits, &mut request, &mut problems);
                position::write_headers(&source, &mut sink, fixed);
                // What cannot be sent is told call by call.
                let covers = if problems.count() == 0 { fixed.len() } else { 0 };
                let headers = if covers > 0 { request.prepared(covers) } else { Prepared::default() };
                prepared.push(headers.with_path(dotless_path));
                prepared.len() as u32 - 1
            }));
        }
        PreparedTools { tools, prepared }
    }

    /// Of the tool at this index.
    #[inline]
    pub fn of(&self, tool: usize) -> Option<&Prepared> {
        self.prepared.get(*self.tools.get(tool)? as usize)
    }
}

/// The first headers of a plan, as far as nothing of a call is in them.
fn fixed(tool: &ToolPlan) -> &[Placed] {
    let is_fixed = |placed: &&Placed| {
        placed.value.iter().all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable))
    };
    tool.headers.get(..tool.headers.iter().take_while(is_fixed).count()).unwrap_or_default()
}
