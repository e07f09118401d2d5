//! The body of a request, and fields of any place whose types nobody wrote.

use super::values::{Variables, described, only_variable, typed};
use super::{TYPE_INFERRED, Values};
use crate::import::draft::{DraftParameter, DraftTool};
use crate::import::secrets::{blank, is_secret, is_secret_name};
use crate::import::{Fate, Ledger, codes};
use crate::language::json::Json;
use crate::language::names;

/// A field of a query or form.
pub struct Field {
    pub name: String,
    pub value: String,
    pub description: Option<String>,
    pub is_off: bool,
    pub position: &'static str,
    /// Ahead of a name that is taken.
    pub position_word: &'static str,
}

/// Adds a field. One whose value is a variable of the collection is set where the edge runs.
pub fn add(
    ledger: &Ledger<'_>,
    variables: &Variables<'_>,
    tool: &mut DraftTool,
    values: &mut Values,
    field: Field,
) {
    let Field { name, value, description, is_off, position, position_word } = field;
    let same = |known: &&mut DraftParameter| {
        known.position == Some(position) && known.wire_name.as_ref().unwrap_or(&known.name) == &name
    };
    if let Some(known) = tool.parameters.iter_mut().find(same) {
        // A caller cannot add to what is fixed.
        if known.value.is_some() {
            return;
        }
        // The same name again: a list.
        let items = known.kind.take().unwrap_or_else(|| "string".to_owned());
        if items != "array" {
            let items = Json::Object(vec![("type".to_owned(), Json::String(items))]);
            known.keywords = vec![("items".to_owned(), items)];
            let first = values.remove(&known.name);
            values.insert(known.name.clone(), Json::Array(first.into_iter().collect()));
        }
        known.kind = Some("array".to_owned());
        return;
    }
    let argument = free_name(tool, &name, position_word);
    let wire_name = (argument != name).then(|| name.clone());
    if only_variable(&value).is_some_and(|variable| variables.value(&variable).is_none()) && !is_off {
        let value = Some(Json::String(variables.with_places(&value)));
        tool.parameters.push(DraftParameter {
            name: argument,
            position: Some(position),
            wire_name,
            value,
            ..DraftParameter::default()
        });
        return;
    }
    let value = typed(&variables.resolved(&value));
    if is_secret(&name, &value) && !is_off {
        let variable = secret(ledger, tool, &name);
        tool.parameters.push(DraftParameter {
            name: argument,
            position: Some(position),
            wire_name,
            value: Some(variable),
            ..DraftParameter::default()
        });
        return;
    }
    if !is_off && value != Json::string("") {
        values.insert(argument.clone(), value.clone());
    }
    tool.parameters.push(DraftParameter {
        name: argument,
        kind: Some(value.type_name().to_owned()),
        description,
        position: Some(position),
        wire_name,
        ..DraftParameter::default()
    });
}

/// The variable that has the secret where the edge runs.
fn secret(ledger: &Ledger<'_>, tool: &DraftTool, name: &str) -> Json {
    let variable = names::variable(&[&tool.name, name], "API_KEY");
    let why = format!("`{name}` has `${{{variable}}}` instead of its secret");
    ledger.note(&tool.place, Fate::Changed, &codes::SECRET_REPLACED, why);
    Json::String(format!("${{{variable}}}"))
}

/// Says that secrets of a value are not in the example.
pub fn left_out(ledger: &Ledger<'_>, tool: &DraftTool, what: &str) {
    let why = format!("{what} has secrets, which are not in the example");
    ledger.note(&tool.place, Fate::Changed, &codes::SECRET_LEFT_OUT, why);
}

/// The name, unless an argument of another place has it.
fn free_name(tool: &DraftTool, name: &str, word: &str) -> String {
    let is_taken = |name: &str| tool.parameters.iter().any(|known| known.name == name);
    let mut free = if name.is_empty() { word.to_owned() } else { name.to_owned() };
    while is_taken(&free) {
        free = format!("{word}_{free}");
    }
    free
}

pub fn read<'d>(
    ledger: &Ledger<'d>,
    variables: &Variables<'_>,
    request: &'d Json,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    let Some(body) = request.get("body").filter(|body| **body != Json::Null) else {
        request.get("body").into_iter().for_each(|none| ledger.keep(none));
        return Ok(());
    };
    ledger.members_of(body).ok_or("the body is not an object")?;
    if ledger.boolean(body, "disabled") == Some(true) {
        ledger.leave_out(body, &super::DISABLED, "the body is switched off");
        return Ok(());
    }
    let mode = ledger.text(body, "mode").unwrap_or("raw");
    if let Some(options) = body.get("options") {
        ledger.keep(options);
    }
    let inner = body.get(mode);
    for other in ["raw", "urlencoded", "formdata", "file", "graphql"] {
        if let Some(value) = body.get(other).filter(|_| other != mode) {
            ledger.leave_out(value, &codes::NOT_USED, format!("the mode of the body is `{mode}`"));
        }
    }
    let Some(inner) = inner else { return Ok(()) };
    match mode {
        "raw" => raw(ledger, variables, body, tool, values),
        "urlencoded" => fields(ledger, variables, inner, "form", tool, values),
        "formdata" => fields(ledger, variables, inner, "multipart", tool, values),
        "graphql" => graphql(ledger, inner, tool, values),
        "file" => {
            ledger.keep(inner);
            tool.body = Some("bytes:file".to_owned());
            values.insert("file".to_owned(), Json::string("aGk="));
            tool.parameters.push(DraftParameter {
                name: "file".to_owned(),
                kind: Some("string".to_owned()),
                description: Some("The file, in base64".to_owned()),
                required: true,
                ..DraftParameter::default()
            });
            Ok(())
        }
        other => Err(format!("a body of mode `{other}` cannot be imported")),
    }
}

fn raw<'d>(
    ledger: &Ledger<'d>,
    variables: &Variables<'_>,
    body: &'d Json,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    let Some(text) = ledger.text(body, "raw").filter(|text| !text.trim().is_empty()) else { return Ok(()) };
    let parsed = Json::parse(text).or_else(|| Json::parse(&quoted_variables(text)));
    if let Some(Json::Object(members)) = &parsed {
        let why = "the members of the JSON body are arguments, with the types of the values that are there";
        ledger.note(&tool.place, Fate::Changed, &TYPE_INFERRED, why);
        if members.is_empty() {
            tool.body = Some("json".to_owned());
        }
        for (name, value) in members {
            member(ledger, variables, name, value, tool, values);
        }
        return Ok(());
    }
    let name = free_name(tool, "body", "the");
    let (kind, keywords) = match &parsed {
        Some(value @ Json::Array(_)) => described(value),
        _ => ("string".to_owned(), Vec::new()),
    };
    let language = body.get("options").and_then(|options| options.get("raw")?.get("language")?.as_str());
    let content_type = match language {
        _ if kind == "array" => None,
        Some("xml") => Some("application/xml"),
        Some("html") => Some("text/html"),
        Some("javascript") => Some("application/javascript"),
        Some("json") => Some("application/json"),
        _ => None,
    };
    let is_said = tool.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    tool.headers
        .extend(content_type.filter(|_| !is_said).map(|kind| ("content-type".to_owned(), kind.to_owned())));
    tool.body = Some(format!("whole:{name}"));
    let mut value =
        parsed.filter(|_| kind == "array").unwrap_or_else(|| Json::String(variables.resolved(text)));
    // What is secret in a text of any format, nobody can tell.
    if value.as_str().is_some_and(is_secret_name) {
        left_out(ledger, tool, "the body");
        value = Json::string("the body");
    } else if blank(&mut value) {
        left_out(ledger, tool, "the body");
    }
    values.insert(name.clone(), value);
    let description = Some("The body of the request".to_owned());
    tool.parameters.push(DraftParameter {
        name,
        kind: Some(kind),
        description,
        required: true,
        keywords,
        ..DraftParameter::default()
    });
    Ok(())
}

/// A member of a JSON body. One that is a variable is an argument without a value.
fn member(
    ledger: &Ledger<'_>,
    variables: &Variables<'_>,
    name: &str,
    value: &Json,
    tool: &mut DraftTool,
    values: &mut Values,
) {
    let text = value.as_str().map(|text| Json::String(variables.resolved(text)));
    let is_open = text.as_ref().and_then(Json::as_str).is_some_and(|text| text.contains("{{"));
    let value = text.as_ref().unwrap_or(value);
    let argument = free_name(tool, name, "body");
    // A dot in a name would nest.
    let wire_name = (argument != name).then(|| name.to_owned());
    if !is_open && is_secret(name, value) {
        let value = Some(secret(ledger, tool, name));
        let position = Some("body");
        tool.parameters.push(DraftParameter {
            name: argument,
            position,
            wire_name,
            value,
            ..DraftParameter::default()
        });
        return;
    }
    let (kind, keywords) = described(value);
    if !is_open && *value != Json::Null {
        let mut value = value.clone();
        if blank(&mut value) {
            left_out(ledger, tool, &format!("`{name}`"));
        }
        values.insert(argument.clone(), value);
    }
    tool.parameters.push(DraftParameter {
        name: argument,
        kind: Some(kind),
        wire_name,
        keywords,
        ..DraftParameter::default()
    });
}

/// `{{name}}` outside of quotes, as in `{"id": {{id}}}`, in quotes.
fn quoted_variables(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_inside, mut rest) = (false, text);
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if !is_inside
            && let Some((name, after)) = rest.strip_prefix("{{").and_then(|rest| rest.split_once("}}"))
            && !name.contains(['"', '{', '\n'])
        {
            out.push_str(&format!("\"{{{{{name}}}}}\""));
            rest = after;
            continue;
        }
        out.push(c);
        rest = after;
        match c {
            '\\' if is_inside => {
                let escaped = rest.chars().next();
                out.extend(escaped);
                rest = rest.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
            '"' => is_inside = !is_inside,
            _ => {}
        }
    }
    out
}

fn fields<'d>(
    ledger: &Ledger<'d>,
    variables: &Variables<'_>,
    list: &'d Json,
    kind: &str,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    ledger.keep(list);
    tool.body = Some(kind.to_owned());
    for item in list.as_array().ok_or("the fields of the body are not a list")? {
        let text = |key: &str| item.get(key).and_then(Json::as_str).map(str::to_owned);
        let name = text("key").ok_or("a field of the body has no name")?;
        let is_off = item.get("disabled") == Some(&Json::Bool(true));
        if kind == "multipart" && text("type").as_deref() == Some("file") {
            let argument = free_name(tool, &name, "body");
            let wire_name = (argument != name).then_some(name);
            let file_name = text("src").and_then(|path| path.rsplit(['/', '\\']).next().map(str::to_owned));
            tool.parameters.push(DraftParameter {
                name: argument,
                kind: Some("string".to_owned()),
                description: text("description").or_else(|| Some("The file, in base64".to_owned())),
                wire_name,
                is_base64: true,
                file_name: file_name.filter(|name| !name.is_empty()),
                content_type: text("contentType"),
                ..DraftParameter::default()
            });
            continue;
        }
        let (value, description) = (text("value").unwrap_or_default(), text("description"));
        add(
            ledger,
            variables,
            tool,
            values,
            Field { name, value, description, is_off, position: "body", position_word: "body" },
        );
    }
    Ok(())
}

fn graphql<'d>(
    ledger: &Ledger<'d>,
    inner: &'d Json,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    ledger.keep(inner);
    let query = inner.get("query").and_then(Json::as_str).ok_or("the GraphQL body has no `query`")?;
    let value = Some(Json::String(super::super::literal(query)));
    tool.parameters.push(DraftParameter {
        name: free_name(tool, "query", "graphql"),
        wire_name: Some("query".to_owned()),
        value,
        ..DraftParameter::default()
    });
    let variables = inner.get("variables").and_then(|variables| match variables {
        Json::String(text) => Json::parse(text),
        other => Some(other.clone()),
    });
    for (name, value) in variables.as_ref().and_then(Json::as_object).unwrap_or_default() {
        if name.contains('.') {
            return Err(format!("the GraphQL variable `{name}` has a dot in its name"));
        }
        let argument = free_name(tool, name, "variable");
        let wire_name = Some(format!("variables.{name}"));
        if is_secret(name, value) {
            let value = Some(secret(ledger, tool, name));
            tool.parameters.push(DraftParameter {
                name: argument,
                wire_name,
                value,
                ..DraftParameter::default()
            });
            continue;
        }
        let (kind, keywords) = described(value);
        let mut value = value.clone();
        if blank(&mut value) {
            left_out(ledger, tool, &format!("`{name}`"));
        }
        values.insert(argument.clone(), value);
        tool.parameters.push(DraftParameter {
            name: argument,
            kind: Some(kind),
            wire_name,
            keywords,
            ..DraftParameter::default()
        });
    }
    Ok(())
}
