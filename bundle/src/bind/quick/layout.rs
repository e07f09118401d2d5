//! Making the tables of a bundle.

use super::{
    ArrayCheck, Check, Checked, Elements, Ids, MAX_PARAMETERS, Name, NumberCheck, ObjectCheck, Parameter,
    Property, Step, StringCheck, Tables, Tool,
};
use crate::bind::positions::{self, percent};
use crate::json::{self, Kind, Value};
use crate::plan::{self, Contents, HttpPlan, Part, Placed, ToolPlan, TypeSet};
use crate::strings::StrId;
use crate::template::Run;
use crate::wire_enums::{BodyKind, BodyOpKind, Method, PartKind, Position, Style};
use std::collections::BTreeMap;

/// Bytes that all quick ways together may take: with names and heads, of which a bundle has less than 2 GiB, places stay below
/// 4 GiB.
const MOST_ROOM: usize = 1 << 30;
/// Bytes that a tool's quick way takes at most, on average; texts come on top.
const ROOM_OF_A_TOOL: usize = 2 << 10;

/// A check's own numbers, its values and its properties.
type CheckKey = (Check, Vec<StrId>, Vec<(StrId, Checked)>);

/// Fills tables, tool by tool.
pub(in crate::bind) struct Layout<'c> {
    contents: &'c Contents,
    variables: &'c [Box<str>],
    tables: Tables,
    /// Bytes that may still be added: tools may share texts in a bundle, but not here.
    room: usize,
    /// Checks that are there already.
    known: BTreeMap<CheckKey, u32>,
}

impl<'c> Layout<'c> {
    pub(in crate::bind) fn new(contents: &'c Contents, variables: &'c [Box<str>]) -> Layout<'c> {
        let room = 4 * contents.strings.text().len() + ROOM_OF_A_TOOL * (contents.tools.len() + 1);
        let room = room.min(MOST_ROOM);
        Layout { contents, variables, tables: Tables::default(), room, known: BTreeMap::new() }
    }

    /// Adds a tool and gives where its record begins. Its fixed headers are the first `covered` of its plan.
    pub(in crate::bind) fn add(&mut self, ids: Ids, plan: &ToolPlan, covered: usize) -> u32 {
        let (mut parameters, mut steps) = (Vec::new(), Vec::new());
        let required = self.parameters(plan, &mut parameters);
        let http = plan.http();
        let quick = required
            .filter(|_| http.is_some_and(|http| self.steps(plan, http, covered, &mut steps).is_some()));
        let length = Tool::length(&parameters, &steps);
        let quick = quick.filter(|_| self.take_room(length).is_some());
        let name = self.contents.strings.bytes(plan.name);
        let quick = quick.map(|required| (required, parameters.as_slice(), steps.as_slice()));
        let mirrored = plan.parameters.iter().any(|parameter| parameter.mcp_header.is_some());
        let method = http.map_or(Method::Get, |http| http.method);
        let marks = (method, http.is_some_and(|http| http.body.kind == BodyKind::Json), mirrored);
        Tool::write(ids, name, quick, marks, &mut self.tables.bytes)
    }

    pub(in crate::bind) fn finish(mut self) -> Tables {
        // Short texts are copied in blocks, also the last ones.
        self.tables.bytes.extend_from_slice(&[0; 16]);
        self.tables.bytes.shrink_to_fit();
        self.tables
    }

    /// Adds the parameters of a tool; gives those that a call must have.
    fn parameters(&mut self, plan: &ToolPlan, parameters: &mut Vec<Parameter>) -> Option<u32> {
        if plan.parameters.len() > MAX_PARAMETERS || plan.schema.is_some() {
            return None;
        }
        let checks = self.checks(&plan.checks)?;
        let mut required = 0;
        for (index, parameter) in plan.parameters.iter().enumerate() {
            // What the caller must decide is not decided for it.
            let default = parameter.default.filter(|_| !parameter.required);
            let name = self.name(parameter.name)?;
            let text = default.and_then(|default| self.default(default, parameter.position));
            let is_needed = parameter.required || parameter.position == Position::Path || default.is_some();
            required |= u32::from(is_needed && text.is_none()) << index;
            let check = *checks.get(parameter.check as usize)?;
            parameters.push(Parameter { name, check, default: text });
        }
        Some(required)
    }

    /// What stands in for an absent argument, unless it is an array, an object, or a string with escapes.
    fn default(&mut self, default: StrId, position: Position) -> Option<Run> {
        let text = self.contents.strings.get(default);
        let value = Value::of_valid(text);
        match value.kind {
            _ if position == Position::Body => self.bytes(text.as_bytes()),
            Kind::String if !value.escaped => self.bytes(value.raw().as_bytes()),
            Kind::Number | Kind::Boolean => self.bytes(text.as_bytes()),
            _ => None,
        }
    }

    /// Adds the checks of a tool that are not there yet; gives where each is.
    fn checks(&mut self, checks: &[plan::Check]) -> Option<Vec<Checked>> {
        let mut places: Vec<Checked> = Vec::with_capacity(checks.len());
        for check in checks {
            let place = self.check(check, &places)?;
            places.push(place);
        }
        Some(places)
    }

    /// `places` are those of the checks before.
    fn check(&mut self, check: &plan::Check, places: &[Checked]) -> Option<Checked> {
        let whole = |least: Option<u32>, most: Option<u32>| {
            (least.map_or(0, |least| least as usize), most.map_or(usize::MAX, |most| most as usize))
        };
        let place = |index: u32| places.get(index as usize).copied();
        let string = check.string.as_ref().map(|string| {
            let (least, most) = whole(string.min_length, string.max_length);
            StringCheck { least, most, pattern: string.pattern, format: string.format }
        });
        let number = check.number.as_ref().map(|number| self.number(number));
        let array = match &check.array {
            Some(array) => {
                let (least, most) = whole(array.min_items, array.max_items);
                let items = match array.items {
                    Some(items) => Some(place(items)?),
                    None => None,
                };
                ArrayCheck { least, most, items }
            }
            None => ArrayCheck { least: 0, most: usize::MAX, items: None },
        };
        let (mut object, mut properties) = (None, Vec::new());
        // One with more members than bits is never fine at first sight.
        if let Some(found) = check.object.as_ref().filter(|object| object.properties.len() <= 64) {
            let (least, most) = whole(found.min_properties, found.max_properties);
            let mut required = 0_u64;
            for (index, property) in found.properties.iter().enumerate() {
                required |= u64::from(property.required) << index;
                properties.push((property.name, place(property.check)?));
            }
            object = Some(ObjectCheck { least, most, properties: Run::default(), required });
        }
        let types = check.types;
        let any = [
            (Kind::Boolean, types.contains(TypeSet::BOOLEAN)),
            (Kind::String, types.contains(TypeSet::STRING) && string.is_none()),
            (Kind::Number, types.contains(TypeSet::NUMBER) && number.is_none()),
        ];
        let any = any.iter().filter(|(_, is_any)| *is_any && check.enumeration.is_empty());
        let any = any.fold(0, |any, (kind, _)| any | 1 << *kind as u8);
        let bare = Check { types, values: Run::default(), string, number, array, object };
        let key = (bare, check.enumeration.clone(), properties);
        if let Some(&index) = self.known.get(&key) {
            return Some(Checked { index, any });
        }
        let mut made = bare;
        made.values = self.values(&key.1)?;
        if let Some(object) = &mut made.object {
            let start = self.tables.properties.len() as u32;
            object.properties = Run { start, count: key.2.len() as u32 };
            for &(name, check) in &key.2 {
                let name = self.name(name)?;
                self.tables.properties.push(Property { name, check });
            }
        }
        let index = self.tables.checks.len() as u32;
        self.tables.checks.push(made);
        self.known.insert(key, index);
        Some(Checked { index, any })
    }

    fn values(&mut self, values: &[StrId]) -> Option<Run> {
        let start = self.tables.values.len() as u32;
        for &value in values {
            let text = self.text(value)?;
            self.tables.values.push(text);
        }
        Some(Run { start, count: values.len() as u32 })
    }

    /// Bounds that are whole and small, as most are; for others, no number is fine at first sight.
    fn number(&self, check: &plan::NumberCheck) -> NumberCheck {
        const NONE: NumberCheck = NumberCheck { least: 1, most: 0 };
        // Far enough from the ends for adding one.
        const FAR: i64 = i64::MAX / 4;
        let bound = |id: Option<StrId>, otherwise: i64| match id {
            None => Some(otherwise),
            Some(id) => {
                self.contents.strings.get(id).parse().ok().filter(|bound| (-FAR..=FAR).contains(bound))
            }
        };
        let bounds = || {
            let least = bound(check.minimum, -FAR)?.max(bound(check.exclusive_minimum, -FAR - 1)? + 1);
            let most = bound(check.maximum, FAR)?.min(bound(check.exclusive_maximum, FAR + 1)? - 1);
            Some(NumberCheck { least, most })
        };
        bounds().unwrap_or(NONE)
    }

    /// Adds the steps of a tool.
    fn steps(
        &mut self,
        plan: &ToolPlan,
        http: &HttpPlan,
        covered: usize,
        steps: &mut Vec<Step>,
    ) -> Option<()> {
        if !http.cookies.is_empty()
            || http.path.is_empty()
            || !positions::is_dotless(&http.path, &self.contents.strings)
        {
            return None;
        }
        for part in &http.path {
            let step = match part.kind {
                PartKind::Literal => Step::Path(self.text(StrId(part.id))?),
                PartKind::Parameter => Step::PathValue(parameter_of(plan, part.id, false)?),
                _ => return None,
            };
            steps.push(step);
        }
        for placed in &http.query {
            let step = self.query_step(plan, placed)?;
            steps.push(step);
        }
        for placed in http.headers.get(covered..)? {
            let [Part { kind: PartKind::Parameter, id }] = placed.value.as_slice() else { return None };
            let start = self.tables.bytes.len();
            self.text(placed.name)?;
            self.bytes(b": ")?;
            steps.push(Step::HeaderValue(self.since(start), parameter_of(plan, *id, false)?));
        }
        match http.body.kind {
            BodyKind::None => Some(()),
            BodyKind::Json => self.body_steps(plan, http, covered, steps),
            BodyKind::Form | BodyKind::Whole | BodyKind::Template => None,
        }
    }

    fn query_step(&mut self, plan: &ToolPlan, placed: &Placed) -> Option<Step> {
        let start = self.tables.bytes.len();
        self.bytes(b"&")?;
        self.text(placed.name)?;
        self.bytes(b"=")?;
        if let [Part { kind: PartKind::Parameter, id }] = placed.value.as_slice() {
            let elements = match plan.parameters.get(*id as usize)?.style {
                Style::Repeat => Elements::Repeated,
                Style::Comma => Elements::Comma,
                Style::Space => Elements::Space,
                Style::Pipe => Elements::Pipe,
                Style::Deep | Style::Json => Elements::Other,
            };
            return Some(Step::QueryValue(self.since(start), parameter_of(plan, *id, false)?, elements));
        }
        self.fixed(&placed.value, percent::encode)?;
        Some(Step::Query(self.since(start)))
    }

    fn body_steps(
        &mut self,
        plan: &ToolPlan,
        http: &HttpPlan,
        covered: usize,
        steps: &mut Vec<Step>,
    ) -> Option<()> {
        let is_type = |placed: &&Placed| self.contents.strings.get(placed.name) == "content-type";
        // The header of a call may be left out.
        let of_calls = http.headers.get(covered..)?;
        if of_calls.iter().any(|placed| is_type(&placed)) {
            return None;
        }
        let is_there = http.headers.iter().any(|placed| is_type(&placed));
        if let Some(content_type) = http.body.content_type.filter(|_| !is_there) {
            let text = self.text(content_type)?;
            steps.push(Step::ContentType(text));
        }
        for op in &http.body.ops {
            let start = self.tables.bytes.len();
            self.bytes(b",")?;
            self.text(op.name)?;
            let step = match (op.kind, op.value.as_slice()) {
                (BodyOpKind::Close, _) => Step::Close,
                (BodyOpKind::Open, _) => Step::Open(self.since(start)),
                (BodyOpKind::Field, [Part { kind: PartKind::Parameter, id }]) => {
                    Step::FieldValue(self.since(start), parameter_of(plan, *id, true)?)
                }
                (BodyOpKind::Field, parts) => {
                    self.fixed(parts, json::write_escaped)?;
                    Step::Field(self.since(start))
                }
            };
            steps.push(step);
        }
        Some(())
    }

    /// Adds fixed parts, unless one is different for each call.
    fn fixed(&mut self, parts: &[Part], encode: impl Fn(&str, &mut Vec<u8>)) -> Option<()> {
        for part in parts {
            match part.kind {
                PartKind::Literal => drop(self.text(StrId(part.id))?),
                PartKind::Variable => {
                    let mut encoded = Vec::new();
                    encode(self.variables.get(part.id as usize)?, &mut encoded);
                    self.bytes(&encoded)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn name(&mut self, id: StrId) -> Option<Name> {
        let text = self.text(id)?;
        Some(Name { start: Name::start(text.of(&self.tables.bytes)), text })
    }

    fn text(&mut self, id: StrId) -> Option<Run> {
        self.bytes(self.contents.strings.bytes(id))
    }

    /// Adds a text, if there is room for it.
    fn bytes(&mut self, bytes: &[u8]) -> Option<Run> {
        let start = self.tables.bytes.len();
        self.take_room(bytes.len())?;
        self.tables.bytes.extend_from_slice(bytes);
        Some(self.since(start))
    }

    fn take_room(&mut self, length: usize) -> Option<()> {
        self.room = self.room.checked_sub(length)?;
        Some(())
    }

    /// The text from `start` on.
    fn since(&self, start: usize) -> Run {
        Run { start: start as u32, count: (self.tables.bytes.len() - start) as u32 }
    }
}

/// A parameter that a step places in the body, or elsewhere, where its default is written for.
fn parameter_of(plan: &ToolPlan, parameter: u32, in_body: bool) -> Option<u8> {
    let position = plan.parameters.get(parameter as usize)?.position;
    ((position == Position::Body) == in_body).then(|| u8::try_from(parameter).ok())?
}
