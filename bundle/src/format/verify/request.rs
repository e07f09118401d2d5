//! What a tool sends upstream: path, query, headers and cookies.

use super::body;
use super::scan::{Class, Scanner, name};
use super::shared::{Checked, ensure, index, quote, text};
use super::text::{is_forbidden_header, is_header_name, is_query_name, is_token};
use crate::plan::{Contents, HttpPlan, Parameter, Part, Placed};
use crate::strings::StrId;
use crate::template::Destination;
use crate::wire_enums::{PartKind, Position};

/// The plan of a request, and how often each parameter has been met in it.
pub(super) struct Request<'a, 's> {
    pub(super) contents: &'a Contents,
    parameters: &'a [Parameter],
    pub(super) http: &'a HttpPlan,
    pub(super) scanner: &'a mut Scanner<'s>,
    placed: &'a mut [u32],
}

/// Where parts are: which parameters are allowed, and which class each literal must have by itself.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) position: Position,
    pub(super) literals: Option<Class>,
}

impl<'a, 's> Request<'a, 's> {
    pub(super) fn new(
        contents: &'a Contents,
        parameters: &'a [Parameter],
        http: &'a HttpPlan,
        scanner: &'a mut Scanner<'s>,
        placed: &'a mut [u32],
    ) -> Request<'a, 's> {
        Request { contents, parameters, http, scanner, placed }
    }

    pub(super) fn check(mut self) -> Checked {
        self.path()?;
        let http = self.http;
        for pair in &http.query {
            let site = Site { position: Position::Query, literals: Some(Class::QueryLiteral) };
            self.pair(pair, "query parameter", is_query_name, site)?;
        }
        self.headers()?;
        for pair in &http.cookies {
            let site = Site { position: Position::Cookie, literals: Some(Class::CookieLiteral) };
            self.pair(pair, "cookie", is_token, site)?;
        }
        body::body(&mut self)
    }

    /// The body alone, where there is no request.
    pub(super) fn check_body(mut self) -> Checked {
        body::body(&mut self)
    }

    fn path(&mut self) -> Checked {
        let first = match self.http.path.first() {
            Some(Part { kind: PartKind::Literal, id }) => text(&self.contents.strings, StrId(*id), "path")?,
            Some(_) | None => "",
        };
        ensure(first.starts_with('/'), || "the path does not begin with `/`".to_owned())?;
        let site = Site { position: Position::Path, literals: Some(Class::PathLiteral) };
        let (parts, template) = match self.http.path.split_last() {
            Some((last, parts)) if last.kind == PartKind::Template => (parts, Some(last)),
            _ => (self.http.path.as_slice(), None),
        };
        for part in parts {
            self.part(part, site).map_err(|problem| format!("path: {problem}"))?;
        }
        template.map_or(Ok(()), |part| self.template(part, &[Destination::Target]))
    }

    fn headers(&mut self) -> Checked {
        let mut after_parameters = false;
        let has_credential = self.contents.credential(self.http.upstream).is_some();
        for pair in &self.http.headers {
            if let [part @ Part { kind: PartKind::Template, .. }] = pair.value.as_slice() {
                self.template(part, &[Destination::Header])?;
                self.name(pair, "header", is_header_name)?;
            } else {
                let site = Site { position: Position::Header, literals: Some(Class::HeaderLiteral) };
                self.pair(pair, "header", is_header_name, site)?;
            }
            let name = self.contents.strings.get(pair.name);
            ensure(!is_forbidden_header(name), || format!("a tool may not set header {}", quote(name)))?;
            ensure(!has_credential || name != "authorization", || {
                "header `authorization` belongs to the credential of the upstream".to_owned()
            })?;
            let of_parameter = is_parameter(&pair.value);
            ensure(of_parameter || !after_parameters, || {
                format!("fixed header {} comes after those of parameters", quote(name))
            })?;
            after_parameters = of_parameter;
        }
        Ok(())
    }

    fn pair(&mut self, pair: &Placed, what: &str, is_name: fn(&str) -> bool, site: Site) -> Checked {
        let name = self.name(pair, what, is_name)?;
        self.value(&pair.value, site).map_err(|problem| format!("{what} {}: {problem}", quote(name)))
    }

    fn name(&self, pair: &Placed, what: &str, is_name: fn(&str) -> bool) -> Checked<&'a str> {
        let name = name(&self.contents.strings, pair.name, what)?;
        ensure(is_name(name), || format!("{} cannot name a {what}", quote(name)))?;
        Ok(name)
    }

    /// A template that must write one of some places.
    pub(super) fn template(&self, part: &Part, places: &[Destination]) -> Checked {
        let programs = &self.contents.templates.programs;
        index(part.id, programs.len(), "template")?;
        let place = programs.get(part.id as usize).map(|program| program.place);
        ensure(place.is_some_and(|place| places.contains(&place)), || {
            format!("template {} does not write what belongs here", part.id)
        })
    }

    /// One parameter, or fixed parts: a value that is left out is left out as a whole.
    pub(super) fn value(&mut self, parts: &[Part], site: Site) -> Checked {
        let has_parameter = parts.iter().any(|part| part.kind == PartKind::Parameter);
        ensure(!has_parameter || parts.len() == 1, || "a parameter must be the whole value".to_owned())?;
        parts.iter().try_for_each(|part| self.part(part, site))
    }

    fn part(&mut self, part: &Part, site: Site) -> Checked {
        match part.kind {
            PartKind::Literal => match site.literals {
                Some(class) => self.scanner.text(StrId(part.id), class, "literal").map(drop),
                None => text(&self.contents.strings, StrId(part.id), "literal").map(drop),
            },
            PartKind::Parameter => self.place(part.id, site.position),
            PartKind::Variable => index(part.id, self.contents.manifest.variables.len(), "variable"),
            PartKind::TenantId | PartKind::PrincipalSub => {
                ensure(part.id == 0, || format!("`{}` has the id {}, not 0", part.kind, part.id))
            }
            PartKind::Template => Err("a template where none is allowed".to_owned()),
        }
    }

    /// Counts a parameter at `position`.
    pub(super) fn place(&mut self, parameter: u32, position: Position) -> Checked {
        let (parameters, at) = (self.parameters, parameter as usize);
        let (Some(found), Some(count)) = (parameters.get(at), self.placed.get_mut(at)) else {
            return index(parameter, parameters.len(), "parameter");
        };
        *count = count.saturating_add(1);
        ensure(found.position == position, || {
            let name = self.contents.strings.get(found.name);
            format!("parameter {} belongs in the {}, not in the {position}", quote(name), found.position)
        })
    }
}

pub(super) fn is_parameter(parts: &[Part]) -> bool {
    matches!(parts, [Part { kind: PartKind::Parameter, .. }])
}
