//! The `${…}` of a tool, in whatever part of its request they are.

use super::program::OpCode;
use super::{Contents, Credential, HttpPlan, Part, Placed, ToolPlan, Upstream};
use crate::origin::{self, Piece};
use crate::wire_enums::PartKind;
use std::fmt;

/// One `${…}` of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableUse<'a> {
    /// A variable of the manifest, or one that depends on the caller.
    pub part: Part,
    pub site: VariableSite<'a>,
}

/// The part of a request that has it, with the name that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSite<'a> {
    Path,
    Query(&'a str),
    Header(&'a str),
    Cookie(&'a str),
    Body,
    /// The URL of the upstream of this name.
    Origin(&'a str),
    /// The credential of the upstream of this name.
    Credential(&'a str),
    /// The URL that the tokens for the upstream of this name come from.
    TokenOrigin(&'a str),
}

impl ToolPlan {
    /// Every `${…}` of the tool, those in templates included.
    pub fn variables<'a>(&'a self, contents: &'a Contents) -> impl Iterator<Item = VariableUse<'a>> {
        let parts = self.request().into_iter().flat_map(|http| http.sites(contents));
        parts.flat_map(|(site, part)| {
            let own = Some(part).filter(|part| is_variable(part.kind));
            let of_template = Some(part).filter(|part| part.kind == PartKind::Template);
            let of_template = of_template.into_iter().flat_map(|part| template(contents, part.id));
            own.into_iter().chain(of_template).map(move |part| VariableUse { part, site })
        })
    }
}

impl Contents {
    /// Which tools need a variable of the manifest, and where, in the order of the tools.
    pub fn uses_of(&self, variable: usize) -> impl Iterator<Item = (&ToolPlan, VariableSite<'_>)> {
        let uses = self.tools.iter().flat_map(|tool| tool.variables(self).map(move |found| (tool, found)));
        let is_it = move |part: Part| part.kind == PartKind::Variable && part.id as usize == variable;
        uses.filter(move |(_, found)| is_it(found.part)).map(|(tool, found)| (tool, found.site))
    }
}

impl Contents {
    /// The variables without a default in an upstream's URL, by their index in the manifest.
    fn origin_variables(&self, upstream: &Upstream) -> impl Iterator<Item = u32> {
        let url = upstream.url.map(|url| self.strings.get(url)).unwrap_or_default();
        let pieces = origin::pieces(url).unwrap_or_default().into_iter();
        pieces.filter_map(|piece| match piece {
            Piece::Variable { name, default: None } => {
                self.variable_names().position(|known| known == name).map(|index| index as u32)
            }
            _ => None,
        })
    }
}

impl HttpPlan {
    fn sites<'a>(&'a self, contents: &'a Contents) -> impl Iterator<Item = (VariableSite<'a>, Part)> {
        let placed = |list: &'a [Placed], site: fn(&'a str) -> VariableSite<'a>| {
            list.iter().flat_map(move |placed| {
                let name = contents.strings.get(placed.name);
                placed.value.iter().map(move |part| (site(name), *part))
            })
        };
        let path = self.path.iter().map(|part| (VariableSite::Path, *part));
        let body = self.body.ops.iter().flat_map(|op| &op.value).map(|part| (VariableSite::Body, *part));
        let upstream = contents.upstreams.get(self.upstream as usize);
        let origin = upstream.into_iter().flat_map(move |upstream| {
            let site = VariableSite::Origin(contents.strings.get(upstream.name));
            contents.origin_variables(upstream).map(move |variable| (site, Part::variable(variable)))
        });
        path.chain(placed(&self.query, VariableSite::Query))
            .chain(placed(&self.headers, VariableSite::Header))
            .chain(placed(&self.cookies, VariableSite::Cookie))
            .chain(body)
            .chain(origin)
            .chain(contents.credential(self.upstream).into_iter().flat_map(|found| found.sites(contents)))
    }
}

impl Credential {
    fn sites<'a>(&'a self, contents: &'a Contents) -> impl Iterator<Item = (VariableSite<'a>, Part)> {
        let name = contents.upstream_name(self.upstream as usize).unwrap_or_default();
        let own = self.texts().flatten().map(move |part| (VariableSite::Credential(name), *part));
        let server = self.server.as_ref();
        let server = server.and_then(|server| contents.upstreams.get(server.upstream as usize));
        let origin = server.into_iter().flat_map(|server| contents.origin_variables(server));
        own.chain(origin.map(move |variable| (VariableSite::TokenOrigin(name), Part::variable(variable))))
    }
}

/// As the end of a sentence: "`get_order` needs it in its header `authorization`".
impl fmt::Display for VariableSite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VariableSite::Path => f.write_str("its path"),
            VariableSite::Query(name) => write!(f, "its query parameter `{name}`"),
            VariableSite::Header(name) => write!(f, "its header `{name}`"),
            VariableSite::Cookie(name) => write!(f, "its cookie `{name}`"),
            VariableSite::Body => f.write_str("its body"),
            VariableSite::Origin(name) => write!(f, "the URL of its upstream `{name}`"),
            VariableSite::Credential(name) => write!(f, "the `auth` of its upstream `{name}`"),
            VariableSite::TokenOrigin(name) => write!(f, "the `token_url` of its upstream `{name}`"),
        }
    }
}

fn template(contents: &Contents, index: u32) -> impl Iterator<Item = Part> {
    let programs = &contents.templates;
    let program = programs.programs.get(index as usize);
    let ops = program.map(|program| program.ops.of(&programs.ops)).unwrap_or_default();
    ops.iter().filter(|op| op.code == OpCode::Variable).filter_map(|op| {
        let kind = u8::try_from(op.a).ok().and_then(PartKind::from_tag)?;
        Some(Part { kind, id: op.b })
    })
}

const fn is_variable(kind: PartKind) -> bool {
    matches!(kind, PartKind::Variable | PartKind::TenantId | PartKind::PrincipalSub)
}
