//! Answers: which one is described, and what leads back to itself.

use super::*;

/// The answer schema of a tool whose responses these are.
fn output(responses: &str, components: &str) -> Option<String> {
    let (report, _) = imported(&format!(
        "paths: {{/a: {{get: {{operationId: read, responses: {responses}}}}}}}\ncomponents: {{schemas: {{{components}}}}}\n"
    ));
    report.toolsets[0].tools[0].output_schema.as_ref().map(|schema| schema.value.to_text())
}

#[test]
fn a_default_response_is_the_answer_where_no_other_one_is() {
    let answer = |kind: &str| {
        format!(
            "{{description: x, content: {{application/json: {{schema: {{type: object, required: [{kind}], properties: {{{kind}: {{type: string}}}}}}}}}}}}"
        )
    };
    let only = output(&format!("{{default: {}}}", answer("one")), "").unwrap();
    assert!(only.contains("\"one\""), "{only}");
    let both = output(&format!("{{default: {}, '201': {}}}", answer("error"), answer("made")), "").unwrap();
    assert!(both.contains("\"made\"") && !both.contains("error"), "{both}");
}

#[test]
fn a_text_of_any_type_is_no_json() {
    let text = "{description: OK, content: {'*/*': {schema: {type: string}}}}";
    assert_eq!(output(&format!("{{'200': {text}}}"), ""), None);
    let object =
        "{description: OK, content: {'*/*': {schema: {type: object, properties: {a: {type: string}}}}}}";
    assert!(output(&format!("{{'200': {object}}}"), "").is_some());
}

#[test]
fn lists_that_lead_back_to_themselves_have_an_end() {
    let answer =
        "{'200': {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/L'}}}}}";
    for list in [
        "L: {type: array, items: {$ref: '#/components/schemas/L'}}",
        "L: {type: array, items: {type: array, items: {$ref: '#/components/schemas/L'}}}",
        "L: {type: object, properties: {data: {type: array, items: {$ref: '#/components/schemas/L'}}}}",
        "L: {allOf: [{$ref: '#/components/schemas/L'}]}",
    ] {
        output(answer, list);
    }
    // As arguments, too.
    let schema = "{anyOf: [{$ref: '#/components/schemas/M'}, {$ref: '#/components/schemas/M'}, {$ref: '#/components/schemas/M'}]}";
    imported(&format!(
        r##"
paths:
  /a:
    post:
      operationId: add
      parameters: [{{name: q, in: query, schema: {{$ref: '#/components/schemas/M'}}}}]
      requestBody: {{content: {{application/json: {{schema: {{type: array, items: {{$ref: '#/components/schemas/M'}}}}}}}}}}
      responses: {{}}
components: {{schemas: {{M: {schema}}}}}
"##
    ));
}
