//! Schemas that say `null`, files, alternatives and what else calls depend on.

use super::*;

/// The published schema of a tool with this JSON body, in a document of this version.
fn body(version: &str, written: &str, components: &str) -> (Json, Finished) {
    let text = format!(
        "openapi: {version}\ninfo: {{title: Shop, version: '1'}}\nservers: [{{url: 'https://shop.example'}}]\n\
         paths: {{/a: {{post: {{operationId: add, summary: Adds one of the things to the shop, responses: {{}},\n\
         \x20 requestBody: {{required: true, content: {{application/json: {{schema: {written}}}}}}}}}}}}}\n\
         components: {{schemas: {{{components}}}}}\n"
    );
    let (report, finished) = checked(finished(&text, &Options::default()));
    (schema(&report, "add"), finished)
}

fn property(schema: &Json, name: &str) -> String {
    schema.get("properties").unwrap().get(name).unwrap().to_text()
}

#[test]
fn null_is_a_type_among_others() {
    let (schema, _) = body(
        "3.1.0",
        r##"{type: object, properties: {
          one: {oneOf: [{type: string, maxLength: 3}, {type: "null"}]},
          any: {anyOf: [{type: "null"}, {type: array, items: {type: integer}}], default: null},
          choice: {anyOf: [{type: string, enum: [a]}, {type: "null"}]},
          thing: {oneOf: [{$ref: '#/components/schemas/Thing'}, {type: "null"}]},
          three: {anyOf: [{type: string}, {type: integer}, {type: "null"}]},
          nothing: {type: "null"}, list: {type: ["null"]}}}"##,
        "Thing: {type: object, required: [a], properties: {a: {type: string, description: A long description of the first member of it}}}",
    );
    assert_eq!(property(&schema, "one"), r#"{"type":["string","null"],"maxLength":3}"#);
    assert_eq!(property(&schema, "any"), r#"{"type":["array","null"],"items":{"type":"integer"}}"#);
    assert_eq!(property(&schema, "choice"), r#"{"type":["string","null"],"enum":["a",null]}"#);
    assert!(property(&schema, "thing").ends_with(r#",{"type":"null"}]}"#), "{schema:?}");
    assert_eq!(
        property(&schema, "three"),
        r#"{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}"#
    );
    assert_eq!(property(&schema, "nothing"), r#"{"type":"null"}"#);
    assert_eq!(property(&schema, "list"), r#"{"type":"null"}"#);
}

#[test]
fn a_parameter_that_may_be_null_is_sent_as_the_type_that_it_has() {
    let text = r##"
openapi: 3.1.0
info: {title: Fast, version: '1'}
servers: [{url: 'https://fast.example'}]
paths:
  /items:
    get:
      operationId: read_items
      summary: Reads the items of a shop
      parameters:
        - {name: q, in: query, schema: {anyOf: [{type: string}, {type: "null"}], title: Q}}
        - {name: tags, in: query, schema: {anyOf: [{type: array, items: {type: string}}, {type: "null"}]}}
      responses: {}
"##;
    let (report, finished) = checked(finished(text, &Options::default()));
    let schema = schema(&report, "read_items");
    assert_eq!(property(&schema, "q"), r#"{"type":["string","null"]}"#);
    let text = self::text(&finished);
    assert!(text.contains("style = \"repeat\"") && !text.contains("style = \"comma\""), "{text}");
}

#[test]
fn a_discriminator_tells_the_branches_apart() {
    let (schema, finished) = body(
        "3.0.3",
        r##"{type: object, required: [pet], properties: {
          pet: {oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}, {$ref: '#/components/schemas/Fox'}, {$ref: '#/components/schemas/Hen'}],
                discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', tom: '#/components/schemas/Cat', dog: Dog}}}}}"##,
        r"Cat: {type: object, required: [kind], properties: {kind: {type: string, description: Of pets}, name: {type: string}}},
          Dog: {type: object, required: [kind], properties: {kind: {type: string}, name: {type: string}}},
          Fox: {type: object, required: [kind], properties: {kind: {type: string, enum: [fox]}}},
          Hen: {type: object, properties: {name: {type: string}}}",
    );
    let pet = property(&schema, "pet");
    for part in [
        r#"{"anyOf":[{"#,
        r#""kind":{"type":"string","description":"Of pets","enum":["cat","tom"]}"#,
        r#""kind":{"type":"string","const":"dog"}"#,
        r#""kind":{"type":"string","enum":["fox"]}"#,
        r#""kind":{"const":"Hen"}"#,
    ] {
        assert!(pet.contains(part), "{part} in {pet}");
    }
    assert_eq!(found(&finished.fidelity, "discriminator").len(), 1);
}

#[test]
fn a_shared_branch_stays_shared_and_says_its_value_beside() {
    let branch = "{$ref: '#/components/schemas/Cat'}";
    let (schema, _) = body(
        "3.0.3",
        &format!(
            "{{type: object, properties: {{a: {branch}, b: {{oneOf: [{branch}], discriminator: {{propertyName: kind, mapping: {{cat: '#/components/schemas/Cat'}}}}}}}}}}"
        ),
        "Cat: {type: object, properties: {kind: {type: string, description: The kind of animal that this one is}, name: {type: string}}}",
    );
    assert_eq!(property(&schema, "a"), r##"{"$ref":"#/$defs/Cat"}"##);
    assert_eq!(property(&schema, "b"), r##"{"$ref":"#/$defs/Cat","properties":{"kind":{"const":"cat"}}}"##);
}

#[test]
fn an_object_that_is_open_says_so() {
    let (open, finished) = body(
        "3.0.3",
        "{type: object, properties: {name: {type: string}, more: {type: object, properties: {a: {type: string}}, additionalProperties: true}}, additionalProperties: true}",
        "",
    );
    assert_eq!(open.get("additionalProperties"), Some(&Json::Bool(true)));
    assert!(!property(&open, "more").contains("additionalProperties"), "it is open by itself");
    assert!(text(&finished).contains("additionalProperties"), "{}", text(&finished));
    let (closed, _) = body("3.0.3", "{type: object, properties: {name: {type: string}}}", "");
    assert_ne!(closed.get("additionalProperties"), Some(&Json::Bool(true)));
}

#[test]
fn what_is_beside_a_reference_counts_since_3_1() {
    let schema = "{type: object, properties: {n: {$ref: '#/components/schemas/Name', maxLength: 3, description: Its name}, d: {$ref: '#/components/schemas/Name', default: ab}}}";
    let name = "Name: {type: string, maxLength: 9, description: A name of a thing as people know it}";
    let (new, finished) = body("3.1.0", schema, name);
    assert_eq!(
        property(&new, "n"),
        r##"{"description":"Its name","maxLength":3,"allOf":[{"$ref":"#/$defs/Name"}]}"##
    );
    assert_eq!(property(&new, "d"), r##"{"$ref":"#/$defs/Name","description":"Default: ab"}"##);
    assert_eq!(found(&finished.fidelity, "ref-sibling").len(), 0);
    let (old, finished) = body("3.0.3", schema, name);
    assert!(!old.to_text().contains("\"maxLength\":3"), "{old:?}");
    assert_eq!(found(&finished.fidelity, "ref-sibling").len(), 2);
}

#[test]
fn defaults_that_are_secrets_are_in_no_schema() {
    let (_, finished) = body(
        "3.0.3",
        "{type: object, properties: {password: {type: string, default: s3cr3t}, login: {type: object, properties: {api_key: {type: string, default: s3cr3t}}}}, example: {password: s3cr3t, login: {api_key: s3cr3t}}}",
        "",
    );
    assert!(!text(&finished).contains("s3cr3t"), "{}", text(&finished));
}
