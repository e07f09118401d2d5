//! What is the same for all calls: worked out once, when a bundle is activated.
//!
//! Plans are made for being read and checked; a call needs them in another form: parameters whose names are compared at
//! once, checks in numbers, one list of steps that write the request, and fixed headers that are only copied. Whatever
//! calls tools, calls them through this.

mod checks;
mod steps;
mod straight;

pub(crate) use checks::{ArrayCheck, Check, CheckRef, Length, Name, NumberCheck, ObjectCheck, StringCheck};
pub(crate) use steps::{Body, Step, StepValue, Template};
pub(crate) use straight::{PieceValue, Straight};

use super::Limits;
use super::lookup::Lookup;
use super::positions::FixedHeaders;
use crate::plan::{BackendKind, Contents, Part, Placed, ResponsePlan, Shaping, ToolPlan};
use crate::strings::{StrId, same};
use crate::wire_enums::{BodyKind, Method, Position, Style};
use checks::{Checks, NOT_THERE};
use std::collections::BTreeMap;
use std::fmt;
use steps::{Shared, Steps};

/// The tools of a bundle, ready to be called.
#[derive(Clone, Default)]
pub struct PreparedTools {
    lookup: Lookup,
    /// In the order of [`Contents::tools`].
    tools: Vec<Tool>,
    /// Of all tools, each once.
    pub(crate) checks: Vec<Check>,
    /// Fixed values of several parts, which steps refer to.
    pub(crate) parts: Vec<Part>,
    /// Templates that need no machine, which steps refer to.
    pub(crate) straight: Vec<Straight>,
    /// Fixed headers. Tools of one upstream mostly have the same, which are kept once.
    headers: Vec<FixedHeaders>,
    /// Indexed like [`crate::plan::Manifest::variables`]; secrets.
    pub(crate) variables: Box<[Box<str>]>,
}

/// Finds some of the tools by name. A name of the others is as unknown to it as one that no tool has, and takes the same steps.
#[derive(Debug, Clone)]
pub struct SomeTools(Lookup);

/// One of them.
#[derive(Clone, Copy)]
pub struct PreparedTool<'a> {
    pub(crate) tools: &'a PreparedTools,
    pub(crate) tool: &'a Tool,
}

/// All that a call needs of its tool's plan.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    name: Box<str>,
    name_id: StrId,
    index: u32,
    /// `None` if nothing is sent.
    upstream: Option<u32>,
    fixed_answer: Option<StrId>,
    kind: BackendKind,
    policy: u32,
    response: ResponsePlan,
    /// Headers of a message repeat arguments.
    is_mirrored: bool,
    is_cached: bool,
    pub(crate) method: Method,
    /// In the order of the plan, whose indexes the steps have: sorted by name.
    pub(crate) parameters: Box<[Parameter]>,
    /// The check of an argument that no parameter names; `None` refuses such arguments.
    pub(crate) additional: Option<CheckRef>,
    /// As [`ToolPlan::schema`].
    pub(crate) schema: Option<u32>,
    /// It also takes arguments that can be converted without loss.
    pub(crate) is_lenient: bool,
    /// A value of some parameter must not be shown.
    pub(crate) is_sensitive: bool,
    pub(crate) steps: Steps,
    /// In [`PreparedTools::headers`].
    headers: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub name: Name,
    pub check: CheckRef,
    /// Stands in for an absent argument. What the caller must decide is not decided for it.
    pub default: Option<StrId>,
    pub position: Position,
    pub style: Style,
    pub required: bool,
    pub sensitive: bool,
}

impl PreparedTools {
    /// `variables` and `limits` are those of the calls.
    pub fn new(contents: &Contents, variables: &[Box<str>], limits: &Limits) -> PreparedTools {
        let mut checks = Checks::new(&contents.strings);
        let mut made = PreparedTools { variables: variables.into(), ..PreparedTools::default() };
        let mut known: BTreeMap<&[Placed], u32> = BTreeMap::new();
        for (index, plan) in (0_u32..).zip(&contents.tools) {
            let fixed = steps::fixed_headers(plan);
            let headers = *known.entry(fixed).or_insert_with(|| {
                made.headers.push(FixedHeaders::write(contents, fixed, variables, limits));
                made.headers.len() as u32 - 1
            });
            let shared = Shared { parts: &mut made.parts, straight: &mut made.straight };
            let steps =
                plan.bound().map(|http| Steps::new(contents, &plan.parameters, http, limits.depth, shared));
            let tool = Tool::new(contents, plan, index, headers, &mut checks, steps.unwrap_or_default());
            made.tools.push(tool);
        }
        made.checks = checks.finish();
        let names = made.tools.iter().map(|tool| tool.name.as_bytes());
        made.lookup = Lookup::new(names.zip(0..made.tools.len() as u32));
        made
    }

    /// The tool with this name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<PreparedTool<'_>> {
        self.find_by(&self.lookup, name)
    }

    /// The tools with these indexes, to be found by name.
    pub fn some(&self, indexes: &[u32]) -> SomeTools {
        let tools = indexes.iter().filter_map(|index| Some((self.tools.get(*index as usize)?, *index)));
        let names: Vec<(&[u8], u32)> = tools.map(|(tool, index)| (tool.name.as_bytes(), index)).collect();
        SomeTools(Lookup::new(names.into_iter()))
    }

    /// The tool with this name, if it is one of `some`.
    #[inline]
    pub fn find_among(&self, some: &SomeTools, name: &str) -> Option<PreparedTool<'_>> {
        self.find_by(&some.0, name)
    }

    #[inline]
    fn find_by(&self, lookup: &Lookup, name: &str) -> Option<PreparedTool<'_>> {
        let name = name.as_bytes();
        let is_it = |tool: &&Tool| tool.name.len() == name.len() && same(tool.name.as_bytes(), name);
        let tool = lookup.find(name, |index| self.tools.get(index as usize).filter(is_it))?;
        Some(PreparedTool { tools: self, tool })
    }

    /// The first headers of a tool's calls.
    #[inline]
    pub(crate) fn fixed_headers(&self, tool: &Tool) -> Option<&FixedHeaders> {
        self.headers.get(tool.headers as usize)
    }
}

impl Tool {
    fn new(
        contents: &Contents,
        plan: &ToolPlan,
        index: u32,
        headers: u32,
        checks: &mut Checks<'_>,
        steps: Steps,
    ) -> Tool {
        let checks = checks.add(&plan.checks);
        let check = |index: u32| checks.get(index as usize).copied().unwrap_or(NOT_THERE);
        let parameters = plan.parameters.iter().map(|parameter| Parameter {
            name: Name::new(&contents.strings, parameter.name),
            check: check(parameter.check),
            default: parameter.default.filter(|_| !parameter.required),
            position: parameter.position,
            style: parameter.style,
            required: parameter.required,
            sensitive: parameter.sensitive,
        });
        let http = plan.bound();
        let policy = contents.policies.get(plan.policy as usize);
        // A template may read arguments of any name, too.
        let takes_others =
            http.is_some_and(|http| matches!(http.body.kind, BodyKind::Json | BodyKind::Template));
        Tool {
            name: contents.strings.get(plan.name).into(),
            name_id: plan.name,
            index,
            upstream: plan.request().map(|http| http.upstream),
            kind: plan.backend.kind(),
            fixed_answer: plan.fixed_answer(),
            policy: plan.policy,
            response: plan.response.clone(),
            is_mirrored: plan.parameters.iter().any(|parameter| parameter.mcp_header.is_some()),
            is_cached: policy.is_some_and(|policy| policy.cache_seconds > 0),
            method: http.map_or(Method::Get, |http| http.method),
            parameters: parameters.collect(),
            additional: plan.additional.filter(|_| takes_others).map(check),
            schema: plan.schema,
            is_lenient: contents.lenient.binary_search(&index).is_ok(),
            is_sensitive: plan.parameters.iter().any(|parameter| parameter.sensitive),
            steps,
            headers,
        }
    }
}

impl<'a> PreparedTool<'a> {
    #[inline]
    pub fn name(&self) -> &'a str {
        &self.tool.name
    }

    /// The index of the tool.
    #[inline]
    pub fn index(&self) -> usize {
        self.tool.index as usize
    }

    /// What answers it.
    #[inline]
    pub fn kind(&self) -> BackendKind {
        self.tool.kind
    }

    /// Whether its answers may be kept.
    #[inline]
    pub fn is_cached(&self) -> bool {
        self.tool.is_cached
    }

    /// Index in [`Contents::upstreams`]; `None` if nothing is sent.
    #[inline]
    pub fn upstream(&self) -> Option<u32> {
        self.tool.upstream
    }

    /// As [`ToolPlan::policy`].
    #[inline]
    pub fn policy(&self) -> u32 {
        self.tool.policy
    }

    /// What of its plan shaping needs.
    #[inline]
    pub fn shaping(&self) -> Shaping<'a> {
        let Tool { name_id, fixed_answer, policy, ref response, .. } = *self.tool;
        Shaping { name: name_id, fixed_answer, policy, response }
    }

    /// Whether headers of a message repeat arguments of it.
    #[inline]
    pub fn is_mirrored(&self) -> bool {
        self.tool.is_mirrored
    }
}

impl fmt::Debug for PreparedTools {
    /// Without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedTools").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for PreparedTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedTool").field(&self.tool.name).finish()
    }
}
