//! The steps that write a tool's request, position by position.

use super::straight::Straight;
use crate::plan::{BodyOp, Contents, HttpPlan, Parameter, Part, Placed, ToolPlan};
use crate::strings::StrId;
use crate::template::{NONE, Run};
use crate::wire_enums::{BodyKind, BodyOpKind, PartKind};

/// All steps of a request are in one list; the numbers say where those of a position end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Steps {
    all: Box<[Step]>,
    path: u32,
    query: u32,
    headers: u32,
    cookies: u32,
    pub(crate) body: Body,
    /// No literal of the path can be part of a dot segment.
    pub(crate) has_dotless_path: bool,
    /// A template writes some of it.
    pub(crate) has_template: bool,
    /// One of them runs over the arguments as data.
    pub(crate) needs_data: bool,
    /// A header of the plan may be the body's type.
    pub(crate) may_set_type: bool,
}

/// What kind of body there is, and its type, which is sent unless a `content-type` header is written anyway.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    pub kind: BodyKind,
    pub content_type: Option<StrId>,
}

/// What is written next. Its name is encoded for its place; none in a path, which has no names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub name: StrId,
    pub value: StepValue,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum StepValue {
    /// Encoded for its place.
    Literal(StrId),
    /// An argument, by the index of its parameter.
    Parameter(u32),
    /// Likewise; its text is base64, and the bytes are what is written.
    File(u32),
    /// Literals and variables, in [`super::PreparedTools::parts`].
    Parts(Run),
    /// A template, which is the only part.
    Template(Template),
    /// A nested object of a JSON body begins.
    Open,
    /// The innermost one ends.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Template {
    /// In [`crate::plan::Contents::templates`].
    pub program: u32,
    /// In [`super::PreparedTools::straight`]; [`NONE`] if it needs the machine.
    pub straight: u32,
}

/// What the steps of all tools refer to.
pub(super) struct Shared<'m> {
    pub parts: &'m mut Vec<Part>,
    pub straight: &'m mut Vec<Straight>,
}

/// Makes the steps of one tool.
struct Maker<'p, 'm> {
    contents: &'p Contents,
    parameters: &'p [Parameter],
    /// How deep arguments may nest.
    depth: usize,
    shared: Shared<'m>,
}

impl Default for Body {
    fn default() -> Body {
        Body { kind: BodyKind::None, content_type: None }
    }
}

impl Steps {
    pub(super) fn new(
        contents: &Contents,
        parameters: &[Parameter],
        http: &HttpPlan,
        depth: usize,
        shared: Shared<'_>,
    ) -> Steps {
        let mut make = Maker { contents, parameters, depth, shared };
        let mut all = Vec::new();
        all.extend(
            http.path
                .iter()
                .map(|part| Step { name: StrId::default(), value: make.value(std::slice::from_ref(part)) }),
        );
        let path = all.len() as u32;
        let mut place = |placed: &[Placed]| {
            all.extend(
                placed.iter().map(|placed| Step { name: placed.name, value: make.value(&placed.value) }),
            );
            all.len() as u32
        };
        let query = place(&http.query);
        let headers = place(&http.headers);
        let cookies = place(&http.cookies);
        match http.body.kind {
            BodyKind::None => {}
            BodyKind::Whole | BodyKind::Bytes => {
                let whole = http.body.whole.map(StepValue::Parameter);
                all.extend(whole.map(|value| Step { name: StrId::default(), value }));
            }
            BodyKind::Json | BodyKind::Form | BodyKind::Template | BodyKind::Multipart => {
                all.extend(http.body.ops.iter().map(|op| make.body_step(op)));
            }
        }
        let mut templates = all.iter().filter_map(|step| match step.value {
            StepValue::Template(template) => Some(template),
            _ => None,
        });
        let has_template = templates.clone().next().is_some();
        let needs_data = templates.any(|template| template.straight == NONE);
        Steps {
            all: all.into(),
            path,
            query,
            headers,
            cookies,
            body: Body { kind: http.body.kind, content_type: http.body.content_type },
            has_dotless_path: is_dotless(contents, &http.path),
            has_template,
            needs_data,
            may_set_type: http.headers.iter().any(|placed| contents.strings.is(placed.name, b"content-type")),
        }
    }

    #[inline]
    pub(crate) fn path(&self) -> &[Step] {
        self.between(0, self.path)
    }

    #[inline]
    pub(crate) fn query(&self) -> &[Step] {
        self.between(self.path, self.query)
    }

    #[inline]
    pub(crate) fn headers(&self) -> &[Step] {
        self.between(self.query, self.headers)
    }

    #[inline]
    pub(crate) fn cookies(&self) -> &[Step] {
        self.between(self.headers, self.cookies)
    }

    #[inline]
    pub(crate) fn body(&self) -> &[Step] {
        self.between(self.cookies, self.all.len() as u32)
    }

    #[inline]
    fn between(&self, start: u32, end: u32) -> &[Step] {
        self.all.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The first headers of a plan, as far as nothing of a call is in them.
pub(super) fn fixed_headers(plan: &ToolPlan) -> &[Placed] {
    let headers = plan.request().map(|http| http.headers.as_slice()).unwrap_or_default();
    let is_fixed = |placed: &&Placed| {
        placed.value.iter().all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable))
    };
    headers.get(..headers.iter().take_while(is_fixed).count()).unwrap_or_default()
}

impl Maker<'_, '_> {
    fn value(&mut self, value: &[Part]) -> StepValue {
        if let &[Part { kind, id }] = value {
            match kind {
                PartKind::Literal => return StepValue::Literal(StrId(id)),
                PartKind::Parameter => return StepValue::Parameter(id),
                PartKind::Template => return StepValue::Template(self.template(id)),
                PartKind::Variable | PartKind::TenantId | PartKind::PrincipalSub => {}
            }
        }
        let parts = &mut *self.shared.parts;
        let start = parts.len() as u32;
        parts.extend_from_slice(value);
        StepValue::Parts(Run { start, count: value.len() as u32 })
    }

    fn template(&mut self, program: u32) -> Template {
        let known = &mut *self.shared.straight;
        let Some(straight) = Straight::of(self.contents, self.parameters, program, self.depth) else {
            return Template { program, straight: NONE };
        };
        known.push(straight);
        Template { program, straight: known.len() as u32 - 1 }
    }

    fn body_step(&mut self, op: &BodyOp) -> Step {
        let value = match op.kind {
            BodyOpKind::Open => StepValue::Open,
            BodyOpKind::Close => StepValue::Close,
            BodyOpKind::Field => self.value(&op.value),
            BodyOpKind::File => match self.value(&op.value) {
                StepValue::Parameter(index) => StepValue::File(index),
                other => other,
            },
        };
        Step { name: op.name, value }
    }
}

/// Whether nothing in a path that is not a value can be part of a dot segment: no literal beside a value has a `.` in it, nor a
/// `%`, with which even digits can turn into something else. Then values without both need no look at their segments.
fn is_dotless(contents: &Contents, path: &[Part]) -> bool {
    path.iter().filter(|part| part.kind == PartKind::Literal).all(|part| {
        let literal = contents.strings.bytes(StrId(part.id));
        let slash = |&byte: &u8| byte == b'/';
        let ends = [literal.split(slash).next(), literal.rsplit(slash).next()];
        ends.into_iter().flatten().flatten().all(|byte| !matches!(byte, b'.' | b'%'))
    })
}
