//! One of the two bundles, and one of its tools.

use crate::language::json::Json;
use crate::publish::bundle_view;
use mcp_bundle::plan::{Contents, HttpPlan, Part, Placed, Policy, ToolPlan, Upstream};
use mcp_bundle::strings::StrId;
use mcp_bundle::wire_enums::{PartKind, ProtocolVersion};
use std::collections::{BTreeMap, BTreeSet};

/// A tool of a bundle.
pub struct Side<'a> {
    pub contents: &'a Contents,
    pub index: usize,
    pub plan: &'a ToolPlan,
    pub policy: &'a Policy,
    /// As the newest protocol revision lists it.
    pub entry: Json,
}

/// Where a parameter goes.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    pub position: &'static str,
    /// Empty in a path, and for a parameter that is the body.
    pub name: String,
}

impl<'a> Side<'a> {
    pub fn of(contents: &'a Contents, index: usize) -> Option<Side<'a>> {
        let plan = contents.tools.get(index)?;
        let text = contents.list.get(index)?.open_form(&contents.strings, ProtocolVersion::V20260728);
        Some(Side {
            contents,
            index,
            plan,
            policy: contents.policies.get(plan.policy as usize)?,
            entry: Json::parse(&format!("{text}}}"))?,
        })
    }

    pub fn text(&self, id: StrId) -> &'a str {
        self.contents.strings.get(id)
    }

    pub fn name(&self) -> &'a str {
        self.text(self.plan.name)
    }

    pub fn toolset(&self) -> &'a str {
        self.contents.manifest.toolsets.get(self.plan.toolset as usize).map_or("", |set| self.text(set.name))
    }

    pub fn upstream(&self) -> Option<&'a Upstream> {
        self.contents.upstreams.get(self.plan.request()?.upstream as usize)
    }

    /// The parameters by name, with their numbers.
    pub fn parameters(&self) -> BTreeMap<&'a str, usize> {
        self.plan.parameters.iter().enumerate().map(|(at, one)| (self.text(one.name), at)).collect()
    }

    /// Its response schema.
    pub fn output_schema(&self) -> Option<&'a str> {
        let index = self.plan.response.output_schema?;
        self.contents.manifest.schemas.get(index as usize).map(|id| self.text(*id))
    }

    /// What a run of parts writes, with `{name}` for parameters, `${NAME}` for variables and `{{…}}` in templates.
    pub fn parts(&self, parts: &[Part]) -> String {
        let mut out = String::new();
        bundle_view::write_parts(self.contents, self.plan, parts, &mut out);
        out
    }

    /// Where each parameter goes, by its number. One that only templates read goes nowhere else.
    pub fn places(&self) -> BTreeMap<usize, Place> {
        let Some(http) = self.plan.request() else { return BTreeMap::new() };
        let mut places = BTreeMap::new();
        let mut put = |parts: &[Part], position: &'static str, name: String| {
            for part in parts.iter().filter(|part| part.kind == PartKind::Parameter) {
                places.insert(part.id as usize, Place { position, name: name.clone() });
            }
        };
        put(&http.path, "path", String::new());
        let lists = [("query", &http.query), ("header", &http.headers), ("cookie", &http.cookies)];
        for (position, placed) in lists.into_iter().flat_map(|(at, all)| all.iter().map(move |one| (at, one)))
        {
            put(&placed.value, position, self.text(placed.name).to_owned());
        }
        for (name, parts) in bundle_view::body_fields(self.contents, http) {
            put(parts, "body", name);
        }
        if let Some(whole) = http.body.whole {
            put(&[Part::parameter(whole)], "body", String::new());
        }
        places
    }

    /// The fixed values of a list of named values, by name.
    pub fn fixed(&self, placed: &[Placed]) -> BTreeMap<String, String> {
        let fixed = placed.iter().filter(|placed| is_fixed(&placed.value));
        fixed.map(|placed| (self.text(placed.name).to_owned(), self.parts(&placed.value))).collect()
    }

    /// The fixed values of the body, by their dotted names.
    pub fn fixed_body(&self, http: &HttpPlan) -> BTreeMap<String, String> {
        let fields = bundle_view::body_fields(self.contents, http).into_iter();
        let fixed = fields.filter(|(_, parts)| is_fixed(parts));
        fixed.map(|(name, parts)| (name, self.parts(parts))).collect()
    }

    /// The templates of the request, each by the place that it writes, as text that is the same if they do the same.
    pub fn request_templates(&self) -> BTreeMap<String, String> {
        let Some(http) = self.plan.request() else { return BTreeMap::new() };
        let headers = http
            .headers
            .iter()
            .map(|placed| (format!("header `{}`", self.text(placed.name)), placed.value.as_slice()));
        let body = http.body.ops.iter().map(|op| ("the body".to_owned(), op.value.as_slice()));
        let all = [("the endpoint".to_owned(), http.path.as_slice())].into_iter().chain(headers).chain(body);
        all.filter_map(|(place, parts)| {
            let part = parts.iter().find(|part| part.kind == PartKind::Template)?;
            Some((place, self.template(part.id)))
        })
        .collect()
    }

    /// A template as text that is the same if it does the same, whatever bundle it is in.
    pub fn template(&self, index: u32) -> String {
        let programs = &self.contents.templates;
        let Some(program) = programs.programs.get(index as usize) else { return String::new() };
        let variable = |kind: u32, id: u32| {
            let part = u8::try_from(kind).ok().and_then(PartKind::from_tag).map(|kind| Part { kind, id });
            part.map(|part| self.parts(&[part])).unwrap_or_default()
        };
        crate::template::listing::listing(programs, program, &|id| self.text(StrId(id)).to_owned(), &variable)
    }

    /// The fields that a template reads by name, as paths.
    pub fn fields(&self, index: u32) -> BTreeSet<String> {
        let programs = &self.contents.templates;
        let mut found = BTreeSet::new();
        let Some(program) = programs.programs.get(index as usize) else { return found };
        // Shapes refer to those before them, so this ends.
        let mut open = vec![(program.shape, String::new())];
        while let Some((shape, path)) = open.pop() {
            let Some(shape) = programs.shapes.get(shape as usize) else { continue };
            if shape.items != mcp_bundle::template::NONE {
                open.push((shape.items, format!("{path}[]")));
                continue;
            }
            let fields = shape.fields.of(&programs.fields);
            if fields.is_empty() && !path.is_empty() {
                found.insert(path.clone());
            }
            for field in fields {
                let dot = if path.is_empty() { "" } else { "." };
                open.push((field.shape, format!("{path}{dot}{}", self.text(field.key))));
            }
        }
        found
    }
}

/// Neither an argument nor what a template makes of some.
fn is_fixed(parts: &[Part]) -> bool {
    !parts.is_empty()
        && parts.iter().all(|part| !matches!(part.kind, PartKind::Parameter | PartKind::Template))
}
