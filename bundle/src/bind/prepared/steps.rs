//! The steps that write a tool's request, position by position.

use crate::plan::{BodyOp, Contents, HttpPlan, Part, Placed, ToolPlan};
use crate::strings::StrId;
use crate::template::Run;
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
    Template(u32),
    /// A nested object of a JSON body begins.
    Open,
    /// The innermost one ends.
    Close,
}

impl Default for Body {
    fn default() -> Body {
        Body { kind: BodyKind::None, content_type: None }
    }
}

impl Steps {
    pub(super) fn new(contents: &Contents, http: &HttpPlan, parts: &mut Vec<Part>) -> Steps {
        let mut all = Vec::new();
        all.extend(
            http.path.iter().map(|part| Step {
                name: StrId::default(),
                value: value_of(std::slice::from_ref(part), parts),
            }),
        );
        let path = all.len() as u32;
        let mut place = |placed: &[Placed]| {
            all.extend(
                placed.iter().map(|placed| Step { name: placed.name, value: value_of(&placed.value, parts) }),
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
                all.extend(http.body.ops.iter().map(|op| body_step(op, parts)));
            }
        }
        let has_template = all.iter().any(|step| matches!(step.value, StepValue::Template(_)));
        Steps {
            all: all.into(),
            path,
            query,
            headers,
            cookies,
            body: Body { kind: http.body.kind, content_type: http.body.content_type },
            has_dotless_path: is_dotless(contents, &http.path),
            has_template,
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

pub(crate) fn value_of(value: &[Part], parts: &mut Vec<Part>) -> StepValue {
    if let &[Part { kind, id }] = value {
        match kind {
            PartKind::Literal => return StepValue::Literal(StrId(id)),
            PartKind::Parameter => return StepValue::Parameter(id),
            PartKind::Template => return StepValue::Template(id),
            PartKind::Variable | PartKind::TenantId | PartKind::PrincipalSub => {}
        }
    }
    let start = parts.len() as u32;
    parts.extend_from_slice(value);
    StepValue::Parts(Run { start, count: value.len() as u32 })
}

fn body_step(op: &BodyOp, parts: &mut Vec<Part>) -> Step {
    let value = match op.kind {
        BodyOpKind::Open => StepValue::Open,
        BodyOpKind::Close => StepValue::Close,
        BodyOpKind::Field => value_of(&op.value, parts),
        BodyOpKind::File => match value_of(&op.value, parts) {
            StepValue::Parameter(index) => StepValue::File(index),
            other => other,
        },
    };
    Step { name: op.name, value }
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
