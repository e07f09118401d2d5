//! The JSON Schema of a tool's arguments, as `tools/list` publishes it.

use crate::language::json::Json;
use crate::spec::{ParameterSpec, ToolSpec};

/// A schema made of the parameters.
pub fn generate(tool: &ToolSpec) -> Json {
    let visible = || tool.parameters.iter().filter(|p| !p.is_hidden());
    let property = |parameter: &ParameterSpec| {
        let mut schema = of_parameter(parameter);
        if tool.is_base64(parameter) {
            say_base64(&mut schema);
        }
        (parameter.name.value.clone(), schema)
    };
    let properties: Vec<_> = visible().map(property).collect();
    let required: Vec<Json> =
        visible().filter(|p| p.is_required()).map(|p| Json::string(&p.name.value)).collect();
    let mut schema = vec![("type".to_owned(), Json::string("object"))];
    if !properties.is_empty() {
        schema.push(("properties".into(), Json::Object(properties)));
    }
    if !required.is_empty() {
        schema.push(("required".into(), Json::Array(required)));
    }
    schema.push(("additionalProperties".into(), Json::Bool(false)));
    Json::Object(schema)
}

/// Tells callers to encode bytes: in a string, or in each of a list.
fn say_base64(schema: &mut Json) {
    let Json::Object(members) = schema else { return };
    let is_items = |(keyword, value): &&mut (String, Json)| keyword == "items" && value.as_object().is_some();
    if let Some((_, items)) = members.iter_mut().find(is_items) {
        return say_base64(items);
    }
    if members.iter().all(|(keyword, _)| keyword != "contentEncoding") {
        members.push(("contentEncoding".into(), Json::string("base64")));
    }
}

/// The schema of one argument.
pub fn of_parameter(parameter: &ParameterSpec) -> Json {
    let mut schema = vec![("type".to_owned(), Json::string(parameter.kind.value.as_str()))];
    if let Some(description) = &parameter.description {
        schema.push(("description".into(), Json::string(&description.value)));
    }
    if let Some(allowed) = &parameter.enumeration {
        let values = allowed.value.iter().map(|v| v.value.clone()).collect();
        schema.push(("enum".into(), Json::Array(values)));
    }
    if let Some(default) = &parameter.default {
        schema.push(("default".into(), default.value.clone()));
    }
    for (name, value) in &parameter.keywords {
        // A parameter's own `required` is a boolean.
        let keyword = if *name == "required_properties" { "required" } else { *name };
        schema.push((keyword.into(), value.value.clone()));
    }
    if let Some(header) = &parameter.mcp_header {
        schema.push(("x-mcp-header".into(), Json::string(&header.value)));
    }
    Json::Object(schema)
}

#[cfg(test)]
mod tests {
    use crate::check::{MemoryFiles, Report, check_files};

    fn check(keys: &str) -> Report {
        let spec = format!(
            "[[tool]]\nname = \"add_note\"\ndescription = \"Adds a note to the list of notes.\"\nmethod = \"POST\"\n\
             endpoint = \"https://api.example.com/notes\"\n\
             allow = [{{ rule = \"missing-example\", reason = \"short\" }}]\n\
             [[tool.parameters]]\nname = \"note\"\ndescription = \"The note\"\n{keys}\n"
        );
        check_files(&MemoryFiles::one("spec.toml", &spec))
    }

    const PROPERTIES: &str = "properties = { title = { type = \"string\" }, text = { type = \"string\" } }";

    #[test]
    fn a_parameter_can_require_members_of_an_object() {
        for key in ["required_properties", "requiredProperties"] {
            let report = check(&format!("type = \"object\"\n{PROPERTIES}\n{key} = [\"title\"]"));
            assert_eq!(report.diagnostics, [], "{key}");
            let schema = report.toolsets[0].tools[0].published_schema().to_text();
            assert!(schema.contains(r#""required":["title"]"#), "{schema}");
            let contents = report.contents.unwrap();
            let (_, plan) = contents.tool("add_note").unwrap();
            let objects = plan.checks.iter().filter_map(|check| check.object.as_ref());
            let required = objects.flat_map(|object| &object.properties).filter(|property| property.required);
            let names: Vec<&str> = required.map(|property| contents.strings.get(property.name)).collect();
            assert_eq!(names, ["title"]);
        }
    }

    #[test]
    fn members_that_are_not_declared_cannot_be_required() {
        let found = |keys: &str| {
            let report = check(keys);
            let [one] = report.diagnostics.as_slice() else { panic!("{:?}", report.diagnostics) };
            (one.message.clone(), one.help.clone().unwrap_or_default())
        };
        let (message, help) =
            found(&format!("type = \"object\"\n{PROPERTIES}\nrequired_properties = [\"titel\"]"));
        assert_eq!(message, "`properties` does not declare `titel`");
        assert_eq!(help, "did you mean `title`?");
        let (message, _) = found("type = \"object\"\nrequired_properties = [\"title\"]");
        assert_eq!(message, "`properties` does not declare `title`");
    }

    #[test]
    fn only_objects_have_members() {
        let report = check(&format!("{PROPERTIES}\nrequired_properties = [\"title\"]"));
        let messages: Vec<&str> = report.diagnostics.iter().map(|found| found.message.as_str()).collect();
        let expected = "`required_properties` has no effect on a string, which parameter `note` is";
        assert!(messages.contains(&expected), "{messages:?}");
    }
}
