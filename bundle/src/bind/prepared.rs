//! What is the same for all calls: worked out once, when a bundle is activated.

use super::quick::{Ids, Layout, Tables, Tool};
use super::{Arguments, Limits, Prepared, Problems, Request, Scratch, Values};
use crate::bind::lookup::Lookup;
use crate::bind::matchers::Matchers;
use crate::bind::positions;
use crate::json::Tape;
use crate::plan::{Contents, HttpPlan, Placed, ResponsePlan};
use crate::shape::Shaping;
use crate::strings::{StrId, same};
use crate::wire_enums::PartKind;
use std::collections::BTreeMap;

/// The tools of a bundle, ready to be called.
#[derive(Debug, Clone, Default)]
pub struct PreparedTools {
    lookup: Lookup,
    tables: Tables,
    /// Where the tools' records begin, in the order of the tools.
    records: Vec<u32>,
    /// Fixed headers. Tools of one upstream mostly have the same, which are kept once.
    headers: Vec<Prepared>,
    /// Each is kept once, too.
    courses: Vec<Course>,
}

/// What follows when a call is bound: where its request goes, and what becomes of the answer. As in the plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Course {
    /// `None` for a fixed answer.
    pub upstream: Option<u32>,
    pub fixed_answer: Option<StrId>,
    pub policy: u32,
    pub response: ResponsePlan,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct PreparedTool<'a> {
    tables: &'a Tables,
    tool: Tool<'a>,
    pub(crate) headers: &'a Prepared,
    course: &'a Course,
}

/// The name of a tool. It is a text in a record of bytes, and only checked again where somebody wants to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolName<'a>(&'a [u8]);

impl<'a> ToolName<'a> {
    pub fn as_str(self) -> &'a str {
        // It is the text of a pool.
        std::str::from_utf8(self.0).unwrap_or_default()
    }
}

impl<'a> From<&'a str> for ToolName<'a> {
    fn from(name: &'a str) -> ToolName<'a> {
        ToolName(name.as_bytes())
    }
}

impl PreparedTools {
    /// `variables` and `limits` are those of the calls.
    pub fn new(contents: &Contents, variables: &[Box<str>], limits: &Limits) -> PreparedTools {
        let values = Values { variables, ..Values::default() };
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        let mut known: BTreeMap<&[Placed], u32> = BTreeMap::new();
        let mut headers: Vec<Prepared> = Vec::new();
        let mut layout = Layout::new(contents, variables);
        let mut courses: BTreeMap<Course, u32> = BTreeMap::new();
        let mut records = Vec::with_capacity(contents.tools.len());
        for (number, tool) in (0_u32..).zip(&contents.tools) {
            let fixed = tool.http().map(fixed).unwrap_or_default();
            let fixed_headers = *known.entry(fixed).or_insert_with(|| {
                let mut problems = Problems::default();
                request.clear();
                if let Some(http) = tool.http() {
                    let (source, mut sink) =
                        scratch.ends(contents, tool, http, "", &values, limits, &mut request, &mut problems);
                    positions::write_headers(&source, &mut sink, fixed);
                }
                // What cannot be sent is told call by call.
                let covers = if problems.count() == 0 { fixed.len() } else { 0 };
                headers.push(if covers > 0 { request.prepared(covers) } else { Prepared::default() });
                headers.len() as u32 - 1
            });
            let covered = headers.get(fixed_headers as usize).map_or(0, |headers| headers.covers);
            let course = Course {
                upstream: tool.http().map(|http| http.upstream),
                fixed_answer: tool.fixed_answer(),
                policy: tool.policy,
                response: tool.response.clone(),
            };
            let count = courses.len() as u32;
            let course = *courses.entry(course).or_insert(count);
            let ids = Ids { index: number, headers: fixed_headers, course, name_id: tool.name };
            records.push(layout.add(ids, tool, covered));
        }
        let mut courses: Vec<(Course, u32)> = courses.into_iter().collect();
        courses.sort_unstable_by_key(|(_, number)| *number);
        let courses = courses.into_iter().map(|(course, _)| course).collect();
        let names = contents.tools.iter().map(|tool| contents.strings.bytes(tool.name));
        let lookup = Lookup::new(names.zip(records.iter().copied()));
        PreparedTools { lookup, tables: layout.finish(), records, headers, courses }
    }

    /// Asks for the memory in which the tool of this name will be looked for.
    #[inline]
    pub fn expect(&self, name: &str) {
        if self.tables.are_far() {
            self.lookup.fetch(name.as_bytes());
        }
    }

    /// Asks for the memory of the tool of this name, some time after [`PreparedTools::expect`].
    #[inline]
    pub fn approach(&self, name: &str) {
        // The tag of its slot tells the tool; that it has this name is looked at when the record is there.
        if self.tables.are_far()
            && let Some(record) = self.lookup.find(name.as_bytes(), Some)
        {
            self.tables.fetch(record);
        }
    }

    /// The tool with this name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<PreparedTool<'_>> {
        let name = name.as_bytes();
        let is_it = |tool: &Tool<'_>| tool.name.len() == name.len() && same(tool.name, name);
        let look = |record| self.tables.tool(record).filter(is_it);
        self.ready(self.lookup.find(name, look)?)
    }

    /// The tool at this index.
    pub fn of(&self, index: usize) -> Option<PreparedTool<'_>> {
        self.ready(self.tables.tool(*self.records.get(index)?)?)
    }

    #[inline]
    fn ready<'a>(&'a self, tool: Tool<'a>) -> Option<PreparedTool<'a>> {
        let headers = self.headers.get(tool.ids.headers as usize)?;
        let course = self.courses.get(tool.ids.course as usize)?;
        Some(PreparedTool { tables: &self.tables, tool, headers, course })
    }
}

impl<'a> PreparedTool<'a> {
    #[inline]
    pub fn name(&self) -> ToolName<'a> {
        ToolName(self.tool.name)
    }

    /// The index of the tool.
    #[inline]
    pub fn index(&self) -> usize {
        self.tool.ids.index as usize
    }

    #[inline]
    pub fn course(&self) -> &'a Course {
        self.course
    }

    /// What of its plan shaping needs.
    #[inline]
    pub fn shaping(&self) -> Shaping<'a> {
        let Course { fixed_answer, policy, ref response, .. } = *self.course;
        Shaping { name: self.tool.ids.name_id, fixed_answer, policy, response }
    }

    /// Whether headers of a message repeat arguments of it.
    #[inline]
    pub fn is_mirrored(&self) -> bool {
        self.tool.mirrored
    }

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
        let PreparedTool { tables, tool, headers, .. } = self;
        request.clear();
        let own;
        let tape = match arguments.tape {
            Some(tape) => tape,
            None => {
                own = Tape::of_object(arguments.text, limits.depth)?;
                &own
            }
        };
        tables.bind(tool, headers, contents, matchers, tape, limits, &mut scratch.marks, request)
    }
}

/// The first headers of a plan, as far as nothing of a call is in them.
fn fixed(http: &HttpPlan) -> &[Placed] {
    let is_fixed = |placed: &&Placed| {
        placed.value.iter().all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable))
    };
    http.headers.get(..http.headers.iter().take_while(is_fixed).count()).unwrap_or_default()
}
