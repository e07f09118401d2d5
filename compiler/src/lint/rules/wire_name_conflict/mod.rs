use crate::checked::{CheckedTemplate, CheckedTool};
use crate::language::json::Json;
use crate::language::schema_walk;
use crate::lint::helpers::values::show_text;
use crate::lint::helpers::{schemas, urls};
use crate::lint::{Check, Findings, ToolContext, rule};
use crate::spec::{BodySpec, ParameterSpec, Type};
use mcp_bundle::wire_enums::{Position, Style};
use mcp_diagnostics::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

rule! {
    /// ## What it does
    /// Finds parameters that would be sent under the same name in the same place.
    ///
    /// In a JSON body, a dotted `wire_name` nests, so `a` and `a.b` conflict too: one makes `a` a
    /// value, the other an object. A name with nothing between its dots is invalid, and one with
    /// more than 16 parts is too deep.
    ///
    /// In a query, names in the endpoint itself count too. In a query or form, an object is sent as
    /// `filter[owner]=…` unless its `style` is different, so it owns every name that begins with
    /// `filter[`.
    ///
    /// ## Why is this bad
    /// The upstream would use one of the two, depending on its parser, or refuse the request. If
    /// one of them is fixed, a caller could override it.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "limit"
    /// position = "query"
    /// [[tool.parameters]]
    /// name = "page_size"
    /// wire_name = "limit"
    /// position = "query"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// [[tool.parameters]]
    /// name = "address"
    /// [[tool.parameters]]
    /// name = "city"
    /// wire_name = "address.city"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders?role=user"
    /// [[tool.parameters]]
    /// name = "role"
    /// position = "query"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders"
    /// [[tool.parameters]]
    /// name = "filter"
    /// type = "object"
    /// position = "query"
    /// [[tool.parameters]]
    /// name = "owner"
    /// wire_name = "filter[owner]"
    /// position = "query"
    /// value = "${tenant.id}"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "create_user"
    /// method = "POST"
    /// endpoint = "https://api.example.com/users"
    /// [[tool.parameters]]
    /// name = "street"
    /// wire_name = "address.street"
    /// [[tool.parameters]]
    /// name = "city"
    /// wire_name = "address.city"
    /// ```
    /// ```toml
    /// [[tool]]
    /// name = "list_orders"
    /// method = "GET"
    /// endpoint = "https://api.example.com/orders?role=user"
    /// [[tool.parameters]]
    /// name = "filter"
    /// type = "object"
    /// position = "query"
    /// style = "json"
    /// [[tool.parameters]]
    /// name = "owner"
    /// wire_name = "filter[owner]"
    /// position = "query"
    /// value = "${tenant.id}"
    /// ```
    pub WIRE_NAME_CONFLICT = "MCP0410", "wire-name-conflict", HardError, Check::Tool(check);
}

/// The most parts of a dotted name.
const MAX_PIECES: usize = 16;

/// The owner of a name.
#[derive(Clone, Copy)]
enum Sender<'a> {
    Parameter(&'a ParameterSpec),
    /// A property of `input_schema` that no parameter places.
    Property(&'a str, Span),
    /// The endpoint's own query.
    Endpoint(Span),
}

/// A name that is in use, and whether all names below it, `name[…]`, are too.
struct Taken<'a> {
    by: Sender<'a>,
    is_deep: bool,
}

type Names<'a> = BTreeMap<(Position, String), Taken<'a>>;
type Properties<'a> = BTreeMap<&'a str, &'a Json>;

fn check(context: &ToolContext<'_>, findings: &mut Findings<'_>) {
    let tool = context.tool;
    let body = tool.body_kind();
    let is_form = matches!(body, BodySpec::Form | BodySpec::Multipart);
    let schema = tool.input_schema.as_ref().filter(|_| !tool.parameters.is_empty() || is_form);
    let declared = schema.map(|schema| schema_walk::declared_properties(&schema.value));
    let placed: BTreeSet<&str> = tool.parameters.iter().map(|p| p.name.value.as_str()).collect();
    let unplaced = || {
        let span = schema.map_or(tool.span, |schema| schema.span);
        let all = declared.iter().flatten().filter(|(name, _)| !placed.contains(*name));
        let all = all.filter(|(name, _)| !tool.is_templated(name));
        all.map(move |(name, schema)| (*name, *schema, span))
    };

    let mut names = Names::new();
    fixed(context, &mut names);
    if is_form {
        for (name, schema, span) in unplaced() {
            if name.is_empty() {
                let message = "a property of `input_schema` has an empty name, which no form field can have";
                findings.report(Diagnostic::new(&WIRE_NAME_CONFLICT, span, message));
                continue;
            }
            let by = Sender::Property(name, span);
            names.insert((Position::Body, name.to_owned()), Taken { by, is_deep: is_object(schema) });
        }
    }
    let mut members: Vec<&ParameterSpec> = Vec::new();
    for parameter in &tool.parameters {
        let wire = parameter.wire_name();
        let Some(position) = tool.position(parameter) else {
            continue;
        };
        if wire.value.is_empty() {
            let message = format!("parameter `{}` has an empty `wire_name`", parameter.name.value);
            findings.report(Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message));
        } else if position == Position::Body && *body == BodySpec::Json {
            members.push(parameter);
        } else {
            let name = match position {
                Position::Header => wire.value.to_ascii_lowercase(),
                _ => wire.value.clone(),
            };
            let is_deep = is_deep(tool, parameter, declared.as_ref());
            let taken = Taken { by: Sender::Parameter(parameter), is_deep };
            match names.get(&(position, name.clone())) {
                Some(other) => report_same(parameter, position, other.by, findings),
                None => drop(names.insert((position, name), taken)),
            }
        }
    }
    below(&names, findings);
    nested(&members, unplaced().map(|(name, _, span)| (name, span)), findings);
}

/// The names in the endpoint's query. Some upstreams read a `+` there as a space.
fn fixed<'a>(context: &ToolContext<'a>, names: &mut Names<'a>) {
    let endpoint = context.tool.endpoint.as_ref().filter(|endpoint| endpoint.value.problems.is_empty());
    for name in endpoint.into_iter().flat_map(|endpoint| urls::fixed_names(&endpoint.value)) {
        let whole = endpoint.map_or(context.tool.span, |endpoint| endpoint.span);
        let by = Sender::Endpoint(context.sources.inside(whole, name.range));
        if name.decoded.contains('+') {
            let spaced = (Position::Query, name.decoded.replace('+', " "));
            names.insert(spaced, Taken { by, is_deep: false });
        }
        names.insert((Position::Query, name.decoded.into_owned()), Taken { by, is_deep: false });
    }
    let template = context.tool.endpoint_template.as_ref();
    for name in template.and_then(CheckedTemplate::compiled).map(urls::template_names).unwrap_or_default() {
        let whole = endpoint.map_or(context.tool.span, |endpoint| endpoint.span);
        names.insert((Position::Query, name), Taken { by: Sender::Endpoint(whole), is_deep: false });
    }
}

/// Whether a caller's argument is sent as `name[…]`. A constant never is.
fn is_deep(tool: &CheckedTool, parameter: &ParameterSpec, declared: Option<&Properties<'_>>) -> bool {
    if parameter.is_hidden() || !matches!(tool.position(parameter), Some(Position::Query | Position::Body)) {
        return false;
    }
    if let Some(style) = &parameter.style {
        return style.value == Style::Deep;
    }
    let says_so = parameter.kind.value == Type::Object && schemas::has_type(parameter);
    let property = declared.and_then(|declared| declared.get(parameter.name.value.as_str()));
    says_so || property.is_some_and(|schema| is_object(schema))
}

fn is_object(schema: &Json) -> bool {
    let types = schema.get("type").map(|said| said.as_array().unwrap_or(std::slice::from_ref(said)));
    types.unwrap_or_default().iter().any(|name| name.as_str() == Some("object"))
}

/// Names below a deep one. In sorted order they follow it, with only longer names between.
fn below(names: &Names<'_>, findings: &mut Findings<'_>) {
    let mut around: Vec<(Position, &str, Sender<'_>)> = Vec::new();
    for ((position, name), taken) in names {
        while around.pop_if(|(p, outer, _)| p != position || !name.starts_with(*outer)).is_some() {}
        let owner = around
            .last()
            .filter(|(_, outer, _)| name.get(outer.len()..).is_some_and(|rest| rest.starts_with('[')));
        match owner {
            Some((_, outer, owner)) => report_below(*position, name, taken.by, (outer, *owner), findings),
            None if taken.is_deep => around.push((*position, name, taken.by)),
            None => {}
        }
    }
}

/// The members of a JSON body.
fn nested<'a>(
    parameters: &[&'a ParameterSpec],
    unplaced: impl Iterator<Item = (&'a str, Span)>,
    findings: &mut Findings<'_>,
) {
    if parameters.is_empty() {
        return;
    }
    // Properties that no parameter places become members under their own names.
    let mut taken: BTreeMap<Vec<&str>, Sender<'a>> =
        unplaced.map(|(name, span)| (vec![name], Sender::Property(name, span))).collect();
    let mut pieces = Vec::new();
    for parameter in parameters {
        let wire = parameter.wire_name();
        let path: Vec<&str> = wire.value.split('.').take(MAX_PIECES + 1).collect();
        let mut report = |message: String, note: &str| {
            findings.report(Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message).note(note));
        };
        let note = "in a JSON body, a dotted name nests: `a.b` is member `b` of object `a`";
        if path.len() > MAX_PIECES {
            report(format!("{} is too deep: the limit is {MAX_PIECES} parts", show_text(&wire.value)), note);
        } else if path.iter().any(|piece| piece.is_empty()) {
            report(format!("`{}` has an empty part", wire.value), note);
        } else if let Some(other) = taken.get(&path) {
            report_same(parameter, Position::Body, *other, findings);
        } else {
            taken.insert(path.clone(), Sender::Parameter(parameter));
            pieces.push((*parameter, path));
        }
    }
    for (parameter, path) in pieces {
        let mut outer = path.as_slice();
        while let Some((_, shorter)) = outer.split_last().filter(|(_, shorter)| !shorter.is_empty()) {
            outer = shorter;
            if let Some(other) = taken.get(outer) {
                report_nested(parameter, &outer.join("."), *other, findings);
                break;
            }
        }
    }
}

impl Sender<'_> {
    /// The name that callers see, if any.
    fn name(&self) -> Option<&str> {
        match self {
            Sender::Parameter(parameter) => Some(&parameter.name.value),
            Sender::Property(name, _) => Some(name),
            Sender::Endpoint(_) => None,
        }
    }

    fn span(&self) -> Span {
        match self {
            Sender::Parameter(parameter) => parameter.wire_name().span,
            Sender::Property(_, span) | Sender::Endpoint(span) => *span,
        }
    }
}

fn report_same(
    parameter: &ParameterSpec,
    position: Position,
    other: Sender<'_>,
    findings: &mut Findings<'_>,
) {
    let wire = parameter.wire_name();
    let Some(name) = other.name() else {
        let message = format!(
            "parameter `{}` is sent as `{}` in the query, which the endpoint fixes",
            parameter.name.value, wire.value
        );
        findings.report(
            Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
                .related(other.span(), "fixed here")
                .note("the upstream would get both, and its parser decides which one it reads")
                .help("remove one of the two, or give the parameter another `wire_name`"),
        );
        return;
    };
    // Two of one name are `duplicate-parameter`.
    if name == parameter.name.value {
        return;
    }
    let message = format!(
        "parameters `{name}` and `{}` are both sent as `{}` in the {}",
        parameter.name.value, wire.value, position
    );
    findings.report(
        Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
            .related(other.span(), "the other one")
            .note("the upstream's parser decides which of the two it reads")
            .help("give one of them another `wire_name` or `position`"),
    );
}

fn report_below(
    position: Position,
    name: &str,
    sender: Sender<'_>,
    (outer, owner): (&str, Sender<'_>),
    findings: &mut Findings<'_>,
) {
    let Some(owned) = owner.name() else {
        return;
    };
    let message = format!(
        "`{name}` is sent in the {position}, where the members of parameter `{owned}` are sent as `{outer}[…]`"
    );
    // Point at the one that has a line of its own.
    let (span, related) = match sender {
        Sender::Parameter(_) => (sender.span(), owner.span()),
        _ => (owner.span(), sender.span()),
    };
    findings.report(
        Diagnostic::new(&WIRE_NAME_CONFLICT, span, message)
            .related(related, "the other one")
            .note("a caller could send a member with that name")
            .help(format!("write `style = \"json\"` for parameter `{owned}`, or choose another `wire_name`")),
    );
}

fn report_nested(parameter: &ParameterSpec, outer: &str, other: Sender<'_>, findings: &mut Findings<'_>) {
    let wire = parameter.wire_name();
    let name = other.name().unwrap_or_default();
    let message = format!(
        "`{}` makes `{outer}` an object in the body, but parameter `{name}` is sent as `{outer}` itself",
        wire.value
    );
    findings.report(
        Diagnostic::new(&WIRE_NAME_CONFLICT, wire.span, message)
            .related(other.span(), format!("sent as `{outer}`"))
            .help(format!("give parameter `{name}` a `wire_name` below `{outer}`, or this one another")),
    );
}

#[cfg(test)]
mod tests;
